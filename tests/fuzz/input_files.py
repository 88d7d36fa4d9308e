"""Every file that a command reads: good content in another form, and content that is missing or damaged."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

from .hostile_names import COMMANDS, REFUSED, SLOW, USUAL, arguments, contents
from .outcome import problem, run

ALSO = (
    "standardize --leave-out group --groups {groups} {runs}",
    "compare --scheme n --leave-out group --groups {groups} --scores {scores}",
    "check --baseline {b.run} --max-drop map=50% {qrels} {a.run}",
    "validate --docnos {docnos} {a.run}",
    "eval --scores deep={scores} --scores shallow={scores.2}",
    "meta references --evaluate {scores.2} --scores {scores}",
    "meta references --other {scores.2} --scores {scores}",
    "meta references --collection {scores.2} --scores {scores}",
    "meta depth --pool-runs {pool} {runs}",
    "plot forest --scores {scores} -o out.svg",
    "plot forest --scheme n -F {factors} -m map {runs} -o out.svg",
    "plot means --interval paired --scores {scores} -m map -o out.svg",
    "plot scatter --run {run} --baseline b --scores {scores} -o out.svg",
    "plot reliability {reliability} -o out.svg",
    "plot plan {plan} -o out.svg",
)
READING = tuple(command for command in (*COMMANDS, *SLOW, *ALSO) if command not in REFUSED)

FORMS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "standard input": bytes,
}
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "missing": bytes,
    "a folder": bytes,
    "empty": lambda data: b"",
    "blank": lambda data: b"\n \n\t\n",
    "truncated gzip": lambda data: gzip.compress(data)[:-9],
    "no text": lambda data: b"\xff" * 40,
    "a NUL byte": lambda data: data[: len(data) // 2] + b"\0" + data[len(data) // 2 :],
    "a short line": lambda data: data + b"x\n" + data,
}
IN_TEXT = ("no text", "a NUL byte", "a short line")
"""Damages that any text may have."""


def slots(command: str) -> list[str]:
    """Return the files that a command reads and refuses if they are damaged."""
    words = re.findall(r"\{([a-z.0-9]+)\}", command.replace("{runs}", "{qrels} {a.run} {c.run}"))
    # validate reports the damage of a run
    others = ("measure", "run", *(["a.run"] if command.startswith("validate") else []))
    return [word for word in dict.fromkeys(words) if word not in others]


def _write(folder: Path) -> dict[str, Path]:
    """Write good files of every kind into an empty folder, and return their paths."""
    files = {kind: text.encode() for kind, text in contents(USUAL).items()}
    files["groups"] = b"run,group\na,x\nb,y\nc,z\n"
    files["docnos"] = b"".join(b"d%d\n" % i for i in range(6))
    files["pool"] = b"a\nb\n"
    files["reliability"] = b"quantity,at,value,low,high\n" + b"".join(b"erho2,%d,0.%d,,\n" % (n, n) for n in (5, 8))
    files["plan"] = b"n,difference,width,pairs\n5,0.2,0.3,0.1\n10,0.1,0.2,0.2\n"
    for kind, data in files.items():
        (folder / kind).write_bytes(data)
    return {kind: folder / kind for kind in files}


def _emptied(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()
    return folder


def _results(command: str, folder: Path, slot: str = "", change: str = "") -> tuple[int, bytes, str]:
    """Run a command, one of whose files was changed; return its status, its output, and what it does wrong."""
    paths = _write(_emptied(folder))
    data = b""
    if change:
        data = (FORMS | DAMAGES)[change](paths[slot].read_bytes())
        paths[slot].write_bytes(data)
    if change in ("missing", "a folder"):
        paths[slot].unlink()
    if change == "a folder":
        paths[slot].mkdir()
    if change == "standard input":
        paths[slot] = Path("-")
    there = {*folder.iterdir()}
    done = run(arguments(command, paths, folder), data if change == "standard input" else b"")
    made = {*folder.iterdir()} - there
    output = done.stdout + b"".join(path.read_bytes() for path in sorted(made))
    wrong = problem(done, command.split(maxsplit=1)[0])
    if change in DAMAGES and not wrong:
        found = {
            f"status {done.status}": done.status != 2,
            f"made {made}": bool(made),
            f"does not name the file: {done.stderr}": str(paths[slot]) not in done.stderr,
        }
        wrong = next((what for what, is_wrong in found.items() if is_wrong), "")
    return done.status, output, wrong


def wrong(command: str, slot: str, change: str, folder: Path) -> str:
    """Return what is wrong with a command, one of whose files was changed; empty if nothing is."""
    status, output, broken = _results(command, folder, slot, change)
    if broken or change in DAMAGES:
        return broken
    # a report names the files that it was made from
    same = status in (0, 1) if "report" in command else (status, output) == _results(command, folder)[:2]
    return "" if same else f"status {status}, and the output is not that for the plain file"


def failure(command: str, folder: Path) -> str:
    """Return how a command fails that reads the good files; empty if it does not."""
    status, _, broken = _results(command, folder)
    return broken or ("" if status in (0, 1) else f"status {status}")


def changes(slot: str) -> list[str]:
    """Return the forms and damages of a file that a command notices."""
    text = slot in ("topics", "docnos")
    return [change for change in (*FORMS, *DAMAGES) if not (text and change in IN_TEXT)]


def case(rng: Random, folder: Path) -> str:
    """Change one file of one command."""
    command = rng.choice([command for command in READING if slots(command)])
    slot = rng.choice(slots(command))
    change = rng.choice(changes(slot))
    broken = wrong(command, slot, change, folder / "inputs")
    return f"{command!r}, {slot} {change}: {broken}" if broken else ""

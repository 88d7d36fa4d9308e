"""Control characters, line breaks and marks of direction as names and cells, in every command."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

from .outcome import Outcome, problem, run

CHARACTERS = ("\x1b[31m", "\r", "\n", "\u202e", "\u2028")
PLACES = ("topic", "run", "measure", "cell", "file", "absent file")
TEXTS = ("text", "table", "markdown", "latex", "csv", "jsonl")

READING = ("", "-q ", "-q -f table ", "-f markdown ", "-f latex ")
DRAWN = ("means", "heatmap", "mapping", "topics", "scores")
EXPERIMENTS = ("power", "rank", "reliability", "plan", "references")
TRIALS = ("split", "within", "between")

# Words in braces stand for files, and for the name in question where it may be typed.
COMMANDS = (
    *(f"eval {options}{{runs}}" for options in READING),
    *(f"eval {options}--scores {{scores}}" for options in READING),
    *(f"eval -q -f {style} --scores {{scores}}" for style in ("csv", "jsonl")),
    *(f"standardize {options}-F {{factors}} --scores {{scores}}" for options in READING),
    "standardize -F {factors} {runs}",
    "standardize -F {means} -F {sds} {runs}",
    "factors {runs}",
    "factors --scores {scores}",
    "factors --empirical --scores {scores}",
    "convert --to scores {scores}",
    "convert --to matrix -m {measure} {scores}",
    "convert --to scores --measure {measure} {matrix}",
    "convert --to zscores {factors}",
    "convert --to factors {zscores}",
    "convert --to scores {printed}",
    "pool -d 2 {runs}",
    "topics {runs}",
    *(f"topics -f {style} --scores {{scores}}" for style in ("text", "table")),
    *(f"compare -f {style} --scores {{scores}}" for style in ("text", "table", "latex")),
    "compare --baseline {run} --scores {scores}",
    "compare {runs}",
    "check --min {measure}=0.001 --scores {scores}",
    "check --min map=0.001 {runs}",
    "validate --qrels {qrels} {a.run}",
    "validate --topics {topics} {a.run}",
    *(f"meta {name} --scores {{scores}}" for name in EXPERIMENTS),
    *(f"meta {name} --trials 3 --scores {{scores}}" for name in TRIALS),
    "meta power -f text {runs}",
    "meta collections {scores} {scores.2}",
    "meta depth {runs}",
    "measures {measure}",
    "weights -m {measure} -k 3",
    "help {measure}",
    "{measure}",
)
REFUSED = COMMANDS[-3:]
"""Commands that refuse the usual name too."""

SLOW = (
    "report --scores {scores} -o out.html",
    "report -F {factors} {runs} -o out.html",
    *(f"plot {name} -m {{measure}} --scores {{scores}} -o out.svg" for name in DRAWN),
    "plot compare --baseline {run} --run b -m {measure} --scores {scores} -o out.svg",
    "plot scatter -m {measure} -m P_10 --scores {scores} -o out.svg",
    "plot means -m map {runs} -o out.svg",
    "plot power {power} -o out.svg",
    "plot weights -m {measure} -o out.svg",
)
TOPICS = ("1", "2", "3", "4", "5")
RUNS = ("a", "b", "c")
MEASURES = ("map", "P_10")
SCORES = {
    (run, topic): (i * 7 + t * 3) % 10 / 10 + 0.05 for i, run in enumerate(RUNS) for t, topic in enumerate(TOPICS)
}


class Names(NamedTuple):
    """How the first topic, run, measure and file, and a score, are called."""

    place: str
    name: str

    def at(self, place: str, usual: str) -> str:
        """Return the name in its place, and elsewhere the usual one."""
        return self.name if place == self.place else usual

    def all(self, place: str, usual: tuple[str, ...]) -> list[str]:
        """Return the usual names, the first one replaced in its place."""
        return [self.at(place, usual[0]), *usual[1:]]


USUAL = Names("", "")


def _csv(*rows: list[object]) -> str:
    quoted = ('"' + str(cell).replace('"', '""') + '"' for row in rows for cell in row)
    return "".join(",".join(next(quoted) for _ in row) + "\n" for row in rows)


def _lines(*rows: list[object], separator: str = " ") -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def contents(names: Names) -> dict[str, str]:
    """Return files of every format, by the words that stand for them in `COMMANDS`."""
    topics, runs, measures = (
        names.all(place, usual) for place, usual in (("topic", TOPICS), ("run", RUNS), ("measure", MEASURES))
    )
    numbers = [str(score) for score in SCORES.values()]
    numbers[0] = names.at("cell", numbers[0])
    cells = iter(numbers)
    scores = _csv(
        ["run", "topic", *measures],
        *([r, t, next(cells), int(t[-1:] in "24") / 2 + i / 10] for i, r in enumerate(runs) for t in topics),
    )
    number = numbers[0]
    moments = [f"{measure}.{of}" for measure in measures for of in ("mean", "sd")]
    files = {
        "qrels": _lines(
            *([t, 0, f"d{d}", d % 3 if d else names.at("cell", "1")] for t in topics for d in range(6))
        ),
        "scores": scores,
        "scores.2": scores.replace("0.25", "0.65"),
        "factors": _csv(["topic", "n", *moments], *([t, 20, number, 0.2, 0.4, 0.1] for t in topics)),
        "means": _csv(["topic", *measures], *([t, number, 0.4] for t in topics)),
        "sds": _csv(["topic", *measures], *([t, 0.2, 0.1] for t in topics)),
        "zscores": _lines(*([t, m, number, 0.2] for t in topics for m in measures), separator="\t"),
        "matrix": _csv(["topic", *runs], *([t, number, 0.4, 0.3] for t in topics)),
        "printed": _lines(
            *(line for r in runs for line in (["runid", "all", r], *(["map", t, number] for t in topics))),
            separator="\t",
        ),
        "topics": _lines(*([t, "words"] for t in topics)),
        "power": _csv(
            ["measure", "form", "scheme", "alpha", "power"],
            *([m, m, "raw", alpha, number] for m in measures for alpha in (0.01, 0.05)),
        ),
    }
    for i, (letter, tag) in enumerate(zip(RUNS, runs, strict=True)):
        ranked = (
            [t, "Q0", f"d{d}", d, (7 * d + i) % 5 if d else names.at("cell", "9"), tag]
            for t in topics
            for d in range(6)
        )
        files[f"{letter}.run"] = _lines(*ranked)
    return files


def outcome(command: str, names: Names, folder: Path) -> Outcome:
    """Run a command on files in which one thing has the name."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    paths = {}
    for kind, content in contents(names).items():
        prefix = names.name if names.place.endswith("file") else ""
        paths[kind] = folder / f"{prefix}{kind}"
        if names.place != "absent file":
            paths[kind].write_text(content, "utf-8", "surrogateescape", newline="")
    return run(arguments(command, paths, folder, names))


def arguments(command: str, paths: Mapping[str, Path], folder: Path, names: Names = USUAL) -> list[str]:
    """Return the words of a command, with the paths of its files in a folder, and names."""
    typed = {"{measure}": names.at("measure", "map"), "{run}": names.at("run", "a")}
    typed |= {f"{{{kind}}}": str(path) for kind, path in paths.items()}
    words: list[str] = []
    for word in command.split():
        if word == "{runs}":
            words += [str(paths[kind]) for kind in ("qrels", *(f"{letter}.run" for letter in RUNS))]
        elif word.startswith("out."):
            words.append(str(folder / word))
        else:
            words.append(reduce(lambda text, pair: text.replace(*pair), typed.items(), word))
    return words


def _is_unsafe(character: str) -> bool:
    is_mark = unicodedata.bidirectional(character) in (
        "LRE",
        "RLE",
        "LRO",
        "RLO",
        "PDF",
        "LRI",
        "RLI",
        "FSI",
        "PDI",
    )
    return is_mark or (unicodedata.category(character) in ("Cc", "Zl", "Zp") and character not in "\t\n")


@cache
def _usual_lines(command: str, place: str, folder: Path) -> int:
    return outcome(command, Names(place, "xy"), folder).stdout.count(b"\n")


def wrong_output(command: str, place: str, found: Outcome, folder: Path) -> str:
    """Return what is wrong with the text that a command prints; empty if nothing is."""
    if found.status == 2:
        return ""
    text = found.stdout.decode("utf-8", "surrogateescape")
    style = next((style for style in TEXTS if f"-f {style}" in command), "")
    if style in ("table", "markdown", "latex") and any(map(_is_unsafe, text)):
        return f"control characters in {style}: {text!a}"
    # CSV quotes line breaks, and validate has a line for each problem. Scores of a measure that has another name are
    # read from files but not computed, and any other name changes no line.
    place = place if place == "measure" else ""
    has_lines = style != "csv" and not command.startswith(("factors", "convert", "validate"))
    if has_lines and ("\r" in text or text.count("\n") != _usual_lines(command, place, folder)):
        return f"other lines: {text!a}"
    return ""


def wrong(command: str, place: str, character: str, folder: Path) -> str:
    """Return what is wrong with a command that meets a name with a character in a place; empty if nothing is."""
    found = outcome(command, Names(place, f"x{character}y"), folder)
    broken = problem(found, command.split(maxsplit=1)[0])
    broken = broken or ("unsafe character on stderr" if any(map(_is_unsafe, found.stderr)) else "")
    return broken or wrong_output(command, place, found, folder)


def pairs(commands: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Yield commands, places and characters so that every two of them meet."""
    for (i, command), (j, place) in product(enumerate(commands), enumerate(PLACES)):
        yield command, place, CHARACTERS[(i + j) % len(CHARACTERS)]


def case(rng: Random, folder: Path) -> str:
    """Run one command with one character in one place."""
    command, place, character = rng.choice(COMMANDS + SLOW), rng.choice(PLACES), rng.choice(CHARACTERS)
    broken = wrong(command, place, character, folder / "names")
    return f"{command!r}, {place} {character!a}: {broken}" if broken else ""

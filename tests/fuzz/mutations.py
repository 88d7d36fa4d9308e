"""Files of every format with a few bytes, fields or lines changed: read or refused, but never half read."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import re
from pathlib import Path
from random import Random

from .outcome import Outcome, problem, run

TOPICS = (1, 2, 10)
BYTES = [bytes([i]) for i in (0, 1, 8, 9, 10, 11, 12, 13, 27, 28, 31, 127, 128, 133, 160, 255)]
BYTES += "\ufeff|\u2028|\u0661|\r\n|\n\n|  |\"|'|,|;|_|-|+|.|e|1e999|nan|inf|NA|-0|0x1|%s|all|#".encode().split(
    b"|"
)
BYTES += [b"9" * 400, b"x" * 5000, b"9" * 5000, b"," * 100, b" " * 3000]
FIELDS = b'|x|-1|1e400|nan|inf|1.5|-5|99999999999999999999|1e-400|"|a b|1.0|+1|2.'.split(b"|")
MISSING = ("", "NA", "NaN", "nan")


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _run(tag: str, docs: tuple[int, ...]) -> bytes:
    return _lines(*(f"{t} Q0 d{d} {r} {9.5 - r:.2f} {tag}" for t in TOPICS for r, d in enumerate(docs, 1)))


_PAIRS = [(t, m) for t in TOPICS for m in ("map", "P_10")]
_PRINTED = [f"{m:<22}\t{t}\t{t / 20:.4f}" for t, m in _PAIRS] + [f"{'map':<22}\tall\t0.2000"]
_ROWS = [f"{name},{t},{(i + t) / 20:.4f},{i * t % 10 / 10:.1f},4" for i, name in enumerate("abc") for t in TOPICS]
GOOD = {
    "qrels": _lines(*(f"{t} 0 d{d} {t * d % 3}" for t in TOPICS for d in range(1, 6))),
    "run": _run("tag", (3, 1, 8, 2)),
    "run2": _run("tag2", (1, 4, 3, 5)),
    "scores": _lines("run,topic,map,P_10,num_ret", *_ROWS),
    "factors": _lines(
        "topic,n,map.mean,map.sd,P_10.mean,P_10.sd",
        *(f"{t},12,{t / 30:.4f},{t / 100:.4f},0.5,0.25" for t in TOPICS),
    ),
    "zscores": _lines(*(f"{t}\t{m}\t{t / 30:.4f}\t{t / 100 + 0.05:.4f}" for t, m in _PAIRS)),
    "matrix": _lines("topic,a,b,c", *(f"{t},{t / 11:.2f},0.5,{t / 13:.3f}" for t in TOPICS)),
    "means": _lines("topic,AP,P@10,RBP.8", *(f"{t},{t / 11:.2f},0.5,{t / 13:.3f}" for t in TOPICS)),
    "sds": _lines("topic,AP,P@10,RBP.8", *(f"{t},{t / 31:.2f},0.25,{t / 33:.3f}" for t in TOPICS)),
    "printed": _lines(f"{'runid':<22}\tall\ta", *_PRINTED, f"{'runid':<22}\tall\tb", *_PRINTED),
}
"""Small files of every format, all of them right."""

_DOCUMENTS = [{"qid": t, "docid": f"d{d}", "score": t * d % 3} for t in TOPICS for d in range(1, 6)]
GOOD["json"] = json.dumps({t: {f"d{d}": t * d % 3 for d in range(1, 6)} for t in TOPICS}).encode()
GOOD["jsonl"] = _lines(*map(json.dumps, _DOCUMENTS))
GOOD["columns"] = _lines("query-id corpus-id score", *("{qid} {docid} {score}".format(**row) for row in _DOCUMENTS))

COMMANDS = {
    "qrels": (
        "eval -q {} {run}|eval -q -c -m all_trec {} {run}|eval -q -J -m map -m sp -m unj.3 {} {run}|pool -d 2 {} {run}|"
        "eval -q -f csv -m map -m rbp {} {run}|pool -d 2 --report {} {run}"
    ),
    "run": (
        "eval -q {qrels} {}|eval -q -c -m all_trec {qrels} {}|eval -q -M 2 -m map -m njkdcg {qrels} {}|"
        "eval -f table -m map {qrels} {} {run2}|check --min map=0.1 {qrels} {}|standardize -F {factors} -q {qrels} {}"
    ),
    "scores": (
        "eval -q -f csv --scores {}|eval -q -f jsonl --scores {}|factors --scores {}|standardize --scores {} -q|"
        "standardize -F {} --scores {scores} --scheme e|convert --to scores {}|convert --to matrix -m map {}|"
        "topics --scores {} --groups hard-easy|compare --scores {} -f csv|compare --scores {} -f latex|eval -f markdown --scores {}|"
        "check --min map=0.1 --scores {}|compare --scores {} --test wilcoxon --correction holm"
    ),
    "factors": (
        "standardize -F {} -q -m map --scores {scores}|standardize -F {} --scheme z --scheme u -f csv {qrels} {run}|"
        "convert --to factors {}|convert --to zscores --digits 17 {}|compare -F {} --scores {scores} -f csv"
    ),
    "zscores": "standardize -F {} -q --scores {scores}|convert --to factors {}|standardize -F {} --scheme z {qrels} {run}",
    "matrix": "convert --to scores -m map {}|convert --to matrix -m map {}",
    "means": "convert --to factors {} {sds}|standardize -F {} -F {sds} -q --scores {scores}",
    "sds": "convert --to factors {means} {}|standardize -F {means} -F {} -q --scores {scores}",
    "printed": "convert --to scores {}|convert --to matrix -m map {}",
}

COMMANDS |= dict.fromkeys(
    ("json", "jsonl", "columns"), f"{COMMANDS['qrels']}|{COMMANDS['run']}|convert --to run {{}}"
)


def _in_bytes(rng: Random, data: bytes) -> bytes:
    at, start = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
    other = rng.choice(list(GOOD.values()))
    ends = (b"\r\n", b"\r", b"\n\n", b" \n", b"\n ", b"\x0b", b"\0", b"\n\r")
    old, new = rng.choice((b" ", b",", b"\t", b"0", b".", b"1")), rng.choice((b"  ", b"\t", b",", b"", b"\xa0"))
    changed = [
        data[:at] + rng.randbytes(1) + data[at + 1 :],
        data[:at],
        data[:at] + data[at + rng.choice((1, 2, 5, 20)) :],
        data[:at] + rng.choice(BYTES) + data[at:],
        data[:at] + other[rng.randrange(len(other)) :],
        data[:at] + data[start : start + rng.randrange(1, 40)] + data[at:],
        data.replace(b"\n", rng.choice(ends)),
        data.replace(old, new),
    ]
    return rng.choice(changed)


def _in_lines(rng: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    separator = next((each for each in (b",", b"\t") if each in lines[i]), b" ")
    fields = lines[i].split(separator)
    place, other = rng.randrange(len(fields)), rng.randrange(len(fields))
    how = rng.choice(("repeat", "swap", "delete", "swap fields", "delete field", "replace field"))
    if how == "repeat":
        lines.insert(j, lines[i])
    elif how == "swap":
        lines[i], lines[j] = lines[j], lines[i]
    elif how == "delete":
        del lines[i]
    else:
        if how == "swap fields":
            fields[place], fields[other] = fields[other], fields[place]
        else:
            fields[place : place + 1] = [rng.choice(FIELDS)] if how == "replace field" else []
        lines[i] = separator.join(fields)
    return b"\n".join(lines)


def mutated(rng: Random, data: bytes) -> bytes:
    """Return the data with one change, or a few."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3, 6))):
        data = rng.choice((_in_bytes, _in_lines))(rng, data)
    return data


def case(rng: Random, folder: Path) -> str:
    """Give one mutated file to a command that reads such files."""
    kind = rng.choice(list(COMMANDS))
    data = mutated(rng, GOOD[kind])
    is_compressed = rng.random() < 0.05
    if is_compressed:
        data = rng.choice((gzip.compress, bz2.compress, lzma.compress))(data)
        data = mutated(rng, data) if rng.random() < 0.8 else data
    for name, content in (*GOOD.items(), ("mutated", data)):
        (folder / name).write_bytes(content)
    paths = {name: folder / name for name in GOOD}
    arguments = rng.choice(COMMANDS[kind].split("|")).format(folder / "mutated", **paths).split()
    done = run(arguments)
    wrong = problem(done, arguments[0])
    printed = re.search(rb"(?i)(^|[,\t])-?(nan|inf(inity)?)([,\n]|$)", done.stdout)
    if printed and arguments[0] in ("eval", "standardize", "factors"):
        wrong = wrong or f"{printed[0]!r} printed"
    stored = kind == "scores" and arguments[:4] == ["eval", "-q", "-f", "csv"]
    if not wrong and done.status == 0 and stored and not is_compressed:
        wrong = other_scores(data, done)
    return f"{arguments} {data[:2000]!r}: {wrong}" if wrong else ""


def other_scores(data: bytes, done: Outcome) -> str:
    """Return how the scores printed differ from those of a CSV, as the csv module reads it."""
    given, printed = (_cells(text) for text in (data.removeprefix(b"\xef\xbb\xbf"), done.stdout))
    for key, value in printed.items():
        if key not in given or float(given[key]) != float(value):
            return f"{key} is {value}, given {given.get(key)}"
    columns = {measure for _, _, measure in printed}
    lost = [key for key in given if key not in printed and key[2] in columns]
    return f"{lost[0]} lost" if lost else ""


def _cells(data: bytes) -> dict[tuple[str, str, str], str]:
    text = io.StringIO(data.decode("utf-8", "surrogateescape"), newline="")
    rows = [[cell.strip(" \t\r\v\f") for cell in row] for row in csv.reader(text)]
    header, *others = [row for row in rows if any(row)]
    return {
        (row[0], row[1], name): cell
        for row in others
        if row[1] != "all" and not row[1].startswith("all.")
        for name, cell in zip(header[2:], row[2:], strict=False)
        if cell not in MISSING
    }

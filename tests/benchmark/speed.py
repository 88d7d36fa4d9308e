"""Speed and memory of stdeval beside other programs, and their targets.

    python tests/benchmark/speed.py [--full] [--rounds 5]

A ratio is the median over rounds in which two commands run in turn, after a round that fills the caches. It is of
processor times, which include workers, unless the line says otherwise. --full prints all lines, with more runs; it
needs trec_eval (its path in TREC_EVAL), ir_measures, and ../shared beside the checkout.
"""

from __future__ import annotations

import argparse
import compileall
import gzip
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample_data"
COVID = ROOT.parent / "shared" / "data" / "trec-covid-r5"
MEASURES = [word for name in ("map", "P.10", "recip_rank", "Rprec", "ndcg") for word in ("-m", name)]

# --- a simulated track of the size of TREC's ---

N_COLLECTION = 500_000
SCORE_FORMATS = ("%.4f", "%.6f", "%.3f", "%.9f", "%.6g")  # systems print scores differently
DOCNOS = ("FT9%02d-%d", "FBIS3-%d%04d", "LA%06d-%04d", "FR940%03d-0-%05d")  # as on TREC disks 4 and 5


def docno(number: int) -> str:
    """Name of a document; different numbers have different names."""
    rest, form = divmod(number, len(DOCNOS))
    return DOCNOS[form] % (11 + rest // 9000, 1000 + rest % 9000)


def write_track(folder: Path, n_runs: int, n_topics: int, depth: int, n_judged: int) -> list[str]:
    """Write judgments and runs, one topic after the other; return the paths, that of the judgments first."""
    folder.mkdir()
    paths = [folder / "qrels", *(folder / f"run{run:03}" for run in range(n_runs))]
    rng = np.random.default_rng(6)
    # the documents believed in most are judged, and the first of them are relevant more often
    chance = 0.18 * np.linspace(1, 0, n_judged) ** 2
    with ExitStack() as stack:
        qrels, *runs = (stack.enter_context(path.open("w", encoding="ascii")) for path in paths)
        for topic in range(401, 401 + n_topics):
            numbers = rng.choice(N_COLLECTION, max(4 * depth, n_judged), replace=False)
            names = np.array([docno(number) for number in numbers.tolist()], dtype=object)
            belief = 3 * np.sort(rng.standard_exponential(len(names)))[::-1]
            judgments = (rng.random(n_judged) < chance) * rng.integers(1, 3, n_judged)
            judgments[0] = 1
            judged = zip(names[:n_judged].tolist(), judgments.tolist(), strict=True)
            qrels.writelines(f"{topic} 0 {name} {judgment}\n" for name, judgment in judged)
            for run, file in enumerate(runs):
                scores = belief + rng.standard_normal(len(names)) * (0.5 + run % 7)
                order = np.argsort(-scores)[:depth]
                found = zip(names[order].tolist(), range(1, depth + 1), scores[order].tolist(), strict=True)
                line = f"{topic} Q0 %s %d {SCORE_FORMATS[run % len(SCORE_FORMATS)]} {paths[run + 1].name}\n"
                file.writelines(line % fields for fields in found)
    return list(map(str, paths))


# --- measuring ---

USED = """
import resource, subprocess, sys, time
begun = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
wall = time.perf_counter() - begun
children = resource.getrusage(resource.RUSAGE_CHILDREN)
print(children.ru_utime + children.ru_stime, wall, children.ru_maxrss / 2**10)
"""
"""Runs a command. Its only child is the command, so the peak is that of the command and not of an earlier one."""

PYTREC_EVAL = """
import sys
import pytrec_eval
_, qrels, *runs = sys.argv
with open(qrels) as lines:
    judgments = pytrec_eval.parse_qrel(lines)
evaluator = pytrec_eval.RelevanceEvaluator(judgments, {"map", "P.10", "recip_rank", "Rprec", "ndcg"})
for path in runs:
    with open(path) as lines:
        evaluator.evaluate(pytrec_eval.parse_run(lines))
"""

IR_MEASURES = """
import sys
import ir_measures
from ir_measures import AP, RR, P, Rprec, nDCG
_, qrels, *runs = sys.argv
evaluator = ir_measures.evaluator([AP, P @ 10, RR, Rprec, nDCG], list(ir_measures.read_trec_qrels(qrels)))
for path in runs:
    for _ in evaluator.iter_calc(ir_measures.read_trec_run(path)):
        pass
"""

Command = list[str]


class Used(NamedTuple):
    """Processor time and time by the clock, in seconds, and the peak of memory in MiB."""

    processor: float
    wall: float
    peak: float


def used(command: Command) -> Used:
    """Run a command and return what it and its workers used."""
    words = [sys.executable, "-I", "-c", USED, *command]
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return Used(*map(float, done.stdout.split()))


def in_turn(commands: list[Command], rounds: int) -> list[tuple[Used, ...]]:
    """Return what each command used in each round, shape (n_commands, n_rounds)."""
    turns = [[used(command) for command in commands] for _ in range(rounds + 1)]
    return list(zip(*turns[1:], strict=True))


def ratio(one: tuple[Used, ...], other: tuple[Used, ...], of: str = "processor") -> float:
    return statistics.median(getattr(a, of) / getattr(b, of) for a, b in zip(one, other, strict=True))


def show(line: str, value: float | str, target: float | str = "-") -> None:
    """Print a line of the table, and mark a value above its target."""
    above = "above" if isinstance(value, float) and isinstance(target, float) and value > target else ""
    shown = f"{value:.2f}" if isinstance(value, float) else value
    print(f"{line:<76}{shown:>8}  {target:>6}  {above}".rstrip(), flush=True)


def compare(line: str, command: Command, base: Command, target: float, rounds: int, of: str = "processor") -> None:
    show(line, ratio(*in_turn([command, base], rounds), of), target)


def stdeval(command: str, *words: object) -> Command:
    return [sys.executable, "-m", "stdeval", *command.split(), *map(str, words)]


def python(program: str, *files: str) -> Command:
    return [sys.executable, "-c", program, *files]


def trec_eval(measures: list[str], files: list[str]) -> Command:
    """Return a command that evaluates one run after the other."""
    loop = f'qrels=$1; shift; for run; do "$TREC_EVAL" -q {" ".join(measures)} "$qrels" "$run" || exit; done'
    return ["sh", "-c", loop, "sh", *files]


def evaluations(out: Path, files: list[str], rounds: int) -> None:
    """Compare with a loop over pytrec_eval, and two workers with one."""
    runs = f"{len(files) - 1} runs of 50,000 lines"
    loop = python(PYTREC_EVAL, *files)
    evaluate = [stdeval("eval -f csv -j", n, *MEASURES, "-o", out, *files) for n in (1, 2)]
    fit = stdeval("factors -j 1", *MEASURES, "-o", out, *files)
    compare(f"eval of {runs} / a loop over pytrec_eval", evaluate[0], loop, 0.70, rounds)
    compare(f"factors of {runs} / a loop over pytrec_eval", fit, loop, 0.80, rounds)
    compare(f"eval of {runs}, two workers / one, by the clock", evaluate[1], evaluate[0], 0.55, rounds, "wall")


def starts(rounds: int) -> None:
    """Compare small commands with what has to be imported anyway."""
    files = [SAMPLE / "qrels.gz", SAMPLE / "new-a.run.gz"]
    imports = [python(f"import click, {name}") for name in ("pytrec_eval_ext", "numpy")]
    standardize = stdeval("standardize -m map -F", SAMPLE / "factors.csv", *files)
    check = stdeval("check --min map=0.1", *files)
    compare(
        "eval of a small run / importing click, pytrec_eval_ext", stdeval("eval", *files), imports[0], 1.7, rounds
    )
    compare("standardize -F of a small run / importing click, numpy", standardize, imports[1], 1.5, rounds)
    compare("check --min of a small run / eval of it", check, stdeval("eval -m map", *files), 1.2, rounds)
    helps = [stdeval(name, "--help") for name in ("", "eval", "standardize", "compare", "check", "report")]
    base, *shown = in_turn([python("import click"), *helps], rounds)
    show("--help, the slowest of six / importing click", max(ratio(each, base) for each in shown), 1.3)


def other_programs(folder: Path, files: list[str], rounds: int) -> None:
    """Compare with programs that may not be there."""
    is_there = "TREC_EVAL" in os.environ
    line = f"eval of {len(files) - 1} runs of 50,000 lines"
    evaluate = stdeval("eval -q -f csv -j 1", *MEASURES, "-o", folder / "scores.csv", *files)
    if is_there:
        compare(f"{line} / trec_eval", evaluate, trec_eval(MEASURES, files), 0.48, rounds)
    else:
        show(f"{line} / trec_eval: no TREC_EVAL is given", "skipped", 0.48)
    if importlib.util.find_spec("ir_measures"):
        compare(f"{line} / ir_measures", evaluate, python(IR_MEASURES, *files), 0.38, rounds)
    else:
        show(f"{line} / ir_measures: it is not installed", "skipped", 0.38)
    line = "eval of TREC-COVID round 5 / trec_eval"
    if not is_there or not COVID.is_dir():
        show(f"{line}: no TREC_EVAL or no ../shared", "skipped", 0.55)
        return
    covid = [str(COVID / "qrels.txt")]
    for path in sorted((COVID / "runs").glob("*.gz")):
        run = folder / path.stem
        run.write_bytes(gzip.decompress(path.read_bytes()))
        covid.append(str(run))
    measures = ["-m", "map", "-m", "P.10", "-m", "ndcg_cut.10"]
    evaluate = stdeval("eval -q -f csv -j 1", *measures, "-o", folder / "scores.csv", *covid)
    compare(line, evaluate, trec_eval(measures, covid), 0.55, rounds)


def large(folder: Path, files: list[str], rounds: int) -> None:
    """Measure a run of many lines, a report, and runs of very many topics."""
    long = write_track(folder / "long", n_runs=1, n_topics=2000, depth=1000, n_judged=20)
    one, two = (stdeval("eval -f csv -j", n, *MEASURES, "-o", folder / "long.csv", *long) for n in (1, 2))
    compare("eval of a run of 2 million lines, two workers / one, by the clock", two, one, 0.60, rounds, "wall")
    (taken,) = in_turn([stdeval("report", *MEASURES, "-o", folder / "report.html", *files)], rounds)
    show(f"report of {len(files) - 1} runs, seconds", statistics.median(each.processor for each in taken))
    names = ("eval", "factors", "standardize", "compare", "topics")
    commands = []
    for n_topics in (100_000, 25_000):
        many = write_track(folder / f"{n_topics}", n_runs=10, n_topics=n_topics, depth=10, n_judged=1)
        scores, out = folder / f"{n_topics}.csv", folder / "out.csv"
        commands.append(stdeval("eval -q -f csv -j 1", *MEASURES, "-o", scores, *many))
        commands.append(stdeval("factors -j 1", *MEASURES, "-o", out, *many))
        commands += [stdeval(f"{name} -m map -f csv -o", out, "--scores", scores) for name in names[2:]]
    taken = in_turn(commands, rounds)
    for name, whole, quarter in zip(names, taken[: len(names)], taken[len(names) :], strict=True):
        line = f"{name} of 10 runs of 100,000 topics"
        show(f"{line}, peak in MiB", max(each.peak for each in whole), 200.0)
        show(f"{line}, time per topic / that of 25,000", ratio(whole, quarter) / 4, 1.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="the whole table")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5; of small commands: 15)")
    given = parser.parse_args()
    rounds, n_runs = given.rounds, 129 if given.full else 12
    compileall.compile_dir(ROOT / "stdeval", quiet=1)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(f"{'line':<76}{'ratio':>8}  {'target':>6}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = write_track(folder / "track", n_runs, n_topics=50, depth=1000, n_judged=1700)
        evaluations(folder / "out.csv", files[:41], rounds)
        starts(3 * rounds)
        if given.full:
            other_programs(folder, files, min(rounds, 3))
            large(folder, files[:49], min(rounds, 3))


if __name__ == "__main__":
    main()

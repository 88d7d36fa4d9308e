"""Speed and memory of stdeval beside other programs, and their targets.

    python tests/benchmark/speed.py [--full] [--rounds 5]

A ratio is the median over rounds in which two commands run in turn; a first round fills the caches. It is a ratio of
processor times, each that of a command and its workers, unless the line says otherwise. --full has all lines, with
more runs; some of them need trec_eval (its path in TREC_EVAL), ir_measures, or ../shared beside the checkout.
"""

from __future__ import annotations

import argparse
import compileall
import gzip
import importlib.util
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from generate import write_track

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample_data"
COVID = ROOT.parent / "shared" / "data" / "trec-covid-r5"
MEASURES = [word for name in ("map", "P.10", "recip_rank", "Rprec", "ndcg") for word in ("-m", name)]

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


def ratios(base: Command, commands: list[Command], rounds: int, of: str = "processor") -> list[float]:
    """Return the ratio of what each command used to what the base used."""
    turns = [[getattr(used(each), of) for each in (base, *commands)] for _ in range(rounds + 1)]
    return [statistics.median(turn[i] / turn[0] for turn in turns[1:]) for i in range(1, len(turns[0]))]


def show(line: str, value: float | str, target: float | str = "-") -> None:
    """Print a line of the table, and mark a value above its target."""
    above = "above" if isinstance(value, float) and isinstance(target, float) and value > target else ""
    shown = f"{value:.2f}" if isinstance(value, float) else value
    print(f"{line:<76}{shown:>8}  {target:>6}  {above}".rstrip(), flush=True)


def stdeval(command: str, *words: object) -> Command:
    return [sys.executable, "-m", "stdeval", *command.split(), *map(str, words)]


def importing(modules: str) -> Command:
    return [sys.executable, "-c", f"import {modules}"]


def trec_eval(binary: str, measures: list[str], files: list[str]) -> Command:
    """Return a command that evaluates one run after the other."""
    loop = 'qrels=$1; shift; for run in "$@"; do {} -q {} "$qrels" "$run" || exit; done'
    return ["sh", "-c", loop.format(shlex.quote(binary), " ".join(measures)), "sh", *files]


def evaluations(folder: Path, files: list[str], rounds: int) -> None:
    """Compare with a loop over pytrec_eval, and two workers with one."""
    n = len(files) - 1
    scores, factors = (folder / name for name in ("scores.csv", "factors.csv"))
    one = stdeval("eval -q -f csv -j 1", *MEASURES, "-o", scores, *files)
    fit = stdeval("factors -j 1", *MEASURES, "-o", factors, *files)
    ours, fitting = ratios([sys.executable, "-c", PYTREC_EVAL, *files], [one, fit], rounds)
    show(f"eval of {n} runs of 50,000 lines / a loop over pytrec_eval", ours, 0.70)
    show(f"factors of {n} runs of 50,000 lines / a loop over pytrec_eval", fitting, 0.80)
    two = stdeval("eval -q -f csv -j 2", *MEASURES, "-o", scores, *files)
    show(f"eval of {n} runs, two workers / one, by the clock", *ratios(one, [two], rounds, "wall"), 0.55)


def starts(rounds: int) -> None:
    """Compare small commands with what has to be imported anyway."""
    files = [SAMPLE / "qrels.gz", SAMPLE / "new-a.run.gz"]
    small = stdeval("eval", *files)
    show(
        "eval of one small run / import click, pytrec_eval_ext",
        *ratios(importing("click, pytrec_eval_ext"), [small], rounds),
        1.7,
    )
    standardize = stdeval("standardize -m map -F", SAMPLE / "factors.csv", *files)
    show(
        "standardize -F of one small run / import click, numpy",
        *ratios(importing("click, numpy"), [standardize], rounds),
        1.5,
    )
    check = stdeval("check --min map=0.1", *files)
    show("check --min of one small run / eval of it", *ratios(stdeval("eval -m map", *files), [check], rounds), 1.2)
    names = ("", "eval", "standardize", "compare", "check", "report")
    helps = [stdeval(name, "--help") for name in names]
    show("--help, the slowest of six / import click", max(ratios(importing("click"), helps, rounds)), 1.3)


def other_programs(folder: Path, files: list[str], rounds: int) -> None:
    """Compare with programs that may not be there."""
    binary = os.environ.get("TREC_EVAL")
    evaluated = stdeval("eval -q -f csv -j 1", *MEASURES, "-o", folder / "scores.csv", *files)
    line = f"eval of {len(files) - 1} runs of 50,000 lines / "
    if binary:
        show(f"{line}trec_eval", *ratios(trec_eval(binary, MEASURES, files), [evaluated], rounds), 0.48)
    else:
        show(f"{line}trec_eval: TREC_EVAL is not given", "skipped", 0.48)
    if importlib.util.find_spec("ir_measures"):
        show(f"{line}ir_measures", *ratios([sys.executable, "-c", IR_MEASURES, *files], [evaluated], rounds), 0.38)
    else:
        show(f"{line}ir_measures: not installed", "skipped", 0.38)
    line = "eval of TREC-COVID round 5 / trec_eval"
    if not binary or not COVID.is_dir():
        show(f"{line}: TREC_EVAL or ../shared is not given", "skipped", 0.55)
        return
    runs = [folder / path.stem for path in sorted((COVID / "runs").glob("*.gz"))]
    for run in runs:
        run.write_bytes(gzip.decompress((COVID / "runs" / f"{run.name}.gz").read_bytes()))
    covid = [str(COVID / "qrels.txt"), *map(str, runs)]
    measures = [word for name in ("map", "P.10", "ndcg_cut.10") for word in ("-m", name)]
    evaluated = stdeval("eval -q -f csv -j 1", *measures, "-o", folder / "scores.csv", *covid)
    show(line, *ratios(trec_eval(binary, measures, covid), [evaluated], rounds), 0.55)


def one_long_run(folder: Path, rounds: int) -> None:
    files = write_track(folder / "long", n_runs=1, n_topics=2000, depth=1000, n_judged=20)
    one, two = (stdeval("eval -q -f csv", *MEASURES, "-o", folder / "long.csv", "-j", n, *files) for n in "12")
    show(
        "eval of one run of 2 million lines, two workers / one, by the clock",
        *ratios(one, [two], rounds, "wall"),
        0.60,
    )


def report(folder: Path, files: list[str], rounds: int) -> None:
    command = stdeval("report", *MEASURES, "-o", folder / "report.html", *files)
    seconds = statistics.median(used(command).processor for _ in range(rounds))
    show(f"report of {len(files) - 1} runs of 50,000 lines, seconds", seconds)


def many_topics(folder: Path) -> None:
    """Peak of memory, and time for one topic compared with that for one of a quarter of the topics."""
    taken = []
    for n_topics in (25_000, 100_000):
        files = write_track(folder / f"{n_topics}", n_runs=10, n_topics=n_topics, depth=10, n_judged=1)
        scores, out = folder / f"{n_topics}.csv", folder / "out.csv"
        commands = {
            "eval": stdeval("eval -q -f csv", *MEASURES, "-o", scores, *files),
            "factors": stdeval("factors", *MEASURES, "-o", out, *files),
            **{
                name: stdeval(f"{name} -m map -f csv", "-o", out, "--scores", scores)
                for name in ("standardize", "compare", "topics")
            },
        }
        taken.append({name: used(command) for name, command in commands.items()})
    for name, (quarter, whole) in {name: [each[name] for each in taken] for name in taken[0]}.items():
        show(f"{name} of 10 runs of 100,000 topics, peak in MiB", whole.peak, 200.0)
        show(
            f"{name} of 10 runs of 100,000 topics, time per topic / that of 25,000",
            whole.processor / quarter.processor / 4,
            1.1,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="the whole table")
    parser.add_argument(
        "--rounds", type=int, default=5, help="rounds of a ratio (default: 5; small commands: thrice)"
    )
    given = parser.parse_args()
    rounds, n_runs = given.rounds, 129 if given.full else 12
    compileall.compile_dir(ROOT / "stdeval", quiet=1)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(f"{'line':<76}{'ratio':>8}  {'target':>6}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = write_track(folder / "track", n_runs, n_topics=50, depth=1000, n_judged=1700)
        evaluations(folder, files[:41], rounds)
        starts(3 * rounds)
        if given.full:
            other_programs(folder, files, min(rounds, 3))
            one_long_run(folder, rounds)
            report(folder, files[:49], rounds)
            many_topics(folder)


if __name__ == "__main__":
    main()

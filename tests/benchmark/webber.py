"""What the eleven measures of `webber` cost, beside pytrec_eval alone for its four of them, in one process.

    python tests/benchmark/generate.py FOLDER --runs 1
    python tests/benchmark/webber.py FOLDER [--rounds 15]

Processor time, reading the run included, the qrels read before. Both take turns, and a ratio is taken within a
round; printed are medians, and the least and greatest ratio. pytrec_eval reads once with its own parser and once
with the reader of stdeval, which is faster.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytrec_eval

from stdeval.evaluation import Evaluator
from stdeval.measures.names import resolve
from stdeval.trec.reading import read_qrels, read_run

FOUR = {"map", "P.10", "recip_rank", "Rprec"}


def seconds(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def competitors(qrels_file: Path, run: Path) -> dict[str, Callable[[], object]]:
    qrels = read_qrels(qrels_file)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, FOUR)
    ours = Evaluator(qrels, resolve(["webber"]))

    def theirs() -> None:
        with run.open() as lines:
            evaluator.evaluate(pytrec_eval.parse_run(lines))

    return {
        "webber, 11 measures": lambda: ours.score_file(run),
        "pytrec_eval, 4 measures": theirs,
        "pytrec_eval, 4 measures, read by stdeval": lambda: evaluator.evaluate(read_run(run).documents),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the eleven measures of webber.")
    parser.add_argument("folder", type=Path, help="of qrels and run001, from generate.py")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    functions = competitors(arguments.folder / "qrels", arguments.folder / "run001")
    for function in functions.values():
        function()
    times = [{name: seconds(function) for name, function in functions.items()} for _ in range(arguments.rounds)]
    ours, *others = functions
    print(f"{ours}: {1000 * statistics.median(row[ours] for row in times):.0f} ms")
    for other in others:
        ratios = [row[ours] / row[other] for row in times]
        median = 1000 * statistics.median(row[other] for row in times)
        spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"{other}: {median:.0f} ms; ratio {spread}, {arguments.rounds} rounds")


if __name__ == "__main__":
    main()

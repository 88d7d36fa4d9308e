"""Run random cases of the targets for some minutes: ``python -m tests.fuzz --minutes 10 [--seed S] [NAME...]``.

Each failure is one line: the target, the seed, the number of the case, and what is wrong; ``--case N`` runs this case
again. The exit status is 1 if there was any. Cases run in child processes, so that a crash, or a case that does not
end, is one of the failures.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from .targets import TARGETS, run_case

BATCH = 50
SECONDS = 60
"""A case that takes longer has failed."""

BYTES = 6 << 30
"""Memory of a child process."""


def _in_child(name: str, seed: str, numbers: range, log: Path) -> None:
    """Run cases in this process, and write each failure and the number of the case that is under way."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    with log.open("w", buffering=1) as out, tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            signal.alarm(SECONDS)
            out.write(f"{number}\n")
            wrong = run_case(name, seed, number, Path(folder))
            if wrong:
                out.write(f"{number} {wrong!a}\n")


def run_batch(name: str, seed: str, numbers: range) -> tuple[int, list[str]]:
    """Run cases in a child process; return how many were run, and the failures."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                _in_child(name, seed, numbers, log)
            finally:
                os._exit(0)
        status = os.waitpid(child, 0)[1]
        lines = log.read_text().splitlines()
    started = [int(line) for line in lines if " " not in line]
    failures = [line for line in lines if " " in line]
    if os.WIFSIGNALED(status):
        how = "does not end" if os.WTERMSIG(status) == signal.SIGALRM else f"dies of signal {os.WTERMSIG(status)}"
        failures.append(f"{started[-1]} {how}")
    return len(started), failures


def _report(name: str, seed: str, failures: list[str]) -> None:
    for failure in failures:
        number, _, wrong = failure.partition(" ")
        print(f"{name} --seed {seed} --case {number}: {wrong[:1000]}")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(TARGETS)}; all by default")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to run, all targets together")
    parser.add_argument("--seed", default=str(int(time.time())), help="other seeds have other cases")
    parser.add_argument("--case", type=int, help="run only the case of this number")
    arguments = parser.parse_args()
    names = arguments.names or list(TARGETS)
    if set(names) - set(TARGETS):
        parser.error(f"expected names among {', '.join(TARGETS)}")
    end = time.monotonic() + 60 * arguments.minutes
    done, failed = Counter[str](), Counter[str]()
    while not done or (arguments.case is None and time.monotonic() < end):
        for name in names:
            first = done[name] if arguments.case is None else arguments.case
            n, failures = run_batch(
                name, arguments.seed, range(first, first + (BATCH if arguments.case is None else 1))
            )
            done[name] += n
            failed[name] += len(failures)
            _report(name, arguments.seed, failures)
    for name in names:
        print(f"{name}: {done[name]} cases with seed {arguments.seed}, {failed[name]} failures")
    return int(failed.total() > 0)


if __name__ == "__main__":
    sys.exit(main())

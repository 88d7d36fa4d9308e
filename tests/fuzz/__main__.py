"""Run random cases of the targets for some minutes: ``python -m tests.fuzz --minutes 10 [--seed S] [NAME...]``.

Each failure is one line: the target, the seed, the number of the case, and what is wrong; ``--case N`` runs this case
again. The exit status is 1 if there was any.
"""

from __future__ import annotations

import argparse
import faulthandler
import resource
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from random import Random

from . import mutations, options, reading, scoring

TARGETS = {"reading": reading, "scoring": scoring, "mutations": mutations, "options": options}


def run_case(name: str, seed: object, number: int, folder: Path) -> str:
    """Run one case of a target; return what is wrong with its outcome, or nothing."""
    return TARGETS[name].case(Random(f"{name}/{seed}/{number}"), folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *TARGETS], metavar="NAME", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to run, all targets together")
    parser.add_argument("--seed", default=str(int(time.time())), help="other seeds have other cases")
    parser.add_argument("--case", type=int, help="run only the case of this number")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    end = time.monotonic() + 60 * arguments.minutes
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in count() if arguments.case is None else [arguments.case]:
            for name in arguments.names or TARGETS:
                # the process ends with a traceback if a case takes longer than a minute
                faulthandler.dump_traceback_later(60, exit=True)
                wrong = run_case(name, arguments.seed, number, Path(folder))
                faulthandler.cancel_dump_traceback_later()
                if wrong:
                    failed += 1
                    print(f"{name} --seed {arguments.seed} --case {number}: {wrong!a}"[:1000])
            if time.monotonic() > end:
                break
    print(f"{failed} failures, up to case {number}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

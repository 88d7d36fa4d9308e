"""Run a command line in this process, and judge how it ended."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterable
from typing import NamedTuple

from stdeval.__main__ import main
from tests.conftest import standard_streams

CRASHED = -1
WARNING = "stdeval: warning: "
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Outcome(NamedTuple):
    """Exit status, `CRASHED` for an exception that leaves the program, and what was printed."""

    status: int
    stdout: bytes
    stderr: str


def run(arguments: Iterable[object]) -> Outcome:
    """Run a command line."""
    status = CRASHED
    with standard_streams(b"") as (out, err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else CRASHED
        except BaseException:
            sys.stderr.write(traceback.format_exc())
    return Outcome(status, out.buffer.getvalue(), err.buffer.getvalue().decode("utf-8", "replace"))


def problem(outcome: Outcome, command: str = "") -> str:
    """Return which promise about exit status and messages the outcome breaks; empty if none."""
    *lines, rest = outcome.stderr.split("\n")
    errors = [line for line in lines if not line.startswith(WARNING)]
    statuses = (0, 1, 2) if command in ("check", "validate") else (0, 2)
    checks = {
        "traceback": outcome.status == CRASHED or "Traceback" in outcome.stderr,
        "stderr does not end with a line break": rest,
        "control character on stderr": _CONTROL.search(outcome.stderr),
        f"status {outcome.status}": outcome.status not in statuses,
        "status 0 with an error": outcome.status == 0 and errors,
        f"status 2 with {len(errors)} lines": outcome.status == 2 and len(errors) != 1,
        "status 2 with output": outcome.status == 2 and outcome.stdout,
    }
    found = next((what for what, is_broken in checks.items() if is_broken), "")
    return f"{found}: {outcome.stderr[-300:]!r}" if found else ""

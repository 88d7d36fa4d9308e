"""Write which functions of the package are entered by this process and its children.

Python imports this module when it starts, if its folder is on PYTHONPATH. The environment variable STDEVAL_ENTERED
names the file. A line is a path in the package, a tab, and the first line of a function, or of a module.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import MutableMapping
from pathlib import Path
from types import FrameType

_LOG = os.environ.get("STDEVAL_ENTERED", os.devnull)
_PACKAGE = f"{os.sep}stdeval{os.sep}"
_log = os.open(_LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
_seen: set[tuple[str, int]] = set()


def _enter(frame: FrameType, event: str, value: object) -> None:
    """Trace calls only, not lines."""
    del event, value
    # not the code itself: equal functions of two files compare equal
    place = (frame.f_code.co_filename, frame.f_code.co_firstlineno)
    if place not in _seen:
        _seen.add(place)
        _, package, name = place[0].rpartition(_PACKAGE)
        if package:
            # one write per line, so that lines of several processes do not mix
            os.write(_log, f"{name}\t{place[1]}\n".encode())


def _hand_on(event: str, values: tuple[object, ...]) -> None:
    """Have a child process traced whose environment a test has made."""
    if event == "subprocess.Popen" and isinstance(values[3], MutableMapping):
        paths = (str(Path(__file__).parent), values[3].get("PYTHONPATH", ""))
        values[3].update({"STDEVAL_ENTERED": _LOG, "PYTHONPATH": os.pathsep.join(filter(None, paths))})


if "STDEVAL_ENTERED" in os.environ:
    sys.addaudithook(_hand_on)
    threading.settrace(_enter)
    sys.settrace(_enter)

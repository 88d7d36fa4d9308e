"""Signals: a command ends at once and quietly, leaves no temporary file, and its workers end with it."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

QRELS = ROOT / "sample_data" / "qrels.gz"
RUN = ROOT / "sample_data" / "new-a.run.gz"
COMMAND = [sys.executable, "-m", "stdeval"]
ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]

needs_proc = pytest.mark.skipif(
    not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="the system does not list children"
)


def take_signals() -> None:
    """Undo what a shell does for jobs in the background, and nohup: they ignore signals, and pass that on."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


def start(*arguments: object, **options) -> subprocess.Popen[bytes]:
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    words = [*COMMAND, *map(str, arguments)]
    return subprocess.Popen(words, cwd=ROOT, **{**streams, "preexec_fn": take_signals, **options})


def wait_until(happened: Callable[[], object], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not (done := happened()) and time.monotonic() < end:
        time.sleep(0.01)
    return bool(done)


def children(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def has_open(pid: int, file: Path) -> bool:
    try:
        return file in [link.readlink() for link in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return False


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that takes seconds to read."""
    lines = gzip.decompress(RUN.read_bytes()).splitlines(keepends=True)
    path = tmp_path_factory.mktemp("runs") / "long.run"
    with path.open("wb") as file:
        for copy in range(400):
            file.writelines(b"%d.%s" % (copy, line) for line in lines)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with an output of an earlier command, which must be the only file there in the end."""
    (tmp_path / "out.csv").write_text("old")
    yield tmp_path
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.csv": "old"}


@needs_proc
@pytest.mark.parametrize("number", [*ENDING, signal.SIGKILL])
@pytest.mark.parametrize("to_group", [False, True])
def test_workers_end_with_their_parent(number: signal.Signals, to_group: bool, long_run: Path, folder: Path):
    """Ctrl-C goes to the group of the command, kill to one process; here one worker is at work and one idle."""
    words = ["eval", "-j", "2", "-f", "csv", "-o", folder / "out.csv", QRELS, long_run, RUN]
    with start(*words, start_new_session=True) as process:
        assert wait_until(lambda: any(has_open(worker, long_run) for worker in children(process.pid)))
        workers = children(process.pid)
        assert len(workers) == 2
        (os.killpg if to_group else os.kill)(process.pid, number)
        status = process.wait(timeout=20)
        # within a second on a machine that is not busy
        assert wait_until(lambda: not any(map(is_alive, workers)))
        assert process.stderr.read() == b""
    assert status == (-number if number == signal.SIGKILL else 128 + number)
    if number == signal.SIGKILL:
        # Nothing can run after SIGKILL, not even what removes the file that was being written.
        for path in folder.glob(".out.csv.*"):
            path.unlink()


def test_an_interrupt_while_standard_input_is_read(folder: Path):
    with start("eval", "-o", folder / "out.csv", QRELS, "-") as process:
        # a pipe holds less than this, so once all of it is written the command is reading
        process.stdin.write(b"".join(b"1 Q0 d%d 1 2 tag\n" % i for i in range(20_000)))
        process.stdin.flush()
        time.sleep(0.5)  # until it waits for more, because a signal during a read is seen after the read only
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 128 + signal.SIGINT
        assert process.stderr.read() == b""


AT_EVENT = """
import os, sys

def at_event(event, arguments):
    if event == os.environ["EVENT"] and os.path.basename(str(arguments[0])).startswith(os.environ["OF"]):
        print(event, flush=True)
        os.kill(os.getpid(), int(os.environ["NUMBER"]))

sys.addaudithook(at_event)
from stdeval.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("event", "of", "number"),
    [
        *((event, ".out.csv.", number) for event in ("open", "os.chmod", "os.rename") for number in ENDING),
        *(("import", name, signal.SIGINT) for name in ("click", "stdeval.commands", "pytrec_eval_ext")),
    ],
)
def test_a_signal_while_something_is_written_or_loaded(event: str, of: str, number: signal.Signals, folder: Path):
    command = [sys.executable, "-c", AT_EVENT, "eval", "-o", folder / "out.csv", QRELS, RUN]
    environment = {**os.environ, "EVENT": event, "OF": of, "NUMBER": str(int(number))}
    options = {"cwd": ROOT, "env": environment, "preexec_fn": take_signals}
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, f"{event}\n", "")


@pytest.mark.parametrize("number", ENDING)
def test_an_ignored_signal_stays_ignored(number: signal.Signals, tmp_path: Path):
    """As after nohup, and in a job that a shell runs in the background."""
    with start("eval", QRELS, "-", preexec_fn=lambda: signal.signal(number, signal.SIG_IGN)) as process:
        process.send_signal(number)
        with gzip.open(RUN) as lines:
            _, stderr = process.communicate(lines.read(), timeout=60)
    assert (process.returncode, stderr) == (0, b"")


def test_nothing_is_loaded_before_signals_are_obeyed():
    """Each module more is a time in which an interrupt prints a traceback."""
    program = "import sys; before = {*sys.modules}; import stdeval.__main__; print(*{*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {name for name in loaded if name.startswith("stdeval")} == {"stdeval", "stdeval.__main__"}
    assert not {"click", "typing", "re", "threading"} & loaded

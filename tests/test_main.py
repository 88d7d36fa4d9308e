"""The command line in a shell: exit statuses, signals, pipes, files, and what it loads when it starts."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stdeval import __version__
from stdeval.commands import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-m", "stdeval"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
QRELS = ["1 0 a 1", "2 0 a 1"]
RUN = ["1 Q0 a 1 3 tag", "2 Q0 d 1 2 tag", "2 Q0 a 2 1 tag"]


def start(*arguments: object, **options) -> subprocess.Popen[bytes]:
    words = [*COMMAND, *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(words, env=ENVIRONMENT, **{**pipes, **options})


def imported(*arguments: object) -> set[str]:
    """Return the modules that a command has loaded when it is done."""
    code = (
        "import sys\nfrom stdeval.__main__ import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "print('MODULES', *sys.modules)"
    )
    words = [sys.executable, "-c", code, *map(str, arguments)]
    out = subprocess.run(words, env=ENVIRONMENT, capture_output=True, check=True, text=True).stdout
    return set(out.rpartition("MODULES ")[2].split())


@pytest.fixture
def small(write):
    return write("qrels", QRELS), write("r.run", RUN)


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_imports_next_to_nothing(option: str):
    assert not {"numpy", "scipy", "pytrec_eval", "pytrec_eval_ext", "matplotlib"} & imported(option)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_imports_nothing_slow(name: str):
    """A command's module may import numpy, except that of eval, but nothing that takes longer."""
    slow = {"scipy.stats", "pytrec_eval", "matplotlib", "multiprocessing", "distributed"}
    assert not (slow | ({"numpy"} if name == "eval" else set())) & imported(name, "--help")


@pytest.mark.parametrize("options", [["-q"], ["--signature"]])
def test_eval_imports_neither_numpy_nor_scipy(small, options: list[str]):
    loaded = imported("eval", *options, *small)
    assert "pytrec_eval_ext" in loaded
    assert not {"numpy", "scipy", "pytrec_eval", "matplotlib", "multiprocessing"} & loaded


def test_measures_of_vectors_import_no_scipy(small):
    loaded = imported("eval", "-m", "rbp", *small)
    assert "numpy" in loaded
    assert not {"scipy", "matplotlib"} & loaded


def test_n_imports_scipy_special_only(write):
    loaded = imported("standardize", "--scores", write("s.csv", "run,topic,map\na,1,.1\nb,1,.2\n"))
    assert "scipy.special" in loaded
    assert not {"scipy.stats", "scipy.optimize", "matplotlib"} & loaded


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_help(run, name: str):
    from stdeval.commands import cli

    command = cli.get_command(None, name)  # type: ignore[arg-type]
    assert command.help
    assert all(
        getattr(parameter, "help", "") for parameter in command.params if parameter.param_type_name == "option"
    )
    assert run(name, "--help").stdout.startswith(f"Usage: stdeval {name} ")


def test_version(run):
    assert run("--version").stdout.strip().endswith(__version__)


def test_commands_compute_with_one_thread_and_modules_change_no_environment():
    code = (
        "import os\nfrom stdeval.__main__ import THREADS, main\nimport stdeval.commands.meta.power\n"
        "print([os.environ.get(name) for name in THREADS])\n"
        "try: main(['--version'])\n"
        "except SystemExit: print([os.environ.get(name) for name in THREADS])"
    )
    bare = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=bare, capture_output=True, text=True, check=True
    )
    first, _, last = done.stdout.splitlines()
    assert (first, last) == ("[None, None, None]", "['1', '1', '1']")


@pytest.mark.parametrize(
    "arguments", [["evla"], ["eval", "--no-such"], ["eval"], ["standardize", "--scheme", "x", "a", "b"]]
)
def test_usage_errors_are_one_line(run, arguments: list[str]):
    done = run(*arguments)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("stdeval")


def test_module_and_statuses(small):
    with start("eval", *small) as process:
        out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.startswith(b"runid                 \tall\ttag\n")
    with start("eval", small[0], "absent") as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (2, b"", b"stdeval: absent: no such file or directory\n")


def test_interrupt(small, tmp_path: Path):
    """Ctrl-C ends with status 130 and no traceback, and leaves the old file and no temporary one."""
    target = tmp_path / "out" / "scores.txt"
    target.parent.mkdir()
    target.write_text("old\n")
    # a shell starts background jobs with SIGINT ignored, and this test may run in one
    default = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with start("eval", "-o", target, small[0], "-", **default) as process:
        # a pipe holds less than this, so once all of it is written the command is reading
        process.stdin.write(b"".join(b"1 Q0 d%d 1 2 tag\n" % i for i in range(20_000)))
        process.stdin.flush()
        time.sleep(0.5)  # until it waits for more, because a signal during a read is seen after the read only
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert (process.stdout.read(), process.stderr.read().strip()) == (b"", b"")
    assert target.read_text() == "old\n"
    assert [path.name for path in target.parent.iterdir()] == ["scores.txt"]


def test_interrupt_while_writing(run, small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("stdeval.formats.trec_eval_text.refuse_breaks", interrupted)
    target = tmp_path / "out" / "scores.txt"
    target.parent.mkdir()
    target.write_text("old\n")
    done = run("eval", "-q", "-o", target, *small)
    assert (done.status, done.stdout, done.stderr.strip()) == (130, "", "")
    assert target.read_text() == "old\n"
    assert [path.name for path in target.parent.iterdir()] == ["scores.txt"]


@pytest.mark.parametrize("bad", ["eval", "factors", "standardize"])
def test_failure_leaves_the_old_file(run, small, tmp_path: Path, write, bad: str):
    target = tmp_path / "out" / "scores.txt"
    target.parent.mkdir()
    target.write_text("old\n")
    done = run(bad, "-o", target, *small, write("bad.run", [*RUN, "2 Q0 a 3 0 tag"]))
    assert (done.status, done.stdout) == (2, "")
    assert "bad.run:4: document 'a' appears twice in topic '2'" in done.stderr
    assert target.read_text() == "old\n"
    assert [path.name for path in target.parent.iterdir()] == ["scores.txt"]


def test_closed_pipe_is_quiet(write):
    """`stdeval eval | head -1` prints a line and nothing else."""
    topics = range(20_000)
    qrels = write("qrels", [f"{topic} 0 d{topic} 1" for topic in topics])
    path = write("r.run", [f"{topic} Q0 d{topic} 1 1 t" for topic in topics])
    with start("eval", "-q", "-m", "map", qrels, path) as process:
        assert process.stdout.readline() == b"map                   \t0\t1.0000\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=20) == 141


def test_help_into_a_closed_pipe_is_quiet():
    read, write_end = os.pipe()
    os.close(read)
    with start("eval", "--help", stdout=write_end) as process:
        os.close(write_end)
        assert process.stderr.read() == b""
        assert process.wait(timeout=20) == 141


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_files_are_decompressed_by_their_content(run, small, write, place: int, compress):
    files = list(small)
    expected = run("eval", "-q", *files).raw
    files[place] = write("misleading.txt", compress(files[place].read_bytes()))
    assert run("eval", "-q", *files).raw == expected


def test_dev_stdout(small):
    expected = subprocess.run([*COMMAND, "eval", *small], env=ENVIRONMENT, capture_output=True, check=True).stdout
    with start("eval", "-o", "/dev/stdout", *small) as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, expected, b"")


def test_dev_null_stays_a_device(run, small):
    assert run("eval", "-o", "/dev/null", *small).stdout == ""
    assert Path("/dev/null").is_char_device()


def test_named_pipes(small, tmp_path: Path):
    """`stdeval eval <(zcat qrels.gz) run`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with start("eval", pipe, small[1]) as process:
        pipe.write_bytes(small[0].read_bytes())
        out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert (
        out == subprocess.run([*COMMAND, "eval", *small], env=ENVIRONMENT, capture_output=True, check=True).stdout
    )


def test_output_keeps_mode_and_follows_links(run, small, tmp_path: Path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert run("eval", "-o", link, *small).status == 0
    assert link.is_symlink()
    assert target.read_text().startswith("runid")
    assert target.stat().st_mode & 0o777 == 0o640


def test_new_output_has_the_usual_mode(run, small, tmp_path: Path):
    plain = tmp_path / "plain"
    plain.touch()
    run("eval", "-o", tmp_path / "new", *small)
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode


def test_output_that_cannot_be_written(run, small, tmp_path: Path):
    done = run("eval", "-o", tmp_path / "absent" / "x", *small)
    assert (done.status, done.stdout) == (2, "")
    assert "absent/x: cannot write: No such file or directory" in done.stderr
    assert run("eval", "-o", tmp_path, *small).status == 2


def test_full_disk(small):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full, start("eval", *small, stdout=full) as process:
        err = process.stderr.read()
    assert process.returncode == 2
    assert b"No space left on device" in err
    assert b"Traceback" not in err


def test_no_progress_bar_where_stderr_is_no_terminal(run, small, write):
    other = write("other.run", [line.replace("tag", "other") for line in RUN])
    assert run("eval", *small, other).stderr == ""


def test_closed_standard_input(small):
    with start("eval", small[0], "-", stdin=subprocess.DEVNULL) as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert err.startswith(b"stdeval: <stdin>: no entries")


def test_closed_streams_are_errors_in_one_line(small, tmp_path):
    """As after `<&-` and `>&-`: the stream does not exist at all."""
    qrels, path = small

    def status_and_error(closed: int, *arguments: object) -> tuple[int, bytes]:
        with start(*arguments, preexec_fn=lambda: os.close(closed)) as process:
            return process.wait(), process.stderr.read()

    status, error = status_and_error(0, "eval", qrels, "-")
    assert (status, error.count(b"\n")) == (2, 1)
    assert error.startswith(b"stdeval: <stdin>: ")
    status, error = status_and_error(1, "eval", qrels, path)
    assert (status, error.count(b"\n")) == (2, 1)
    assert error.startswith(b"stdeval: <stdout>: cannot write: ")
    assert status_and_error(1, "eval", qrels, path, "-o", tmp_path / "out") == (0, b"")
    assert (tmp_path / "out").stat().st_size


def test_lack_of_memory_is_one_line(run, small, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("stdeval.workers.read_qrels", fail)
    done = run("eval", *small)
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "not enough memory" in done.stderr


def test_a_library_that_does_not_fit_into_memory_is_one_line(run, small, monkeypatch: pytest.MonkeyPatch):
    """As numpy raises it."""

    def fail(*_: object) -> None:
        try:
            raise ImportError("libx.so: failed to map segment from shared object")
        except ImportError as error:
            raise ImportError("\nIMPORTANT: please read this\n") from error

    monkeypatch.setattr("stdeval.workers.read_qrels", fail)
    done = run("eval", *small)
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "libx.so: failed to map segment from shared object, expected" in done.stderr


def test_a_file_that_vanishes_is_named(run, small, monkeypatch: pytest.MonkeyPatch):
    def fail(path: object, *_: object) -> None:
        raise FileNotFoundError(2, "No such file or directory", "gone.run")

    monkeypatch.setattr("stdeval.workers.read_qrels", fail)
    done = run("eval", *small)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == "stdeval: gone.run: no such file or directory\n"


@pytest.fixture
def with_warning(small, write) -> list[object]:
    """A command that prints a warning: two reference runs are few."""
    other = write("other.run", [line.replace("tag", "other") for line in RUN])
    return ["standardize", "-m", "map", *small, other]


def test_a_warning_that_cannot_be_written_is_an_error(with_warning):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full, start(*with_warning, stderr=full) as process:
        assert (process.stdout.read(), process.wait()) == (b"", 2)
    for arguments in ([], ["eval", "--no-such"]):
        with Path("/dev/full").open("wb") as full, start(*arguments, stderr=full) as process:
            assert (process.stdout.read(), process.wait()) == (b"", 2)


def test_a_closed_stderr_drops_warnings(with_warning):
    with start(*with_warning) as process:
        expected = process.stdout.read()
    with start(*with_warning, preexec_fn=lambda: os.close(2)) as process:
        assert (process.stdout.read(), process.wait()) == (expected, 0)


def test_a_failed_check_that_cannot_be_printed_is_an_error(small):
    """Exit status 1 would mean that the check was made, and told."""
    with start("check", "--min", "map=0.9", *small, preexec_fn=lambda: os.close(1)) as process:
        assert (process.wait(), process.stderr.read().count(b"\n")) == (2, 1)


@pytest.mark.parametrize("group", [[], ["meta"]])
def test_no_command_prints_the_help_on_stderr(run, group: list[str]):
    done = run(*group)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == run(*group, "--help").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "x" * 100_000, "y"],
        ["eval", "-f", "x" * 100_000, "q", "r"],
        ["x" * 100_000],
        ["help", "x" * 100_000],
    ],
)
def test_names_of_any_length_are_refused_in_a_line(run, arguments: list[str]):
    done = run(*arguments)
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "<stdout>" not in done.stderr

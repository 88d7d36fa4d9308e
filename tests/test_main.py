"""The command line in a shell: exit statuses, pipes, files, and what it loads when it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stdeval.commands import COMMANDS
from tests.conftest import ROOT

COMMAND = [sys.executable, "-m", "stdeval"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
QRELS = ["1 0 a 1", "2 0 a 1"]
RUN = ["1 Q0 a 1 3 tag", "2 Q0 d 1 2 tag", "2 Q0 a 2 1 tag"]

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


def start(*arguments: object, **options) -> subprocess.Popen[bytes]:
    words = [*COMMAND, *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(words, env=ENVIRONMENT, **{**pipes, **options})


def finished(*arguments: object, **options) -> tuple[int, bytes, bytes]:
    """Return status, standard output and standard error of a command, as bytes."""
    with start(*arguments, **options) as process:
        out, err = process.communicate()
    return process.returncode, out, err


def closing(stream: int):
    """Start a process without a stream, as after `>&-`."""
    return {"preexec_fn": lambda: os.close(stream)}


def python(code: str, *arguments: object, environment: dict[str, str] = ENVIRONMENT) -> list[str]:
    """Return the lines that a program prints."""
    words = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(words, env=environment, cwd=ROOT, capture_output=True, check=True, text=True)
    return done.stdout.splitlines()


@pytest.fixture
def small(write):
    return write("qrels", QRELS), write("r.run", RUN)


@pytest.fixture
def with_warning(small, write) -> list[object]:
    """A command that prints a warning: two reference runs are few."""
    other = write("other.run", [line.replace("tag", "other") for line in RUN])
    return ["standardize", "-m", "map", *small, other]


# --- what is loaded ---

SLOW = {"scipy.stats", "scipy.optimize", "pytrec_eval", "matplotlib", "multiprocessing", "distributed"}
ARRAYS = {"numpy.linalg", "scipy.special"}  # numpy and scipy themselves wait until something in them is used


@pytest.mark.parametrize(
    ("line", "loaded", "not_loaded"),
    [
        *((f"{group} --help", "click", ARRAYS | SLOW | {"pytrec_eval_ext"}) for group in ("", "meta", "plot")),
        ("--version", "click", ARRAYS | SLOW | {"pytrec_eval_ext"}),
        ("eval --help", "click", ARRAYS | SLOW),
        *((f"{name} --help", "click", ARRAYS | SLOW) for name in COMMANDS),
        ("eval qrels r.run", "pytrec_eval_ext", ARRAYS | SLOW | {"_hashlib"}),
        *(
            (f"eval -q -f {name} qrels r.run", "pytrec_eval_ext", ARRAYS | SLOW)
            for name in ("csv", "table", "latex")
        ),
        ("eval --precision double qrels r.run", "pytrec_eval_ext", ARRAYS | SLOW),
        ("eval -m rbp qrels r.run", "numpy.linalg", {"scipy.special"} | SLOW),
        ("standardize -F f.csv -m map qrels r.run", "numpy.linalg", {"scipy.special"} | SLOW),
    ],
)
@pytest.mark.usefixtures("small")
def test_only_what_is_needed_is_loaded(line: str, loaded: str, not_loaded: set[str], write, tmp_path: Path):
    write("f.csv", ["topic,n,map.mean,map.sd", "1,20,.5,.1", "2,20,.5,.1"])
    code = (
        "import os, sys\nfrom stdeval.__main__ import main\nos.chdir(sys.argv.pop(1))\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: print()\nprint(*sys.modules)"
    )
    *_, modules = python(code, tmp_path, *line.split())
    assert loaded in modules.split()
    assert not not_loaded & set(modules.split())


def test_commands_compute_with_one_thread_and_modules_change_no_environment():
    code = (
        "import os\nfrom stdeval.__main__ import THREADS, main\nimport stdeval.commands.meta.rank\n"
        "print([os.environ.get(name) for name in THREADS])\n"
        "try: main(['--version'])\n"
        "except SystemExit: print([os.environ.get(name) for name in THREADS])"
    )
    bare = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    first, _, last = python(code, environment=bare)
    assert (first, last) == ("[None, None, None]", "['1', '1', '1']")


# --- statuses and messages ---


def test_module_and_statuses(small):
    status, out, err = finished("eval", *small)
    assert (status, err) == (0, b"")
    assert out.startswith(b"runid                 \tall\ttag\n")
    assert finished("eval", small[0], "absent") == (2, b"", b"stdeval: absent: no such file or directory\n")


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "arguments",
    [["eval", "--no-such"], ["eval", LONG, "y"], ["eval", "-f", LONG, "q", "r"], [LONG], ["help", LONG]],
)
def test_usage_errors_are_one_line(run, arguments: list[str]):
    done = run(*arguments)
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("stdeval")
    assert "<stdout>" not in done.stderr


def library_that_does_not_fit() -> ImportError:
    """The error as numpy raises it."""
    error = ImportError("\nIMPORTANT: please read this\n")
    error.__cause__ = ImportError("libx.so: failed to map segment from shared object")
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "not enough memory"),
        (library_that_does_not_fit(), "libx.so: failed to map segment from shared object, expected"),
        (FileNotFoundError(2, "No such file or directory", "gone.run"), "stdeval: gone.run: no such file or"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_of_the_system_are_one_line(run, small, monkeypatch: pytest.MonkeyPatch, error: Exception, words):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("stdeval.trec.reading.read_qrels", fail)
    done = run("eval", *small)
    assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr


@pytest.mark.parametrize(
    "error", ["RecursionError", "ZeroDivisionError", "ImportError", "ModuleNotFoundError", "MemoryError"]
)
def test_only_a_decision_of_check_is_the_status_1(small, error: str):
    code = (
        "import sys, stdeval.trec.reading\nfrom stdeval.__main__ import main\n"
        f"def fail(*_): raise {error}\n"
        "stdeval.trec.reading.read_qrels = fail\ntry: main(sys.argv[1:])\nexcept SystemExit as end: print(end.code)"
    )
    assert python(code, "check", "--min", "map=0", *small) == ["2"]


def test_quiet_before_the_command_leaves_warnings_to_files(run, with_warning, small, write, tmp_path: Path):
    loud, quiet = run(*with_warning), run("--quiet", *with_warning)
    assert loud.stderr.startswith("stdeval: warning: 2 reference runs")
    assert quiet == loud._replace(stderr="")
    same_tag, junit = write("same_tag.run", RUN), tmp_path / "junit.xml"
    done = run("--quiet", "check", "--min", "map=0", "--junit", junit, *small, same_tag)
    assert (done.status, done.stderr) == (0, "")
    assert "warning: 2 runs have the tag" in junit.read_text()


# --- streams ---


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


def test_closed_streams_are_errors_in_one_line(small, tmp_path, with_warning):
    """As after `<&-` and `>&-`: the stream does not exist at all."""
    qrels, path = small
    for stream, line, words in (
        (0, ["eval", qrels, "-"], b"stdeval: <stdin>: "),
        (1, ["eval", qrels, path], b"stdeval: <stdout>: cannot write: "),
        # status 1 would mean that the condition was checked, and the result printed
        (1, ["check", "--min", "map=0.9", qrels, path], b"stdeval: <stdout>: cannot write: "),
    ):
        status, _, err = finished(*line, **closing(stream))
        assert (status, err.count(b"\n")) == (2, 1)
        assert err.startswith(words)
    assert finished("eval", qrels, path, "-o", tmp_path / "out", **closing(1)) == (0, b"", b"")
    assert (tmp_path / "out").stat().st_size
    assert finished(*with_warning, **closing(2)) == (0, finished(*with_warning)[1], b"")


@needs_full
def test_full_disk(small, with_warning):
    with Path("/dev/full").open("wb") as full:
        status, _, err = finished("eval", *small, stdout=full)
        assert (status, err.count(b"\n")) == (2, 1)
        assert b"No space left on device" in err
        # a warning or an error that cannot be written is an error, too
        for arguments in (with_warning, [], ["eval", "--no-such"]):
            assert finished(*arguments, stderr=full)[:2] == (2, b"")


def test_devices_and_named_pipes(small, tmp_path: Path):
    """`stdeval eval <(zcat qrels.gz) run -o /dev/stdout`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with start("eval", "-o", "/dev/stdout", pipe, small[1]) as process:
        pipe.write_bytes(small[0].read_bytes())
        out, err = process.communicate()
    assert (process.returncode, out, err) == finished("eval", *small)


# --- files ---


@pytest.mark.parametrize("bad", ["eval", "factors", "standardize"])
def test_failure_leaves_the_old_file(run, small, tmp_path: Path, write, bad: str):
    target = tmp_path / "out" / "scores.txt"
    target.parent.mkdir()
    target.write_text("old\n")
    done = run(bad, "-o", target, *small, write("bad.run", [*RUN, "2 Q0 a 3 0 tag"]))
    assert (done.status, done.stdout) == (2, "")
    assert "bad.run:4: document 'a' appears twice in topic '2'" in done.stderr
    assert {path.name: path.read_text() for path in target.parent.iterdir()} == {"scores.txt": "old\n"}


def test_output_keeps_mode_and_follows_links(run, small, tmp_path: Path):
    target, link, plain = tmp_path / "target", tmp_path / "link", tmp_path / "plain"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert run("eval", "-o", link, *small).status == 0
    assert link.is_symlink()
    assert target.read_text().startswith("runid")
    assert target.stat().st_mode & 0o777 == 0o640
    plain.touch()
    run("eval", "-o", tmp_path / "new", *small)
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode

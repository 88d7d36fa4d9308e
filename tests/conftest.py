"""What tests share: where the real collections lie, and a way to run the command."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import settings

from stdeval.__main__ import main

settings.register_profile("stdeval", deadline=None, derandomize=True, max_examples=60, print_blob=False)
settings.load_profile("stdeval")

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
SAMPLE = ROOT / "sample_data"


class Done(NamedTuple):
    """What a command line did."""

    status: int
    raw: bytes
    stderr: str

    @property
    def stdout(self) -> str:
        return self.raw.decode("utf-8")

    @property
    def rows(self) -> list[dict[str, str]]:
        """The rows of the CSV that was printed."""
        return list(csv.DictReader(io.StringIO(self.stdout)))


Command = Callable[..., Done]


@contextmanager
def standard_streams(stdin: bytes):
    """Bytes in place of the terminal: what is written to stdout and stderr can be taken from their buffers."""
    saved = sys.stdin, sys.stdout, sys.stderr
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin, b"", b"")]
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        yield streams[1:]
    finally:
        for stream in streams[1:]:
            stream.flush()
        sys.stdin, sys.stdout, sys.stderr = saved


def run_command(*arguments: object, stdin: bytes = b"") -> Done:
    with standard_streams(stdin) as (out, err), pytest.raises(SystemExit) as exit_:
        main([str(argument) for argument in arguments])
    assert isinstance(exit_.value.code, int)
    done = Done(exit_.value.code, out.buffer.getvalue(), err.buffer.getvalue().decode("utf-8"))
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="session")
def run() -> Command:
    """A command line, run in this process: `run("eval", qrels, path).stdout`."""
    return run_command


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """A file of this text (lists of lines are joined), `write("a.run", ["1 Q0 d 1 2 t"])`."""

    def written(name: str, content: str | bytes | list[str]) -> Path:
        text = "".join(f"{line}\n" for line in content) if isinstance(content, list) else content
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))
        return path

    return written


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real collections, where it lies beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def robust(shared: Path) -> np.ndarray:
    """AP of 110 systems on 99 topics: the first 50 of TREC 2003, the others of TREC 2004."""
    return np.loadtxt(shared / "urbano2019" / "robust2004_ap.csv", delimiter=",", skiprows=1).T


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The folder of the project, where it holds the code of the package and not the tests alone."""
    if not (ROOT / "stdeval").is_dir():
        pytest.skip("the code of the package is not beside the tests")
    return ROOT


@pytest.fixture(scope="session")
def hostile(shared: Path) -> Path:
    """The folder of inputs that are wrong, or right but awkward."""
    return shared / "hostile"


class Covid(NamedTuple):
    """The 126 runs of TREC-COVID round 5, and their scores as stdeval gives them."""

    qrels: Path
    runs: list[Path]
    scores: Path
    factors: Path


@pytest.fixture(scope="session")
def covid(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Covid:
    """Scores and factors of the 126 real runs, computed once."""
    folder = tmp_path_factory.mktemp("covid")
    qrels = shared / "trec-covid-r5" / "qrels.txt"
    runs = sorted((shared / "trec-covid-r5" / "runs").glob("*.gz"))
    assert len(runs) == 126
    scores, factors = folder / "scores.csv", folder / "factors.csv"
    measures = ["-m", "map", "-m", "P_10", "-m", "recip_rank", "-m", "ndcg_cut_10"]
    assert run_command("eval", "-q", "-f", "csv", "-n", *measures, "-o", scores, qrels, *runs).status == 0
    assert run_command("factors", "--scores", scores, "-o", factors).status == 0
    return Covid(qrels, runs, scores, factors)

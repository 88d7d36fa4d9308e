"""`stdeval report`: the page says what was done, is small, and is the same each time."""

from __future__ import annotations

import gzip
import re
import shlex
from html import unescape
from pathlib import Path

import pytest

from stdeval.commands import report
from tests.conftest import SAMPLE

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")


RUNS = [SAMPLE / "qrels.gz", SAMPLE / "new-a.run.gz", SAMPLE / "new-b.run.gz"]


@pytest.fixture(scope="session")
def factors(run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("factors") / "factors.csv"
    references = sorted((SAMPLE / "references").glob("*.gz"))
    assert run("factors", "-m", "map", "-m", "P_10", SAMPLE / "qrels.gz", *references, "-o", path).status == 0
    return path


def test_page_says_what_was_done(run, factors: Path, tmp_path: Path):
    path = tmp_path / "report.html"
    arguments = [*RUNS, "-F", factors, "--baseline", "new-b", "-o", path]
    done = run("report", *arguments)
    assert (done.status, done.stdout, done.stderr) == (0, "", "")
    page = unescape(path.read_text("utf-8"))
    assert shlex.join(["stdeval", "report", *map(str, arguments)]) in page
    told = ("40 systems on 50 topics", "Comparison with <bdi>new-b</bdi>", "map, P_10")
    for expected in (RUNS[0], RUNS[1], factors, *told):
        assert str(expected) in page
    printed = run("standardize", *RUNS, "-F", factors, "-q", "-f", "csv", "--raw").rows
    means = {row["run"]: row for row in printed if row["topic"] == "all"}
    for name in ("map", "Nmap", "P_10", "NP_10"):
        assert f"{float(means['new-a'][name]):.4f}<small>" in page
    judgments = [line.split()[3] for line in gzip.decompress(RUNS[0].read_bytes()).decode().splitlines()]
    assert f"{len(judgments)}, of which {len(judgments) - judgments.count('0')} are relevant" in page


def test_126_runs_are_less_than_one_and_a_half_megabytes(run, covid, tmp_path: Path):
    path = tmp_path / "report.html"
    done = run("report", "--scores", covid.scores, "-F", covid.factors, "--baseline", "r5.fusion1", "-o", path)
    assert done.status == 0
    assert 200_000 < path.stat().st_size < 1_500_000
    assert path.read_text("utf-8").count("<tr data-place") == 2 * 126 + 2 * 125 + 50


def test_share_of_judged_documents_is_that_of_eval(run, factors: Path, tmp_path: Path):
    printed = run("eval", *RUNS, "-m", "Judged@10", "-f", "csv").rows
    shares = {row["run"]: f"{float(row['judged_10']):.3f}" for row in printed}
    page = run("report", *RUNS, "-F", factors).stdout
    rows = dict(re.findall(r"<bdi>(new-[ab])</bdi></span></th>.*([01][.][0-9]{3})</td></tr>", page))
    assert rows == shares
    # with -J, only judged documents are left
    assert "Judged@10" not in run("report", *RUNS, "-J", "-m", "map", "--scheme", "raw").stdout


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_a_library_that_is_missing_is_named_with_its_extra(run, monkeypatch, missing: str):
    found = report.find_spec
    monkeypatch.setattr(report, "find_spec", lambda name: None if name == missing else found(name))
    assert "reports need Jinja2 and matplotlib: pip install 'stdeval[report]'" in run("report", *RUNS).stderr

"""`stdeval report`: the page says what was done, is small, and is the same each time."""

from __future__ import annotations

import re
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from stdeval.commands.report import reference_facts
from stdeval.standardization.factors import Factors, fit_factors
from stdeval.table import ScoreTable

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
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
    with_judgments = [line.split() for line in _unpacked(RUNS[0])]
    relevant = sum(int(judgment) > 0 for *_, judgment in with_judgments)
    assert f"{len(with_judgments)}, of which {relevant} are relevant" in page


def _unpacked(path: Path) -> list[str]:
    import gzip

    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_without_measures_those_of_the_factors_are_reported(run, tmp_path: Path):
    """map and Rprec, and not P_10; num_ret is no score, and is left out with a warning."""
    factors = tmp_path / "factors.csv"
    references = sorted((SAMPLE / "references").glob("*.gz"))
    run(
        "factors",
        *(part for name in ("Rprec", "map", "num_ret") for part in ("-m", name)),
        RUNS[0],
        *references,
        "-o",
        factors,
    )
    done = run("report", *RUNS, "-F", factors, "-o", tmp_path / "report.html")
    assert "1 measure (num_ret)" in done.stderr
    assert "<dd>map, Rprec</dd>" in (tmp_path / "report.html").read_text("utf-8")


def test_runs_are_not_ranked_by_a_measure_that_is_better_the_lower(run, tmp_path: Path):
    done = run("report", *RUNS, "-m", "unj_5", "-m", "rbp_resid_p=0.8", "-o", tmp_path / "report.html")
    assert (done.status, list(tmp_path.iterdir())) == (2, [])
    assert "ranked by the first measure, but unj_5 is better if it is lower" in done.stderr


def test_warnings_are_shown_and_told(run, tmp_path: Path):
    done = run("report", *RUNS, "-o", tmp_path / "report.html")
    assert done.stderr.count("2 reference runs") == 1
    assert (tmp_path / "report.html").read_text("utf-8").count("<li>2 reference runs") == 1


def test_facts_about_references_are_of_the_topics_that_have_factors():
    raw = ScoreTable(("x",), ("1", "2", "3"), ("map",), np.zeros((1, 3, 1)))
    values = np.array([[[0.2, 1], [0.5, 1], [0, 0]], [[0.4, 1], [0.5, 2], [0, 0]], [[np.nan, 1], [0.5, 3], [0, 0]]])
    factors = fit_factors(ScoreTable(("a", "b", "c"), ("3", "2", "elsewhere"), ("map", "P_10"), values))
    facts = reference_facts(factors, raw)
    np.testing.assert_allclose(facts.mean, [np.nan, 0.5, 0.3])
    np.testing.assert_allclose(facts.sd, [np.nan, 0, 0.02**0.5])
    assert (facts.n_topics, facts.n_systems, facts.n_constant) == (2, (2, 3), 2)
    unknown = Factors(("1",), ("map",), np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 1), dtype=np.int64))
    assert reference_facts(unknown, raw).n_systems is None


def test_same_input_same_bytes(run, factors: Path):
    pages = {run("report", *RUNS, "-F", factors, "--scheme", "u").raw for _ in range(2)}
    assert len(pages) == 1
    assert b"</html>" in pages.pop()


def test_judgments_and_scores_from_standard_input(run, factors: Path):
    page = run("report", "-", *RUNS[1:], "-F", factors, stdin=RUNS[0].read_bytes()).stdout
    assert "<stdin>" in unescape(page)
    assert "of which" in page
    scores = run("eval", "-q", "-f", "csv", "-n", "-m", "map", *RUNS).raw
    page = run("report", "--scores", "-", "-F", factors, stdin=scores).stdout
    assert "of which" not in page
    assert "Evaluation of 2 runs on 50 topics" in page


def test_runs_that_cannot_be_standardized_are_refused_with_what_is_expected(run, write, tmp_path: Path):
    apart = write("apart.csv", ["run,topic,map", "a,1,0.5", "a,2,0.3", "b,3,0.2", "b,4,0.3"])
    alike = write("alike.csv", ["run,topic,map", "a,1,0.5", "a,2,0.3", "b,1,0.5", "b,2,0.3"])
    for scores, scheme in ((apart, "n"), (alike, "z")):
        for command, name in (("report", "x.html"), ("plot means", "x.svg")):
            done = run(*command.split(), "--scores", scores, "--scheme", scheme, "-o", tmp_path / name)
            expected = "expected reference runs with topics in common and different scores there"
            told = f"stdeval: no score can be standardized by {scheme.upper()}, {expected}"
            assert (done.status, done.stderr.splitlines()[-1].startswith(told)) == (2, True)


def test_options_are_said(run, factors: Path):
    page = run(
        "report", *RUNS, "-F", factors, "-c", "-l", 2, "-M", 20, "--title", "A & B", "--date", "today"
    ).stdout
    for expected in ("A &amp; B", ", today", "count as 0", "judgment 2", "the first 20 documents"):
        assert expected in page


def test_hostile_tags_are_text(run, hostile: Path, tmp_path: Path):
    tag = "<script>alert(1)</script>"
    lines = _unpacked(RUNS[1])
    (tmp_path / "evil.run").write_text("".join(f"{' '.join([*line.split()[:5], tag])}\n" for line in lines))
    done = run("report", *RUNS, tmp_path / "evil.run", "-m", "map", "--baseline", tag)
    assert done.status == 0
    assert "<script>alert" not in done.stdout
    assert done.stdout.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 5
    # bytes that are no UTF-8, tags of topics as they come
    assert run("report", hostile / "ok.qrels", hostile / "ok.run", hostile / "latin1-docno.run").status in (0, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--baseline", "nobody"], "no run 'nobody', expected one of: new-a, new-b"),
        (
            ["-m", "num_ret"],
            "num_ret has no score per topic, only a count or a summary; expected a measure that has, such as map",
        ),
        (["-m", "ndcg_cut_10"], "no measure in common"),
        (["--scheme", "e"], "expected reference scores for scheme e"),
        (["--ab", "1"], "expected two numbers with a comma between"),
        (["-o", "no/report.html"], "no/report.html: cannot write"),
    ],
)
def test_refused(run, factors: Path, tmp_path: Path, monkeypatch, options: list[str], message: str):
    monkeypatch.chdir(tmp_path)
    with_factors = [] if "num_ret" in options else ["-F", factors]
    done = run("report", *RUNS, *with_factors, *options)
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.splitlines()[-1].count(message) == 1


def test_126_runs_are_less_than_one_and_a_half_megabytes(run, covid, tmp_path: Path):
    path = tmp_path / "report.html"
    done = run("report", "--scores", covid.scores, "-F", covid.factors, "--baseline", "r5.fusion1", "-o", path)
    assert done.status == 0
    assert 200_000 < path.stat().st_size < 1_500_000
    assert path.read_text("utf-8").count("<tr data-place") == 2 * 126 + 2 * 125 + 50


def test_one_run_without_factors_has_raw_scores(run, tmp_path: Path):
    path = tmp_path / "report.html"
    done = run("report", *RUNS[:2], "-o", path)
    assert (done.status, done.stderr) == (0, "")
    page = unescape(path.read_text("utf-8"))
    assert "<dd>none: scores are not standardized</dd>" in page
    assert "N-AP" not in page
    done = run("report", *RUNS[:2], "--scheme", "n", "-o", path)
    assert done.status == 2
    assert "one run, 'new-a', and no factors to standardize it with" in done.stderr


def test_scheme_raw_shows_raw_scores_of_stored_standardized_ones_too(run, factors: Path, tmp_path: Path):
    scores = tmp_path / "standardized.csv"
    run("standardize", *RUNS, "-F", factors, "-m", "map", "-q", "-n", "-f", "csv", "-o", scores)
    done = run("report", "--scores", scores, "--scheme", "raw")
    assert (done.status, done.stderr) == (0, "")
    assert "NNmap" not in done.stdout
    titles = re.findall("<th[^>]*>(.*?)</th>", done.stdout, re.DOTALL)
    assert "N-AP" in [re.sub("<[^>]*>", "", title).strip() for title in titles]


def test_share_of_judged_documents_is_that_of_eval(run, factors: Path, tmp_path: Path):
    printed = run("eval", *RUNS, "-m", "Judged@10", "-f", "csv").rows
    shares = {row["run"]: f"{float(row['judged_10']):.3f}" for row in printed}
    page = run("report", *RUNS, "-F", factors).stdout
    rows = dict(re.findall(r"<bdi>(new-[ab])</bdi></span></th>.*([01][.][0-9]{3})</td></tr>", page))
    assert rows == shares
    # with -J, only judged documents are left
    assert "Judged@10" not in run("report", *RUNS, "-J", "-m", "map", "--scheme", "raw").stdout


def test_judged_documents_are_those_without_a_negative_judgment(run, write):
    """-1 marks documents that were pooled and not judged."""
    qrels = write("qrels", [f"{t} 0 d{i} {judgment}" for t in (1, 2) for i, judgment in enumerate((-1, 0, 1, 2))])
    runs = [
        write(name, [f"{t} Q0 {doc} 1 1 {name}" for t in (1, 2) for doc in ("d2", other)])
        for name, other in (("a", "d3"), ("b", "d1"))
    ]
    for level, n_relevant in ((1, 4), (2, 2)):
        page = run("report", "-l", level, "-m", "map", "--scheme", "raw", qrels, *runs).stdout
        assert f"6, of which {n_relevant} are relevant" in page


def test_parameters_of_scheme_u_are_told(run, tmp_path: Path):
    path = tmp_path / "report.html"
    done = run("report", *RUNS, "-m", "map", "--scheme", "u", "--ab", "0.5,0.4", "--no-censor", "-o", path)
    assert done.status == 0
    page = unescape(path.read_text("utf-8"))
    assert page.count("0.5 z + 0.4, not censored") == 2
    assert "censored to [0, 1]" not in page


def test_the_topics_of_the_groups_are_told_by_kind_where_factors_lack_some(run, write, tmp_path):
    """Raw scores are compared on all 8 topics, standardized ones on the 5 that have factors."""
    rows = [f"s{i},{t},{(3 * i + 2 * t) % 7 / 7}" for i in range(4) for t in range(8)]
    factors = write("f.csv", ["topic,n,map.mean,map.sd", *(f"{t},20,0.5,0.2" for t in range(5))])
    typed = ("report", "--scores", write("s.csv", ["run,topic,map", *rows]), "-F", factors)
    assert run(*typed, "-o", tmp_path / "r.html").status == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "on the topics that all runs have: 8 by AP and 5 by N-AP, of 8 topics (Carterette 2012)" in page


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-J", "-J"], "<dt>Options</dt><dd>scores computed with -J</dd>"),
        (["-l 2 -M 20", "-l 2 -M 20"], "<dt>Options</dt><dd>scores computed with -l 2 -M 20</dd>"),
        (["-J --max-grade 3", "-J"], "<dt>Options</dt><dd>scores computed with -J</dd>"),
        (["", "-J"], "<dt>Options</dt><dd>scores computed with -J, the default options</dd>"),
        (["", ""], None),
    ],
)
def test_the_options_of_stored_scores_are_told(run, write, tmp_path: Path, options: list[str], told: str | None):
    rows = [f"{name},{t},9ba14b94,{options[t]},0.{t + 1}{i}" for i, name in enumerate("ab") for t in (0, 1)]
    scores = write("s.csv", ["run,topic,judgments,options,map", *rows])
    page = tmp_path / "r.html"
    assert run("report", "--scheme", "raw", "--scores", scores, "-o", page).status == 0
    text = page.read_text("utf-8")
    assert "<dt>Options</dt>" not in text if told is None else told in text

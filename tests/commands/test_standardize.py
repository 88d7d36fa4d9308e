"""`stdeval standardize`: every figure against numpy and scipy, from whatever the factors are read."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from stdeval.cli.standardizing import as_printed
from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.table import ScoreTable

ALL_SCHEMES = ("--scheme", "z", "--scheme", "n", "--scheme", "u", "--scheme", "e", "--scheme", "m")
CONSTANT = "run,topic,map\na,1,.2\nb,1,.4\na,2,.5\nb,2,.5\n"


def expected(table: ScoreTable, reference: ScoreTable, A: float = 0.15, B: float = 0.5) -> dict[str, np.ndarray]:
    """Scores by each scheme, computed by scipy; U is not censored."""
    mean, sd = reference.values.mean(axis=0), reference.values.std(axis=0, ddof=1)
    z = (table.values - mean) / sd
    e, m = np.empty_like(z), np.empty_like(z)
    for topic in range(len(table.topics)):
        for measure in range(len(table.measures)):
            x, references = table.values[:, topic, measure], reference.values[:, topic, measure]
            e[:, topic, measure] = stats.ecdf(references).cdf.evaluate(x)
            m[:, topic, measure] = stats.percentileofscore(references, x, "mean") / 100
    return {"Z": z, "N": stats.norm.cdf(z), "U": A * z + B, "E": e, "M": m}


@pytest.fixture(scope="module")
def raw(covid) -> ScoreTable:
    return read_scores(Input(covid.scores))


@pytest.fixture(scope="module")
def standardized(run, covid, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The 126 runs by all schemes, standardized by themselves through --scores."""
    path = tmp_path_factory.mktemp("standardized") / "scores.csv"
    done = run("standardize", *ALL_SCHEMES, "--no-censor", "-q", "-f", "csv", "-o", path, "--scores", covid.scores)
    assert (done.status, done.stdout, done.stderr) == (0, "", "")
    return path


def test_real_runs_against_scipy(raw, standardized):
    table = read_scores(Input(standardized))
    assert (table.systems, table.topics) == (raw.systems, raw.topics)
    for letter, values in expected(raw, raw).items():
        for place, measure in enumerate(raw.measures):
            np.testing.assert_allclose(table.measure(letter + measure), values[:, :, place], rtol=0, atol=1e-11)


def test_real_runs_have_the_moments_promised(raw, standardized):
    table = read_scores(Input(standardized))
    for measure in raw.measures:
        np.testing.assert_allclose(table.measure(f"Z{measure}").mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(table.measure(f"Z{measure}").std(axis=0, ddof=1), 1, atol=1e-12)
        np.testing.assert_allclose(table.measure(f"U{measure}").mean(axis=0), 0.5, atol=1e-12)
        np.testing.assert_allclose(table.measure(f"U{measure}").std(axis=0, ddof=1), 0.15, atol=1e-12)
        assert table.measure(f"E{measure}").max(axis=0).min() == 1
        np.testing.assert_allclose(table.measure(f"M{measure}").mean(axis=0), 0.5, atol=1e-12)


def test_every_kind_of_factors_gives_the_same(run, covid, raw, standardized, tmp_path: Path):
    zscores, empirical = tmp_path / "zscores", tmp_path / "empirical.csv"
    means, sds = tmp_path / "means.csv", tmp_path / "sds.csv"
    run("convert", "--to", "zscores", "--digits", "17", "-o", zscores, covid.factors)
    assert run("factors", "--empirical", "-o", empirical, "--scores", covid.scores).status == 0
    published = [word for name in ("map", "P_10", "recip_rank") for word in ("-m", name)]
    run("factors", *published, "-o", tmp_path / "three.csv", "--scores", covid.scores)
    run("convert", "--to", "published", "-o", means, "-o", sds, tmp_path / "three.csv")
    table = read_scores(Input(standardized))
    for factors in ([covid.factors], [zscores], [empirical], [means, sds]):
        given = [word for path in factors for word in ("-F", path)]
        schemes = ALL_SCHEMES if factors == [empirical] else ALL_SCHEMES[:6]
        out = tmp_path / "out.csv"
        done = run(
            "standardize", *schemes, "--no-censor", "-q", "-f", "csv", "-o", out, *given, "--scores", covid.scores
        )
        assert (done.status, done.stderr) == (0, "")
        found = read_scores(Input(out))
        assert len(found.measures) == (len(raw.measures) if len(factors) == 1 else 3) * len(schemes) // 2
        np.testing.assert_array_equal(found.values, table.select(measures=found.measures).values)


def test_summary_is_the_mean_over_topics(run, covid, raw):
    done = run("standardize", "-F", covid.factors, "-q", "-f", "csv", "--scheme", "n", "--scores", covid.scores)
    means = expected(raw, raw)["N"].mean(axis=1)
    rows = {row["run"]: row for row in done.rows if row["topic"] == "all"}
    assert len(rows) == 126
    for system, figures in zip(raw.systems, means, strict=True):
        for measure, figure in zip(raw.measures, figures, strict=True):
            assert float(rows[system][f"N{measure}"]) == pytest.approx(figure, abs=1e-12)


def test_from_runs_as_from_scores(run, covid, raw):
    """New runs, from their files, with the factors of all; only the measures that the factors have."""
    runs = covid.runs[3:6]
    done = run("standardize", "-F", covid.factors, *ALL_SCHEMES[:2], "-q", "-f", "csv", "-n", covid.qrels, *runs)
    assert done.status == 0
    z = expected(raw, raw)["Z"]
    assert len(done.rows) == 150
    assert set(done.rows[0]) == {"run", "topic", *(f"Z{measure}" for measure in raw.measures)}
    for row in done.rows:
        values = z[raw.systems.index(row["run"]), raw.topics.index(row["topic"])]
        for measure, value in zip(raw.measures, values, strict=True):
            assert float(row[f"Z{measure}"]) == pytest.approx(value, abs=1e-11)


def test_parameters_of_u(run, covid, raw):
    # Sakai 2016: A z + B, here with A = 0.3 and B = 0.4, then censored to [0, 1]
    arguments = ["--scheme", "u", "--ab", "0.3,0.4", "-q", "-n", "-f", "csv", "-m", "map", "--scores", covid.scores]
    wanted = expected(raw, raw, 0.3, 0.4)["U"][:, :, raw.measures.index("map")]
    assert wanted.min() < 0
    assert wanted.max() > 1
    for censor, limits in (([], (0.0, 1.0)), (["--no-censor"], (-np.inf, np.inf))):
        found = [float(row["Umap"]) for row in run("standardize", *censor, *arguments).rows]
        np.testing.assert_allclose(found, np.clip(wanted, *limits).ravel(), atol=1e-12)


# trec_eval 9.0.8: trec_eval -q -Z zscores -m num_ret -m map -m P.5 qrels run
ZSCORES = """\
1\tP_5\t0.3000\t0.1500
1\tmap\t0.5123\t0.1234
1\tnum_ret\t2.0000\t0.5000
2\tP_5\t0.5000\t0.3000
2\tmap\t0.7000\t0.2000
2\tnum_ret\t4.0000\t0.7000
"""
Z_PRINTED = """\
Znum_ret               \t1\t2.0000
Zmap                   \t1\t2.6016
ZP_5                   \t1\t0.6667
Znum_ret               \t2\t-2.8571
Zmap                   \t2\t-1.0000
ZP_5                   \t2\t-1.0000
Znum_ret               \tall\t-0.8571
Zmap                   \tall\t0.8008
ZP_5                   \tall\t-0.1667
"""


@pytest.fixture
def small(write):
    qrels = write("qrels", ["1 0 a 1", "1 0 b 0", "1 0 c 2", "2 0 a 1", "2 0 d -1", "10 0 a 0"])
    lines = ["1 Q0 a 1 3 tag", "1 Q0 b 2 2 tag", "1 Q0 c 3 1 tag", "2 Q0 d 1 2 tag", "2 Q0 a 2 1 tag"]
    return qrels, write("r.run", lines)


def test_lines_of_trec_eval_z(run, write, small):
    done = run("standardize", "-q", "--scheme", "z", "-F", write("zscores", ZSCORES), *small)
    assert done.stdout == Z_PRINTED


def test_a_rounded_sd_of_0_is_unknown(run, write, small):
    """Where trec_eval prints and averages -1000000: nothing, by any scheme, even where the score is the mean."""
    constant = ZSCORES.replace("0.7000\t0.2000", "0.7000\t0.0000").replace("0.5000\t0.3000", "0.2000\t0.0000")
    done = run("standardize", "-q", "--scheme", "z", "--scheme", "n", "-F", write("zscores", constant), *small)
    lines = [line.split() for line in done.stdout.splitlines()]
    values = {(measure, topic): value for measure, topic, value in lines}
    for name in ("Zmap", "ZP_5", "Nmap", "NP_5"):
        assert (name, "2") not in values
        assert values[name, "all"] == values[name, "1"]
    assert done.stderr.count("equal reference scores (sd 0) for 1 of 2 topics (e.g. '2'): Z and N") == 1


def test_the_limit_in_full_precision(run, write, small):
    """Topic 2 has AP 0.5 and P_5 0.2: below, above and at means that all references share."""
    for mean, expected in (("0.7", "0.0000"), ("0.5", "0.5000"), ("0.3", "1.0000")):
        factors = write("f.csv", f"topic,n,map.mean,map.sd\n1,9,0.5123456789012345,0.1234\n2,9,{mean},0.0\n")
        done = run("standardize", "-q", "-F", factors, *small)
        assert f"Nmap                   \t2\t{expected}\n" in done.stdout
        assert "equal reference" not in done.stderr
        done = run("standardize", "-q", "--scheme", "z", "-F", factors, *small)
        assert "Zmap                   \t2\t" not in done.stdout
        assert done.stderr.count("equal reference scores (sd 0) for 1 of 2 topics (e.g. '2'): Z leaves") == 1


@pytest.mark.parametrize(
    ("mean", "score", "expected"),
    [
        ("0.3333", 1 / 3, "0.5"),
        ("0.3333", 0.33335, "0.5"),
        ("0.3333", 0.33336, "1.0"),
        ("0.3333", 0.33324, "0.0"),
        ("0.3333333333333333", 1 / 3, "0.5"),
        ("0.3333333333333333", 0.33333, "0.0"),
    ],
)
def test_the_limit_within_half_a_unit_of_the_last_digit_of_the_file(run, write, mean: str, score: float, expected):
    factors = write("f.csv", ["topic,n,map.mean,map.sd", "1,9,0.5123,0.1234", f"2,9,{mean},0.0"])
    scores = write("s.csv", ["run,topic,map", "a,1,0.6", f"a,2,{score}"])
    for scheme in ("n", "u"):
        typed = ["--scheme", scheme, "-q", "-n", "-f", "csv", "-F", factors, "--scores", scores]
        rows = run("standardize", *typed).rows
        assert rows[1][f"{scheme.upper()}map"] == expected


@pytest.mark.parametrize("kind", ["factors", "zscores", "published"])
def test_files_that_are_rounded(run, shared: Path, tmp_path: Path, kind: str):
    """In topic 22 of cranfield every run has AP 0: known in full precision, unknown in the rounded files."""
    qrels = shared / "cranfield" / "qrels.txt"
    runs = sorted((shared / "cranfield" / "runs").glob("bm25-l*.gz"))
    full, short = tmp_path / "full.csv", [tmp_path / "short", tmp_path / "sds"]
    run("factors", "-c", "-m", "map", "-o", full, qrels, *runs)
    outputs = [part for path in short[: 2 if kind == "published" else 1] for part in ("-o", path)]
    run("convert", "--to", kind, full, *outputs)
    files = [part for path in outputs[1::2] for part in ("-F", path)]
    if kind != "zscores":
        for path in outputs[1::2]:
            text = path.read_text()
            path.write_text(re.sub(r"\d\.\d+(e-\d+)?", lambda number: f"{float(number[0]):.4f}", text))
    known = run("standardize", "-q", "-c", "-F", full, qrels, runs[0])
    unknown = run("standardize", "-q", "-c", *files, qrels, runs[0])
    assert "Nmap                   \t22\t0.5000" in known.stdout
    assert "\t22\t" not in unknown.stdout
    assert "equal reference scores (sd 0) for 7 of 225 topics (e.g. '13'): N leaves" in unknown.stderr


@pytest.mark.parametrize(
    "command",
    [
        "standardize --scheme z",
        "compare --scheme z",
        "plot means --scheme z",
        "report --scheme z",
        "check --min Zmap=-9",
        "meta power --scheme z",
    ],
)
def test_references_that_score_alike_are_told_once_by_every_command(
    run, write, tmp_path: Path, command: str, monkeypatch
):
    if command.startswith(("plot", "report")):
        pytest.importorskip("matplotlib")
        pytest.importorskip("jinja2")
        # the pictures of the page take long
        monkeypatch.setattr("stdeval.commands.report.report", lambda *_: "a page")
    scores = [f"{name},{t},{(i * t + 1) % 7 / 10}" for i, name in enumerate("abc") for t in range(1, 7)]
    rows = [f"{t},12,0.5123456789012345,{0.0 if t == 1 else 0.3234567890123}" for t in range(1, 7)]
    factors = write("f.csv", ["topic,n,map.mean,map.sd", *rows])
    files = ["-F", factors, "--scores", write("s.csv", ["run,topic,map", *scores]), "-o", tmp_path / "out.svg"]
    told = run(*command.split(), *files).stderr
    assert told.count("equal reference scores (sd 0) for 1 of 6 topics (e.g. '1'): Z leaves") == 1


def test_constant_topic_by_every_scheme(run, write):
    done = run("standardize", "-q", *ALL_SCHEMES, "-f", "csv", "-n", "--scores", write("s.csv", CONSTANT))
    assert [tuple(row[f"{letter}map"] for letter in "ZNUEM") for row in done.rows if row["topic"] == "2"] == [
        ("", "0.5", "0.5", "1.0", "0.5")
    ] * 2


def test_identical_references_are_the_limit(run, hostile: Path, tmp_path: Path):
    factors = tmp_path / "f.csv"
    references = sorted((hostile / "refs-one-constant-topic").iterdir())
    run("factors", "-m", "map", "-o", factors, hostile / "ok.qrels", *references)
    done = run("standardize", "-q", "-F", factors, hostile / "ok.qrels", hostile / "all-ties.run")
    raw = run("eval", "-q", "-m", "map", hostile / "ok.qrels", hostile / "all-ties.run", references[0])
    scores = [float(line.split()[2]) for line in raw.stdout.splitlines() if line.split()[1] == "3"]
    assert scores[0] < scores[1]
    assert "Nmap                   \t3\t0.0000\n" in done.stdout
    assert "4 reference runs" in done.stderr
    assert "equal reference" not in done.stderr


def test_raw_stands_beside(run, write):
    done = run(
        "standardize", "--raw", *ALL_SCHEMES[:4], "-q", "-f", "csv", "-n", "--scores", write("s.csv", CONSTANT)
    )
    assert list(done.rows[0]) == ["run", "topic", "map", "Zmap", "Nmap"]
    assert [row["map"] for row in done.rows] == ["0.2", "0.5", "0.4", "0.5"]


def test_rounding_comes_first(run, write):
    scores, factors = (
        write("s.csv", "run,topic,map\na,1,0.12344\n"),
        write("f.csv", "topic,n,map.mean,map.sd\n1,9,.1,.1\n"),
    )
    arguments = ["--scheme", "z", "-q", "-n", "-f", "csv", "-F", factors, "--scores", scores]
    assert float(run("standardize", "--round", "4", *arguments).rows[0]["Zmap"]) == pytest.approx(0.234)
    assert float(run("standardize", *arguments).rows[0]["Zmap"]) == pytest.approx(0.2344)


def test_what_has_no_factors_is_said(run, write):
    factors = write("f.csv", "topic,n,map.mean,map.sd\n1,20,.3,.1\n")
    scores = write("s.csv", "run,topic,map,P_10\na,1,.2,.1\na,2,.4,.1\n")
    done = run("standardize", "-q", "-F", factors, "-m", "map", "-m", "P@10", "--scores", scores)
    assert done.stdout == "Nmap                   \t1\t0.1587\nNmap                   \tall\t0.1587\n"
    assert "no factors for 1 measure (P_10)" in done.stderr
    assert "no factors for 1 of 2 topics (e.g. '2')" in done.stderr
    assert done.stderr.count("\n") == 2


def test_measures_of_the_factors_that_cannot_be_computed_are_left_out(run, write, small):
    factors = write("f.csv", "topic,n,map.mean,map.sd,x.mean,x.sd\n1,20,.3,.1,.3,.1\n")
    assert run("standardize", "-F", factors, *small).stdout.split()[:1] == ["Nmap"]
    only = run("standardize", "-F", write("x.csv", "topic,n,x.mean,x.sd\n1,20,.3,.1\n"), *small)
    assert (only.status, "no measure that stdeval computes" in only.stderr) == (2, True)


@pytest.mark.parametrize(
    ("factors", "arguments", "words"),
    [
        ("topic,n,map.mean,map.sd\n7,2,.3,.1\n", [], "no topic in common: the factors have '7', the scores '1'"),
        ("topic,n,bpref.mean,bpref.sd\n1,2,.3,.1\n", ["-m", "map"], "no measure in common"),
        ("topic,n,map.mean,map.sd\n1,2,.3,.1\n", ["--scheme", "e"], "expected reference scores for scheme e"),
        ("topic,n,map.mean,map.sd\n1,2,.3,.1\n", ["--scheme", "m"], "expected reference scores for scheme m"),
        ("topic,n,map.mean,map.sd\n1,2,.3,-.1\n", [], "f.csv:2: map.sd '-.1', expected a number from 0"),
        ("topic,n,map.mean,map.sd\n1,2,.3,abc\n", [], "f.csv:2: map.sd 'abc'"),
        ("topic,n,map.mean,map.sd\n1,2,.3,inf\n", [], "f.csv:2: map.sd 'inf'"),
        ("topic,n,map.mean,map.sd\n1,2,.3,.1\n1,2,.3,.1\n", [], "f.csv:3: topic '1' appears twice"),
        ("topic,n,map.mean\n1,2,.3\n", [], "f.csv:1: no column 'map.sd'"),
        ("topic,n,map.sd\n1,2,.3\n", [], "f.csv:1: "),
        ("topic,n,map.mean,map.sd\n1,2,.3\n", [], "f.csv:2: 3 columns, expected the 4 of the header"),
        ("topic,n,map.mean,map.sd,map.mean\n1,2,.3,1,1\n", [], "f.csv:1: column 'map.mean' twice"),
        ("topic,n,map.mean,map.sd\n1,-2,.3,.1\n", [], "f.csv:2: n '-2'"),
        ("topic,n,map.mean,map.sd\n", [], "f.csv: no topics"),
        ("1 map .3 -.1\n", [], "f.csv:1: standard deviation '-.1'"),
        ("1 map .3 .1\n\n1 map .3\n", [], "f.csv:3: 3 columns, expected 4"),
        ("1 map .3 .1\n1 map .3 .1\n", [], "f.csv:2: topic '1' and measure 'map' appear twice"),
        ("", [], "f.csv:1: no factors or scores"),
        ("run,topic,map\na,1,.2\n", [], "expected at least two"),
    ],
)
def test_factors_refused(run, write, factors: str, arguments: list[str], words: str):
    scores = write("s.csv", "run,topic,map\na,1,.2\nb,1,.4\n")
    done = run("standardize", *arguments, "-F", write("f.csv", factors), "--scores", scores)
    assert (done.status, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("ab", ["1", "1,2,3", "a,b", "0,0.5", "-1,0", "nan,1", "1e400,1", ""])
def test_ab_refused(run, write, ab: str):
    done = run("standardize", "--ab", ab, "--scheme", "u", "--scores", write("s.csv", CONSTANT))
    assert (done.status, done.stdout) == (2, "")
    assert "--ab" in done.stderr


def test_one_run_without_factors_is_refused(run, small):
    done = run("standardize", *small)
    assert (done.status, done.stdout) == (2, "")
    assert "expected -F FILE, or at least two runs" in done.stderr


def test_eval_factors_standardize_in_a_pipe(run, shared: Path, tmp_path: Path):
    """The pipeline of the manual: eval | factors, and eval | standardize."""
    qrels = shared / "cranfield" / "qrels.txt"
    runs = sorted((shared / "cranfield" / "runs").glob("bm25-l*.gz"))
    scores = run("eval", "-q", "-f", "csv", "-c", "-m", "map", qrels, *runs)
    factors = tmp_path / "factors.csv"
    factors.write_bytes(run("factors", "--scores", "-", stdin=scores.raw).raw)
    piped = run("standardize", "-q", "-F", factors, "--scores", "-", stdin=scores.raw)
    direct = run("standardize", "-q", "-c", "-F", factors, qrels, *runs)
    assert piped.status == direct.status == 0
    assert piped.raw == direct.raw
    # in topic 22 every run has AP 0: it is undefined nowhere, for all scores equal the references'
    assert "Nmap                   \t22\t0.5000" in piped.stdout


def test_standardized_counts_have_a_mean_except_z_as_trec_eval_prints_it(run, write, small):
    files = ["-F", write("zscores", ZSCORES), "-m", "num_ret", *small]
    rows = {
        row["topic"]: row
        for row in run("standardize", "-q", "-f", "csv", "--scheme", "n", "--scheme", "z", *files).rows
    }
    n, z = ([float(rows[topic][name]) for topic in ("1", "2", "all")] for name in ("Nnum_ret", "Znum_ret"))
    assert n[2] == pytest.approx((n[0] + n[1]) / 2)
    assert z[2] == pytest.approx(z[0] + z[1])


def test_a_topic_that_counts_0_has_no_line_in_text_as_in_eval(run, write):
    """trec_eval -c averages over the topics that a run lacks, but prints no lines for them."""
    qrels = write("q", ["1 0 d1 1", "2 0 d1 1", "3 0 d1 1"])
    topics_of = {"a": "13", "b": "123"}
    runs = [write(name, [f"{topic} Q0 d1 1 1 {name}" for topic in topics]) for name, topics in topics_of.items()]
    factors = write("z", [f"{topic} map .5 .25" for topic in "123"])
    shown = ["-c", "-q", "-m", "map", "-f", "text"]
    raw = run("eval", *shown, qrels, *runs).stdout
    scaled = run("standardize", "--scheme", "z", "-F", factors, *shown, qrels, *runs).stdout
    topics = [[line.split("\t")[1] for line in text.splitlines()] for text in (raw, scaled)]
    assert topics[0] == topics[1] == ["all", "1", "3", "all", "all", "1", "2", "3", "all"]
    assert "Zmap                   \t2\t-2.0000\n" not in scaled
    assert "Zmap                   \tall\t0.6667\n" in scaled
    assert run("standardize", "-F", factors, *shown[:-1], "csv", qrels, *runs).stdout.count("\na,2,") == 1


RAW = ["run,topic,map", *(f"{name},{topic},{topic / ord(name)}" for name in "abc" for topic in range(1, 5))]


@pytest.mark.parametrize("command", ["standardize", "report", "compare --scheme n", "meta reliability --scheme n"])
def test_stored_standardized_scores_are_not_standardized_again(run, write, command: str):
    """A file with raw scores beside them gives its raw measure in the message, and works with -m."""
    stored = run("standardize", "--scores", write("raw.csv", RAW), "-q", "-f", "csv", "--raw").stdout
    arguments = [*command.split(), "--scores", "-"]
    done = run(*arguments, stdin=stored.encode())
    assert (done.status, done.stdout) == (2, "")
    assert "is standardized already, expected -m with one of: map\n" in done.stderr
    assert run(*arguments, "-m", "map", stdin=stored.encode()).status == 0


def test_only_standardized_scores_are_refused(run, write):
    stored = run("standardize", "--scores", write("raw.csv", RAW), "-q", "-f", "csv").stdout
    done = run("standardize", "--scores", "-", stdin=stored.encode())
    assert (done.status, done.stdout) == (2, "")
    assert "is standardized already, expected raw scores" in done.stderr


@pytest.mark.parametrize("scheme", ["e", "m"])
def test_rounding_rounds_reference_scores_too(run, write, scheme: str):
    """A run that was printed with four decimals gets the scores of the original from the references it is among."""
    exact = {f"r{k}": [1 / (k + topic) for topic in range(1, 9)] for k in range(1, 7)}
    lines = [f"{name},{t},{x!r}" for name, row in exact.items() for t, x in enumerate(row)]
    references = write("references.csv", ["run,topic,recip_rank", *lines])
    short = [f"r3,{t},{x:.4f}" for t, x in enumerate(exact["r3"])]
    printed = write("printed.csv", ["run,topic,recip_rank", *short])
    original = write("original.csv", ["run,topic,recip_rank", *(line for line in lines if line.startswith("r3,"))])
    typed = ["standardize", "--scheme", scheme, "-n", "-q", "-f", "csv", "-F", references]

    def scores(*more) -> list[float]:
        return [float(row[f"{scheme.upper()}recip_rank"]) for row in run(*typed, *more).rows]

    truth = scores("--scores", original)
    assert scores("--scores", printed) != pytest.approx(truth, abs=1e-9)
    rounded = scores("--round", 4, "--scores", printed)
    assert rounded == scores("--round", 4, "--scores", original)
    assert rounded == pytest.approx(truth)


@given(hnp.arrays(np.float64, (3, 4), elements=st.floats(-10, 10, width=64)), st.integers(0, 15))
def test_scores_as_printed_are_the_nearest_decimals_to_the_exact_numbers(scores: np.ndarray, digits: int):
    """The fractions module knows the exact value of a 64-bit float."""
    for score, printed in zip(scores.flat, as_printed(scores, digits).flat, strict=True):
        exact = Fraction(score) * 10**digits
        assert printed == float(Fraction(round(exact), 10**digits))


@pytest.mark.parametrize(
    ("columns", "letters"), [("few", "4 reference runs"), ("many", ""), ("extreme", "are below .001")]
)
def test_what_makes_standardized_scores_unreliable_is_one_line(run, write, columns: str, letters: str):
    n, score = (4 if columns == "few" else 40), (0.9 if columns == "extreme" else 0.4)
    factors = write("f.csv", ["topic,n,map.mean,map.sd", *(f"{t},{n},0.3,0.1234567890123" for t in range(4))])
    scores = write("s.csv", ["run,topic,map", *(f"a,{t},{score}" for t in range(4))])
    done = run("standardize", "-F", factors, "--scores", scores)
    assert done.stderr.count("\n") == bool(letters)
    assert letters in done.stderr


def test_topics_with_one_reference_run_have_no_factors(run, write):
    factors = write("f.csv", "topic,n,map.mean,map.sd\n301,1,0.5,\n302,3,0.5,0.25\n")
    scores = write("s.csv", "run,topic,map\na,301,0.5\na,302,0.5\nb,301,0.25\nb,302,0.25\n")
    done = run("standardize", "-F", factors, "--scores", scores)
    assert "no factors for 1 of 2 topics (e.g. '301')" in done.stderr

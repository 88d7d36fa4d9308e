"""`stdeval standardize`: every figure against numpy and scipy, from whatever the factors are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from stdeval.files import Input
from stdeval.formats.csv_tables import read_scores
from stdeval.table import ScoreTable

pytestmark = pytest.mark.oracle

ALL_SCHEMES = ("--scheme", "z", "--scheme", "n", "--scheme", "u", "--scheme", "e", "--scheme", "m")


def expected(values: np.ndarray) -> dict[str, np.ndarray]:
    """Scores by each scheme of systems that are their own references, computed by scipy; U is not censored."""
    z = stats.zscore(values, axis=0, ddof=1)
    e, m = np.empty_like(z), np.empty_like(z)
    for place in np.ndindex(values.shape[1:]):
        x = values[(slice(None), *place)]
        e[(slice(None), *place)] = stats.ecdf(x).cdf.evaluate(x)
        m[(slice(None), *place)] = stats.percentileofscore(x, x, "mean") / 100
    return {"Z": z, "N": stats.norm.cdf(z), "U": 0.15 * z + 0.5, "E": e, "M": m}


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
    for letter, values in expected(raw.values).items():
        for place, measure in enumerate(raw.measures):
            np.testing.assert_allclose(table.measure(letter + measure), values[:, :, place], rtol=0, atol=1e-11)


def test_every_kind_of_factors_gives_the_same(run, covid, raw, standardized, tmp_path: Path):
    names = ("zscores", "empirical.csv", "three.csv", "means.csv", "sds.csv")
    zscores, empirical, three, means, sds = (tmp_path / name for name in names)
    published = ["-m", "map", "-m", "P_10", "-m", "recip_rank"]
    for arguments in (
        ["convert", "--to", "zscores", "--digits", "17", "-o", zscores, covid.factors],
        ["factors", "--empirical", "-o", empirical, "--scores", covid.scores],
        ["factors", *published, "-o", three, "--scores", covid.scores],
        ["convert", "--to", "published", "-o", means, "-o", sds, three],
    ):
        assert run(*arguments).status == 0
    table = read_scores(Input(standardized))
    for factors in ([covid.factors], [zscores], [empirical], [means, sds]):
        given = [word for path in factors for word in ("-F", path)]
        schemes = ALL_SCHEMES if factors == [empirical] else ALL_SCHEMES[:6]
        out = ["-q", "-f", "csv", "-o", tmp_path / "out.csv"]
        done = run("standardize", *schemes, "--no-censor", *out, *given, "--scores", covid.scores)
        assert (done.status, done.stderr) == (0, "")
        found = read_scores(Input(tmp_path / "out.csv"))
        assert len(found.measures) == (len(raw.measures) if len(factors) == 1 else 3) * len(schemes) // 2
        np.testing.assert_array_equal(found.values, table.select(measures=found.measures).values)


def test_from_runs_as_from_scores(run, covid, raw):
    """New runs, from their files, with the factors of all; only the measures that the factors have."""
    scheme = ["--scheme", "z", "-q", "-f", "csv", "-n"]
    rows = run("standardize", "-F", covid.factors, *scheme, covid.qrels, *covid.runs[3:6]).rows
    assert len(rows) == 150
    assert {*rows[0]} == {"run", "topic", *(f"Z{measure}" for measure in raw.measures)}
    z = expected(raw.values)["Z"]
    for row in rows:
        values = z[raw.systems.index(row["run"]), raw.topics.index(row["topic"])]
        assert [float(row[f"Z{measure}"]) for measure in raw.measures] == pytest.approx(values, abs=1e-11)


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


def test_no_run_is_bold_if_groups_have_other_references(run, write):
    """Neither where the groups are left out, nor in scores that were stored then."""
    rows = [f"{name},{topic},0.{k}{topic}" for k, name in enumerate("abcdef", 1) for topic in range(1, 9)]
    scores = write("s.csv", ["run,topic,map", *rows])
    groups = write("g.csv", ["run,group", *(f"{n},{n in 'ab'}" for n in "abcdef")])
    typed = ["--leave-out", "group", "--groups", groups]
    stored = run("standardize", *typed, "-q", "-f", "csv", "--signature", "--scores", scores).raw
    by_group = [
        run("standardize", *typed, "-f", "markdown", "--scores", scores),
        run("eval", "-f", "markdown", "--scores", write("n.csv", stored.decode().splitlines())),
    ]
    by_run = run("standardize", "--leave-out", "run", "-f", "markdown", "--scores", scores)
    assert [done.status for done in (*by_group, by_run)] == [0, 0, 0]
    assert ["**" in done.stdout for done in (*by_group, by_run)] == [False, False, True]

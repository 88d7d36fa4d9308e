"""`stdeval meta power` and `rank` against Webber 2010, and scipy on the scores of `stdeval eval`."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from stdeval.files import Input
from stdeval.formats.scores_csv import read_scores
from stdeval.stats.aggregates import aggregate

DESIGNS = [
    ([], scipy.stats.ttest_rel),
    (["--unpaired"], scipy.stats.ttest_ind),
    (["--unpaired", "--welch"], lambda a, b: scipy.stats.ttest_ind(a, b, equal_var=False)),
]


def test_power_of_ap_on_the_2004_topics(run, robust_files):
    # Webber 2010, Table 1, T04 Rob, AP: 0.680
    (row,) = run("meta", "power", "--scores", robust_files.of_2004, "-f", "csv").rows
    assert float(row["power"]) == pytest.approx(0.680, abs=0.0005)
    assert {name: row[name] for name in ("measure", "scheme", "alpha", "pairs", "systems", "topics")} == {
        "measure": "map",
        "scheme": "raw",
        "alpha": "0.05",
        "pairs": "5995",
        "systems": "110",
        "topics": "49",
    }


@pytest.mark.parametrize(("options", "test"), DESIGNS)
def test_power_is_counted_from_scipys_tests(run, scores_file, options, test):
    path = scores_file(measures=("map", "P_10"))
    scores = read_scores(Input(str(path)))
    done = run("meta", "power", "--scores", path, "--alpha", 0.1, "--alpha", 0.3, "-f", "csv", *options)
    for row in done.rows:
        p = [test(a, b).pvalue for a, b in combinations(scores.measure(row["measure"]), 2)]
        assert float(row["power"]) == pytest.approx(np.mean(np.array(p) <= float(row["alpha"])))
    assert len(done.rows) == 4


def test_text_names_what_it_rests_on(run, scores_file):
    done = run("meta", "power", "--scores", scores_file())
    header, blank, columns, row = done.stdout.splitlines()
    assert header == "discriminative power, Student's t test, paired, two-sided: 6 systems, 12 topics"
    assert blank == ""
    assert columns.split() == ["measure", "scheme", "alpha", "power", "pairs"]
    assert row.split()[:3] == ["map", "raw", "0.05"]
    assert row.endswith(" 15")


def test_rankings_of_measures_schemes_and_aggregates_correlate_as_scipys(run, scores_file):
    path = scores_file(measures=("map", "P_10"), n_systems=9)
    done = run(
        "meta", "rank", "--scores", path, "--scheme", "raw", "--scheme", "u", "-a", "am", "-a", "ehm", "-f", "csv"
    )
    z = {}
    scores = read_scores(Input(str(path)))
    for measure in scores.measures:
        raw = scores.measure(measure)
        uniform = np.clip(0.15 * scipy.stats.zscore(raw, axis=0, ddof=1) + 0.5, 0, 1)
        z |= {
            (measure, scheme, name): aggregate(values, name)
            for scheme, values in (("raw", raw), ("U", uniform))
            for name in ("am", "ehm")
        }
    assert len(done.rows) == 8 * 7 / 2
    for row in done.rows:
        a, b = (z[row[f"measure_{side}"], row[f"scheme_{side}"], row[f"aggregate_{side}"]] for side in "ab")
        assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(a, b).statistic)
        assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(a, b).statistic)


@pytest.mark.parametrize(("options", "test"), DESIGNS)
def test_orderings_of_pairs_by_p_correlate_as_scipys(run, scores_file, options, test):
    path = scores_file(measures=("map", "P_10"))
    scores = read_scores(Input(str(path)))
    p = [[-test(a, b).pvalue for a, b in combinations(scores.measure(name), 2)] for name in ("map", "P_10")]
    (row,) = run("meta", "rank", "--by", "pvalues", "--scores", path, "-f", "csv", *options).rows
    assert float(row["tau_b"]) == pytest.approx(scipy.stats.kendalltau(*p).statistic)
    assert float(row["r"]) == pytest.approx(scipy.stats.pearsonr(*p).statistic)


def test_means_tie_where_the_numbers_of_relevant_documents_do(run, write):
    """P_5 and the numbers of relevant documents in the top five, which are whole and have the same ranking."""
    counts = np.random.default_rng(8).integers(0, 6, (30, 25))
    rows = [f"s{i},{t},{count},{count / 5}" for i, row in enumerate(counts) for t, count in enumerate(row)]
    path = write("s.csv", ["run,topic,relevant,P_5", *rows])
    (row,) = run("meta", "rank", "--scores", path, "-f", "csv").rows
    assert float(row["tau_b"]) == pytest.approx(1.0, abs=1e-15)


def test_runs_are_scored_as_eval_scores_them(run, sample, tmp_path):
    scores = tmp_path / "scores.csv"
    assert run("eval", "-q", "-f", "csv", "-n", "-m", "map", "-o", scores, *sample).status == 0
    from_runs = run("meta", "power", "-m", "map", "--scheme", "n", *sample)
    assert from_runs.stdout == run("meta", "power", "--scheme", "n", "--scores", scores).stdout
    assert from_runs.stdout.startswith(
        "discriminative power, Student's t test, paired, two-sided: 40 systems, 50 topics"
    )


def test_factors_of_others_standardize(run, scores_file, tmp_path):
    path, others = scores_file(), scores_file("others.csv", n_systems=15, seed=9)
    factors, standardized = tmp_path / "factors.csv", tmp_path / "standardized.csv"
    assert run("factors", "--scores", others, "-o", factors).status == 0
    done = run("standardize", "--scores", path, "-F", factors, "-q", "-f", "csv", "-n", "-o", standardized)
    assert done.status == 0
    levels = [word for alpha in (0.001, 0.01, 0.1, 0.3, 0.45) for word in ("--alpha", alpha)]
    by_others = run("meta", "power", "--scores", path, "--scheme", "n", *levels, "-F", factors, "-f", "csv")
    expected = run("meta", "power", "--scores", standardized, *levels, "-f", "csv")
    assert [row["power"] for row in by_others.rows] == [row["power"] for row in expected.rows]
    own = run("meta", "power", "--scores", path, "--scheme", "n", *levels, "-f", "csv")
    assert [row["power"] for row in by_others.rows] != [row["power"] for row in own.rows]


def test_topics_that_a_run_lacks_are_left_out_with_one_warning(run, write, scores_file):
    lines = scores_file().read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("s2,3,", "s2,5,", "s4,5,"))]
    gaps = write("gaps.csv", kept)
    done = run("meta", "power", "--scores", gaps, "-f", "csv")
    assert done.rows[0]["topics"] == "10"
    assert done.stderr.count("2 of 12 topics left out") == 1
    assert run("meta", "power", "--scores", gaps, "--best", "4", "-f", "csv").rows[0]["topics"] == "12"
    without = [line for line in lines if line.split(",")[1] not in ("3", "5")]
    assert done.stdout == run("meta", "power", "--scores", write("few.csv", without), "-f", "csv").stdout


def test_with_c_topics_that_a_run_lacks_count_0(run, shared):
    qrels, runs = shared / "cranfield" / "qrels.txt", shared / "cranfield" / "runs"
    some = [runs / f"{name}.run.gz" for name in ("bm25-missing-topics", "random", "lsi-20", "jaccard")]
    found = {
        flags: run("meta", "power", *flags, "-m", "map", qrels, *some, "-f", "csv").rows[0]
        for flags in ((), ("-c",))
    }
    # the collection's README: bm25-missing-topics has 188 of 225 topics
    assert [found[flags]["topics"] for flags in ((), ("-c",))] == ["188", "225"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["power", "--alpha", "1"], "Invalid value for '--alpha'"),
        (["power", "--alpha", "nan"], "'nan', expected a number above 0 and below 0.5"),
        (["rank"], "one ranking, expected at least two measures, schemes or aggregates"),
        (["rank", "--by", "pvalues", "-a", "md"], "--by pvalues compares means, expected no --aggregate"),
        (["power", "--welch"], "Welch's test compares unpaired topics, expected --unpaired as well"),
        (["rank", "--scheme", "z", "-a", "am", "-a", "gm"], "no geometric mean of scores below 0"),
        (["power", "-c"], "-c, -l, -M, -J, --binary and --precision"),
        (["power", "-m", "ndcg"], "no measure 'ndcg' in the scores, expected one of: map"),
        (["power", "-F", "nowhere.csv"], "nowhere.csv"),
        (["powr"], "no command 'powr', did you mean power?"),
    ],
)
def test_wrong_options_are_one_line_and_2(run, scores_file, arguments, message):
    done = run("meta", *arguments, "--scores", scores_file())
    assert (done.status, done.raw) == (2, b"")
    (line,) = (line for line in done.stderr.splitlines() if not line.startswith("stdeval: warning: "))
    assert message in line


@pytest.mark.parametrize(
    "command", ["power", "rank", "split", "within", "between", "references", "reliability", "plan"]
)
@pytest.mark.parametrize(
    ("shape", "message"),
    [({"n_systems": 2}, "2 systems, expected at least 3"), ({"n_topics": 3}, "3 topics, expected at least 4")],
)
def test_few_systems_or_topics_are_refused(run, scores_file, command, shape, message):
    path = scores_file(measures=("map", "P_10"), **shape)
    done = run("meta", command, "--scores", path)
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr.splitlines()[-1] == f"stdeval: {message}"


@pytest.mark.parametrize(
    "command", ["power", "rank", "split", "within", "between", "references", "reliability", "plan", "depth"]
)
def test_nothing_to_work_on_is_refused(run, command):
    done = run("meta", command)
    assert (done.status, done.raw) == (2, b"")
    assert "expected QRELS" in done.stderr


@pytest.mark.parametrize(
    ("options", "test"), [([], "t"), (["--unpaired"], "student"), (["--unpaired", "--welch"], "welch")]
)
def test_csv_names_the_test(run, scores_file, options, test):
    path = scores_file(measures=("map", "P_10"))
    for command in (["power"], ["rank", "--by", "pvalues"]):
        rows = run("meta", *command, "--scores", path, "-f", "csv", *options).rows
        assert {row["test"] for row in rows} == {test}
    assert "test" not in run("meta", "rank", "--scores", path, "-f", "csv").rows[0]


def test_an_undefined_harmonic_mean_is_named(run, write):
    rows = [f"{name},{topic},{(i + topic) % 5 / 4}" for i, name in enumerate("abcd") for topic in range(1, 6)]
    done = run("meta", "rank", "-a", "am", "-a", "hm", "--scores", write("s.csv", ["run,topic,map", *rows]))
    assert (done.status, done.stderr) == (
        2,
        "stdeval: map raw: the aggregate hm is undefined for 4 of 4 systems (e.g. 'a'), which have scores of 0: "
        "expected another aggregate, such as ehm\n",
    )


def test_topics_of_one_file_only_are_left_out(run, write):
    rng = np.random.default_rng(4)
    paths = {}
    for name, topics in (("a", range(1, 18)), ("b", range(8, 22))):
        rows = [f"{system},{topic},{rng.random():.4f}" for system in "mnopqrswxyz" for topic in topics]
        paths[name] = write(f"{name}.csv", ["run,topic,map", *rows])
    done = run("meta", "rank", *(word for name, path in paths.items() for word in ("--scores", f"{name}={path}")))
    assert (done.status, "11 of 21 topics left out" in done.stderr) == (0, True)


def test_too_few_common_topics_name_the_measures(run, write):
    rows = [f"{system},{topic},0.{topic}" for system in "wxyz" for topic in range(1, 4)]
    others = [f"{system},{topic},0.{topic}" for system in "wxyz" for topic in range(7, 9)]
    a, b = (write(name, ["run,topic,map", *lines]) for name, lines in (("a.csv", rows), ("b.csv", others)))
    done = run("meta", "rank", "--scores", f"a={a}", "--scores", f"b={b}")
    told = "stdeval: no topic on which all runs have scores by all measures (a:map, b:map), expected at least 4\n"
    assert (done.status, done.stderr.endswith(told)) == (2, True)


@pytest.mark.parametrize(
    "experiment", ["power", "rank", "reliability", "plan", "split", "within", "between", "references"]
)
@pytest.mark.parametrize("other_topics", [False, True])
@pytest.mark.parametrize(("measure", "told"), [("map", "a:map, b:map"), ("recall_10", "a:map, b:recall_10")])
def test_files_without_a_common_run_are_refused(
    run, write, experiment: str, other_topics: bool, measure: str, told: str
):
    rng = np.random.default_rng(5)
    rows = [f"{system},{topic},{rng.random():.3f}" for system in "wxyz" for topic in range(1, 8)]
    first = 20 if other_topics else 1
    others = [f"{system},{topic},{rng.random():.3f}" for system in "abcd" for topic in range(first, first + 7)]
    files = [f"--scores=a={write('a.csv', ['run,topic,map', *rows])}"]
    files += [f"--scores=b={write('b.csv', [f'run,topic,{measure}', *others])}"]
    done = run("meta", experiment, *files)
    assert (done.status, done.raw) == (2, b"")
    message = f"no run has scores by all measures ({told}), expected the same runs by each"
    assert done.stderr == f"stdeval: {message}\n"


def test_a_split_of_too_few_topics_names_the_measure(run, write):
    rows = [f"{system},{topic},0.5" for system in "wxyz" for topic in range(1, 7)]
    scores = write("s.csv", ["run,topic,map", *rows])
    done = run("meta", "split", "--split", "hard-easy", "--scores", scores)
    assert done.status == 2
    assert "map: 0 topics with a difficulty, expected at least 4 to split them by it" in done.stderr


def test_text_is_the_table(run, sample):
    """Its measures are in the order of -m, too."""
    typed = ["-m", "recip_rank", "-m", "map", *sample[:8]]
    done = run("meta", "rank", *typed)
    assert done.raw == run("meta", "rank", "-f", "table", *typed).raw
    assert done.stdout.splitlines()[3].startswith("recip_rank")

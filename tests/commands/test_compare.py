"""`stdeval compare` on real scores, against scipy, statsmodels and a published count."""

from __future__ import annotations

import csv
import functools
import gzip
import operator
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

from stdeval.commands.compare import pair_fields, pair_rows
from stdeval.gate import Condition, check
from stdeval.stats.pairwise import Design, compare_systems

N_SYSTEMS, N_TOPICS = 6, 30
PAIRS = [(i, j) for i in range(N_SYSTEMS) for j in range(i + 1, N_SYSTEMS)]
STATSMODELS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}


@pytest.fixture(scope="module")
def robust(shared: Path) -> np.ndarray:
    """AP of 110 systems on 99 topics: 50 of 2003, 49 of 2004."""
    return np.loadtxt(shared / "urbano2019" / "robust2004_ap.csv", delimiter=",", skiprows=1).T


def scores_lines(values: np.ndarray, measure: str = "ap") -> list[str]:
    rows = [
        f"s{i},{t},{score!r}"
        for i, row in enumerate(values.tolist())
        for t, score in enumerate(row)
        if not np.isnan(score)
    ]
    return [f"run,topic,{measure}", *rows]


@pytest.fixture
def some(robust: np.ndarray, write) -> tuple[np.ndarray, Path]:
    """Six systems, every tenth, which differ."""
    values = robust[:60:10, :N_TOPICS]
    return values, write("some.csv", scores_lines(values))


@pytest.fixture
def three(write) -> Path:
    """Scores of four topics: b is a and 0.1, c is a."""
    a = np.array([0.1, 0.2, 0.4, 0.3])
    return write("three.csv", scores_lines(np.stack([a, a + 0.1 + a / 9, a])))


def numbers(rows: list[dict[str, str]], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def test_all_pairs_against_scipy(run, some):
    values, path = some
    rows = run("compare", "--scores", path, "-f", "csv", "--ci", "0.9").rows
    assert [(row["a"], row["b"]) for row in rows] == [(f"s{i}", f"s{j}") for i, j in PAIRS]
    for row, (i, j) in zip(rows, PAIRS, strict=True):
        test, changes = scipy.stats.ttest_rel(values[i], values[j]), values[i] - values[j]
        interval = test.confidence_interval(0.9)
        assert [float(row[name]) for name in ("statistic", "p", "low", "high")] == pytest.approx(
            [test.statistic, test.pvalue, interval.low, interval.high], rel=1e-9
        )
        assert [float(row[name]) for name in ("mean_a", "mean_b", "difference", "effect_size")] == pytest.approx(
            [values[i].mean(), values[j].mean(), changes.mean(), changes.mean() / changes.std(ddof=1)]
        )
        expected = [(changes > 0).sum(), (changes == 0).sum(), (changes < 0).sum(), N_TOPICS]
        assert [int(row[name]) for name in ("wins", "ties", "losses", "n")] == expected


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_other_tests_are_scipys(run, some, test: str, alternative: str):
    values, path = some
    rows = run("compare", "--scores", path, "--test", test, "--alternative", alternative, "-f", "csv").rows
    for row, (i, j) in zip(rows, PAIRS, strict=True):
        if test == "wilcoxon":
            # Scores have few decimals; without the rounding, scipy would rank the noise of their differences.
            differences = np.round(values[i] - values[j], 9)
            differences = differences[differences != 0]
            expected = scipy.stats.wilcoxon(differences, alternative=alternative).pvalue
        else:
            wins, losses = (values[i] > values[j]).sum(), (values[i] < values[j]).sum()
            expected = scipy.stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
        assert float(row["p"]) == pytest.approx(expected, rel=1e-9)
        assert (row["test"], row["alternative"], row["resamples"], row["seed"]) == (test, alternative, "", "")


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_resampling_tests_repeat_with_a_seed_and_say_it(run, some, test: str):
    values, path = some
    typed = ("compare", "--scores", path, "--test", test, "--resamples", 2000, "-f", "csv", "--baseline", "s0")
    done = run(*typed, "--seed", 3)
    assert run(*typed, "--seed", 3).raw == done.raw
    assert run(*typed, "--seed", 4).raw != done.raw
    assert {(row["resamples"], row["seed"]) for row in done.rows} == {("2000", "3")}
    plain = [scipy.stats.ttest_rel(values[i], values[0]).pvalue for i in range(1, N_SYSTEMS)]
    assert numbers(done.rows, "p") == pytest.approx(plain, abs=0.06)  # all three tests are about the mean


def test_permutation_of_8_topics_is_enumerated(run, some, write):
    values, _ = some
    a, b = values[0, :8], values[1, :8]
    path = write("eight.csv", scores_lines(np.stack([a, b])))
    found = run("compare", "--scores", path, "--test", "permutation", "-f", "csv").rows
    signs = 1 - 2 * ((np.arange(2**8)[:, np.newaxis] >> np.arange(8)) & 1)
    sums = signs @ (a - b)
    reached = np.mean(np.abs(sums) >= abs((a - b).sum()) - 1e-12)
    assert numbers(found, "p") == pytest.approx([reached])


@pytest.mark.parametrize("correction", STATSMODELS)
def test_corrections_are_those_of_statsmodels(run, some, correction: str):
    rows = run("compare", "--scores", some[1], "--correction", correction, "-f", "csv").rows
    _, expected, *_ = multipletests(numbers(rows, "p"), method=STATSMODELS[correction])
    assert numbers(rows, "p_adjusted") == pytest.approx(expected, rel=1e-9)


def test_the_family_of_a_correction_is_one_measure(run, write):
    table = [
        "run,topic,x,y",
        *(f"s{i},{t},{(3 * i + t) % 7},{(5 * i + t * t) % 11}" for i in range(4) for t in range(9)),
    ]
    path = write("s.csv", table)
    both = run("compare", "--scores", path, "--correction", "holm", "-f", "csv").stdout.splitlines()
    alone = run("compare", "--scores", path, "--correction", "holm", "-m", "y", "-f", "csv").stdout.splitlines()
    assert [line for line in both if line.startswith("y,")] == alone[1:]


def test_tukey_repeats_with_a_seed(run, some):
    typed = ("compare", "--scores", some[1], "--correction", "tukey", "--resamples", 500, "-f", "csv")
    done = run(*typed, "--seed", 1)
    assert run(*typed, "--seed", 1).raw == done.raw
    assert numbers(run(*typed, "--seed", 2).rows, "p_adjusted") != numbers(done.rows, "p_adjusted")
    assert {(row["correction"], row["resamples"], row["seed"]) for row in done.rows} == {("tukey", "500", "1")}
    baseline = run(*typed, "--seed", 1, "--baseline", "s0").rows  # all systems take part, whatever is shown
    assert numbers(baseline, "p_adjusted") == numbers(done.rows, "p_adjusted")[: N_SYSTEMS - 1]


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation", "bootstrap"])
def test_identical_runs_have_p_1(run, three: Path, test: str):
    rows = run("compare", "--scores", three, "--test", test, "-f", "csv").rows
    assert [row["p"] for row in rows if (row["a"], row["b"]) == ("s0", "s2")] == ["1.0"]


def test_systems_against_themselves_on_other_topics(run, robust: np.ndarray, write):
    """Webber 2008, Table 4: 2 systems are significantly better on 2003 than on 2004 topics, 0 the other way."""
    lines = ["run,topic,ap"]
    for i, row in enumerate(robust.tolist()):
        lines += [f"s{i}-{2003 + (t >= 50)},{t},{score}" for t, score in enumerate(row)]
    path = write("both.csv", lines)
    for alternative, expected in (("greater", 2), ("less", 0)):
        typed = ("compare", "--scores", path, "--unpaired", "--alternative", alternative, "-f", "csv")
        done = run(*typed)
        rows = [row for row in done.rows if (row["a"][:-5], row["a"][-4:]) == (row["b"][:-5], "2003")]
        assert len(rows) == 110
        assert {(row["n_a"], row["n_b"]) for row in rows} == {("50", "49")}
        assert sum(float(row["p"]) < 0.025 for row in rows) == expected


@pytest.mark.parametrize(("options", "test"), [([], "student"), (["--welch"], "welch")])
def test_unpaired_with_and_without_welch(run, some, options: list[str], test: str):
    values, path = some
    rows = run("compare", "--scores", path, "--unpaired", *options, "-f", "csv").rows
    expected = [scipy.stats.ttest_ind(values[i], values[j], equal_var=not options).pvalue for i, j in PAIRS]
    assert numbers(rows, "p") == pytest.approx(expected, rel=1e-9)
    assert {row["test"] for row in rows} == {test}
    assert "wins" not in rows[0]


TUKEY = ("--correction", "tukey", "--resamples", 9)


def test_common_topics_and_how_many(run, some, write):
    values = some[0].copy()
    values[1, :5], values[2, 3:9] = np.nan, np.nan
    path = write("holes.csv", scores_lines(values[:4]))
    done = run("compare", "--scores", path, "-f", "csv", *TUKEY)
    row = next(row for row in done.rows if (row["a"], row["b"]) == ("s1", "s2"))
    assert int(row["n"]) == 30 - 9
    assert float(row["mean_a"]) == pytest.approx(values[1, 9:].mean())
    assert "2 of 4 runs" in done.stderr
    adjusted = {(row["a"], row["b"]): row["p_adjusted"] for row in done.rows}
    assert [pair for pair, p in adjusted.items() if p] == [("s0", "s3")]
    alone = run("compare", "--scores", write("two.csv", scores_lines(values[[0, 3]])), "-f", "csv", *TUKEY)
    assert adjusted["s0", "s3"] == alone.rows[0]["p_adjusted"]


def test_a_table_names_the_test_of_p_beside_tukey(run, some):
    done = run("compare", "--scores", some[1], "-f", "table", *TUKEY, "--test", "wilcoxon")
    assert (
        "* p_adjusted at most 0.05; randomised Tukey HSD over all runs, two-sided; 9 resamples, seed 0\n"
        in done.stdout
    )
    assert "p: Wilcoxon's signed-rank test, paired, two-sided, not corrected\n" in done.stdout
    assert "p: " not in run("compare", "--scores", some[1], "-f", "table").stdout


def test_tukey_does_not_decide_pairs_on_other_topics_than_theirs(run, write):
    """A is better than B on the 20 topics of all runs, and worse on the 22 that they have."""
    rng = np.random.default_rng(3)
    base = rng.uniform(0.3, 0.6, 20)
    scores = {
        name: [*(base + change), *more]
        for name, change, more in (
            ("A", 0.04, [0.02, 0.03]),
            ("B", 0.0, [0.9, 0.95]),
            ("C", 0.01, []),
            ("D", -0.02, []),
        )
    }
    rows = [f"{name},t{i:02},{x!r}" for name, row in scores.items() for i, x in enumerate(np.asarray(row).tolist())]
    done = run(
        "compare", "--correction", "tukey", "-f", "csv", "--scores", write("s.csv", ["run,topic,map", *rows])
    )
    by_pair = {(row["a"], row["b"]): row for row in done.rows}
    assert float(by_pair["A", "B"]["difference"]) < 0
    assert by_pair["A", "B"]["p_adjusted"] == by_pair["A", "B"]["significant"] == ""
    assert all(row["p_adjusted"] for pair, row in by_pair.items() if pair != ("A", "B"))
    assert "20 of 22 topics" in done.stderr


def test_baseline_by_name_and_by_file(run, write):
    qrels = write("qrels", [f"{t} 0 d{t} 1" for t in range(5)])
    runs = [
        write(f"{name}.run", [f"{t} Q0 {'x' if t < miss else 'd'}{t} 1 1 {tag}" for t in range(5)])
        for name, tag, miss in (("old", "bm25", 3), ("new", "bm25", 1), ("other", "lm", 2))
    ]
    by_file = run("compare", qrels, *runs, "-m", "map", "--baseline", runs[0], "-f", "csv")
    assert [(row["a"], row["b"]) for row in by_file.rows] == [("new.run", "old.run"), ("lm", "old.run")]
    by_name = run("compare", qrels, *runs, "-m", "map", "--baseline", "old.run", "-f", "csv")
    assert by_name.raw == by_file.raw


def test_table_says_that_p_is_not_corrected(run, write):
    lines = [f"{name},{topic},{score}" for name, score in (("a", 0.1), ("b", 0.2), ("c", 0.5)) for topic in "12"]
    scores = write("three.csv", ["run,topic,map", *lines])
    note = run("compare", "-f", "table", "--scores", scores).stdout.splitlines()[-1]
    assert note == "* p_adjusted at most 0.05; Student's t test, paired, two-sided; not corrected for 3 pairs"
    corrected = run("compare", "-f", "table", "--correction", "holm", "--scores", scores).stdout
    assert "corrected for" not in corrected
    two = write("two.csv", ["run,topic,map", *lines[:4]])
    assert run("compare", "-f", "table", "--scores", two).stdout.endswith("two-sided\n")


def test_table_marks_what_is_significant(run, some):
    rows = run("compare", "--scores", some[1], "-f", "csv", "--alpha", "0.001", "--correction", "bonferroni").rows
    done = run("compare", "--scores", some[1], "-f", "table", "--alpha", "0.001", "--correction", "bonferroni")
    *lines, note = done.stdout.splitlines()
    marks = [line.split()[-1] for line in lines[1:]]
    assert marks == ["*" if float(row["p_adjusted"]) < 0.001 else "-" for row in rows]
    assert set(marks) == {"*", "-"}
    assert note == "* p_adjusted at most 0.001; Student's t test, paired, two-sided; correction bonferroni"


def test_table_says_that_the_interval_is_two_sided_if_the_test_is_not(run, write):
    """With 0.1, -0.02, 0.08, 0.05, 0.01, 0.03, p of the one tail is below .05 and the interval contains 0."""
    differences = [0.1, -0.02, 0.08, 0.05, 0.01, 0.03]
    rows = [f"a,{t},{0.5 + d:.2f}\nb,{t},0.5" for t, d in enumerate(differences)]
    path, greater = write("s.csv", ["run,topic,map", *rows]), ["--alternative", "greater"]
    (row,) = run("compare", "--scores", path, *greater, "-f", "csv").rows
    expected = scipy.stats.ttest_1samp(differences, 0, alternative="greater").pvalue
    assert float(row["p"]) == pytest.approx(expected)
    assert (expected < 0.05, float(row["low"]) < 0 < float(row["high"])) == (True, True)
    notes = run("compare", "--scores", path, *greater, "-f", "table").stdout.splitlines()[2:]
    assert notes == [
        "* p_adjusted at most 0.05; Student's t test, paired, one-tailed (greater)",
        "low, high: the two-sided 95% t interval, which may contain 0 although p is significant",
    ]
    narrow = run("compare", "--scores", path, *greater, "-f", "csv", "--ci", "0.9").rows[0]
    assert float(narrow["low"]) > 0


def test_table_names_the_confidence_of_the_interval_if_it_was_chosen(run, some):
    typed = ("compare", "--scores", some[1], "-f", "table")
    assert "low, high" not in run(*typed).stdout
    assert "low, high" not in run(*typed, "--ci", "0.95").stdout
    *_, note = run(*typed, "--ci", "0.999").stdout.splitlines()
    assert note == "low, high: the two-sided 99.9% t interval"


def test_text_is_tidy(run, three: Path):
    rows = list(csv.reader(run("compare", "--scores", three).stdout.splitlines(), delimiter="\t"))
    assert [row[:3] for row in rows[1:]] == [["ap", "s0", "s1"], ["ap", "s0", "s2"], ["ap", "s1", "s2"]]
    assert len({len(row) for row in rows}) == 1
    assert rows[0][-6:] == ["test", "alternative", "correction", "alpha", "resamples", "seed"]


def test_latex(run, three: Path):
    found = run("compare", "--scores", three, "-f", "latex", "--baseline", "s0").stdout.splitlines()
    body = [line for line in found if " & " in line]
    assert body == [
        r" & ap \\",
        r"s0 & 0.2500 \\",
        r"s1 & \textbf{0.3778}$^{\dagger}$ \\",
        r"s2 & 0.2500 \\",
    ]
    assert any("differs from s0, p at most 0.05; Student's t test, paired, two-sided" in line for line in found)
    without = run("compare", "--scores", three, "-f", "latex").stdout
    assert "dagger" not in without


def latex_rows(text: str) -> list[str]:
    return [line.removesuffix(r" \\") for line in text.splitlines() if "&" in line or line == r"\midrule"]


def test_latex_sets_an_incomplete_run_aside(run, write):
    """The run with the greatest mean has one topic of three: it is not bold, and stands below the others."""
    rows = ["a,1,.2", "a,2,.4", "a,3,.6", "b,1,.9", "c,1,.3", "c,2,.3", "c,3,.3"]
    done = run("compare", "--scores", write("s.csv", ["run,topic,map", *rows]), "-f", "latex")
    assert latex_rows(done.stdout) == [
        " & map & n",
        r"\midrule",
        r"a & \textbf{0.4000} & 3",
        "c & 0.3000 & 3",
        r"\midrule",
        "b & 0.9000 & 1",
    ]
    assert "1 of 3 runs (e.g. 'b')" in done.stderr
    assert "% below the second line: an incomplete run, without a topic that most runs have" in done.stdout


def test_latex_counts_topics_by_measure_where_the_factors_lack_some(run, write):
    """Raw means are over three topics, standardized means over the two that have factors."""
    scores = write("s.csv", ["run,topic,map", *(f"{r},{t},.{t}{n}" for n, r in enumerate("ab") for t in (1, 2, 3))])
    factors = write("f.csv", ["topic,n,map.mean,map.sd", "1,9,.2,.1", "2,9,.2,.1"])
    schemes = ["--scheme", "raw", "--scheme", "n"]
    text = run("compare", "--scores", scores, "-F", factors, *schemes, "-f", "latex").stdout
    assert latex_rows(text)[0] == " & map & Nmap & n"
    assert [row.split(" & ")[-1] for row in latex_rows(text)[2:]] == ["2-3", "2-3"]
    assert "% n: number of topics of the means in a row; two numbers: the fewest and the most" in text


def test_latex_has_the_lowest_in_bold_where_lower_is_better(run, write):
    rows = ["a,1,.5,.2", "a,2,.5,.2", "b,1,.3,.4", "b,2,.3,.4"]
    text = run("compare", "--scores", write("s.csv", ["run,topic,map,unj_10", *rows]), "-f", "latex").stdout
    assert latex_rows(text)[2:] == [r"a & \textbf{0.5000} & \textbf{0.2000}", "b & 0.3000 & 0.4000"]


def test_latex_of_a_pair_is_over_the_topics_of_both(run, write):
    """Over its own topics a has the mean .5; on topic 2, which both have, it has .4."""
    rows = ["a,1,.6", "a,2,.4", "b,2,.5", "b,3,.1"]
    text = run("compare", "--scores", write("s.csv", ["run,topic,map", *rows, "a,4,.5", "b,4,.5"]), "-f", "latex")
    assert latex_rows(text.stdout)[2:] == ["a & 0.4500", r"b & \textbf{0.5000}"]
    assert "% means over the 2 topics that all runs have\n" in text.stdout
    assert "2 of 4 topics" in text.stderr


def test_latex_says_that_the_common_topics_of_all_are_used(run, write):
    """Each of a and b lacks a topic that two of three runs have, so that only c is complete: topic 3 is left."""
    rows = ["a,2,.1", "a,3,.4", "b,1,.1", "b,3,.5", "c,1,.9", "c,2,.9", "c,3,.3"]
    done = run("compare", "--scores", write("s.csv", ["run,topic,map", *rows]), "-f", "latex")
    assert latex_rows(done.stdout)[2:] == ["a & 0.4000", r"b & \textbf{0.5000}", "c & 0.3000"]
    assert "% means over the 1 topic that all runs have\n" in done.stdout
    assert "1 of 3 topics" in done.stderr


def test_standardized_by_factors_and_schemes(run, some, write):
    values, path = some
    factors = write(
        "factors.csv", ["topic,n,ap.mean,ap.sd", *(f"{t},9,0.3,{0.1 + t / 100}" for t in range(N_TOPICS))]
    )
    standardized = (values - 0.3) / (0.1 + np.arange(N_TOPICS) / 100)
    by_default = run("compare", "--scores", path, "-F", factors, "-f", "csv").rows
    assert {row["measure"] for row in by_default} == {"N(ap)"}
    rows = run("compare", "--scores", path, "-F", factors, "--scheme", "z", "--scheme", "raw", "-f", "csv").rows
    found = {(row["measure"], row["a"], row["b"]): float(row["p"]) for row in rows}
    for i, j in PAIRS:
        expected = scipy.stats.ttest_rel(standardized[i], standardized[j]).pvalue
        assert found["Z(ap)", f"s{i}", f"s{j}"] == pytest.approx(expected, rel=1e-9)
        assert found["ap", f"s{i}", f"s{j}"] == pytest.approx(scipy.stats.ttest_rel(values[i], values[j]).pvalue)


def test_raw_scores_of_two_runs_need_no_references(run, some, write):
    two = write("two.csv", scores_lines(some[0][:2], "map"))
    assert run("compare", "--scores", two).stderr == ""


REFUSED = {
    "--baseline s9": "no run 's9', expected one of: s0, s1, s2",
    "--unpaired --test sign": "the sign test compares paired topics",
    "--welch": "expected --unpaired as well",
    "--correction tukey --alternative less": "tukey compares all systems on the same topics",
    "--correction tukey --unpaired": "tukey compares all systems on the same topics",
    "--correction fdr": "Invalid value for '--correction'",
    "--test z": "Invalid value for '--test'",
    "--alternative better": "Invalid value for '--alternative'",
    "--alpha 0": "Invalid value for '--alpha'",
    "--ci 1": "Invalid value for '--ci'",
    "--ci nan": "Invalid value for '--ci'",
    "--test permutation --resamples 0": "Invalid value for '--resamples'",
    "--test permutation --seed x": "Invalid value for '--seed'",
    "-f tex": "Invalid value for '-f'",
    "-m bp": "no measure 'bp'",
    "-F absent.csv": "absent.csv: no such file",
}


@pytest.mark.parametrize("typed", REFUSED)
def test_refused_in_one_line(run, three: Path, typed: str):
    done = run("compare", "--scores", three, *typed.split())
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert REFUSED[typed] in done.stderr


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[0.1, 0.2]], "one run, 's0', expected at least two to compare"),
        ([[0.1, np.nan], [0.2, np.nan]], "no comparison has two topics"),
    ],
)
def test_too_little_to_compare(run, write, values: list, message: str):
    done = run("compare", "--scores", write("s.csv", scores_lines(np.array(values), "map")))
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert message in done.stderr


def test_wrong_files_are_refused_in_one_line(run, hostile: Path):
    for qrels, paths in [
        ("ok.qrels", ["ok.run", "inf-score.run"]),
        ("empty.qrels", ["ok.run", "tabs.run"]),
        ("ok.qrels", ["ok.run", "ok.run"]),
    ]:
        done = run("compare", hostile / qrels, *[hostile / path for path in paths])
        assert (done.status, done.raw) == (2, b"")
        assert sum("warning" not in line for line in done.stderr.splitlines()) == 1


def test_comparisons_with_too_few_topics_have_no_p(run, write):
    lines = ["run,topic,x,y", "a,1,0.1,0.2", "a,2,,0.4", "b,1,0.3,0.5", "b,2,0.4,", "c,1,0.2,0.3", "c,2,0.6,0.9"]
    done = run("compare", "--scores", write("gaps.csv", lines), "-f", "csv")
    assert [row["p"] == "" for row in done.rows] == [True, True, False, True, False, True]


@pytest.mark.parametrize("design", [Design(), Design(unpaired=True), Design(test="bootstrap", n_resamples=99)])
def test_rows_fit_the_fields(design: Design) -> None:
    scores = np.random.default_rng(5).random((4, 12)) * np.array([[0.2], [0.6], [0.9], [1.0]])
    found, adjusted = compare_systems(scores, np.array([0, 1, 2]), np.array([3, 3, 3]), design)
    names = [(f"s{i}", "s3") for i in range(3)]
    fields = [field.name for field in pair_fields(design)]
    rows = [
        dict(zip(fields, row, strict=True))
        for row in pair_rows({"map": (found, adjusted)}, names, design, alpha=0.05)
    ]
    assert [(row["measure"], row["a"], row["b"]) for row in rows] == [("map", *pair) for pair in names]
    assert [row["significant"] == "*" for row in rows] == (adjusted < 0.05).tolist()
    assert [row["mean_a"] for row in rows] == pytest.approx(scores[:3].mean(axis=1))
    assert {(row["resamples"], row["seed"]) for row in rows} == {(99, 0) if design.draws else ("", "")}
    assert {row["test"] for row in rows} == {"student" if design.unpaired else design.test}


@pytest.mark.parametrize("alpha", ["0.0625", "0.06249999999999999"])
def test_p_equal_to_alpha_is_significant_in_every_format(run, write, alpha: str) -> None:
    """Five wins of five by the sign test: p is 2 / 32, and .0625 counts at the level .0625, in twelve digits."""
    path = write("five.csv", scores_lines(np.array([[0.2, 0.4, 0.6, 0.8, 1.0], [0.1, 0.1, 0.3, 0.7, 0.2]])))
    typed = ("compare", "--scores", path, "--test", "sign", "--baseline", "s1", "--alpha", alpha)
    assert [row["significant"] for row in run(*typed, "-f", "csv").rows] == ["*"]
    assert run(*typed, "-f", "text").stdout.count("\t*\t") == 1
    assert "p_adjusted at most 0.0625" in run(*typed, "-f", "table").stdout
    assert run(*typed, "-f", "latex").stdout.count("dagger}") == 1


def test_latex_has_all_equal_means_in_bold(run, write) -> None:
    """The same scores in another order have the same mean, whatever noise the sum has."""
    scores = np.array([[0.1, 0.2, 0.3, 0.6], [0.6, 0.3, 0.2, 0.1], [0.3, 0.1, 0.6, 0.1]])
    # not by sum(), which has no such noise since Python 3.12
    first, second, _ = (functools.reduce(operator.add, row) for row in scores.tolist())
    assert first != second
    assert (
        run("compare", "--scores", write("b.csv", scores_lines(scores)), "-f", "latex").stdout.count("textbf") == 2
    )


@pytest.mark.parametrize(
    ("typed", "smallest"),
    [
        (["--test", "permutation", "--correction", "holm", "--resamples", 99], "0.06"),
        (["--test", "bootstrap", "--correction", "bonferroni", "--resamples", 29], "0.1"),
        (["--correction", "tukey", "--resamples", 10], "0.0909"),
    ],
)
def test_significance_that_cannot_be_reached_is_one_warning(run, write, typed, smallest):
    """Three pairs, each with a large difference on all of ten topics."""
    means = {"a": 0.1, "b": 0.5, "c": 0.9}
    rows = [f"{name},{t},{mean + t / 1000}" for name, mean in means.items() for t in range(10)]
    scores = write("s.csv", ["run,topic,map", *rows])
    done = run("compare", "--scores", scores, *typed)
    assert f"smallest possible p is {smallest}," in done.stderr
    assert "*" not in done.stdout
    assert "smallest" not in run("compare", "--scores", scores, *typed[:-1], 9999).stderr


def test_five_topics_of_two_runs_are_too_few_for_tukey(run, write):
    """The signs of five differences are the same in 2 of 32 permutations."""
    rows = [f"{name},{t},{score + t / 100}" for name, score in (("a", 0.1), ("b", 0.5)) for t in range(5)]
    scores = write("s.csv", ["run,topic,map", *rows])
    done = run("compare", "--scores", scores, "--correction", "tukey", "-f", "csv")
    (row,) = done.rows
    assert 0.05 < float(row["p_adjusted"]) == pytest.approx(1 / 16, abs=0.01)
    assert "smallest possible p is 0.0625," in done.stderr


def signed_scores(run, write, name: str, n_topics: int, grades: str) -> str:
    """The scores of a run that finds a relevant document on topics 1, 2, ... at ranks that the grades say."""
    qrels = write(f"{name}.qrels", [f"{t} 0 {name}{t} 1" for t in range(n_topics)])
    ranks = [int(grades[t % len(grades)]) for t in range(n_topics)]
    lines = [
        f"{t} Q0 {name}{t} 1 1 {name}" if k == rank else f"{t} Q0 other{k} 1 {9 - k} {name}"
        for t, rank in enumerate(ranks)
        for k in range(1, rank + 1)
    ]
    typed = ("-q", "-n", "-m", "recip_rank", "-f", "csv", "--signature")
    done = run("eval", *typed, qrels, write(f"{name}.run", lines))
    return str(write(f"{name}.csv", done.stdout))


def test_unpaired_scores_may_be_of_different_collections(run, write):
    """Both collections have topics 0 to 7, with other judgments."""
    files = [signed_scores(run, write, "first", 12, "1121"), signed_scores(run, write, "second", 8, "234")]
    typed = ["compare", *(word for path in files for word in ("--scores", path)), "-f", "csv"]
    paired = run(*typed)
    assert paired.status == 2
    assert "has other judgments or options than in the files before" in paired.stderr
    done = run(*typed, "--unpaired", "--welch")
    (row,) = done.rows
    rows = [csv.DictReader(Path(path).read_text().splitlines()) for path in files]
    scores = [[float(each["recip_rank"]) for each in own] for own in rows]
    assert (row["n_a"], row["n_b"]) == ("12", "8")
    assert float(row["p"]) == pytest.approx(scipy.stats.ttest_ind(*scores, equal_var=False).pvalue)
    assert "have no score" not in done.stderr
    bold = run(*typed[:-1], "latex", "--unpaired", "--welch", "--baseline", "second")
    assert f"first & {np.mean(scores[0]):.4f}" in bold.stdout
    assert " & 12 " in bold.stdout


def test_unpaired_scores_are_standardized_by_their_own_collection(run, write):
    """Of each collection there are two runs, so that their z scores are -sqrt(1/2), 0 or sqrt(1/2)."""
    first, second = "0a1b2c3d", "174f5068"
    runs = [("a", first, 0.2), ("b", first, 0.4), ("c", second, 0.7), ("d", second, 0.9)]
    rows = {name: [f"{name},{t},{judged},,{score}" for t in range(3)] for name, judged, score in runs}
    paths = [write(f"{name}.csv", ["run,topic,judgments,options,map", *lines]) for name, lines in rows.items()]
    typed = [word for path in paths for word in ("--scores", path)]
    done = run("compare", "--unpaired", *typed, "--scheme", "z", "-f", "csv")
    means = {row["a"]: float(row["mean_a"]) for row in done.rows}
    assert means == pytest.approx({"a": -(0.5**0.5), "b": 0.5**0.5, "c": -(0.5**0.5)})


def test_p_has_as_many_digits_as_show_whether_it_is_at_most_alpha(run, write):
    scores = np.random.default_rng(1).random((2, 20))
    p = float(scipy.stats.ttest_rel(*scores).pvalue)
    rows = [f"{name},{t},{x!r}" for name, own in zip("ab", scores.tolist(), strict=True) for t, x in enumerate(own)]
    typed = ["compare", "--scores", write("s.csv", ["run,topic,map", *rows]), "-f", "table"]
    for shift, sign in ((1e-6, "*"), (-1e-6, "-")):
        alpha = round(p * (1 + shift), 9)
        cells = run(*typed, "--alpha", repr(alpha)).stdout.splitlines()[1].split()
        assert cells[-1] == sign
        assert (float(cells[-2]) <= alpha) == (float(cells[-3]) <= alpha) == (sign == "*")
        topics = [str(t) for t in range(20)]
        higher, lower = sorted(scores, key=np.mean, reverse=True)
        condition = Condition("not-worse", "map", alpha=alpha / 2)
        outcome = check(condition, "a", lower, topics, higher)
        shown = float(re.search("p ([0-9.]+), expected above", outcome.figures)[1])
        assert (shown > alpha / 2) == outcome.holds == (sign == "-")
    far = run(*typed, "--alpha", "0.001").stdout.splitlines()[1].split()
    assert far[-2] == f"{p:.3g}"


@pytest.mark.parametrize("command", ["compare", "plot forest"])
def test_a_baseline_that_is_the_name_of_a_run_and_the_file_of_another_is_refused(
    run, write, tmp_path, monkeypatch, command: str
):
    monkeypatch.chdir(tmp_path)
    qrels = write("qrels", [f"{topic} 0 d{topic} 1" for topic in range(1, 6)])
    lines = {"new": "old.run", "old.run": "sys"}
    for name, tag in lines.items():
        write(name, [f"{topic} Q0 d{topic + (name == 'new')} 1 1 {tag}" for topic in range(1, 6)])
    output = ["-o", "x.svg"] if command.startswith("plot") else []
    done = run(*command.split(), "--baseline", "old.run", "-m", "map", *output, qrels, "new", "old.run")
    assert (done.status, done.raw) == (2, b"")
    assert done.stderr.splitlines()[-1] == (
        "stdeval: 'old.run' is the name of a run and the file of another, expected 'new' for the one, or --label "
        "file for the other"
    )
    done = run("compare", "--baseline", "old.run", "--label", "file", "-m", "map", qrels, "new", "old.run")
    assert done.status == 0


@pytest.mark.parametrize("to", ["markdown", "latex"])
def test_no_run_is_bold_if_all_means_are_0(run, write, to: str):
    rows = [f"{name},{t},0.{t}{place},0" for place, name in enumerate("ab") for t in range(1, 9)]
    done = run("compare", "-f", to, "--scores", write("s.csv", ["run,topic,map,P_5", *rows]))
    cells = [cell.strip(" |\\") for line in done.stdout.splitlines() for cell in line.replace("&", "|").split("|")]
    bold = [cell for cell in cells if "0.0000" in cell]
    assert bold == ["0.0000", "0.0000"]


def test_factors_of_one_collection_are_refused_for_two(run, sample, write, tmp_path: Path):
    qrels, first, second = sample[:3]
    again = write("again.qrels", gzip.open(qrels, "rt").read().splitlines()[:-1])
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    for judgments, path, to in ((qrels, first, old), (again, second, new)):
        run("eval", "-q", "-n", "-f", "csv", "--signature", "-m", "map", "-o", to, judgments, path)
    assert run("factors", "-m", "map", "-o", tmp_path / "factors.csv", qrels, *sample[1:]).status == 0
    assert run("compare", "--unpaired", "--scores", old, "--scores", new).status == 0
    done = run("compare", "--unpaired", "-F", tmp_path / "factors.csv", "--scores", old, "--scores", new)
    assert done.status == 2
    assert f"{new}: topic '350' has other judgments or options than in the files before" in done.stderr


def test_scores_that_were_standardized_before_are_not_rounded(run, write):
    rows = [f"{name},{t},0.{t}{i}4,0.{t}{i}4" for i, name in enumerate("ab", 1) for t in (1, 2, 3)]
    done = run("compare", "--round", 1, "-f", "csv", "--scores", write("s.csv", ["run,topic,map,Nmap", *rows]))
    assert [float(row["mean_b"]) for row in done.rows] == pytest.approx([0.2, 0.224])

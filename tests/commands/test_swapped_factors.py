"""Published means and standard deviations in the wrong order, against the bound in exact fractions."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stdeval
from stdeval.errors import InputWarning
from stdeval.measures.facts import is_in_unit_range
from stdeval.standardization.factors import impossible_deviations, unlikely_deviations

COVID = Path(__file__).resolve().parents[2] / "sample_data" / "trec-covid"
UNBOUNDED = ("SP", "DCG", "VDCG")


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture(scope="module", params=["cranfield", "cisi", "trec-covid-r5"])
def published(run, shared: Path, tmp_path_factory, request) -> tuple[Path, Path]:
    """The published pair of a real collection, by measures within [0, 1] and by some that are not."""
    folder, track = tmp_path_factory.mktemp("published"), shared / request.param
    factors, means, deviations = (folder / f"{name}.csv" for name in ("factors", "means", "deviations"))
    runs = sorted((track / "runs").iterdir())[:40]
    names = [word for name in ("map", "P_10", "recip_rank", "ndcg", "sp", "jkdcg", "dcg") for word in ("-m", name)]
    assert run("factors", *names, "-o", factors, track / "qrels.txt", *runs).status == 0
    assert run("convert", factors, "--to", "published", "-o", means, "-o", deviations).status == 0
    return means, deviations


def impossible_topics(means: Path, deviations: Path) -> list[str]:
    """The topics beyond the bound for two systems or more, in exact arithmetic."""
    topics = []
    for mean, sd in zip(rows_of(means), rows_of(deviations), strict=True):
        pairs = [(Fraction(mean[m]), Fraction(sd[m])) for m in mean if m not in ("topic", *UNBOUNDED)]
        if any(s**2 > 2 * m * (1 - m) + Fraction(1, 10**9) for m, s in pairs):
            topics.append(mean["topic"])
    return topics


def test_swapped_files_are_one_warning_with_a_count(run, published, tmp_path):
    means, deviations = published
    topics = impossible_topics(deviations, means)
    assert topics
    n = len(rows_of(means))
    done = run("convert", deviations, means, "--to", "factors")
    (line,) = [line for line in done.stderr.splitlines() if "swapped" in line]
    assert line.startswith(f"stdeval: warning: standard deviations of {len(topics)} of {n} topics are too large ")
    assert f"(e.g. '{topics[0]}' by " in line
    assert line.endswith(": means and standard deviations swapped?")
    scores = tmp_path / "scores.csv"
    scores.write_text("run,topic,map\n" + "".join(f"{name},{topics[0]},0.5\n" for name in "abc"))
    swapped = run("standardize", "-F", deviations, "-F", means, "--scores", scores)
    assert swapped.status == 0
    assert swapped.stderr.count("swapped") == 1
    gate = run("check", "-F", deviations, "-F", means, "--scores", scores, "--min", "Nmap=.0001")
    assert (gate.status, gate.raw, gate.stderr.count("\n")) == (2, b"", 1)
    assert gate.stderr.startswith(f"stdeval: {deviations}: ")
    assert gate.stderr.endswith("swapped?\n")
    right = run("check", "-F", means, "-F", deviations, "--scores", scores, "--min", "Nmap=.0001")
    assert "swapped" not in right.stderr


@pytest.mark.parametrize("command", ["convert --to factors", "standardize -m map"])
def test_one_file_given_twice_is_refused(run, published, tmp_path, command: str):
    means, _ = published
    copy = tmp_path / "copy.csv"
    copy.write_bytes(means.read_bytes())
    for other in (means, copy):
        pair = [means, other] if command.startswith("convert") else ["-F", means, "-F", other, "--scores", means]
        done = run(*command.split(), *pair)
        assert (done.status, done.raw) == (2, b"")
        assert done.stderr == (
            f"stdeval: {other}: the standard deviations are all equal to the means in {means}, expected the two "
            "files of the published form\n"
        )


def test_files_in_the_right_order_are_no_warning(run, published, tmp_path):
    means, deviations = published
    assert impossible_topics(means, deviations) == []
    assert "swapped" not in run("convert", means, deviations, "--to", "factors").stderr


@given(
    st.lists(st.sampled_from([0.0, 0.0, 0.0, 1.0, 0.1, 0.5, 1e-9, 1 / 3]), min_size=2, max_size=60),
    st.integers(1, 17),
    st.booleans(),
)
def test_no_scores_are_impossible_however_they_are_rounded(scores, digits, known):
    mean, sd = np.round([np.mean(scores)], digits), np.round([np.std(scores, ddof=1)], digits)
    assert not impossible_deviations(mean, sd, np.array([len(scores) if known else 0])).any()


@given(st.integers(1, 50), st.integers(1, 50))
def test_the_bound_is_that_of_scores_that_are_0_or_1(zeros, ones):
    """No larger variance exists: the least that exceeds it by more than rounding is impossible."""
    n = zeros + ones
    mean, variance = Fraction(ones, n), Fraction(ones * zeros, n * (n - 1))
    beyond = float(variance) ** 0.5 + 1e-9
    # a third number with many digits, so that the others are not taken for rounded ones
    sd, means = np.array([beyond, 1 / 3]), np.array([float(mean), 1 / 7])
    assert impossible_deviations(means, sd, np.array([n, n])).tolist() == [True, False]


MISSED = {("round1", "map"), ("round1", "Rprec"), ("round3", "map")}
"""Rounds and measures of sample_data whose means and standard deviations could be those of either order."""


@pytest.mark.parametrize("number", range(1, 6))
def test_columns_that_are_swapped_are_noticed_without_n(run, tmp_path, number):
    """The least bound that is safe without n misses a fifth of these: real means are often below 0.5."""
    factors = COVID / f"round{number}.csv"
    rows = rows_of(factors)
    measures = [name[:-5] for name in rows[0] if name.endswith(".mean") and is_in_unit_range(name[:-5])]
    assert len(measures) == 12
    for measure in measures:
        cells = [(row["topic"], row[f"{measure}.mean"], row[f"{measure}.sd"]) for row in rows]
        right, swapped = tmp_path / "right.txt", tmp_path / "swapped.txt"
        right.write_text("".join(f"{topic}\t{measure}\t{mean}\t{sd}\n" for topic, mean, sd in cells))
        swapped.write_text("".join(f"{topic}\t{measure}\t{sd}\t{mean}\n" for topic, mean, sd in cells))
        assert "swapped?" not in run("convert", right, "--to", "factors").stderr
        warned = "swapped?\n" in run("convert", swapped, "--to", "factors").stderr
        assert warned == ((f"round{number}", measure) not in MISSED)


def test_swapped_means_below_one_half_do_not_pass(run, tmp_path):
    rows = rows_of(COVID / "round5.csv")
    means, deviations, scores = (tmp_path / f"{name}.csv" for name in ("means", "deviations", "scores"))
    for path, end in ((means, "mean"), (deviations, "sd")):
        path.write_text("topic,AP\n" + "".join(f"{row['topic']},{row[f'map.{end}']}\n" for row in rows))
    scores.write_text("run,topic,map\n" + "".join(f"a,{row['topic']},0.5\n" for row in rows))
    done = run("check", "-F", deviations, "-F", means, "--min", "Nmap=0.1", "--scores", scores)
    assert (done.status, done.raw) == (2, b"")
    assert " are too large for 10 or more scores from 0 to 1 (e.g. '" in done.stderr
    assert done.stderr.endswith(": means and standard deviations swapped?\n")
    assert run("check", "-F", means, "-F", deviations, "--min", "Nmap=0.1", "--scores", scores).status == 0


@pytest.mark.parametrize("n", [2, 3, 10, 48])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.9])
def test_scores_of_many_topics_in_the_right_order_are_not_unlikely(n, share):
    """Most standard deviations may be greater than the means."""
    rng = np.random.default_rng(7)
    scores = rng.beta(share, 1, (n, 200)) * rng.random(200)
    mean, sd = scores.mean(axis=0)[:, None].round(4), scores.std(axis=0, ddof=1)[:, None].round(4)
    unknown = np.zeros(mean.shape, dtype=int)
    assert not unlikely_deviations(mean, sd, unknown).any()
    if n >= 10:
        binary = (rng.random((n, 200)) < share).astype(float)
        mean, sd = binary.mean(axis=0)[:, None].round(4), binary.std(axis=0, ddof=1)[:, None].round(4)
        assert not unlikely_deviations(mean, sd, unknown).any()


@pytest.mark.parametrize(
    ("mean", "sd", "n", "expected"),
    [
        # a topic beyond the bound, but more means than standard deviations are greater, or as many
        ([0.4, 0.4, 0.05], [0.2, 0.2, 0.3], [0, 0, 0], [False, False, False]),
        ([0.4, 0.05], [0.2, 0.3], [0, 0], [False, False]),
        ([0.2, 0.4, 0.05], [0.4, 0.2, 0.3], [0, 0, 0], [False, False, True]),
        # one topic beyond the bound, and one that would be if the numbers were exchanged
        ([0.05, 0.2, 0.2, 0.3], [0.3, 0.4, 0.3, 0.05], [0, 0, 0, 0], [False, False, False, False]),
        # the same as the third, but one number of scores is known
        ([0.2, 0.4, 0.05], [0.4, 0.2, 0.3], [0, 9, 0], [False, False, False]),
    ],
)
def test_deviations_are_unlikely_only_where_everything_says_so(mean, sd, n, expected):
    found = unlikely_deviations(*(np.array([column]).T for column in (mean, sd, n)))
    assert found.ravel().tolist() == expected


def test_python_programs_get_the_same_warning(run, published, write):
    means, deviations = published
    stdeval.read_factors(means, deviations)
    with pytest.warns(InputWarning, match="are too large for .*: means and standard deviations swapped") as told:
        stdeval.read_factors(deviations, means)
    printed = run("convert", deviations, means, "--to", "factors").stderr
    assert [f"stdeval: warning: {each.message}" for each in told] == printed.splitlines()[:1]
    assert told[0].filename == __file__


def test_python_programs_are_told_of_doubtful_names(write):
    files = [write(name, ["topic,nDCG", f"1,{score}"]) for name, score in (("means", 0.5), ("deviations", 0.1))]
    with pytest.warns(InputWarning, match="the column nDCG is read as njkdcg, its meaning in the published files"):
        stdeval.read_factors(*files)


def test_percentages_are_not_called_swapped(run, write):
    scores = write("scores.csv", ["run,topic,map", *(f"{name},{topic},0.5" for name in "ab" for topic in "12")])
    factors = write("factors.csv", ["topic,n,map.mean,map.sd", "1,10,28.5,11.25", "2,10,0.75,0.5"])
    told = "too large for scores from 0 to 1 (e.g. '1' by map: mean 28.5, sd 11.25): are they percentages?\n"
    assert told in run("standardize", "-F", factors, "--scores", scores).stderr


@pytest.mark.parametrize(("decimals", "told"), [(2, "2 decimals"), (3, "3 decimals"), (4, None)])
def test_factors_of_few_decimals_are_told(run, write, decimals: int, told: str | None):
    moments = np.random.default_rng(1).random((40, 2)) / 4 + 0.1
    rows = [f"{t},20,{mean:.{decimals}f},{sd:.{decimals}f}" for t, (mean, sd) in enumerate(moments)]
    factors = write("f.csv", ["topic,n,map.mean,map.sd", *rows])
    scores = write(
        "s.csv", ["run,topic,map", *(f"a,{t},{x!r}" for t, x in enumerate((moments[:, 0] / 1.1).tolist()))]
    )
    done = run("standardize", "-F", factors, "--scores", scores)
    found = f"all standard deviations by map have at most {told}: were the factors rounded?"
    assert (found in done.stderr) == (told is not None)
    assert told or "were the factors rounded" not in done.stderr

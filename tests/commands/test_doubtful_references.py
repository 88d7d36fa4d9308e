"""Messages about the references that commands standardize with."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from stdeval import InputWarning, read_scores, standardize
from stdeval.standardization.doubtful_references import about_few_references, about_references
from stdeval.standardization.factors import fit_factors
from stdeval.table import ScoreTable

ALL = "rankings by standardized scores are reliable from about 10 on (Webber 2008, Figure 4)"


@pytest.mark.parametrize(
    ("n", "schemes", "told"),
    [
        (2, ["n"], ALL),
        (9, ["z", "raw", "u"], ALL),
        (9, ["n", "e"], f"{ALL}, those by E from about 40 on"),
        (9, ["e"], "rankings by E are reliable from about 40 on"),
        (10, ["n", "e"], "rankings by E are reliable from about 40 on"),
        (39, ["E"], "rankings by E are reliable from about 40 on"),
        (10, ["z", "n", "u"], None),
        (40, ["e"], None),
        (2, ["raw"], None),
    ],
)
def test_few_references_are_told_by_scheme(n: int, schemes: list[str], told: str | None):
    values = np.linspace(0, 1, n).reshape(n, 1, 1)
    table = ScoreTable(tuple(f"s{i}" for i in range(n)), ("1",), ("map",), values)
    messages = about_references(fit_factors(table), schemes)
    assert messages == ([] if told is None else [f"{n} reference runs: {told}"])


@pytest.mark.parametrize(("options", "told"), [([], False), (["--empirical"], True)])
def test_reference_scores_are_for_all_schemes(run, scores_file, options: list[str], told: bool):
    """Means and standard deviations do not serve E, so its greater need is no matter there."""
    done = run("factors", *options, "--scores", scores_file(n_systems=12))
    assert ("E and M are reliable from about 40 on" in done.stderr) == told


def test_topics_with_few_references_are_told_for_the_schemes_that_need_no_more():
    """One scheme may need more references than there are, while another lacks them on some topics only."""
    values = np.linspace(0, 1, 24).reshape(12, 2, 1)
    values[:3, 1] = np.nan
    factors = fit_factors(ScoreTable(tuple(f"s{i}" for i in range(12)), ("1", "2"), ("map",), values))
    by_topic = (
        "1 of 2 topics has fewer than 10 reference runs (fewest: 9): scores standardized there are unreliable"
    )
    by_e = "9 to 12 reference runs: rankings by E are reliable from about 40 on"
    assert about_references(factors, ["n"]) == [by_topic]
    assert about_references(factors, ["e"]) == [by_e]
    assert about_references(factors, ["e", "n"]) == [by_e, by_topic]


def test_topics_with_few_references_are_told_for_each_scheme():
    """One topic with enough references for E does not make the others reliable, whichever scheme is beside it."""
    n = np.array([[40], [21], [5]])
    by_e = (
        "2 of 3 topics have fewer than 40 reference runs (fewest: 5): scores standardized by E there are unreliable"
    )
    by_n = "1 of 3 topics has fewer than 10 reference runs (fewest: 5): scores standardized there are unreliable"
    assert about_few_references(n, ["e"]) == [by_e]
    assert about_few_references(n, ["e", "n"]) == about_few_references(n, ["n", "e"]) == [by_n, by_e]
    assert about_few_references(n, ["raw"]) == about_few_references(np.array([[0]]), ["n"]) == []


@pytest.mark.parametrize(
    ("measure", "topics", "told"), [("map", "12", ""), ("P_10", "1", ""), ("P_10", "12", "1 of 2 topics has")]
)
def test_few_references_of_other_measures_or_topics_are_no_matter(run, write, measure: str, topics: str, told: str):
    lines = ["topic,n,map.n,map.mean,map.sd,P_10.mean,P_10.sd"]
    lines += [
        f"{topic},{3 if topic == 2 else 40},40,0.4{topic},0.1{topic},0.3{topic},0.2{topic}" for topic in (1, 2)
    ]
    scores = write("s.csv", ["run,topic,map,P_10", *(f"a,{topic},0.5,0.3" for topic in topics)])
    done = run("standardize", "-m", measure, "-F", write("f.csv", lines), "--scores", scores)
    told = told and f"{told} fewer than 10 reference runs (fewest: 3)"
    assert told in done.stderr
    assert bool(told) == ("fewer than" in done.stderr)
    assert "at most half as many reference runs as others (e.g. '2' 3 by P_10, others up to 40)" in done.stderr


def test_scores_that_cannot_be_standardized_have_an_example(run, write):
    factors = write("f.csv", "topic,n,map.mean,map.sd\n301,1,0.5,\n302,3,0.5,0.25\n")
    scores = write("s.csv", "run,topic,map\na,301,0.5\na,302,0.5\nb,301,0.25\nb,302,0.25\n")
    done = run("standardize", "-F", factors, "--scores", scores)
    told = "2 of 4 scores (e.g. on topic '301') cannot be standardized (no factor, or only one reference run)"
    assert f"{told}: left out of the mean" in done.stderr


@pytest.mark.parametrize("leave_out", [[], ["--leave-out", "run"]])
@pytest.mark.parametrize(
    ("options", "is_told"),
    [
        (["--ab", "0.5,0.15"], True),
        (["--ab", "0.15,0.95"], True),
        (["--ab", "0.15,0.5"], False),
        (["--ab", "0.5,0.15", "--no-censor"], False),
    ],
)
def test_exchanged_parameters_of_u_are_told(run, scores_file, leave_out, options: list[str], is_told: bool):
    """A good run has few scores below the mean, so the share of censored scores does not tell."""
    done = run("standardize", "--scheme", "u", *options, *leave_out, "--scores", scores_file(n_systems=12))
    assert ("scores by U are all 0 from " in done.stderr) == is_told


@pytest.mark.parametrize("leave_out", [[], ["--leave-out", "run"]])
@pytest.mark.parametrize(
    ("ab", "is_told"), [("0.015,0.5", True), ("0.05,0.5", False), ("0.05,0.8", False), ("0.015,0.86", False)]
)
def test_scores_by_u_that_are_nearly_the_same_are_told(run, scores_file, leave_out, ab: str, is_told: bool):
    """A slope of 0.015 for 0.15 lets a gate of U pass whatever a run does."""
    done = run("standardize", "--scheme", "u", "--ab", ab, *leave_out, "--scores", scores_file(n_systems=12))
    assert ("scores by U change by only 0.015 per standard deviation" in done.stderr) == is_told


def test_python_programs_are_told_of_exchanged_parameters(scores_file):
    with pytest.warns(InputWarning) as warned:
        standardize(read_scores(scores_file(n_systems=12)), scheme="U", A=0.5, B=0.15)
    told = "A 0.5 and B 0.15: scores by U are all 0 from 0.3 standard deviations"
    assert [str(warning.message).startswith(told) for warning in warned].count(True) == 1


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        (slice(11, 13), "1 of 2 runs (e.g. 'ref12') has the scores of a reference run"),
        (slice(11, 12), "1 of 1 run (e.g. 'ref12') has the scores of a reference run"),
        (slice(3, 6), "3 of 3 runs (e.g. 'ref04') have the scores of a reference run"),
        (slice(12), ""),
        (slice(12, 14), ""),
    ],
)
@pytest.mark.parametrize("command", ["standardize --scheme e", "compare", "report", "check --min Emap=0.001"])
def test_runs_that_are_their_own_references_are_told(run, sample, tmp_path, runs: slice, told: str, command: str):
    qrels, *paths = sample
    references = tmp_path / "references.csv"
    assert run("factors", "--empirical", "-m", "map", "-o", references, qrels, *paths[:12]).status == 0
    also = {"check": [], "report": ["-m", "map", "-o", tmp_path / "page.html"]}.get(
        command.split(maxsplit=1)[0], ["-m", "map"]
    )
    done = run(*command.split(), *also, "-F", references, qrels, *paths[runs])
    assert told in done.stderr
    assert ("the scores of a reference run" in done.stderr) is bool(told)


def test_another_version_of_a_reference_run_is_told(run, sample, tmp_path):
    qrels, *paths = sample
    references, changed = tmp_path / "references.csv", tmp_path / "changed.run"
    assert run("factors", "--empirical", "-m", "map", "-o", references, qrels, *paths[:12]).status == 0
    lines = [line.split() for line in gzip.decompress(Path(paths[11]).read_bytes()).decode().splitlines()]
    turned = [[*row[:4], str(-float(row[4])), row[5]] if row[0] <= "310" else row for row in lines]
    changed.write_text("".join(" ".join(row) + "\n" for row in turned))
    done = run("standardize", "-m", "map", "-F", references, qrels, changed)
    assert "1 of 1 run (e.g. 'ref12') has most scores of a reference run: its own scores are part of" in done.stderr


@pytest.mark.parametrize("scheme", ["e", "m"])
def test_scores_outside_all_references_are_told(run, sample, tmp_path, scheme: str):
    """E and M are 1 or 0 there, whatever the difference is."""
    qrels, *paths = sample
    weak = [tmp_path / path.name.removesuffix(".gz") for path in paths[:12]]
    for path, whole in zip(weak, paths, strict=False):
        lines = gzip.decompress(whole.read_bytes()).decode().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if int(line.split()[3]) > 10))
    told = {}
    for name, references in (("weak", weak), ("usual", paths[2:14])):
        factors = tmp_path / f"{name}.csv"
        assert run("factors", "--empirical", "-m", "map", "-o", factors, qrels, *references).status == 0
        typed = ("standardize", "-F", factors, "--scheme", scheme, "-m", "map", qrels, *paths[:2])
        told[name] = "of the map scores are outside the range of the reference scores" in run(*typed).stderr
    assert told == {"weak": True, "usual": False}


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("--min Nmap=0.1", "a run without any relevant document has a mean of 0.12"),
        ("--min Nmap=0.2", None),
        ("--max-drop Umap=0.9", "a run without any relevant document loses only 0."),
        ("--max-drop Umap=60%", "a run without any relevant document loses only "),
        ("--max-topic-drop Nmap=0.99", "a run without any relevant document loses only 0."),
        ("--non-inferior Nmap=0.6", "a run without any relevant document loses only 0."),
        ("--max-drop Nmap=0.1 --not-worse Nmap", None),
        ("--min map=0.001", None),
    ],
)
def test_limits_that_no_run_can_miss_by_the_factors_are_told(run, sample, condition: str, told: str | None):
    qrels, *paths = sample
    baseline = [] if "--min" in condition else ["--baseline", paths[1]]
    factors = Path(__file__).parents[2] / "sample_data" / "factors.csv"
    done = run("check", "-F", factors, *condition.split(), *baseline, qrels, paths[2])
    so = "within the margin" if "--non-inferior" in condition else "so no run can fail"
    assert (so in done.stderr) is (told is not None)
    assert (told or "") in done.stderr


def test_copies_among_the_references_of_one_of_two_collections_are_told(run, write):
    """Each collection is standardized by its own runs: 3 of 17 is many, 3 of 31 would not be."""
    rng = np.random.default_rng(1)

    def scores(name: str, n_runs: int, n_copies: int, digest: str) -> Path:
        numbers = rng.random((n_runs, 12)).round(6)
        rows = [*enumerate(numbers), *((n_runs + i, numbers[0]) for i in range(n_copies))]
        lines = [
            f"{name}{i},{topic},{digest}{topic:02},default,{score}"
            for i, row in rows
            for topic, score in enumerate(row)
        ]
        return write(f"{name}.csv", ["run,topic,judgments,options,map", *lines])

    files = ["--scores", scores("a", 14, 3, "aaaaaa"), "--scores", scores("b", 14, 0, "bbbbbb")]
    stderr = run("compare", "--unpaired", "--welch", "--scheme", "n", "-m", "map", *files).stderr
    assert "3 of 17 reference runs have the scores of another one: they count several times" in stderr

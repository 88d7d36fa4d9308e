"""Factors of fewer reference runs on some topics: their standardized scores are not on the scale of the others."""

from __future__ import annotations

import pytest

from stdeval import InputWarning, read_factors, read_scores, standardize


@pytest.fixture
def scores_of(write):
    """Write reference scores: the first run has four topics, and the others lack the first `lacking` of them."""

    def written(n_runs: int, n_weak: int, lacking: int = 1):
        rows = [
            f"r{i},{topic},0.{i}{topic}"
            for i in range(n_runs)
            for topic in range(1, 5)
            if i < n_runs - n_weak or topic > lacking
        ]
        return write("references.csv", ["run,topic,map", *rows])

    return written


@pytest.fixture
def new(write):
    return write("new.csv", ["run,topic,map", *(f"{name},{topic},0.4" for name in "ab" for topic in range(1, 5))])


def told(lacking: int) -> str:
    have, whose = ("has", "its") if lacking == 1 else ("have", "their")
    return (
        f"{lacking} of 4 topics {have} at most half as many reference runs as others (e.g. '1' 3, others up to 6): "
        f"{whose} standardized scores are not on the scale of the others"
    )


@pytest.mark.parametrize(
    "command", ["standardize", "check --min Nmap=.0001", "compare --scheme n", "report", "plot means"]
)
@pytest.mark.parametrize("lacking", [1, 2])
def test_every_command_tells_it(run, scores_of, new, tmp_path, command: str, lacking: int):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    output = ["-o", tmp_path / "x.png"] if command.startswith("plot") else []
    done = run(*command.split(), *output, "-F", scores_of(6, 3, lacking), "--scores", new)
    assert done.status in (0, 1), done.stderr
    assert done.stderr.count(told(lacking)) == 1
    if command == "report":
        assert told(lacking).replace("'", "&#39;") in done.stdout


@pytest.mark.parametrize(
    "command",
    ["factors", "standardize", "standardize --leave-out run", "compare --scheme n", "report"],
)
def test_runs_that_are_their_own_references_are_told(run, scores_of, command: str):
    pytest.importorskip("jinja2")
    done = run(*command.split(), "--scores", scores_of(6, 3))
    assert done.status in (0, 1), done.stderr
    assert done.stderr.count(told(1)) == 1


def test_a_few_missing_runs_are_usual(run, scores_of, new):
    assert "half as many" not in run("standardize", "-F", scores_of(6, 2), "--scores", new).stderr
    assert "half as many" not in run("standardize", "-F", scores_of(6, 0), "--scores", new).stderr


def test_python_programs_are_told(run, scores_of, new, tmp_path):
    references = scores_of(6, 3)
    with pytest.warns(InputWarning) as warned:
        standardize(read_scores(references))
    assert [str(warning.message) for warning in warned].count(told(1)) == 1
    factors = tmp_path / "factors.csv"
    assert run("factors", "--scores", references, "-o", factors).status == 0
    for path in (references, factors):
        with pytest.warns(InputWarning) as warned:
            standardize(read_scores(new), read_factors(path))
        assert [str(warning.message) for warning in warned].count(told(1)) == 1

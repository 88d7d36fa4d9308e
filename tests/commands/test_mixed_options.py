"""A warning tells of stored scores whose topics were evaluated with different options."""

from __future__ import annotations

import pytest

TOLD = "scores of 2 of 4 topics were computed with"


@pytest.fixture
def scores(write):
    """A scores file of two runs, with the judgments and options of each topic, and a number that differs by run."""

    def written(name: str, origins: list[str], measures: str = "map", runs: str = "ab"):
        head = f"run,topic,judgments,options,{measures}"
        n = measures.count(",") + 1
        rows = [
            ",".join([run, str(topic), origin, *[f"0.{topic + place}"] * n])
            for place, run in enumerate(runs)
            for topic, origin in enumerate(origins, 1)
        ]
        return write(name, [head, *rows])

    return written


COMMANDS = ["eval", "compare", "factors", "topics", "report", "standardize", "check --min map=0.1", "meta split"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_warns_of_mixed_options(run, scores, command: str):
    path = scores("s.csv", ["0000000a,", "0000000b,", "0000000c,-M 10", "0000000d,-M 10"])
    told = f"stdeval: warning: {TOLD} -M 10, those of the others with the default options\n"
    assert run(*command.split(), "--scores", path).stderr.count(told) == 1


@pytest.mark.parametrize(
    ("origins", "others"),
    [
        ([",", ",", ",-l 2", ",-l 2"], "options that they do not name"),
        ([",-l 2", ",-l 2", ",-M 5", ",-c"], "-M 5, -c"),
        ([",-l 2", ",-l 2", "0000000a,", ","], "the default options, options that they do not name"),
    ],
)
def test_all_options_of_the_topics_are_named(run, scores, origins: list[str], others: str):
    done = run("eval", "--scores", scores("s.csv", origins))
    assert done.stderr == f"stdeval: warning: {TOLD} -l 2, those of the others with {others}\n"


@pytest.mark.parametrize(
    "origins", [["0000000a,-M 10"] * 4, ["0000000a,"] * 2 + [","] * 2, [",--max-grade 3", ",--max-grade 4"] * 2]
)
def test_options_that_do_not_differ_for_the_measures_are_no_warning(run, scores, origins: list[str]):
    assert run("eval", "--scores", scores("s.csv", origins)).stderr == ""


def test_only_options_that_change_the_measures_asked_for_count(run, scores):
    path = scores("s.csv", [",--max-grade 3", ",--max-grade 3", ",--max-grade 4", ",--max-grade 4"], "map,err")
    assert run("eval", "-m", "map", "--scores", path).stderr == ""
    assert f"{TOLD} --max-grade 3" in run("eval", "-m", "err", "--scores", path).stderr
    named = run("eval", "-m", "x:map", "--scores", f"x={path}", "--scores", f"y={scores('t.csv', [','] * 4)}")
    assert named.stderr == ""


def test_topics_of_joined_files_are_compared_unless_the_files_have_different_names(run, scores):
    here = scores("s.csv", ["0000000a,-M 10", "0000000b,-M 10", "0000000c,-M 10", "0000000d,-M 10"])
    there = scores("t.csv", ["0000000a,-M 10", "0000000b,-M 10"], runs="cd")
    assert "computed with" not in run("eval", "--scores", here, "--scores", there).stderr
    there.write_text(there.read_text().replace(",1,", ",5,").replace(",2,", ",6,").replace("-M 10", ""))
    joined, named = (
        run("eval", *typed)
        for typed in (["--scores", here, "--scores", there], ["--scores", f"x={here}", "--scores", f"y={there}"])
    )
    assert "scores of 4 of 6 topics were computed with -M 10, those of the others with the default" in joined.stderr
    assert "computed with" not in named.stderr

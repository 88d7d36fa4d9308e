"""A warning tells of stored scores whose topics were evaluated with different options."""

from __future__ import annotations

from pathlib import Path

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


def test_collections_of_other_options_or_parameters_are_told(run, write, tmp_path):
    def stored(topic: str, *options: object) -> Path:
        """Store the scores of three runs on three topics, whose names begin with that of their collection."""
        qrels = write(f"{topic}.qrels", [f"{topic}{i} 0 d{d} {d % 3}" for i in range(3) for d in range(6)])
        places = [(i, d) for i in range(3) for d in range(6)]
        runs = [
            write(
                f"{topic}{tag}",
                [f"{topic}{i} Q0 d{d} 1 {7 * d * (tag + i + 1) % 11} {topic}{tag}" for i, d in places],
            )
            for tag in range(3)
        ]
        typed = [*options, "--signature", "-q", "-f", "csv", "-m", "map", "-o", tmp_path / f"{topic}.csv"]
        command = "standardize" if "--scheme" in options else "eval"
        assert run(command, *typed, qrels, *runs).status == 0
        return tmp_path / f"{topic}.csv"

    def told(one: Path, other: Path) -> str:
        done = run("compare", "--unpaired", "--scores", one, "--scores", other)
        assert done.status == 0, done.stderr
        return done.stderr

    same, level = stored("a"), stored("b", "-l", 2)
    made = f"{same} was made with the default options, {level} with -l 2: expected the same options"
    assert made in told(same, level)
    u, steep = stored("c", "--scheme", "u"), stored("d", "--scheme", "u", "--ab", "0.3,0.4")
    assert f"{u} was standardized by U(0.15,0.5), {steep} by U(0.3,0.4): expected the same" in told(u, steep)
    assert "expected the same" not in told(same, stored("e")) + told(u, stored("f", "--scheme", "u"))

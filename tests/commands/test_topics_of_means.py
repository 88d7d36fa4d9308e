"""Numbers of topics behind means, where these are not all judged topics: in tables, and in pictures."""

from __future__ import annotations

import itertools

import pytest

N_JUDGED = 5


@pytest.fixture
def track(write):
    """Judgments of five topics, and a function that writes runs with documents for the first n of them."""
    qrels = write("qrels.txt", [f"{t} 0 d{k} {(t + k) % 2}" for t in range(N_JUDGED) for k in range(4)])

    def runs(**numbers: int) -> list:
        return [
            write(f"{name}.run", [f"{t} Q0 d{(t + k + i) % 5} 1 {-k} {name}" for t in range(n) for k in range(3)])
            for i, (name, n) in enumerate(numbers.items())
        ]

    return qrels, runs


def notes(text: str) -> list[str]:
    """The lines about means, of Markdown or of LaTeX."""
    return [line.removeprefix("% ") for line in text.splitlines() if "eans over" in line]


COMMANDS = ["eval", "standardize", "compare"]


@pytest.mark.parametrize(
    ("command", "output_format"),
    [*itertools.product(COMMANDS, ("markdown", "latex")), ("eval", "table"), ("standardize", "table")],
)
def test_a_table_tells_that_all_runs_lack_the_same_topics(run, track, command: str, output_format: str):
    qrels, runs = track
    typed = (command, "-f", output_format, "-m", "map", qrels)
    (note,) = notes(run(*typed, *runs(a=3, b=3)).stdout)
    assert note.lower().rstrip(".") == "means over 3 of 5 topics"
    assert notes(run(*typed, *runs(a=5, b=5)).stdout) == []
    # -c counts them, and a column n has the numbers of topics if they differ
    assert notes(run(*typed, "-c", *runs(a=3, b=3)).stdout) == []
    assert notes(run(*typed, *runs(a=5, b=5, c=3)).stdout) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_whose_rows_have_other_numbers_of_topics_tells_of_the_judged_ones(run, track, command: str):
    qrels, runs = track
    (note,) = notes(run(command, "-f", "markdown", "-m", "map", qrels, *runs(a=4, b=4, c=3)).stdout)
    assert note.lower().rstrip(".") == "means over 3 to 4 of 5 topics"


def test_a_table_of_stored_scores_tells_of_the_judged_topics(run, track, tmp_path):
    qrels, runs = track
    signed = ("-q", "-f", "csv", "--signature", "-m", "map")
    run("eval", *signed, qrels, *runs(a=4, b=4), "-o", tmp_path / "s.csv")
    typed = ("eval", "-f", "table", "--scores", tmp_path / "s.csv")
    assert notes(run(*typed).stdout) == ["Means over 4 of 5 topics."]
    assert notes(run(*typed, "-q", "-n").stdout) == []


@pytest.mark.parametrize("command", ["standardize", "compare"])
def test_a_table_tells_that_the_factors_lack_topics(run, track, tmp_path, command: str):
    qrels, runs = track
    factors = tmp_path / "factors.csv"
    run("factors", "-m", "map", qrels, *runs(a=3, b=3), "-o", factors)
    full = runs(a=5, b=5)
    (note,) = notes(run(command, "-F", factors, "--scheme", "n", "-f", "latex", qrels, *full).stdout)
    assert note.lower().rstrip(".") == "means over 3 of 5 topics"


def test_stored_scores_tell_of_the_topics_that_their_signature_has(run, track, tmp_path):
    qrels, runs = track
    stored = tmp_path / "scores.csv"
    run("eval", "-q", "-m", "map", "-f", "csv", "--signature", qrels, *runs(a=3, b=3), "-o", stored)
    assert notes(run("eval", "-f", "markdown", "--scores", stored).stdout) == ["Means over 3 of 5 topics."]


@pytest.mark.parametrize("output_format", ["text", "csv", "jsonl"])
def test_other_formats_have_no_note(run, track, output_format: str):
    qrels, runs = track
    assert notes(run("eval", "-f", output_format, "-m", "map", qrels, *runs(a=3, b=3)).stdout) == []
    assert notes(run("eval", "-q", "-n", "-f", "markdown", "-m", "map", qrels, *runs(a=3, b=3)).stdout) == []


@pytest.mark.parametrize("output_format", ["table", "markdown", "latex"])
def test_a_table_tells_that_z_of_a_count_is_a_sum(run, track, output_format: str):
    """trec_eval -Z prints the sum; the other schemes have means."""
    qrels, runs = track
    typed = ("standardize", "-f", output_format, "-m", "num_rel_ret", "-m", "map", "--scheme", "n")
    told = "Summed over the topics, as by trec_eval -Z: Znum_rel_ret."
    assert told in run(*typed, "--scheme", "z", qrels, *runs(a=5, b=5)).stdout.replace("\\_", "_")
    for options in (["--raw"], ["--scheme", "z", "-a", "md"], ["--scheme", "z", "-q", "-n"]):
        assert "Summed" not in run(*typed, *options, qrels, *runs(a=5, b=5)).stdout


@pytest.fixture
def labels(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The labels of the horizontal axes of the next picture that is saved."""
    picture = pytest.importorskip("stdeval.cli.pictures")
    pytest.importorskip("matplotlib")
    found: list[str] = []
    save = picture.Picture.save

    def saved(self, figure):
        found.extend(" ".join(axes.get_xlabel().split()) for axes in figure.axes)
        save(self, figure)

    monkeypatch.setattr(picture.Picture, "save", saved)
    return found


PICTURES = [("means", "map"), ("forest", "map"), ("scatter", "map", "P_5")]


@pytest.mark.parametrize("asked", PICTURES, ids=lambda asked: asked[0])
def test_a_picture_tells_that_runs_lack_topics(run, track, labels, tmp_path, asked: tuple[str, ...]):
    qrels, runs = track
    measures = [word for name in asked[1:] for word in ("-m", name)]
    typed = ("plot", asked[0], *measures, qrels, "-o", tmp_path / "x.svg")
    assert run(*typed, *runs(a=3, b=3, c=3)).status == 0
    assert "3 of 5 topics" in labels[0]
    labels.clear()
    assert run(*typed, *runs(a=5, b=5, c=5)).status == 0
    assert " of 5 topics" not in labels[0]


@pytest.mark.parametrize("asked", PICTURES, ids=lambda asked: asked[0])
def test_a_picture_tells_that_factors_lack_topics(run, track, labels, tmp_path, asked: tuple[str, ...]):
    qrels, runs = track
    measures = [word for name in asked[1:] for word in ("-m", name)]
    factors = tmp_path / "factors.csv"
    run("factors", *measures, qrels, *runs(a=2, b=2, c=2), "-o", factors)
    full = runs(a=5, b=5, c=5)
    typed = ("plot", asked[0], "-F", factors, "--scheme", "n", *measures, qrels, *full, "-o", tmp_path / "x.svg")
    assert run(*typed).status == 0
    assert "2 of 5 topics" in labels[0]


def test_scatter_of_incomplete_runs_tells_of_their_common_topics(run, track, labels, tmp_path):
    qrels, runs = track
    typed = ("plot", "scatter", "-m", "map", "-m", "P_5", qrels, "-o", tmp_path / "x.svg")
    assert run(*typed, *runs(a=5, b=2)).status == 0
    assert labels[0].endswith("2 of 5 topics, common to all runs")
    labels.clear()
    assert run(*typed, *runs(a=4, b=4, c=2)).status == 0
    assert labels[0].endswith("4 of 5 topics gray: 1 incomplete")


def test_forest_tells_the_fewest_and_the_most_topics_of_pairs(run, track, labels, tmp_path):
    qrels, runs = track
    typed = ("plot", "forest", "-m", "map", "--baseline", "a", qrels, "-o", tmp_path / "x.svg")
    assert run(*typed, *runs(a=5, b=5, c=3)).status == 0
    assert ", 3 to 5 of 5 topics, 95% intervals" in labels[0]

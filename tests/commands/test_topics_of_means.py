"""Numbers of topics behind means, where these are not all judged topics: in pasted tables, and in pictures."""

from __future__ import annotations

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


@pytest.mark.parametrize("output_format", ["markdown", "latex"])
@pytest.mark.parametrize("command", COMMANDS)
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


@pytest.mark.parametrize("output_format", ["text", "table", "csv", "jsonl"])
def test_other_formats_have_no_note(run, track, output_format: str):
    qrels, runs = track
    assert notes(run("eval", "-f", output_format, "-m", "map", qrels, *runs(a=3, b=3)).stdout) == []
    assert notes(run("eval", "-q", "-n", "-f", "markdown", "-m", "map", qrels, *runs(a=3, b=3)).stdout) == []

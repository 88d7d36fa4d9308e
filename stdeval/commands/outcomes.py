"""Write the outcomes of `check`: as lines, as rows of numbers, and as JUnit XML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stdeval.commands.messages import warnings_so_far
from stdeval.commands.options import OutputOptions
from stdeval.display import counted, displayed
from stdeval.formats.junit import Case, junit_xml
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.formats.writers import EXACT
from stdeval.gate.outcomes import Outcome
from stdeval.outputs import output
from stdeval.stats.pairwise import Design


class Checked(NamedTuple):
    """The outcome of a condition for one run, and the seconds that it took to tell."""

    outcome: Outcome
    seconds: float


def write_junit(path: str | None, cases: Sequence[Case], seconds: float) -> None:
    """Write the cases and the warnings to a file, if one is named."""
    if path is not None:
        warnings = [f"warning: {message}" for message in warnings_so_far()]
        with output(path) as out:
            out.write(junit_xml("stdeval check", cases, seconds, warnings) + "\n")


def case_of(checked: Checked) -> Case:
    """Return an outcome as a case of JUnit."""
    outcome, seconds = checked
    problem = "" if outcome.holds else "failure"
    details = outcome.topics_in_words(n_shown=None)
    return Case(outcome.system, str(outcome.condition), problem, outcome.figures, details, seconds)


def write_outcomes(to: OutputOptions, outcomes: Sequence[Outcome], design: Design, signature: str) -> None:
    """Write a row per outcome; for people, the last line counts the failures."""
    if to.format in EXACT:
        to.write(Listing(_NUMBERS, [_numbers(outcome, design) for outcome in outcomes], signature=signature))
        return
    fields = [Field(name, missing="") for name in ("result", "run", "condition", "figures", "topics")]
    n, n_failed = len(outcomes), sum(not outcome.holds for outcome in outcomes)
    told = f"{n_failed} of {counted(n, 'condition')} failed"
    listing = Listing(fields, list(map(_words, outcomes)), n_left=len(fields), headed=False, notes=[told])
    to.write(listing._replace(signature=signature))


def _words(outcome: Outcome) -> list[Cell]:
    result = "PASS" if outcome.holds else "FAIL"
    # A name with a line break could forge a line that says PASS.
    words = (outcome.system, str(outcome.condition), outcome.figures, outcome.topics_in_words())
    return [result, *map(displayed, words)]


_NUMBERS = [
    *map(Field, ("run", "condition", "measure", "kind", "limit", "value", "mean", "baseline", "n", "detectable")),
    *map(Field, ("alpha", "test", "resamples", "seed", "topics", "holds")),
]
"""The columns of CSV and JSON."""


def _numbers(outcome: Outcome, design: Design) -> list[Cell]:
    """Return the cells of `_NUMBERS`; the test and its level only for conditions that are tested."""
    condition = outcome.condition
    tests: dict[str, list[Cell]] = {
        "non-inferior": [condition.alpha, "t", "", ""],
        "not-worse": [
            condition.alpha,
            design.test,
            *([design.n_resamples, design.seed] if design.draws else ["", ""]),
        ],
    }
    return [
        outcome.system,
        str(condition),
        condition.measure,
        condition.kind,
        *(outcome.limit, outcome.value, outcome.mean, outcome.baseline, outcome.n, outcome.detectable),
        *tests.get(condition.kind, [""] * 4),
        " ".join(topic for topic, _ in outcome.topics),
        outcome.holds,
    ]

"""`stdeval check`: a gate for Makefiles and continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stdeval.commands.options import (
    condition_options,
    factor_options,
    gate_design_options,
    output_option,
    score_inputs_without_measures,
)

if TYPE_CHECKING:
    from stdeval.commands.conditions import Conditions
    from stdeval.commands.inputs import Inputs
    from stdeval.commands.standardization import Standardization
    from stdeval.formats.junit import Case
    from stdeval.gate import Outcome
    from stdeval.stats.pairwise import Design


@click.command("check")
@score_inputs_without_measures
@factor_options
@condition_options
@gate_design_options
@click.option("--junit", "junit_path", metavar="FILE", help="Write the outcomes as JUnit XML too.")
@output_option
def command(
    inputs: Inputs,
    standardization: Standardization,
    conditions: Conditions,
    design: Design,
    junit_path: str | None,
    output_path: str | None,
) -> int:
    """Check that runs are good enough, or no worse than a baseline.

    Prints a line per run and condition: PASS or FAIL, the figures, and where it fails the topics that lost
    most. Measures are raw (map) or, with -F, standardized (Nmap). Exit status: 0 all hold, 1 some fail, 2 it
    could not be checked, as where a run lacks topics (with -c they count 0) or scores.
    """
    from stdeval.errors import InputError
    from stdeval.files import output

    try:
        outcomes = conditions.outcomes(inputs, standardization, design)
    except (InputError, click.UsageError) as error:
        _write_junit(junit_path, _error_case(str(error)))
        raise
    _write_junit(junit_path, _cases(outcomes))
    with output(output_path) as out:
        out.writelines(f"{outcome}\n" for outcome in outcomes)
    return 0 if all(outcome.holds for outcome in outcomes) else 1


def _error_case(message: str) -> list[Case]:
    from stdeval.formats.junit import Case

    return [Case("stdeval", "check", "error", message)]


def _cases(outcomes: Sequence[Outcome]) -> list[Case]:
    from stdeval.formats.junit import Case

    problems = {True: "", False: "failure"}
    return [
        Case(each.system, str(each.condition), problems[each.holds], each.figures, each.topics) for each in outcomes
    ]


def _write_junit(path: str | None, cases: Sequence[Case]) -> None:
    from stdeval.files import output
    from stdeval.formats.junit import junit_xml

    if path is not None:
        with output(path) as out:
            out.write(junit_xml("stdeval check", cases) + "\n")

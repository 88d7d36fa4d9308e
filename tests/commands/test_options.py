"""Options name what the tables of aggregates, tests and corrections have: they list it, to start without them."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from stdeval.commands import COMMANDS
from stdeval.standardization import SCHEMES
from stdeval.stats.aggregates import AGGREGATES
from stdeval.stats.corrections import CORRECTIONS
from stdeval.stats.paired_tests import ALTERNATIVES, TESTS

TABLES = {
    "aggregates": list(AGGREGATES),
    "test": list(TESTS),
    "alternative": list(ALTERNATIVES),
    "correction": list(CORRECTIONS),
}


def choices() -> list[tuple[str, str, list[str]]]:
    commands = [(name, import_module(f"stdeval.commands.{name}").command) for name in COMMANDS]
    return [
        (name, option.name, list(option.type.choices))
        for name, command in commands
        for option in command.params
        if isinstance(option.type, click.Choice)
    ]


@pytest.mark.parametrize("name", TABLES)
def test_choices_are_the_rows_of_the_table(name: str):
    found = [listed for _, option, listed in choices() if option == name]
    assert found
    assert all(listed == TABLES[name] for listed in found)


def test_schemes():
    listed = {command: names for command, option, names in choices() if option == "schemes"}
    letters = [letter.lower() for letter in SCHEMES]
    assert listed["standardize"] == letters
    assert listed["compare"] == ["raw", *letters]

"""The table of measures against the library that computes them."""

from __future__ import annotations

import pytest
from pytrec_eval_ext import supported_measures, supported_nicknames

from stdeval.measures import DEFAULT_FACTORS, FAMILIES, FAMILY, NICKNAMES
from stdeval.names import resolve

KINDS = {"score", "count", "summary", "text"}
# what trec_eval computes from preferences, or for several judgment groups: not of qrels and runs
OTHER_INPUTS = ("prefs_", "_avgjg", "ndcg_p", "yaap")


def test_every_measure_of_the_library_is_there():
    wanted = {name for name in supported_measures if not any(other in name for other in OTHER_INPUTS)}
    assert wanted - set(FAMILY) == set()


@pytest.mark.parametrize("name", ["official", "set"])
def test_nicknames_are_those_of_the_library(name: str):
    assert set(NICKNAMES[name]) == {measure for measure in supported_nicknames[name] if measure in FAMILY}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_rows_are_complete(family):
    assert family.definition
    assert family.source
    assert family.range
    assert family.kind in KINDS
    assert [measure.family for measure in resolve([family.name])] == [family] * len(family.defaults)


def test_default_factors_are_canonical():
    assert {measure.name for measure in resolve(DEFAULT_FACTORS)} == set(DEFAULT_FACTORS)

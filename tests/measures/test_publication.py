"""Names of measures as papers print them."""

import pytest

from stdeval.measures.catalogue import PUBLISHED, Measure
from stdeval.measures.names import FAMILIES
from stdeval.measures.names import publication_name, resolve

pytestmark = pytest.mark.oracle

PARAMETERS = {"number": ("0.5",), "persistence": ("p=0.8", "p=0.95_cut_10"), "optional cutoff": ("", "20")}

MEASURES = [
    Measure(family, parameter, level)
    for family in FAMILIES
    for parameter in (*family.defaults, *PARAMETERS.get(family.parameter, ()))
    for level in ((None, 2) if family.has_level else (None,))
]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_what_is_printed_can_be_typed(measure: Measure) -> None:
    assert [named.name for named in resolve([publication_name(measure.name)])] == [measure.name]


def test_names_are_those_of_the_papers() -> None:
    """Webber's published factors have P@10, RR and so on as columns; gains and discounts differ in DCG's names."""
    same = {"AP", "SP", "P@10", "RR"}
    assert {publication_name(PUBLISHED[column]) for column in same} == same
    assert publication_name("ndcg_cut_10") == "nDCG@10"


def test_the_geometric_mean_of_average_precision_is_gmap() -> None:
    """As Robertson (2006, CIKM) and the TREC Robust track (Voorhees 2005) print it."""
    assert [publication_name(name) for name in ("gm_map", "gm_map_rel=2")] == ["GMAP", "GMAP(rel=2)"]


def test_a_standardized_measure_begins_with_its_scheme() -> None:
    assert [publication_name(name) for name in ("Zmap", "deep:NP_10")] == ["Z-AP", "deep:N-P@10"]


@pytest.mark.parametrize("name", ["latency", "", "a:b", "Zoo", "official", "ndcg_1=3", "P.5,10"])
def test_other_names_stay_as_they_are(name: str) -> None:
    assert publication_name(name) == name


def test_rank_biased_precision_without_p_is_printed_without_p() -> None:
    """In the output of ``meta depth``, the p of rbp depends on the depth."""
    names = ("rbp", "rbp_rel=2", "Nrbp", "deep:rbp", "rbp_p=0.8", "RBP(resid=0.5)@1")
    printed = ["RBP", "RBP(rel=2)", "N-RBP", "deep:RBP", "RBP(p=0.8)", "RBP(p=0.5)@1"]
    assert [publication_name(name) for name in names] == printed

"""Signatures: their digests against programs that are written here, and what is read back from them."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdeval.origins import Origin, QrelsDigest, qrels_digest
from stdeval.signature import References, Signature, factors_digest, parse_signature

from stdeval.errors import InputError
from stdeval.measures.names import resolve
from stdeval.standardization.factors import Factors, fit_factors
from stdeval.table import ScoreTable

WORDS = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1)


def test_qrels_digest_is_a_hash_of_lines():
    origins = {topic: Origin(f"{i:08x}") for i, topic in enumerate(["b", "a", "é", "10", "9"])}
    lines = sorted(f"{topic}:{origin.judgments}\n".encode() for topic, origin in origins.items())
    digest = hashlib.sha256(b"".join(lines)).hexdigest()[:8]
    assert qrels_digest(origins) == QrelsDigest(digest, 5)
    assert qrels_digest(dict(reversed(origins.items()))) == QrelsDigest(digest, 5)


def test_qrels_digest_of_unknown_judgments_is_unknown():
    assert qrels_digest({"1": Origin("0000000f"), "2": Origin("", "-l 2")}) is None
    assert qrels_digest({}) is None


@given(st.lists(WORDS, min_size=1, unique=True), st.sampled_from(["", "-l 2 -c", None]), st.integers(1, 9))
def test_what_a_signature_names_is_read_back(measures, options, n_topics):
    """Whatever the names of the measures are, they cannot pass for other fields, columns or lines."""
    qrels = QrelsDigest("0123abcd", n_topics)
    signature = str(Signature(tuple(measures), options, qrels, n_topics, references=References("0" * 8, 3, 40)))
    assert parse_signature(signature)[:2] == (options, qrels)
    assert signature.count("|") == 7
    assert signature.isascii()
    assert signature.isprintable()
    assert not set('`"\\<>$&#;*') & set(signature)


def test_the_order_of_measures_does_not_matter():
    one, other = (str(Signature(measures, "", None, 3)) for measures in (("map", "P_10"), ("P_10", "map")))
    assert one == other
    assert "|measures:P_10 map|" in one


@pytest.mark.parametrize("nickname", ["official", "webber"])
def test_a_group_of_measures_has_its_nickname(nickname: str):
    names = tuple(measure.name for measure in resolve([nickname]))
    assert f"|measures:{nickname}|" in str(Signature(names, "", None, 3))
    assert nickname not in str(Signature(names[1:], "", None, 3))


def test_numbers_of_references():
    told = [
        str(Signature(("map",), "", None, 3, references=References("0" * 8, *n))) for n in ((4, 4), (3, 4), (0, 0))
    ]
    assert [line.rpartition("|")[2] for line in told] == ["references:4", "references:3-4", "references:unknown"]


def factors(mean: list[list[float]], sd: list[list[float]]) -> Factors:
    return Factors(("1", "2"), ("map", "P_5"), np.array(mean), np.array(sd), np.full((2, 2), 9))


def test_factors_digest_is_a_hash_of_lines_with_six_digits():
    one = factors([[1 / 3, 0.5], [0.0, 1e-9]], [[0.25, 0.123456789], [-0.0, 2.0]])
    lines = [
        "1\0P_5\x000.5\x000.123457\n",
        "1\0map\x000.333333\x000.25\n",
        "2\0P_5\x001e-09\x002\n",
        "2\0map\x000\x000\n",
    ]
    assert (
        factors_digest(one, ["1", "2"], ["map", "P_5"]) == hashlib.sha256("".join(lines).encode()).hexdigest()[:8]
    )
    lines = [line for line in lines if line.startswith("2\0map")]
    assert factors_digest(one, ["2"], ["map"]) == hashlib.sha256("".join(lines).encode()).hexdigest()[:8]


@pytest.mark.parametrize("number", [0.1234565, 0.25, 0.1578125, 1 / 3, 0.9999995, 12.345675])
def test_noise_does_not_change_a_digest(number: float):
    """A last digit that differs between machines does not, even halfway between two numbers of six digits."""
    noisy = [number, np.nextafter(number, 2 * number), np.nextafter(number, 0)]
    digests = {factors_digest(factors([[x, 0.5], [x, 0.5]], [[x, x], [x, x]]), ["1", "2"], ["map"]) for x in noisy}
    assert len(digests) == 1


def test_a_digest_does_not_depend_on_the_order_of_systems_and_topics():
    values = np.random.default_rng(5).random((30, 5, 2))
    table = ScoreTable(tuple(f"s{i}" for i in range(30)), tuple("12345"), ("map", "P_5"), values)
    turned = table.select(table.systems[::-1], table.topics[::-1], table.measures[::-1])
    one, other = (factors_digest(fit_factors(each), table.topics, table.measures) for each in (table, turned))
    assert one == other
    changed = values.copy()
    changed[3, 2, 1] += 0.001
    third = ScoreTable(table.systems, table.topics, table.measures, changed)
    assert factors_digest(fit_factors(third), table.topics, table.measures) != one
    assert factors_digest(fit_factors(third), table.topics, ["map"]) == factors_digest(
        fit_factors(table), table.topics, ["map"]
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "map",
        "stdeval:0.1.0|measures:map",
        "stdeval:1|options:default|qrels:12|topics:5",
        "stdeval:1|qrels:0123abcd",
    ],
)
def test_what_is_no_signature_is_refused(text: str):
    with pytest.raises(InputError, match="expected one that --signature prints"):
        parse_signature(text)


def test_unknown_fields_are_ignored():
    text = "stdeval:9.9|measures:map|tests:new|options:-l 2|qrels:unknown|topics:50|later:x"
    assert parse_signature(text) == ("-l 2", None, None)

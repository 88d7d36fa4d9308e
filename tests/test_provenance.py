"""Origins: digests and signatures against programs that are written here, and what differs between two."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stdeval import provenance
from stdeval.errors import InputError
from stdeval.provenance import Difference, Origin, Standardization, agreed, differences, parse, signature
from stdeval.standardization.factors import Factors
from stdeval.table import ScoreTable
from stdeval.trec.reading import read_qrels

WORDS = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1)


def sha(lines: list[str]) -> str:
    return hashlib.sha256(b"".join(sorted(line.encode() for line in lines))).hexdigest()[:8]


def digests_of_bytes(path: Path) -> dict[str, str]:
    """The digests of a file of whole judgments, from its bytes: nothing of the package is used."""
    lines: dict[str, list[bytes]] = {}
    for line in path.read_bytes().splitlines():
        if line.strip():
            topic, _, docno, judgment = line.split()
            lines.setdefault(topic.decode(), []).append(docno + b"\0" + b"%d\n" % int(float(judgment)))
    return {topic: hashlib.sha256(b"".join(sorted(own))).hexdigest()[:8] for topic, own in lines.items()}


@pytest.mark.parametrize("name", ["cranfield", "cisi", "trec-covid-r4", "trec-covid-r5"])
def test_digests_of_real_judgments(shared: Path, name: str):
    path = shared / name / "qrels.txt"
    assert {topic: provenance.judgments_digest(own) for topic, own in read_qrels(path).items()} == digests_of_bytes(
        path
    )


def test_digest_of_qrels_is_a_hash_of_lines():
    judgments = {topic: f"{i:08x}" for i, topic in enumerate(["b", "a", "é", "10", "9"])}
    digest = sha([f"{topic}:{each}\n" for topic, each in judgments.items()])
    assert Origin(judgments).whole().digest == digest
    assert Origin(dict(reversed(judgments.items()))).whole().shown == f"{digest} of 5 topics"


def factors(mean: list[list[float]], sd: list[list[float]]) -> Factors:
    return Factors(("1", "2"), ("map", "P_5"), np.array(mean), np.array(sd), np.full((2, 2), 9))


def test_factors_digest_is_a_hash_of_lines_with_six_digits():
    one = factors([[1 / 3, 0.5], [0.0, 1e-9]], [[0.25, 0.123456789], [-0.0, 2.0]])
    lines = ["1\0P_5\0000.5\0000.123457\n", "1\0map\0000.333333\0000.25\n", "2\0P_5\0001e-09\0002\n"]
    last = "2\0map\0000\0000\n"
    assert provenance.factors_digest(one, ["1", "2"], ["map", "P_5"]) == sha([*lines, last])
    assert provenance.factors_digest(one, ["2"], ["map"]) == sha([last])


@pytest.mark.parametrize("number", [0.1234565, 0.25, 0.1578125, 1 / 3, 0.9999995, 12.345675])
def test_noise_does_not_change_a_digest(number: float):
    """A last digit that differs between machines does not, even halfway between two numbers of six digits."""
    noisy = [number, np.nextafter(number, 2 * number), np.nextafter(number, 0)]
    digests = {provenance.factors_digest(factors([[x, x]] * 2, [[x, x]] * 2), "12", ["map"]) for x in noisy}
    assert len(digests) == 1


@given(st.lists(WORDS, min_size=1, unique=True), st.sampled_from(["", "-l 2 -c", None]), st.integers(1, 9))
def test_what_a_signature_names_is_read_back(measures, options, n_topics):
    """Whatever the names of the measures are, they cannot pass for other fields, columns or lines."""
    origin = Origin(options={} if options is None else {"1": options}, digest="0123abcd", n_judged=n_topics)
    text = signature(measures, origin, made=Standardization(("N",), (), "0" * 8, 3, 40))
    found, back = parse(text)
    assert (found, back.digest, back.n_judged) == (options, "0123abcd", n_topics)
    assert back.standardization[:5] == (("N",), (), "0" * 8, 3, 40)
    assert (text.count("|"), text.isascii(), text.isprintable()) == (7, True, True)
    assert not set('`"\\<>$&#;*') & set(text)


def test_unknown_fields_are_ignored_and_unknown_judgments_are_counted():
    text = "stdeval:9.9|measures:map|tests:new|options:-l 2|qrels:unknown|topics:{}|later:x"
    assert parse(text.format(50)) == ("-l 2", Origin(n_judged=50))
    assert parse(text.format(7), parse(text.format(50))) == ("-l 2", Origin(n_judged=50))
    with pytest.raises(InputError, match="other judgments"):
        parse(text.format(50), parse(text.replace("unknown", "0123abcd").format(50)))


@pytest.mark.parametrize(
    ("made", "used", "found"),
    [
        (("a", ""), ("a", ""), []),
        (("a", ""), ("b", ""), ["judgments"]),
        (("a", "-l 2 -c"), ("b", "-c"), ["judgments", "options"]),
        (("a", "-c"), ("a", ""), ["options"]),
        ((None, "-l 2"), ("b", ""), ["options"]),
        (("a", None), ("a", "-l 2"), []),
    ],
)
def test_only_what_is_known_of_both_is_compared(made, used, found):
    one, other = (
        Origin(*({} if each is None else dict.fromkeys(topics, each) for each in facts))
        for facts, topics in ((made, "12"), (used, "13"))
    )
    assert [each[:3] for each in differences(one, other, "12", ["map"])] == [(kind, 1, 1) for kind in found]


def test_signatures_and_topics_name_the_same_judgments():
    by_topic = Origin({"1": "0000000a", "2": "0000000b"})
    whole, other = by_topic.whole(), Origin(digest="ffffffff", n_judged=2)
    assert differences(by_topic, whole, "12", ["map"]) == []
    assert differences(by_topic, other, "12", ["map"]) == [Difference("judgments", 0, 0, whole.shown, other.shown)]
    # other topics of the same collection
    assert differences(by_topic, Origin({"2": "0000000b", "3": "0000000c"}), "12", ["map"]) == []
    assert differences(by_topic, Origin(digest="ffffffff", n_judged=3), "12", ["map"]) == []
    one, two = (Origin(options={"1": options, "2": "-c"}) for options in ("-l 2 -c", "-c"))
    assert differences(one, two, "12", ["ndcg"]) == []
    assert [each[:3] for each in differences(one, two, "12", ["map"])] == [("options", 1, 2)]


def test_what_is_known_of_the_factors_of_joined_scores():
    made = Standardization(("N",), (), "0123abcd", 9, 9, "map")
    lost = Standardization(("N",))
    known = [made, made._replace(digest="ffffffff"), None]
    origins = [Origin(standardization=each) for each in known]
    one, other, unknown = (ScoreTable(["a"], ["1"], ["Nmap"], [[[0.5]]], each) for each in origins)
    raw = replace(unknown, measures=["map"])
    for joined, agreement in (([one, one, raw], made), ([one, other], lost), ([one, unknown], lost), ([raw], None)):
        assert agreed(joined).standardization == agreement
    digestless = Origin(standardization=made._replace(digest=""))
    assert provenance.other_factors(one.origin, other.origin, ["Nmap"], same_topics=False) is None
    assert provenance.other_factors(one.origin, digestless, ["Nmap"], same_topics=True) is None

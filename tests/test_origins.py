"""Digests of judgments against a program that is written here line by line, and topics of other origin."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdeval.origins import Origin, judgments_digest, other_origins

from stdeval.evaluation import Options
from stdeval.trec.reading import read_qrels


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
    assert {topic: judgments_digest(own) for topic, own in read_qrels(path).items()} == digests_of_bytes(path)


def test_digests_do_not_depend_on_how_judgments_are_written(write):
    plain = read_qrels(write("a", ["1 0 d 2", "1 0 e -1", "1 0 f 0"]))["1"]
    written = read_qrels(write("b", ["1\tQ0  f 0.0", "2 0 x 1", "1 7 e -1", "", "1 0 d 2.0"]))["1"]
    assert judgments_digest(plain) == judgments_digest(written)


@given(st.dictionaries(st.sampled_from(["a", "ab", "b", "\xe9", "a-", "1", "12"]), st.integers(-2, 12), min_size=1))
def test_every_other_set_of_judgments_has_another_digest(judgments):
    digest = judgments_digest(judgments)
    assert digest == judgments_digest(dict(reversed(judgments.items())))
    for docno in judgments:
        assert digest != judgments_digest({**judgments, docno: judgments[docno] + 1})
        assert digest != judgments_digest({k: v for k, v in judgments.items() if k != docno})


def test_docnos_are_bytes(write):
    qrels = read_qrels(write("q", b"1 0 d\xff 1\n1 0 d\xc3\xa9 1\n"))["1"]
    expected = hashlib.sha256(b"d\xc3\xa9\x001\nd\xff\x001\n").hexdigest()[:8]
    assert judgments_digest(qrels) == expected


@pytest.mark.parametrize(
    ("options", "typed"),
    [
        (Options(), ""),
        (Options(2, 100, True, True, True), "-l 2 -M 100 -J --binary -c"),
        (Options(binary=True, judged_only=True), "-J --binary"),
        (Options(max_grade=3, complete=True), "--max-grade 3 -c"),
        (Options(level=2, precision="double", complete=True), "-l 2 --precision double -c"),
    ],
)
def test_options_have_one_form(options: Options, typed: str):
    assert options.typed == typed


@pytest.mark.parametrize(
    ("made", "used", "judgments", "options"),
    [
        (Origin("aaaaaaaa", ""), Origin("aaaaaaaa", ""), 0, {}),
        (Origin("aaaaaaaa", "-c"), Origin("aaaaaaaa", ""), 0, {"-c": 1}),
        (Origin("aaaaaaaa", ""), Origin("bbbbbbbb", ""), 1, {}),
        (Origin("aaaaaaaa", "-l 2 -c"), Origin("bbbbbbbb", "-c"), 1, {"-l 2 -c": 1}),
        (Origin("", "-l 2"), Origin("bbbbbbbb", ""), 0, {"-l 2": 1}),
        (Origin("aaaaaaaa", None), Origin("aaaaaaaa", "-l 2"), 0, {}),
        (Origin(), Origin("aaaaaaaa", "-l 2"), 0, {}),
    ],
)
def test_only_what_is_known_of_both_is_compared(made, used, judgments, options):
    found = other_origins(["1", "2"], {"1": made}, {"1": used, "3": used})
    assert found.n_topics == 1
    assert (len(found.judgments), {k: len(v) for k, v in found.options.items()}) == (judgments, options)

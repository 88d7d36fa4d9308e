"""Find the problems of a run before it is submitted: refusals, and scores that are not as meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from heapq import nlargest
from typing import NamedTuple

from stdeval.display import excerpt, listed
from stdeval.files import Input
from stdeval.trec.lines import RUN_WIDTH
from stdeval.trec.reading import Documents, Judgments, Qrels, has_judged, sorted_topics
from stdeval.validation.problems import Findings, Problem
from stdeval.validation.run_entries import Entries, Topic, collected_topics, consecutive_topics, named
from stdeval.validation.topic_problems import check_topic

MAX_DOCS = 1000
"""The number of documents per topic that most tracks of TREC accept."""

_N_FIRST = 10
"""The number of documents at the top of a topic that are compared with its name and with those of other topics."""

_LEAST_OWN_NAMES = 3
"""So many topics with a document of their own name are not a coincidence."""


class Expected(NamedTuple):
    """The expectations against which a run is validated.

    Parameters
    ----------
    max_docs : int
        The greatest number of documents of a topic.
    topics : collection of str or None
        The topics that a run must have; None if they are not known.
    qrels : dict or None
        Judgments of these topics, if they have any; then a run may have other topics too.
    unlisted : set of str
        Docnos that the collection does not have, see `stdeval.trec.id_lists.unlisted_docnos`.
    tag_form : Pattern or None
        Matches the whole of an acceptable tag.
    """

    max_docs: int = MAX_DOCS
    topics: Collection[str] | None = None
    qrels: Qrels | None = None
    unlisted: Set[str] = frozenset()
    tag_form: re.Pattern[str] | None = None


class Validated(NamedTuple):
    """A run's tag, that of its first valid line, and its problems in the order of `KINDS`."""

    tag: str
    problems: tuple[Problem, ...]


def validate_run(source: Input, expected: Expected) -> Validated:
    """Return all problems of a run.

    One topic at a time is in memory, unless topics come back after others: then the whole run is.

    Parameters
    ----------
    source : Input
    expected : Expected

    Raises
    ------
    InputError
        If the file cannot be read or decompressed.
    """
    validated = _validated(source, expected, consecutive_topics)
    if validated is None:
        # The topics that were checked may have been incomplete: start again.
        validated = _validated(source, expected, collected_topics)
        assert validated is not None, "only consecutive topics can come back"
    return validated


def docnos_in(source: Input) -> Iterator[bytes]:
    """Yield the docnos in the lines of a run that can be read, each as often as it occurs."""
    for _, words in Entries(source, Findings()):
        yield from words[2::RUN_WIDTH]


def shared_tags(validated: Mapping[str, Validated]) -> dict[str, Problem]:
    """Return the problem of each run that has the tag of an earlier one; keys are names of runs."""
    owners: dict[str, str] = {}
    shared = {}
    for name, run in validated.items():
        owner = owners.setdefault(run.tag, name)
        if run.tag and owner != name:
            shared[name] = Problem("same-tag", 1, None, f"tag '{excerpt(run.tag)}', as of '{owner}'")
    return shared


def _validated(
    source: Input, expected: Expected, topics_of: Callable[[Entries, Findings], Iterable[Topic | None]]
) -> Validated | None:
    """Return the run after all checks, or None if a topic comes back although topics have to be consecutive."""
    findings = Findings()
    entries = Entries(source, findings)
    qrels = expected.qrels or {}
    example, is_judged = "", False
    topics_by_first: dict[int, str] = {}
    own_names: list[tuple[int, str]] = []
    for topic in topics_of(entries, findings):
        if topic is None:
            return None
        check_topic(topic, expected.max_docs, expected.unlisted, findings)
        first = _first_docnos(dict(zip(topic.docnos, topic.scores, strict=True)))
        _check_first(topic, first, topics_by_first, findings)
        if _has_own_name(topic.name, first, qrels.get(topic.name, {})):
            own_names.append((topic.numbers[topic.docnos.index(topic.name)], named(topic, topic.name)))
        if topic.name in qrels and not is_judged:
            example = example or named(topic, topic.docnos[0])
            is_judged = has_judged(topic.docnos, qrels[topic.name])
    if example and not is_judged:
        findings.add("unjudged", None, f"neither {example} nor any other is judged")
    if len(own_names) >= _LEAST_OWN_NAMES and 2 * len(own_names) >= len(entries.topics):
        findings.add("own-name", *own_names[0], len(own_names))
    return _finished(entries, expected, findings)


def _first_docnos(documents: Documents) -> list[str]:
    """Return the docnos of the first documents of a topic in their order."""
    return nlargest(_N_FIRST, documents, key=lambda docno: (documents[docno], docno))


def _has_own_name(topic: str, first: Sequence[str], judgments: Judgments) -> bool:
    """Return whether a document with the name of the topic is among its first ones: perhaps the query itself.

    In a search for known items, topics may have the names of the only relevant documents.

    Examples
    --------
    >>> _has_own_name("17", ["q17", "17"], {"18": 1}), _has_own_name("17", ["17"], {"17": 1})
    (True, False)
    """
    return topic in first and {topic} != {docno for docno, judgment in judgments.items() if judgment > 0}


def _check_first(topic: Topic, first: Sequence[str], topics_by_first: dict[int, str], findings: Findings) -> None:
    """Find a topic with the first documents of an earlier one. Only hashes are kept, which limits the memory."""
    if len(first) == _N_FIRST:
        earlier = topics_by_first.setdefault(hash(tuple(first)), topic.shown)
        if earlier != topic.shown:
            findings.add("same-documents", topic.numbers[0], f"{topic.shown} has the first documents of {earlier}")


def _finished(entries: Entries, expected: Expected, findings: Findings) -> Validated:
    """Return the run after the checks of its tag and its topics."""
    if entries.source.has_bom:
        findings.add("byte-order-mark", 1, "the file begins with a byte-order mark (EF BB BF)")
    elif entries.source.has_inner_bom:
        findings.add("byte-order-mark", None, "a later line begins with a byte-order mark (EF BB BF)")
    if not entries.topics:
        findings.add("empty", None, "no entries")
    elif expected.tag_form is not None and not expected.tag_form.fullmatch(entries.tag):
        findings.add("tag-form", None, f"tag '{excerpt(entries.tag)}', expected {expected.tag_form.pattern}")
    if expected.topics is not None:
        kind_of_others = "unjudged-topics" if expected.qrels is not None else "unknown-topics"
        _check_topics(entries.topics, expected.topics, kind_of_others, findings)
    return Validated(entries.tag, findings.problems())


def _check_topics(
    found: Mapping[str, int], topics: Collection[str], kind_of_others: str, findings: Findings
) -> None:
    """Find expected topics that the run does not have, and topics of the run that were not expected."""
    missing = sorted_topics(set(topics) - found.keys())
    if missing:
        detail = f"no documents for {_listed_topics(missing)}"
        findings.add("missing-topics", None, detail, len(missing))
    others = [name for name in found if name not in topics]
    if others:
        detail = f"expected no documents for {_listed_topics(others)}"
        findings.add(kind_of_others, found[others[0]], detail, len(others))


def _listed_topics(names: Sequence[str]) -> str:
    return listed([excerpt(name) for name in names])

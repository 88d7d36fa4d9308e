"""The origin of a topic's scores: the judgments and the options with which they were computed.

A file of factors holds it, so that a command can warn if it standardizes scores that were computed differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple


class Origin(NamedTuple):
    """The judgments and the options with which the scores of a topic were computed.

    Parameters
    ----------
    judgments : str
        The digest of the topic's judgments, see `judgments_digest`; empty if it is unknown.
    options : str, optional
        The options, see `stdeval.evaluation.Options.typed`; None if they are unknown.
    """

    judgments: str = ""
    options: str | None = None


Origins = Mapping[str, Origin]
"""Topic to origin, for the topics whose origin is known."""


def judgments_digest(judgments: Mapping[str, int]) -> str:
    r"""Return a digest that identifies a topic's judgments.

    Parameters
    ----------
    judgments : mapping of str to int
        Docno to judgment, including negative judgments, as from `stdeval.trec.read_qrels`.

    Returns
    -------
    str
        The first 8 hexadecimal digits of SHA-256 over the lines ``docno NUL judgment LF``, sorted as bytes.

    Examples
    --------
    The same as ``printf 'a\0002\nb\000-1\n' | sha256sum`` prints:

    >>> judgments_digest({"b": -1, "a": 2})
    '174f5068'
    """
    # A docno has one character for each byte of the file.
    lines = sorted(f"{docno}\0{judgment}\n".encode("latin-1") for docno, judgment in judgments.items())
    return sha256(b"".join(lines)).hexdigest()[:8]


class OtherOrigins(NamedTuple):
    """Topics whose factors and scores were computed differently.

    Parameters
    ----------
    n_topics : int
        Number of topics that factors and scores have in common.
    judgments : tuple of str
        Topics whose factors were made from other judgments.
    options : dict of str to tuple of str
        The options of factors that were made with other options, without ``-c``, to the topics of these factors.
    """

    n_topics: int
    judgments: tuple[str, ...]
    options: dict[str, tuple[str, ...]]


def other_origins(topics: Iterable[str], made: Origins, used: Origins) -> OtherOrigins:
    """Compare the origins of factors with those of scores, topic by topic, where both are known.

    The option ``-c`` is not compared, because runs that have all topics have the same scores with it.

    Parameters
    ----------
    topics : iterable of str
        The topics of the factors.
    made : mapping of str to Origin
        The origins of the factors.
    used : mapping of str to Origin
        The origins of the scores, for each of their topics.

    Examples
    --------
    >>> made = {"1": Origin("00000001", "-l 2 -c"), "2": Origin("00000002", "")}
    >>> used = {"1": Origin("00000001", "-l 2"), "2": Origin("0000000f", "-l 2")}
    >>> other_origins(["1", "2", "3"], made, used)
    OtherOrigins(n_topics=2, judgments=('2',), options={'': ('2',)})
    """
    shared = [topic for topic in topics if topic in used]
    judgments: list[str] = []
    options: dict[str, list[str]] = {}
    for topic in shared:
        factor, score = made.get(topic, Origin()), used[topic]
        if factor.judgments and score.judgments and factor.judgments != score.judgments:
            judgments.append(topic)
        if factor.options is not None and score.options is not None:
            named = without_c(factor.options)
            if named != without_c(score.options):
                options.setdefault(named, []).append(topic)
    by_options = {named: tuple(differing) for named, differing in options.items()}
    return OtherOrigins(len(shared), tuple(judgments), by_options)


def without_c(options: str) -> str:
    """Return options without ``-c``, which changes no score of a run that has all topics."""
    return " ".join(word for word in options.split() if word != "-c")

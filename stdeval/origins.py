"""The origin of a topic's scores: the judgments and the options with which they were computed.

Files of factors and of reference scores hold it, so that a command can warn if it uses them with scores that were
computed differently.
"""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

from stdeval.display import counted, shown_name

SIGNATURE = "signature"
"""Name of the column, and of the line of text, that holds a signature."""


class Origin(NamedTuple):
    """The judgments and the options with which the scores of a topic were computed.

    Parameters
    ----------
    judgments : str
        The digest of the topic's judgments, see `judgments_digest`; empty if it is unknown.
    options : str, optional
        The options, see `stdeval.evaluation.options.Options.typed`; None if they are unknown.
    """

    judgments: str = ""
    options: str | None = None


Origins = Mapping[str, Origin]
"""Topic to origin, for the topics whose origin is known."""


def have_option(name: str, origins: Origins) -> bool:
    """Return True if the scores of some topic were computed with an option of this name.

    Examples
    --------
    With -J, stored numbers of documents are those of judged documents only.

    >>> have_option("-J", {"301": Origin(options="-l 2 -J")}), have_option("-J", {"301": Origin()})
    (True, False)
    """
    return any(name in (origin.options or "").split() for origin in origins.values())


def judgments_digest(judgments: Mapping[str, int]) -> str:
    r"""Return a digest that identifies a topic's judgments.

    Parameters
    ----------
    judgments : mapping of str to int
        Docno to judgment, including negative judgments, as from `stdeval.trec.reading.read_qrels`.

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
    return lines_digest(f"{docno}\0{judgment}\n".encode("latin-1") for docno, judgment in judgments.items())


def lines_digest(lines: Iterable[bytes]) -> str:
    """Return the first 8 hexadecimal digits of SHA-256 over lines in any order, which are sorted as bytes."""
    # hashlib loads OpenSSL, which takes several milliseconds, and `stdeval eval` does not need it
    from hashlib import sha256

    return sha256(b"".join(sorted(lines))).hexdigest()[:8]


_FEWEST_REPEATED, _MANY_REPEATED = 5, 0.25
"""The least number, and share, of topics with the judgments of another topic that are worth a message."""


def about_repeated_judgments(judgments: Mapping[str, Hashable], what: str = "judgments") -> Iterator[str]:
    """Yield a message if many topics have exactly the judgments of another topic.

    These are probably wordings of the same information need, as in collections of query variations. Their scores
    depend on each other, so a test of all of them claims to know more than it does.

    Parameters
    ----------
    judgments : mapping of str to hashable
        Topic to what identifies its judgments, such as a digest.
    what : str
        "judgments", or "relevant documents" if only these are compared.

    Examples
    --------
    >>> print(*about_repeated_judgments({f"{n}-{k}": n for n in range(5) for k in "ab"}))  # doctest: +ELLIPSIS
    5 of 10 topics have exactly the judgments of another one (e.g. '0-b' those of '0-a'): if they are wordings ...
    """
    first: dict[Hashable, str] = {}
    repeated = [
        (topic, other) for topic, each in judgments.items() if (other := first.setdefault(each, topic)) != topic
    ]
    if len(repeated) >= _FEWEST_REPEATED and len(repeated) >= _MANY_REPEATED * len(judgments):
        topic, other = repeated[0]
        example = f"e.g. '{shown_name(topic)}' those of '{shown_name(other)}'"
        found = f"{len(repeated)} of {len(judgments)} topics have exactly the {what} of another one ({example})"
        yield f"{found}: if they are wordings of one need, tests and intervals count that need several times"


class QrelsDigest(NamedTuple):
    """A digest that identifies the judgments of all topics, and the number of these topics."""

    digest: str
    n_topics: int

    def __str__(self) -> str:
        return f"{self.digest} of {counted(self.n_topics, 'topic')}"


def qrels_digest(origins: Origins) -> QrelsDigest | None:
    r"""Return the digest of the judgments of all topics, made from those of each; None if some are unknown.

    Parameters
    ----------
    origins : mapping of str to Origin
        By topic, in any order.

    Returns
    -------
    QrelsDigest, optional
        The first 8 hexadecimal digits of SHA-256 over the lines ``topic:digest LF``, sorted as bytes.

    Examples
    --------
    The same as ``printf '1:0a1b2c3d\n2:174f5068\n' | sha256sum`` prints:

    >>> qrels_digest({"2": Origin("174f5068"), "1": Origin("0a1b2c3d")})
    QrelsDigest(digest='4ec2a156', n_topics=2)
    """
    if not origins or not all(origin.judgments for origin in origins.values()):
        return None
    lines = [f"{topic}:{origin.judgments}\n" for topic, origin in origins.items()]
    digest = lines_digest(line.encode("utf-8", "surrogateescape") for line in lines)
    return QrelsDigest(digest, len(origins))


def are_other_qrels(named: QrelsDigest | None, used: QrelsDigest | None, *, are_whole: bool) -> bool:
    """Return True if two digests are known, and cannot be of the same judgments.

    Parameters
    ----------
    named, used : QrelsDigest, optional
        None is unknown.
    are_whole : bool
        Both are of all judged topics. A file that names the judgments of each topic may have only some of these.

    Examples
    --------
    >>> some, all_of_them = QrelsDigest("4ec2a156", 2), QrelsDigest("0a1b2c3d", 3)
    >>> are_other_qrels(some, all_of_them, are_whole=False), are_other_qrels(some, all_of_them, are_whole=True)
    (False, True)
    """
    if named is None or used is None or named == used:
        return False
    return are_whole or named.n_topics == used.n_topics


class References(NamedTuple):
    """Facts about the reference systems that standardize scores.

    Parameters
    ----------
    digest : str
        The digest of their factors, see `stdeval.signature.factors_digest`; empty if it is unknown.
    fewest, most : int
        The least and the greatest number of reference systems of a factor; 0 if they are unknown.
    """

    digest: str
    fewest: int
    most: int


USUAL_SCALE = (0.15, 0.5, True)
"""A and B of scheme U (Urbano 2019), and whether its scores are censored, if nothing else is given."""

OTHER_FACTORS = "factors-from:other"
"""The field of a signature for factors from other judgments, or with other options, than the scores."""


UNKNOWN_FACTORS = "factors-from:unknown"
"""The field of a signature if only the factors, or only the scores, name their judgments and options."""


class Standardization(NamedTuple):
    """Facts about the standardization of stored scores, as their signature names them.

    Parameters
    ----------
    schemes : tuple of str
        Letters of schemes, with their parameters, without ``raw``.
    adjustments : tuple of str
        Other facts that change standardized scores, each as ``name:value``.
    references : References
    measures : str
        The field of the signature that names the raw measures, whose factors the digest identifies.
    scored : int
        Number of topics whose factors the digest identifies; 0 for all topics of the judgments.
    """

    schemes: tuple[str, ...]
    adjustments: tuple[str, ...]
    references: References
    measures: str = ""
    scored: int = 0

    @property
    def scale(self) -> tuple[float, float, bool]:
        """A and B of scheme U, and whether its scores are censored; `USUAL_SCALE` if no scores are by U."""
        found = (re.fullmatch(r"U\(([0-9.e+-]+),([0-9.e+-]+)(,uncensored)?\)", scheme) for scheme in self.schemes)
        return next(((float(u[1]), float(u[2]), not u[3]) for u in found if u), USUAL_SCALE)

    @property
    def has_other_factors(self) -> bool:
        """True if the factors were made from other judgments, or with other options, than the scores."""
        return "other" in self._values("factors-from")

    @property
    def has_unknown_factors(self) -> bool:
        """True if it was not known whether the judgments and options of the factors are those of the scores."""
        return "unknown" in self._values("factors-from")

    @property
    def leaves_out_groups(self) -> bool:
        """True if the whole group of a run was left out of its reference runs."""
        return any(value.startswith("group") for value in self._values("leave-out"))

    def _values(self, name: str) -> list[str]:
        """Return the values of an adjustment: several if scores were joined by column, none if there is none."""
        fields = (text.partition(":") for text in self.adjustments)
        return [value for field, _, values in fields if field == name for value in values.split()]


class OtherOrigins(NamedTuple):
    """Topics of a file whose judgments or options differ from those of the scores that it is used with.

    Parameters
    ----------
    n_topics : int
        Number of topics that the file and the scores have in common.
    judgments : tuple of str
        Topics of the file with other judgments.
    options : dict of str to tuple of str
        The other options to the topics of the file that have them.
    """

    n_topics: int
    judgments: tuple[str, ...]
    options: dict[str, tuple[str, ...]]


def other_origins(topics: Iterable[str], made: Origins, used: Origins) -> OtherOrigins:
    """Compare the origins that a file names with those of scores, topic by topic, where both are known.

    Parameters
    ----------
    topics : iterable of str
        The topics of the file.
    made : mapping of str to Origin
        The origins that the file names.
    used : mapping of str to Origin
        The origins of the scores, for each of their topics.

    Examples
    --------
    >>> made = {"1": Origin("00000001", "-l 2"), "2": Origin("00000002", "")}
    >>> used = {"1": Origin("00000001", "-l 2"), "2": Origin("0000000f", "-l 2")}
    >>> other_origins(["1", "2", "3"], made, used)
    OtherOrigins(n_topics=2, judgments=('2',), options={'': ('2',)})
    """
    shared = [topic for topic in topics if topic in used]
    judgments: list[str] = []
    options: dict[str, list[str]] = {}
    for topic in shared:
        origin = made.get(topic, Origin())
        if _have_other_judgments(origin, used[topic]):
            judgments.append(topic)
        if origin.options is not None and _have_other_options(origin, used[topic]):
            options.setdefault(origin.options, []).append(topic)
    by_options = {named: tuple(differing) for named, differing in options.items()}
    return OtherOrigins(len(shared), tuple(judgments), by_options)


def shared_topics(
    topics: Iterable[str], origins: Origins, others: Iterable[str], other_origins: Origins
) -> list[str]:
    """Return the topics of one collection that seem to be topics of another: by name, or by judgments if known.

    Topics with the same name and other judgments are taken for different topics, because many collections number
    their topics from 1; topics with the same judgments for the same ones, because a name may have two spellings.

    Examples
    --------
    >>> here = {"1": Origin("0000000a"), "2": Origin("0000000b")}
    >>> there = {"1": Origin("0000000a"), "2": Origin("0000000c")}
    >>> shared_topics(["1", "2", "3"], here, ["1", "2", "3"], there)
    ['1', '3']
    >>> shared_topics(["1", "2"], here, ["q1", "q2"], {"q1": Origin("0000000a"), "q2": Origin("0000000c")})
    ['1']
    """
    unknown, named = Origin(), set(others)
    judged = {other_origins.get(topic, unknown).judgments for topic in named} - {""}
    return [
        topic
        for topic in topics
        if (own := origins.get(topic, unknown)).judgments in judged
        or (topic in named and not _have_other_judgments(own, other_origins.get(topic, unknown)))
    ]


def common_origin(one: Origin, other: Origin) -> Origin | None:
    """Return the origin of scores from two sources, as far as both name it; None if they contradict each other.

    Examples
    --------
    >>> common_origin(Origin("00000001", "-l 2"), Origin("00000001"))
    Origin(judgments='00000001', options=None)
    >>> common_origin(Origin("00000001", "-l 2 -c"), Origin("00000001", "-l 2"))
    >>> common_origin(Origin("00000001"), Origin("0000000f"))
    """
    if _have_other_judgments(one, other) or _have_other_options(one, other):
        return None
    options = one.options if one.options == other.options else None
    return Origin(min(one.judgments, other.judgments), options)


def _have_other_judgments(one: Origin, other: Origin) -> bool:
    return "" not in (one.judgments, other.judgments) and one.judgments != other.judgments


def _have_other_options(one: Origin, other: Origin) -> bool:
    return None not in (one.options, other.options) and one.options != other.options


def without(options: str, names: Container[str]) -> str:
    """Return options without those of some names, and without the values of these.

    Examples
    --------
    >>> without("-l 2 -J --max-grade 3 -c", {"--max-grade", "-c"})
    '-l 2 -J'
    """
    kept: list[str] = []
    keep = True
    for word in options.split():
        # a word that is not an option is the value of the option before it
        keep = word not in names if word.startswith("-") else keep
        kept += [word] if keep else []
    return " ".join(kept)

"""Runs whose documents are probably in the wrong order.

Such a mistake concerns a whole run. So a few documents of one topic reveal it, in much less time than it takes to
read the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from stdeval.display import excerpt
from stdeval.doubtful_order import Doubt, doubts_of_topic
from stdeval.trec_lines import RUN_FORM, Lines


def doubts_of_lines(chunk: bytes, lines: Lines, first: int) -> tuple[Doubt, ...] | None:
    r"""Return the doubts about the order of documents in the first chunk of a run.

    Parameters
    ----------
    chunk : bytes
    lines : Lines
        The parsed lines of the chunk.
    first : int
        The number of its first line.

    Returns
    -------
    tuple of Doubt or None
        Those about the first topic with at least ten documents, or five different scores; None if there is none.

    Examples
    --------
    >>> from stdeval.trec_lines import run_lines
    >>> chunk = b"".join(b"301 Q0 d%d %d 0.%d dist\n" % (rank, rank, rank) for rank in range(1, 9))
    >>> (doubt,) = doubts_of_lines(chunk, run_lines(chunk, 1, "dist.run"), 1)
    >>> doubt.kind, doubt.example
    ('rising', "topic '301': score 0.1 at rank 1, 0.8 at rank 8")
    """
    places_of: dict[str, list[int]] = {}
    for topic, start, end in lines.groups:
        places_of.setdefault(topic, []).extend(range(start, end))
    for topic, places in places_of.items():
        numbers = [lines.numbers[place] - first for place in places]
        docnos, scores = [lines.docnos[place] for place in places], [lines.values[place] for place in places]
        found = doubts_of_topic(topic, docnos, scores, partial(_ranks_at, chunk, numbers))
        if found is not None:
            return found
    return None


def _ranks_at(chunk: bytes, numbers: Sequence[int], places: Sequence[int]) -> list[bytes]:
    """Return the ranks at some places of a topic whose lines have these numbers, from 0, in a chunk."""
    texts = chunk.split(b"\n", max(numbers[place] for place in places) + 1)
    return [texts[numbers[place]].split(None, 4)[3] for place in places]


def doubts_of_documents(
    documents: Mapping[str, Mapping[str, float]], ranks: Mapping[str, Sequence[object]] | None = None
) -> tuple[Doubt, ...]:
    """Return the doubts about a run in memory.

    Parameters
    ----------
    documents : mapping of topic to docno to score
    ranks : mapping of topic to sequence, optional
        The ranks of the documents, if they have any.

    Returns
    -------
    tuple of Doubt
        Those about the first topic with at least ten documents, or five different scores.

    Examples
    --------
    >>> doubts_of_documents({"301": {f"d{n}": 2.0**-n for n in range(145, 185)}})[0].example
    "topic '301': 40 scores become 6"
    """
    for topic, scored in documents.items():
        ranks_at = None if ranks is None else partial(_texts_at, ranks[topic])
        scores = [float(score) for score in scored.values()]
        found = doubts_of_topic(topic, list(scored), scores, ranks_at)
        if found is not None:
            return found
    return ()


def _texts_at(ranks: Sequence[object], places: Sequence[int]) -> list[bytes]:
    return [_text_of(ranks[place]) for place in places]


def _text_of(rank: object) -> bytes:
    """Return a rank as in a file; data frames hold whole numbers as floats beside missing ones."""
    try:
        return str(rank).removesuffix(".0").encode()
    except ValueError:
        # a number of thousands of digits, or a text that is not Unicode
        return b""


def about_doubts(found: Sequence[tuple[str, Doubt]], n_runs: int, double: str | None) -> Iterator[str]:
    """Yield a message about each kind of doubt.

    Parameters
    ----------
    found : sequence of (str, Doubt)
        The doubts, each with the tag of its run.
    n_runs : int
        The number of all runs.
    double : str or None
        The option that compares scores as 64-bit floats; None if they are compared so, since then there are no
        collisions.

    Examples
    --------
    >>> doubt = Doubt("rising", "topic '301': score 0.1 at rank 1, 0.8 at rank 8")
    >>> print(*about_doubts([("dist", doubt)], 1, None))  # doctest: +NORMALIZE_WHITESPACE
    'dist' has scores that rise with the ranks (topic '301': score 0.1 at rank 1, 0.8 at rank 8); documents are
    ordered by score, highest first: negate the scores if they are distances
    """
    ordered = "documents are ordered by score, highest first"
    by_docno = (
        "they are ordered by docno, not by rank or line: expected scores with enough digits to tell them apart"
    )
    messages = {
        "rising": ("scores that rise with the ranks", f"{ordered}: negate the scores if they are distances"),
        "rising lines": (
            "no ranks, and scores that rise from line to line",
            f"{ordered}: negate the scores if they are distances",
        ),
        "low": (
            "a low score for the first document",
            f"{ordered}: if only the first documents were re-ranked, lower the scores of the others",
        ),
        "disorder": (
            "ranks in another order than the scores",
            f"{ordered}: if the ranks are right, expected scores that fall with them",
        ),
        "exchanged": ("ranks in the column of scores", f"{ordered}: expected lines of: {RUN_FORM}"),
        "ties": ("equal scores for most documents", by_docno),
        "top ties": ("equal scores for the first documents", by_docno),
        "docnos": (
            "docnos in another form than the qrels",
            "such documents count as not judged: write docnos as the qrels do",
        ),
        "collisions": (
            "different scores that are equal as 32-bit floats",
            f"they are ordered by docno: {double} tells them apart",
        ),
    }
    for kind, (what, then) in messages.items():
        doubtful = [(tag, doubt.example) for tag, doubt in found if doubt.kind == kind]
        if doubtful and (kind != "collisions" or double is not None):
            tag, example = doubtful[0]
            have = "has" if len(doubtful) == 1 else "have"
            several = f"{len(doubtful)} of {n_runs} runs {have} {what} (e.g. '{excerpt(tag)}', {example})"
            one = f"'{excerpt(tag)}' has {what} ({example})"
            yield f"{one if n_runs == 1 else several}; {then}"

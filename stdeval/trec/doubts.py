"""Reasons to doubt a run: their kinds, and what is found on a topic."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal[
    "exchanged",
    "rising",
    "rising lines",
    "repeated",
    "disorder",
    "top disorder",
    "low",
    "late",
    "gaps",
    "ties",
    "top ties",
    "collisions",
    "top collisions",
    "docnos",
    "off by one",
    "own name",
    "judged once",
    "same",
]
"""The kinds of doubt.

exchanged
    The columns of ranks and scores are exchanged.
rising, rising lines
    Scores rise with the ranks, or from line to line if there are no ranks.
repeated
    Several documents have the same rank, and other scores.
disorder, top disorder
    Ranks and scores are in different orders, or the first document by rank is not the first by score.
low
    There are no ranks, and the document on the first line has a lower score than some others.
late
    The ranks are those of a part of a ranking, without its first documents.
gaps
    Some of the first ten ranks are missing, and there are later ones.
ties, top ties
    Most documents, or the first ones, have equal scores, and their ranks or lines are not in trec_eval's order.
collisions, top collisions
    Many different scores, or the highest ones, are equal as 32-bit floats.
docnos
    Docnos are not written as in the judgments.
off by one
    Docnos end in numbers, and many more are judged if 1 is added to each number, or taken from it.
own name
    Documents with the names of the topics are among the first ones: in some collections these are the queries.
judged once
    First documents are judged for other topics only, and no document is judged for two: judgments were removed.
same
    Several topics have the same first documents.
"""


class Doubt(NamedTuple):
    """A reason to doubt the order of the documents of a run, or their docnos.

    Parameters
    ----------
    kind : str
        See `Kind`.
    example : str
        The topic, and what was found there.
    common : str
        What all topics with the doubt must have in common for it to be one.
    ranks : (float, float)
        The first and the last rank, if the doubt is about these.
    chance : float
        The probability that a topic with so few documents has the doubt by chance; it then counts only if all
        topics have it, and if that is unlikely. 0 if the doubt of one topic counts.
    """

    kind: Kind
    example: str
    common: str = ""
    ranks: tuple[float, float] = (0, 0)
    chance: float = 0

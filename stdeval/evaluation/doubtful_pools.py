"""Messages about pools that are deeper than their runs, or than the judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stdeval.display import counted, excerpt
from stdeval.documents.judged_topics import are_of_a_pool
from stdeval.documents.runs_and_judgments import about_topics
from stdeval.measures.pooling import Pool, pooled_qrels
from stdeval.trec.reading import Qrels, sorted_topics

_MANY_SHALLOW = 0.1
"""A run is shallow if more than this share of its topics have too few documents."""

_MOST_JUDGED = 0.9
"""If less than this share of the documents of a pool are judged, the judgments come from another pool."""


def about_shallow_runs(
    numbers: Sequence[tuple[int, int, str]], n_runs: int, depth: int, then: str
) -> Iterator[str]:
    """Yield a message about runs that have too few documents for many topics.

    Parameters
    ----------
    numbers : sequence of (int, int, str)
        For each run, the number of topics with fewer documents than the depth, the number of all topics, and the
        name.
    n_runs : int
        The number of all runs.
    depth : int
    then : str
        The end of the message: the effect of such runs.
    """
    found = [each for each in numbers if each[0] > _MANY_SHALLOW * each[1]]
    if found:
        fact = f"'{{tag}}' has fewer than {depth} documents for {{n}} of {{n_topics}} topics"
        of_several = f"fewer than {depth} documents for more than {100 * _MANY_SHALLOW:g}% of the topics"
        yield about_topics(found, n_runs, fact, of_several, then)


def about_judged_shares(qrels: Qrels, shares: Mapping[int, float]) -> Iterator[str]:
    """Yield a message if many documents of a pool are not judged, because the judgments come from a shallower one.

    Nothing is told if more than four fifths of the judged documents are relevant: such qrels do not list what else
    was judged.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    shares : mapping of int to float
        By depth of the pool, rising, the share of its documents that are judged.

    Examples
    --------
    >>> shares = {5: 1.0, 10: 0.95, 20: 0.6, 50: 0.3}
    >>> print(*about_judged_shares({"1": {"a": 1, "b": 0}}, shares))  # doctest: +NORMALIZE_WHITESPACE
    60% of the documents pooled to depth 20 are judged, and 30% to depth 50: the qrels come from a shallower pool or
    from other runs; a pool of depth 20 would have more judgments
    """
    few = [depth for depth, share in shares.items() if share < _MOST_JUDGED]
    if few and are_of_a_pool(qrels):
        first, last = few[0], few[-1]
        found = f"{shares[first]:.0%} of the documents pooled to depth {first} are judged"
        if first != last:
            found += f", and {shares[last]:.0%} to depth {last}"
        yield (
            f"{found}: the qrels come from a shallower pool or from other runs; a pool of depth {first} would have "
            "more judgments"
        )


def about_unjudged_topics(qrels: Qrels, pool: Pool, then: str) -> Iterator[str]:
    """Yield a message about judged topics none of whose judged documents is in the pool.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    pool : dict
        See `stdeval.measures.pooling.Pool`.
    then : str
        The end of the message: what becomes of these topics.

    Examples
    --------
    >>> print(*about_unjudged_topics({"1": {"a": 1}, "2": {"b": 0}}, {"1": {"a": 0}}, "not evaluated"))
    1 of 2 topics is left without judgments (e.g. '2'): not evaluated
    """
    kept = pooled_qrels(qrels, pool)
    lost = [topic for topic in sorted_topics(qrels) if topic not in kept]
    if lost:
        are = "is" if len(lost) == 1 else "are"
        found = f"{len(lost)} of {counted(len(qrels), 'topic')} {are} left without judgments"
        yield f"{found} (e.g. '{excerpt(lost[0])}'): {then}"

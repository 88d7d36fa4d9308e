"""Messages about judged topics for which runs have no documents, and about runs of another collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

OTHER_QRELS = "are these the qrels of another collection?"
"""The end of messages about runs that have nothing, or little, in common with the judgments."""

_MANY_IGNORED = 0.02
"""If more than this share of a run's topics are not in the qrels, a part of the qrels may be missing."""

_MANY_SHALLOW = 0.1
"""The share of topics with too few documents from which on a run is shallow."""

_MANY_UNJUDGED = 0.1
"""If a run has no judged document for this share of its topics, they or the docnos may be written otherwise."""


def about_topics(found: Sequence[tuple[int, int, str]], n_runs: int, fact: str, of_several: str, then: str) -> str:
    """Return a warning about topics that are missing from runs, or from the qrels.

    Parameters
    ----------
    found : sequence of (int, int, str)
        Of each run with such topics, their number, the number of all topics, and the tag.
    n_runs : int
        The number of all runs.
    fact : str
        A sentence about one run, with the fields ``tag``, ``n`` and ``n_topics``.
    of_several, then : str
        The rest of a sentence about several runs, and of either sentence.
    """
    n, n_topics, tag = max(found, key=lambda each: each[0])
    most = fact.format(tag=tag[:60], n=n, n_topics=n_topics)
    if n_runs == 1:
        return f"{most}; {then}"
    have = "has" if len(found) == 1 else "have"
    return f"{len(found)} of {n_runs} runs {have} {of_several} (most: {most}); {then}"


def about_missing_topics(found: Sequence[tuple[int, int, str]], n_runs: int, option: str) -> str:
    """Return a warning about judged topics for which runs have no documents.

    Parameters
    ----------
    found, n_runs
        As in `about_topics`.
    option : str
        The option that would count these topics as 0, such as ``-c``.

    Examples
    --------
    >>> print(about_missing_topics([(8, 52, "x")], 1, "-c"))
    'x' has no documents for 8 of 52 judged topics; they are excluded from its mean (-c would count them as 0)
    """
    fact = "'{tag}' has no documents for {n} of {n_topics} judged topics"
    then = f"they are excluded from its mean ({option} would count them as 0)"
    return about_topics(found, n_runs, fact, "no documents for some judged topics", then)


def about_ignored_topics(counted: Sequence[tuple[int, int, str]], n_runs: int) -> Iterator[str]:
    """Yield a message about runs many of whose topics are not in the judgments.

    Parameters
    ----------
    counted : sequence of (int, int, str)
        Of each run with judged documents, the number of its topics that are not in the judgments, the number of all
        of its topics, and the tag.
    n_runs : int
        The number of all runs.
    """
    found = [each for each in counted if each[0] > _MANY_IGNORED * each[1]]
    if found:
        fact = "{n} of {n_topics} topics of '{tag}' are not in the qrels"
        of_several = f"more than {100 * _MANY_IGNORED:g}% of the topics outside the qrels"
        doubt = f"they are ignored: {OTHER_QRELS.removesuffix('?')}, or a part of them?"
        yield about_topics(found, n_runs, fact, of_several, doubt)


def about_renamed_topics(counted: Sequence[tuple[int, int, int, str]], n_runs: int) -> Iterator[str]:
    """Yield a message about runs that have a few other topics in place of judged ones, maybe by another name.

    Parameters
    ----------
    counted : sequence of (int, int, int, str)
        Of each run with judged documents, the number of its topics that are not in the judgments, the number of all
        of its topics, the number of judged topics that it lacks, and the tag.
    n_runs : int
        The number of all runs.

    Examples
    --------
    >>> print(*about_renamed_topics([(2, 225, 3, "a"), (0, 225, 9, "b")], 1))
    'a' lacks 3 of the judged topics, and has 2 that are not judged: are the topics written as in the qrels?
    """
    found = [(n, lacks, tag) for n, n_topics, lacks, tag in counted if 0 < n <= _MANY_IGNORED * n_topics and lacks]
    if found:
        n, lacks, tag = max(found)
        others = f"has {n} that {'is' if n == 1 else 'are'} not judged"
        most = f"'{tag[:60]}' lacks {lacks} of the judged topics, and {others}"
        several = f"{len(found)} of {n_runs} runs lack judged topics, and have others (most: {most})"
        yield f"{most if n_runs == 1 else several}: are the topics written as in the qrels?"


def about_shallow_runs(
    counted: Sequence[tuple[int, int, str]], n_runs: int, depth: int, then: str
) -> Iterator[str]:
    """Yield a message about runs that do not have so many documents for each topic as are looked at.

    Parameters
    ----------
    counted : sequence of (int, int, str)
        Of each run, the number of topics with fewer documents than the depth, that of all topics, and the tag.
    n_runs : int
        The number of all runs.
    depth : int
    then : str
        What follows from it.
    """
    found = [each for each in counted if each[0] > _MANY_SHALLOW * each[1]]
    if found:
        fact = f"'{{tag}}' has fewer than {depth} documents for {{n}} of {{n_topics}} topics"
        of_several = f"fewer than {depth} documents for more than {100 * _MANY_SHALLOW:g}% of the topics"
        yield about_topics(found, n_runs, fact, of_several, then)


def about_unjudged_topics(counted: Sequence[tuple[int, int, str]], n_runs: int) -> Iterator[str]:
    """Yield a message about runs that have no judged document for many topics, and should have some.

    Parameters
    ----------
    counted : sequence of (int, int, str)
        Of each run with judged documents, the number of these topics, the number of its judged topics, and the tag.
    n_runs : int
        The number of all runs.

    Examples
    --------
    >>> print(*about_unjudged_topics([(6, 70, "a")], 1), *about_unjudged_topics([(7, 70, "a")], 1))
    'a' has no judged document for 7 of 70 topics; are the topics and docnos those of the qrels?
    """
    found = [each for each in counted if each[0] and each[0] / each[1] >= _MANY_UNJUDGED]
    if found:
        fact = "'{tag}' has no judged document for {n} of {n_topics} topics"
        of_several = f"no judged document for at least {100 * _MANY_UNJUDGED:g}% of the topics"
        yield about_topics(found, n_runs, fact, of_several, "are the topics and docnos those of the qrels?")


def about_unjudged(names: Sequence[str], n_runs: int, qrels: str) -> str:
    """Return a warning about runs without a judged document.

    Parameters
    ----------
    names : sequence of str
        The names of these runs, at least one.
    n_runs : int
        The number of all runs.
    qrels : str
        The name of the judgments.

    Examples
    --------
    >>> print(about_unjudged(["bm25"], 3, "the qrels"))
    no document of 1 of 3 runs (e.g. bm25) is judged in the qrels: are these the qrels of another collection?
    """
    which = names[0] if n_runs == 1 else f"{len(names)} of {n_runs} runs (e.g. {names[0]})"
    return f"no document of {which} is judged in {qrels}: {OTHER_QRELS}"

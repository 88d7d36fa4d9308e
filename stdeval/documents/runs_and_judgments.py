"""Messages about runs whose topics, docnos or documents do not fit the judgments."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from stdeval.display import counted, shown_name
from stdeval.documents.doubtful_documents import DoubtfulDocuments, TopicSigns

OTHER_QRELS = "are these the qrels of another collection?"
"""The end of messages about runs that have nothing, or little, in common with the judgments."""

_MANY_OUTSIDE = 0.02
"""If more than this share of a run's topics are not in the qrels, a part of the qrels may be missing."""

_MANY_UNJUDGED = 0.1
"""If at least this share of a run's topics have no judged document, topics or docnos may have another form."""


class TopicCounts(NamedTuple):
    """How many topics a run and the judgments have in common.

    Parameters
    ----------
    tag : str
        The tag of the run.
    evaluated : int
        Number of judged topics for which the run has documents.
    missing : int
        Number of judged topics for which it has no documents.
    outside : int
        Number of its topics that are not judged.
    unjudged : int
        Number of evaluated topics without a judged document that should have one, see
        `stdeval.documents.doubtful_docnos`.
    is_judged : bool
        True if any of its documents is judged.
    documents : DoubtfulDocuments
    """

    tag: str
    evaluated: int
    missing: int = 0
    outside: int = 0
    unjudged: int = 0
    is_judged: bool = True
    documents: DoubtfulDocuments = DoubtfulDocuments()

    @property
    def n_topics(self) -> int:
        """Number of topics of the run."""
        return self.evaluated + self.outside


def about_topics(found: Sequence[tuple[int, int, str]], n_runs: int, fact: str, of_several: str, then: str) -> str:
    """Return a warning about topics that are missing from runs, or from the qrels.

    Parameters
    ----------
    found : sequence of (int, int, str)
        For each run with such topics, their number, the number of all topics, and the tag.
    n_runs : int
        The number of all runs.
    fact : str
        A sentence about one run, with the fields ``tag``, ``n``, ``n_topics`` and ``are`` (is or are).
    of_several, then : str
        The rest of a sentence about several runs, and of either sentence.
    """
    n, n_topics, tag = max(found, key=lambda each: each[0])
    most = fact.format(tag=shown_name(tag), n=n, n_topics=n_topics, are="is" if n == 1 else "are")
    if n_runs == 1:
        return f"{most}; {then}"
    have = "has" if len(found) == 1 else "have"
    return f"{len(found)} of {n_runs} runs {have} {of_several} (most: {most}); {then}"


def about_missing_topics(runs: Sequence[TopicCounts], option: str) -> Iterator[str]:
    """Yield a message about runs without documents for some judged topics.

    Parameters
    ----------
    runs : sequence of TopicCounts
        The counts of all runs.
    option : str
        The option that would count these topics as 0, such as ``-c``.

    Examples
    --------
    >>> print(*about_missing_topics([TopicCounts("x", evaluated=44, missing=8)], "-c"))
    'x' has no documents for 8 of 52 judged topics; they are excluded from its mean (-c would count them as 0)
    """
    found = [(run.missing, run.evaluated + run.missing, run.tag) for run in runs if run.missing]
    if found:
        fact = "'{tag}' has no documents for {n} of {n_topics} judged topics"
        means = "its mean" if len(found) == 1 else "the means of these runs"
        then = f"they are excluded from {means} ({option} would count them as 0)"
        yield about_topics(found, len(runs), fact, "no documents for some judged topics", then)


def about_counted_topics(
    unretrieved: Mapping[str, Collection[str]], n_topics: int, counted_as: str = "0"
) -> Iterator[str]:
    """Yield a message about runs that have no documents for some topics, if these topics count all the same (-c).

    Parameters
    ----------
    unretrieved : mapping of str to collection of str
        Run to these topics.
    n_topics : int
        The number of judged topics.
    counted_as : str
        Their score, as `stdeval.measures.facts.score_of_missing` tells it.

    Examples
    --------
    >>> print(*about_counted_topics({"a": ["7", "8"], "b": []}, 52))
    1 of 2 runs has topics without documents (most: 'a' has no documents for 2 of 52 judged topics); they count as 0
    """
    found = [(len(topics), n_topics, run) for run, topics in unretrieved.items() if topics]
    if found:
        fact = "'{tag}' has no documents for {n} of {n_topics} judged topics"
        yield about_topics(found, len(unretrieved), fact, "topics without documents", f"they count as {counted_as}")


def about_run_topics(runs: Sequence[TopicCounts], *, is_gate: bool = False) -> Iterator[str]:
    """Yield messages about runs whose topics or docnos are probably not those of the judgments.

    Runs without any judged document have a message of their own, see `about_unjudged`.

    Parameters
    ----------
    runs : sequence of TopicCounts
        The counts of all runs.
    is_gate : bool
        Tell of any topic that is not in the judgments, and not only of many: one may have been removed from them.

    Examples
    --------
    >>> print(*about_run_topics([TopicCounts("a", evaluated=223, missing=3, outside=2)]))
    'a' has no documents for 3 judged topics, and has 2 other topics: are the topics written as in the qrels?
    >>> print(*about_run_topics([TopicCounts("a", evaluated=70, unjudged=7)]))
    'a' has no judged document for 7 of 70 topics; are the topics and docnos those of the qrels?
    >>> filtered = TopicCounts("a", evaluated=4, documents=DoubtfulDocuments(n_only_judged=99))
    >>> print(*about_run_topics([filtered]))  # doctest: +NORMALIZE_WHITESPACE
    all 99 documents of 'a' are judged, as after a join with the qrels: scores are too high if unjudged documents
    were removed
    """
    judged = [run for run in runs if run.is_judged]
    yield from _about_topics_outside(judged, len(runs), 0 if is_gate else _MANY_OUTSIDE)
    yield from _about_renamed_topics(judged, len(runs))
    yield from _about_unjudged_topics(judged, len(runs))
    yield from _about_only_judged(runs)
    yield from _about_all_relevant(runs)
    yield from _about_reversed(runs)
    yield from _about_upside_down(runs)
    yield from _about_sorted(runs)
    yield from _about_known(runs)
    yield from _about_filtered(runs)
    yield from _about_beyond(runs)


def _about_topics_outside(judged: Sequence[TopicCounts], n_runs: int, most: float) -> Iterator[str]:
    """Yield a message about runs with a larger share of topics outside the qrels than `most`."""
    found = [(run.outside, run.n_topics, run.tag) for run in judged if run.outside > most * run.n_topics]
    if found:
        fact = "{n} of {n_topics} topics of '{tag}' {are} not in the qrels"
        of_several = f"more than {100 * most:g}% of the topics outside the qrels"
        doubt = f"such topics are ignored: {OTHER_QRELS.removesuffix('?')}, or a part of them?"
        yield about_topics(found, n_runs, fact, of_several, doubt)


def _about_renamed_topics(judged: Sequence[TopicCounts], n_runs: int) -> Iterator[str]:
    """Yield a message if a few topics that are not in the judgments may be missing ones under another name."""
    few = [run for run in judged if 0 < run.outside <= _MANY_OUTSIDE * run.n_topics and run.missing]
    if few:
        run = max(few, key=lambda each: (each.outside, each.missing))
        missing, others = counted(run.missing, "judged topic"), counted(run.outside, "other topic")
        most = f"'{shown_name(run.tag)}' has no documents for {missing}, and has {others}"
        have = "has" if len(few) == 1 else "have"
        several = f"{len(few)} of {n_runs} runs {have} other topics in place of judged ones (most: {most})"
        yield f"{most if n_runs == 1 else several}: are the topics written as in the qrels?"


def _about_unjudged_topics(judged: Sequence[TopicCounts], n_runs: int) -> Iterator[str]:
    found = [
        (run.unjudged, run.evaluated, run.tag)
        for run in judged
        if run.unjudged and run.unjudged / run.evaluated >= _MANY_UNJUDGED
    ]
    if found:
        fact = "'{tag}' has no judged document for {n} of {n_topics} topics"
        of_several = f"no judged document for at least {100 * _MANY_UNJUDGED:g}% of the topics"
        yield about_topics(found, n_runs, fact, of_several, "are the topics and docnos those of the qrels?")


def _named(found: Sequence[TopicCounts], n_runs: int) -> str:
    """Return the runs in words: the name if there is only one run, otherwise the number and an example."""
    name = f"'{shown_name(found[0].tag)}'"
    return name if n_runs == 1 else f"{len(found)} of {n_runs} runs (e.g. {name})"


def _about_only_judged(runs: Sequence[TopicCounts]) -> Iterator[str]:
    found = [run for run in runs if run.documents.n_only_judged]
    if found:
        which = _named(found, len(runs))
        all_judged = f"all {sum(run.documents.n_only_judged for run in found)} documents of {which} are judged"
        harm = "scores are too high if unjudged documents were removed"
        yield f"{all_judged}, as after a join with the qrels: {harm}"


def _about_all_relevant(runs: Sequence[TopicCounts]) -> Iterator[str]:
    found = [(run.documents.n_all_relevant, run.evaluated, run.tag) for run in runs if run.documents.n_all_relevant]
    if found:
        fact = "'{tag}' has all relevant documents for {n} of {n_topics} topics"
        doubt = "scores are too high if they were added to the run, or if only its documents were judged"
        yield about_topics(found, len(runs), fact, "all relevant documents for nearly all topics", doubt)


def _about_reversed(runs: Sequence[TopicCounts]) -> Iterator[str]:
    """Yield a message if judgments, or only the grades of relevant documents, are probably reversed."""
    lower = "have lower judgments than other {} on most topics: are the {} coded the other way round"
    if lowest := _lowest(runs, [run.documents.first for run in runs]):
        yield f"the first documents of {lowest} {lower.format('judged documents', 'judgments')}, or the ranks?"
    elif lowest := _lowest(runs, [run.documents.first_relevant for run in runs]):
        whose = f"the relevant ones among the first documents of {lowest}"
        yield f"{whose} {lower.format('relevant documents', 'grades')}, with 1 for the best?"


def _lowest(runs: Sequence[TopicCounts], signs: Sequence[TopicSigns]) -> str:
    """Return in words the runs with significantly lower judgments at the top.

    The text is empty if fewer than half of the runs have lower ones on most topics, or if all runs together do not
    have them on significantly many: some runs may just be bad.
    """
    found = [run for run, each in zip(runs, signs, strict=True) if each.are_low()]
    n_low = sum(each.lower > each.higher for each in signs)
    of_all = TopicSigns(sum(each.lower for each in signs), sum(each.higher for each in signs))
    return _named(found, len(runs)) if found and 2 * n_low >= len(runs) and of_all.are_low() else ""


def _about_upside_down(runs: Sequence[TopicCounts]) -> Iterator[str]:
    """Yield a message about runs whose relevant documents stand at the end, on all topics or on some."""
    low = [run for run in runs if run.documents.is_upside_down]
    if low:
        found = f"the relevant documents of {_named(low, len(runs))} are in the lower half on most topics"
        yield f"{found}: the highest score is the first, so are they distances, or on several scales?"
    # Relevant documents that were added to a run may stand at its end, too. Another message tells of them.
    others = [run for run in runs if run not in low and not run.documents.n_all_relevant]
    joined = [run for run in others if run.documents.is_joined]
    if joined:
        whose = f"the last fifth of {_named(joined, len(runs))}"
        found = f"{whose} has more relevant documents than the fifth before it on most topics"
        yield f"{found}: were the first documents re-ranked, with lower scores than the others?"
    partly = [run for run in others if run.documents.n_reversed and run not in joined]
    if partly:
        fact = "the relevant documents of '{tag}' are at the end on {n} of {n_topics} topics"
        of_several = "their relevant documents at the end on some topics"
        numbers = [(run.documents.n_reversed, run.evaluated, run.tag) for run in partly]
        yield about_topics(numbers, len(runs), fact, of_several, "are these in reverse order, or on another scale?")


def _about_sorted(runs: Sequence[TopicCounts]) -> Iterator[str]:
    found = [(run.documents.n_sorted, run.evaluated, run.tag) for run in runs if run.documents.n_sorted]
    if found:
        relevant = "the relevant ones of the first 10 documents"
        fact = f"{relevant} of '{{tag}}' stand above the others on {{n}} of {{n_topics}} topics"
        of_several = f"{relevant} above the others on most topics"
        yield about_topics(found, len(runs), fact, of_several, "was it sorted by the judgments?")


def _about_known(runs: Sequence[TopicCounts]) -> Iterator[str]:
    """Yield a message if some runs, but not all, have documents that are judged for some topic only.

    If all runs are so, all documents of the collection may be judged.
    """
    known = [run for run in runs if run.documents.is_known]
    if known and len(known) < len(runs):
        found = f"all documents of {_named(known, len(runs))} are judged, many only for other topics than theirs"
        yield f"{found}: if they are of a smaller collection, their scores are too high"


def _about_filtered(runs: Sequence[TopicCounts]) -> Iterator[str]:
    found = [run for run in runs if run.documents.n_without_others]
    if found:
        n = counted(sum(run.documents.n_without_others for run in found), "judged document")
        none = f"none of {n} among the first 10 of {_named(found, len(runs))} is judged not relevant"
        yield f"{none}: scores are too high if such documents were removed"


def _about_beyond(runs: Sequence[TopicCounts]) -> Iterator[str]:
    found = [run for run in runs if run.documents.n_beyond]
    if found:
        n = counted(sum(run.documents.n_beyond for run in found), "document")
        beyond = (
            f"{n} among the first 10 of {_named(found, len(runs))} have docnos after all judged ones of their topic"
        )
        yield f"{beyond}, and most others are judged: were the qrels cut after they were sorted by docno?"


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

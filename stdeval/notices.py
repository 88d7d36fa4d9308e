"""Every warning of stdeval: one function each, which makes a sentence of facts that were counted elsewhere.

A notice is a line of at most 160 characters if names are ordinary, and None if the facts are no reason to warn. The
command line and the Python functions pass notices to `stdeval.errors.warn`, and nothing else warns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stdeval.errors import counted, excerpt, listed, shown_name

if TYPE_CHECKING:
    from stdeval.provenance import Difference

FEW_REFERENCES, FEW_COUNTED_REFERENCES = 10, 40  # Webber 2008; schemes that count references, E and M, need more
MANY_EXTREME = 0.2  # of the scores; at the ends of the scale, large differences between runs are lost
FEW_JUDGED = 0.8  # of the usual share of judged documents; below, a run is at a disadvantage
_LONGEST = 160  # characters of a line
_ARE, _HAVE = ("are", "is"), ("have", "has")  # for several, and for one


def _quoted(name: str) -> str:
    return f"'{excerpt(shown_name(name, 40))}'"


def _which(names: Sequence[str], n: int) -> str:
    """Return some of n runs: the only one by its name, otherwise their number and the first name."""
    first = _quoted((*names, "")[0])
    return first if n == 1 else f"{len(names)} of {counted(n, 'run')} (e.g. {first})"


def _at(topics: Sequence[str], n_topics: int) -> str:
    return f"{len(topics)} of {counted(n_topics, 'topic')} (e.g. {_quoted((*topics, '')[0])})"


def missing_topics(
    missing: Mapping[str, int], n_judged: int, outside: Mapping[str, int], option: str
) -> str | None:
    """Judged topics without documents, by run; `outside` has the numbers of other topics; 0 for none in both."""
    name = max(missing, key=missing.__getitem__, default="")
    if not missing.get(name):
        return None
    n, n_others = sum(map(bool, missing.values())), outside[name]
    most = f"{missing[name]} of {n_judged}"
    found = f"{_quoted(name)} has no documents for {most} judged topics"
    if len(missing) > 1:
        several = f"{n} of {len(missing)} runs {_HAVE[n == 1]} no documents for some judged topics"
        found = f"{several} (most: {_quoted(name)}, {most})"
    others = f", and documents for {counted(n_others, 'other topic')}" if n_others else ""
    exclude = f"both ({option}: 0 if missing)" if n_others else f"them ({option} counts them as 0)"
    return f"{found}{others}; means exclude {exclude}"


def unjudged_runs(names: Sequence[str], n_runs: int, qrels: str) -> str | None:
    """Runs without a judged document."""
    return f"no document of {_which(names, n_runs)} is judged in {qrels}: another collection?" if names else None


def no_relevant(qrels: str, levels: Sequence[int], highest: int) -> str | None:
    """Relevance levels above the highest judgment."""
    at = "" if list(levels) == [1] else f" at level {', '.join(map(str, levels))}"
    return f"{qrels}: no document is relevant{at}, the highest judgment is {highest}" if levels else None


def topics_without_relevant(topics: Sequence[str], n_topics: int, level: int) -> str | None:
    """Topics that a level above 1 leaves without a relevant document."""
    if not topics:
        return None
    found = f"no document is relevant at level {level} for {_at(topics, n_topics)}"
    return f"{found}: all runs score 0 there"


def rising_scores(names: Sequence[str], n_runs: int) -> str | None:
    """Runs whose scores rise with their ranks on most topics."""
    if not names:
        return None
    found = f"{_which(names, n_runs)} {_HAVE[len(names) == 1]} scores that rise with the ranks"
    advice = "but the highest score counts as the best: negate them if they are distances"
    return f"{found}, {advice}"


def unjudged_documents(judged: Mapping[str, float], usual: float) -> str | None:
    """Shares of judged documents among the first ten, by run, beside the usual share."""
    few = {name: share for name, share in judged.items() if share < FEW_JUDGED * usual}
    if not few:
        return None
    name = min(few, key=few.__getitem__)
    runs = f"{len(few)} of {counted(len(judged), 'run')} {_HAVE[len(few) == 1]} few judged documents"
    fewest = f"fewest: {_quoted(name)}, {few[name]:.0%} of the first 10, usually {usual:.0%}"
    return f"{runs} ({fewest}): unjudged ones count as not relevant"


def shared_tags(tags: Sequence[str], n_runs: int) -> str | None:
    """Tags that several runs have; n_runs have the first."""
    n = len(tags) - 1
    more = f" ({counted(n, 'more tag')} {_ARE[n == 1]} shared)" if n > 0 else ""
    return f"{n_runs} runs have the tag {_quoted(tags[0])}{more}: they are named by their files" if tags else None


def incomplete_runs(names: Sequence[str], n_runs: int, treated: str) -> str | None:
    """Runs that are set aside: as many names as the line has room for."""
    found = f"{len(names)} of {counted(n_runs, 'run')} {_ARE[len(names) == 1]} missing topics that most runs have"
    line = None
    for n in range(1, len(names) + 1):
        more = f" and {len(names) - n} more" if n < len(names) else ""
        longer = f"{found}: {treated} ({', '.join(map(_quoted, names[:n]))}{more})"
        line = longer if line is None or len(longer) <= _LONGEST else line
    return line


def common_topics(n_common: int, n_topics: int, treated: str = "runs are compared on these") -> str | None:
    """The topics that all ranked runs have, if these are fewer than all topics."""
    if n_common == n_topics:
        return None
    if n_common == 0:
        return "no topic is common to all runs: their means are over different topics"
    return f"{n_common} of {counted(n_topics, 'topic')} are common to all ranked runs: {treated}"


# --- factors and standardized scores ---


def other_origin(found: Sequence[Difference], what: str) -> str | None:
    """Differences between the origins of a file, or of scores, and of the scores beside it."""
    texts = []
    for kind, n, n_common, made, used in found:
        topics_have = f"{n} of {counted(n_common, 'topic')} have"
        if kind == "factors":
            texts.append(f"standardized with {made or 'other factors or parameters than here'}")
        elif kind == "options":
            texts.append(f"{topics_have} {made}, here {used}")
        else:
            found_here = f"other judgments ({made}, here {used})"
            texts.append(f"{topics_have} other judgments than here" if n else found_here)
    return f"{what}: {'; '.join(texts)}" if found else None


def topics_without_factors(topics: Sequence[str], n_topics: int) -> str | None:
    """Topics that cannot be standardized."""
    return f"no factors for {_at(topics, n_topics)}: left out" if topics else None


def measures_without_factors(measures: Sequence[str]) -> str | None:
    """Measures that cannot be standardized."""
    if not measures:
        return None
    found = f"no factors for {counted(len(measures), 'measure')} ({listed(measures, 3)})"
    return f"{found}: left out"


def few_references(n: int, letters: Sequence[str]) -> str | None:
    """The smallest number of reference runs of a topic."""
    least = FEW_COUNTED_REFERENCES if {"E", "M"} & set(letters) and n >= FEW_REFERENCES else FEW_REFERENCES
    by = "E and M need" if least == FEW_COUNTED_REFERENCES else "standardized scores need"
    needed = f"{by} about {least} to rank runs reliably (Webber 2008, Figure 4)"
    return f"{counted(n, 'reference run')}: {needed}" if 0 < n < least else None


def equal_references(topics: Sequence[str], n_topics: int, letters: Sequence[str]) -> str | None:
    """Topics that some schemes leave out because all reference scores are equal, or their sd was rounded to 0."""
    leave = f"{' and '.join(letters)} {'leave' if len(letters) > 1 else 'leaves'}"
    them = "it" if len(topics) == 1 else "them"
    return f"equal reference scores (sd 0) for {_at(topics, n_topics)}: {leave} {them} out" if topics else None


def extreme_scores(share: float, name: str) -> str | None:
    """The share of scores by N below .001 or above .999."""
    found = f"{share:.0%} of the {name} scores are below .001 or above .999, where differences are lost"
    return f"{found}: use reference runs of similar quality" if share > MANY_EXTREME else None


def few_others(names: Sequence[str], n_runs: int) -> str | None:
    """Runs for which leaving out leaves fewer than two references."""
    left = "fewer than two reference runs are left for"
    return f"{left} {_which(names, n_runs)}: no standardized scores" if names else None


# --- files of scores and factors ---


def missing_scores(n: int, n_scores: int, example: tuple[str, str] | None = None) -> str | None:
    """Pairs of run and topic that have no score, and one of them."""
    where = f" (e.g. {_quoted(example[0])} on topic {_quoted(example[1])})" if example else ""
    return f"{n} of {n_scores} pairs of run and topic {_HAVE[n == 1]} no score{where}: left out" if n else None


def unscored(names: Sequence[str]) -> str | None:
    """Measures that have no score at all."""
    return f"no scores for {counted(len(names), 'measure')} ({listed(names, 3)}): left out" if names else None


def summary_rows(path: str, topics: Sequence[str]) -> str | None:
    """Rows of a scores file that are summaries of others."""
    return f"{path}: summary rows ({listed(topics, 3)}) are ignored" if topics else None


def numbered_topics(path: str, n_topics: int) -> str | None:
    """The number of topics of a matrix that does not name them; 0 if it does."""
    return f"{path}: no column of topics, so they are numbered from 1 to {n_topics}" if n_topics else None


def base_2(measures: Sequence[str]) -> str | None:
    """Measures of published files that have several definitions."""
    found = f"{listed(measures, 3)} of published files mean the forms with logarithms of base 2"
    return found if measures else None


def not_written(form: str, lost: Sequence[str]) -> str | None:
    """Facts that a form of file has no place for."""
    return f"{form} cannot hold {' and '.join(lost)}: not written" if lost else None


# --- tests, experiments and pools ---


def undefined_means(n: int, n_means: int) -> str | None:
    """Harmonic means of scores with a 0."""
    found = f"{n} of {counted(n_means, 'harmonic mean')} {_ARE[n == 1]} undefined, with a score of 0"
    return f"{found}: left empty (ehm is defined)" if n else None


def unreachable(smallest: float, alpha: float, *, draws: bool = True) -> str | None:
    """The smallest p that a test can have."""
    found = f"the smallest possible p is {smallest:.3g}, above alpha {alpha:g}"
    more = "more topics or resamples" if draws else "more topics"
    return f"{found}: nothing is significant without {more}" if smallest > alpha else None


def left_out_topics(n: int, n_topics: int, reason: str) -> str | None:
    """Topics that an experiment cannot use."""
    return f"{n} of {counted(n_topics, 'topic')} left out: {reason}" if n else None


def undefined_coefficients(n: int, n_all: int, reason: str) -> str | None:
    """Correlations that are not defined."""
    found = f"{n} of {counted(n_all, 'coefficient')} {_ARE[n == 1]} undefined"
    return f"{found}, and left empty or out of means: {reason}" if n else None


def negative_variances(names: Sequence[str]) -> str | None:
    """Components of variance whose estimates are below 0."""
    return f"negative variance estimates are set to 0: {listed(names, 4)}" if names else None


def other_systems(n: int, n_systems: int, where: str) -> str | None:
    """Systems that are not in all collections."""
    return f"{n} of {counted(n_systems, 'system')} {_ARE[n == 1]} not in {where}: left out" if n else None


def unpooled_topics(topics: Sequence[str], n_topics: int, treated: str) -> str | None:
    """Topics whose judged documents are all outside the pool."""
    return f"no judgments are left for {_at(topics, n_topics)}: {treated}" if topics else None


def shallow_runs(names: Sequence[str], n_runs: int, depth: int) -> str | None:
    """Runs with fewer documents than a pool is deep."""
    favours = "the pool favours the others" if len(names) < n_runs else "the pool is not so deep there"
    found = f"{_which(names, n_runs)} {_HAVE[len(names) == 1]} fewer than {counted(depth, 'document')}"
    return f"{found} for many topics: {favours}" if names else None

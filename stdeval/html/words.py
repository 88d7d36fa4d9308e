"""Words of the page: names that can be shown, and sentences on schemes and references."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stdeval import short_names
from stdeval.display import counted, listed, shown_decimals
from stdeval.html.report_data import Evaluated, References
from stdeval.measures.names import split_scheme
from stdeval.standardization.schemes import SCHEMES

SCALES = {
    "Z": "Z is the distance from the references' mean in their standard deviations: 0 is what they achieve on "
    "average, and 1 is one standard deviation above.",
    "N": "N is the share of a normal distribution below it, by the references' mean and standard deviation: 0.5 is "
    "what they achieve on average, 0.84 is one standard deviation above, and 0.16 one below.",
    "U": "U is {line}, where z is the distance from the references' mean in their standard deviations: {neutral:g} "
    "is what they achieve on average.",
    "E": "E is the share of the reference scores that are no greater: 0.9 is reached or exceeded by few of them, "
    "and 0.5 is their median.",
    "M": "M is the share of the reference scores that are lower, plus half the share of those that are equal: 0.9 "
    "is reached by few of them, and 0.5 is their average, however many of them are equal.",
}


def printable(plain: object) -> object:
    r"""Return a text with unprintable characters replaced; anything else, and HTML, as it is.

    Examples
    --------
    >>> printable("a\udc80b")
    'a�b'
    """
    if type(plain) is not str:
        return plain
    return "\n".join(short_names.printable(line) for line in plain.split("\n"))


def difference_shown(difference: float, low: float, high: float) -> tuple[str, str]:
    """Return a difference and its interval, both with signs; the interval is empty if it is unknown or one point.

    An end of the interval that is 0 in the digits shown has no sign: more digits would show which side it is on.

    Examples
    --------
    >>> difference_shown(0.35, -0.00001, 0.7)
    ('+0.350', '[0.000, +0.700]')
    >>> difference_shown(0.0001234, 0.00001, 0.0002)
    ('+0.0001', '[0.0000, +0.0002]')
    """
    digits = shown_decimals(difference)
    # adding 0 turns -0 into 0
    shown, *ends = (f"{round(number, digits) + 0.0:+.{digits}f}" for number in (difference, low, high))
    ends = [end if float(end) else end[1:] for end in ends]
    return shown, f"[{', '.join(ends)}]" if low != high and np.isfinite([low, high]).all() else ""


def differences_told(n_better: int, n_worse: int, n_similar: int, n_untested: int) -> str:
    """Return in words how many runs differ significantly from one; numbers that are 0 are left out.

    Examples
    --------
    >>> differences_told(0, 2, 1, 0)
    '2 are significantly worse and 1 does not differ significantly'
    >>> differences_told(1, 1, 2, 0)
    '1 is significantly better, 1 is significantly worse and 2 do not differ significantly'
    >>> differences_told(1, 0, 0, 2)
    '1 is significantly better and 2 are not tested (incomplete)'
    """
    outcomes = (
        (n_better, "is", "are", "significantly better"),
        (n_worse, "is", "are", "significantly worse"),
        (n_similar, "does", "do", "not differ significantly"),
        (n_untested, "is", "are", "not tested (incomplete)"),
    )
    told = [f"{n} {one if n == 1 else many} {outcome}" for n, one, many, outcome in outcomes if n]
    return " and ".join(filter(None, [", ".join(told[:-1]), told[-1]]))


def adjusted_told(n_tested: int, *, with_baseline: bool) -> str:
    """Return in words for how many comparisons the answer is adjusted, if n other runs are tested.

    Examples
    --------
    >>> adjusted_told(47, with_baseline=False), adjusted_told(47, with_baseline=True)
    ('adjusted for 1,128 pairs of 48 runs', 'adjusted for 47 comparisons with the baseline')
    """
    if with_baseline:
        return f"adjusted for {n_tested} comparisons with the baseline"
    return f"adjusted for {n_tested * (n_tested + 1) // 2:,} pairs of {n_tested + 1} runs"


def ranked_told(evaluated: Evaluated) -> str:
    """Return in words which runs are ranked."""
    facts = evaluated.coverage
    if facts.ranked.all():
        return "all runs"
    return "all runs with scores" if (facts.ranked & ~facts.complete).any() else "all complete runs"


def common_told(evaluated: Evaluated) -> str:
    """Return in words how many topics the ranked runs have in common."""
    numbers = evaluated.coverage.common.sum(axis=0)
    low, high = int(numbers[numbers > 0].min()), int(numbers.max())
    told = counted(low, "topic") if low == high else f"{low} to {high} topics, depending on the measure,"
    return f"the {told} that {ranked_told(evaluated)} have, not all {len(evaluated.topics)}"


def scheme_told(evaluated: Evaluated) -> str:
    """Return the scheme in words."""
    if evaluated.standardized is None:
        return _stored_schemes_told(evaluated.raw.measures)
    told = _line_told(evaluated) if evaluated.scheme == "U" else SCHEMES[evaluated.scheme].title
    return f"{evaluated.scheme}: {told}"


def _stored_schemes_told(measures: Sequence[str]) -> str:
    """Return in words the schemes by which scores were standardized before they were read."""
    letters = {name: split_scheme(name)[0] for name in measures}
    stored = [name for name in measures if letters[name]]
    told = f"stored as standardized by {' and '.join(dict.fromkeys(letters[name] for name in stored))}"
    if len(stored) == len(measures):
        return told
    return "none: scores are not standardized" + (f", except {listed(stored)}, {told}" if stored else "")


def _line_told(evaluated: Evaluated) -> str:
    """Return the line of scheme U, in words."""
    cut = "censored to [0, 1]" if evaluated.censored else "not censored"
    return f"{evaluated.slope:g} z + {evaluated.neutral:g}, {cut}"


def references_told(references: References, n_topics: int) -> str:
    """Return how many references there are on how many topics, in words."""
    n = references.n_systems
    numbers = "an unknown number of" if n is None else "–".join(map(str, sorted(set(n))))
    told = [f"{numbers} systems on {counted(references.n_topics, 'topic')}"]
    if references.n_topics < n_topics:
        told.append(f"{counted(n_topics - references.n_topics, 'topic')} without factors")
    if references.n_constant:
        told.append(f"on {counted(references.n_constant, 'topic')} all equal by some measure")
    return "; ".join(told)


def reading(evaluated: Evaluated) -> str:
    """Return sentences on how to read the scores, their intervals and groups."""
    on_intervals = "An interval says how much a mean depends on the choice of topics"
    if any(evaluated.tukey):
        on_intervals += ", and runs that share a significance group should not be ranked by their means"
    if evaluated.standardized is None:
        return f"{on_intervals}."
    scale = SCALES[evaluated.scheme].format(line=_line_told(evaluated), neutral=evaluated.neutral)
    return (
        "A standardized score says where a run stands among the reference systems on the same topic, so that "
        f"easy and hard topics weigh the same in a mean. {scale} "
        f"Means over different topics or collections are comparable to the extent that their references are. "
        f"{on_intervals}."
    )


def groups_told(evaluated: Evaluated) -> str:
    """Return the test behind the significance groups, in words."""
    settings = evaluated.settings
    whose = ranked_told(evaluated)
    counts = [evaluated.ranked_scores(j).shape[1] for j in range(len(evaluated.kinds))]
    of_all = f"of {counted(len(evaluated.topics), 'topic')}"
    where = f"on the {counts[0]} {of_all} that {whose} have"
    if set(counts) == {len(evaluated.topics)}:
        where = f"on {'all ' if counts[0] > 1 else ''}{counted(counts[0], 'topic')}"
    elif len(set(counts)) > 1:
        # Without factors for some topics, raw and standardized scores are compared on different topics.
        names = [kind.name for kind in evaluated.kinds]
        by_kind = " and ".join(f"{n} by {name}" for n, name in zip(counts, names, strict=True))
        where = f"on the topics that {whose} have: {by_kind}, {of_all}"
    # A run may beat the baseline by Holm's method although both are in one group, which looks like a contradiction.
    other_test = (
        " The comparison with the baseline is another test, of the pairs with the baseline only: a run may differ "
        "significantly from the baseline and yet share a group with it."
    )
    return (
        "Runs that share a significance group do not differ significantly: randomised Tukey HSD test of all pairs, "
        f"alpha {settings.alpha:g}, {settings.n_resamples} permutations, seed {settings.seed}, "
        f"{where} (Carterette 2012)." + ("" if evaluated.baseline is None else other_test)
    )


def comparison_told(evaluated: Evaluated) -> str:
    """Return how the systems were compared, in words that follow the name of the one system."""
    settings = evaluated.settings
    of_tukey = f"randomised Tukey HSD test, {settings.n_resamples} permutations, seed {settings.seed}"
    family = (
        f"p adjusted and the intervals are adjusted for all pairs of runs: {of_tukey}"
        if evaluated.baseline is None
        else "p adjusted is by Holm's method, and the intervals, which hold together, are by Bonferroni's"
    )
    excludes = "; the interval then excludes 0" if evaluated.baseline is None else ""
    return (
        "d is the mean difference over the standard deviation of the differences. p is of Student's paired t test, "
        f"two-sided; {family}. * marks an adjusted p of at most {settings.alpha:g}{excludes}."
    )

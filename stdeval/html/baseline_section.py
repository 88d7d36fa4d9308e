"""The section that compares the runs with a baseline, by the main measure."""

from __future__ import annotations

import numpy as np

from stdeval.html.elements import Head, Markup, join, number, paragraph, picture, table, text, with_interval
from stdeval.html.report_data import Evaluated
from stdeval.plots import score_figures
from stdeval.stats.noise import is_significant
from stdeval.stats.significance import Comparison, topic_differences
from stdeval.table import Floats, Ints


def baseline_section(evaluated: Evaluated, baseline: int) -> Markup:
    """Return the comparisons of the other runs with the baseline, by raw and by standardized scores."""
    alpha, name = evaluated.settings.alpha, evaluated.systems[baseline]
    if len(evaluated.systems) < 2:
        return paragraph("There is no other run.")
    tables = [
        _comparison_table(evaluated, evaluated.raw_name, evaluated.raw_scores, baseline),
        _comparison_table(evaluated, evaluated.standardized_name, evaluated.standardized_scores, baseline),
    ]
    told = (
        f"Differences are those of the run less {name}, on the topics that both have; d is the mean difference "
        "over the standard deviation of the differences. p is of Student's paired t test, two-sided, and adjusted "
        f"for the number of runs by Holm's method; * marks what is at most {alpha:g}."
    )
    return join([paragraph(told), *tables, _best_against_baseline(evaluated, baseline)])


def _comparison_table(evaluated: Evaluated, name: str, scores: Floats, baseline: int) -> Markup:
    """Return the comparisons by one kind of scores, the greatest difference first."""
    others, comparison, adjusted = evaluated.compare_with(baseline, scores)
    differ = bool((comparison.n_a < len(evaluated.topics)).any())
    heads = [Head("Run", False), *([Head("Topics")] if differ else []), Head("Difference"), Head("d")]
    heads += [*map(Head, ("Wins", "Ties", "Losses", "p", "p adjusted"))]
    order = np.argsort(-comparison.difference, kind="stable")
    rows = [_comparison_row(evaluated, others, comparison, adjusted, k, differ) for k in order]
    caption = f"{name}: differences with {100 * evaluated.settings.confidence:g}% t intervals."
    return table(caption, heads, rows)


def _comparison_row(
    evaluated: Evaluated, others: Ints, comparison: Comparison, adjusted: Floats, k: int, with_topics: bool
) -> list[Markup]:
    star = " *" if is_significant(adjusted[k], evaluated.settings.alpha) else ""
    counts = (comparison.wins, comparison.ties, comparison.losses)
    return [
        text(evaluated.systems[others[k]]),
        *([text(str(comparison.n_a[k]))] if with_topics else []),
        with_interval(comparison.difference[k], comparison.low[k], comparison.high[k], "+.4f"),
        number(comparison.effect_size[k], "+.2f"),
        *(text(str(n[k])) for n in counts if n is not None),
        number(comparison.pvalue[k], ".3g"),
        join([number(adjusted[k], ".3g"), text(star)]),
    ]


def _best_against_baseline(evaluated: Evaluated, baseline: int) -> Markup:
    """Return a figure of the differences, topic by topic, of the best other run and the baseline."""
    scores = evaluated.standardized_scores
    others, comparison, _ = evaluated.compare_with(baseline, scores)
    # some run has topics in common with the baseline, or the comparison would have been refused
    best = next(i for i in evaluated.order if i in others[comparison.n_a > 0])
    k = int(np.flatnonzero(others == best)[0])
    systems = (evaluated.systems[others[k]], evaluated.systems[baseline])
    figure = score_figures.compare(
        evaluated.raw.topics,
        topic_differences(scores[others[k]], scores[baseline]),
        (float(comparison.low[k]), float(comparison.high[k])),
        measure=evaluated.standardized_name,
        scheme=evaluated.scheme,
        systems=systems,
        confidence=evaluated.settings.confidence,
        size="page",
    )
    title = f"{systems[0]} less {systems[1]}: {evaluated.standardized_name}, topic by topic"
    told = "A bar for each topic, by falling difference, with the mean and its interval."
    return picture("differences", figure, title, told)

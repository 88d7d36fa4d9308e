"""The sections that look at the evaluation as a whole, each from an `Evaluated`."""

from __future__ import annotations

import numpy as np

from stdeval import __version__
from stdeval.html.elements import (
    MISSING,
    Head,
    Markup,
    count,
    element,
    facts,
    join,
    paragraph,
    picture,
    table,
    text,
    unordered,
    with_interval,
)
from stdeval.html.report_data import Evaluated, References
from stdeval.plots import score_figures
from stdeval.standardization import SCHEMES
from stdeval.stats.coverage import Coverage
from stdeval.table import Floats, Ints

FILES_LIMIT = 12
"""Run files up to which each one is listed."""

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


def evaluated_section(evaluated: Evaluated) -> Markup:
    """Return files, topics, judged documents, factors and their references, measures, and warnings."""
    sources, raw = evaluated.sources, evaluated.raw
    pairs = [("Judgments", text(sources.qrels))] if sources.qrels else []
    pairs += [("Runs", _files(sources.runs, evaluated.systems)), ("Topics", text(str(len(raw.topics))))]
    if sources.judged:
        judged, relevant = np.sum(list(sources.judged.values()), axis=0)
        pairs.append(("Judged documents", text(f"{judged}, of which {relevant} are relevant")))
    if sources.options:
        pairs.append(("Options", text(sources.options)))
    pairs += [
        ("Measures", text(", ".join(raw.measures))),
        ("Scheme", text(f"{evaluated.scheme}: {_scheme_told(evaluated)}")),
        ("Factors", text("; ".join(sources.factors) or "none: the runs are their own references")),
        ("References", text(_references_told(evaluated.references, len(raw.topics)))),
        ("Signature", text(sources.signature)),
        ("Warnings", unordered(map(text, sources.warnings)) if sources.warnings else text("none")),
    ]
    return facts(pairs)


def _files(paths: tuple[str, ...], systems: tuple[str, ...]) -> Markup:
    """Return the files of the runs, each with the name of its run unless that is part of the path."""
    if len(paths) > FILES_LIMIT:
        return text(f"{len(systems)}, from the {len(paths)} files of the command below")
    # a scores file holds several runs
    if len(paths) != len(systems):
        return text(f"{len(systems)}, from {', '.join(paths)}")
    return unordered(
        text(path if name in path else f"{name}: {path}") for name, path in zip(systems, paths, strict=True)
    )


def _scheme_told(evaluated: Evaluated) -> str:
    return _line_told(evaluated) if evaluated.scheme == "U" else SCHEMES[evaluated.scheme].title


def _line_told(evaluated: Evaluated) -> str:
    """Return the line of scheme U, in words."""
    cut = "censored to [0, 1]" if evaluated.censored else "not censored"
    return f"{evaluated.slope:g} z + {evaluated.neutral:g}, {cut}"


def _references_told(references: References, n_topics: int) -> str:
    """Return how many references there are on how many topics, in words."""
    n = references.n_systems
    numbers = "an unknown number of" if n is None else "–".join(map(str, sorted(set(n))))
    told = [f"{numbers} systems on {count(references.n_topics, 'topic')}"]
    if references.n_topics < n_topics:
        told.append(f"{count(n_topics - references.n_topics, 'topic')} without factors")
    if references.n_constant:
        told.append(f"on {count(references.n_constant, 'topic')} all equal by some measure")
    return "; ".join(told)


def reading(evaluated: Evaluated) -> str:
    """Return four sentences on how to read standardized scores."""
    scale = SCALES[evaluated.scheme].format(line=_line_told(evaluated), neutral=evaluated.neutral)
    return (
        "A standardized score says where a run stands among the reference systems on the same topic, so that "
        f"easy and hard topics weigh the same in a mean. {scale} "
        "Means over different topics or collections can be compared as far as their references can. "
        "An interval says how much a mean depends on the choice of topics, and runs that share a significance "
        "group should not be ranked by their means."
    )


def summary_section(evaluated: Evaluated) -> Markup:
    """Return means with intervals by every measure, and significance groups by the main measure."""
    columns = evaluated.mean_intervals()
    groups = {
        evaluated.raw_name: evaluated.groups(evaluated.raw_scores),
        evaluated.standardized_name: evaluated.groups(evaluated.standardized_scores),
    }
    grouped = {name: each for name, each in groups.items() if each is not None}
    counts = evaluated.topic_counts
    heads = [Head("Run", False), *([] if counts is None else [Head("Topics")]), *map(Head, columns)]
    heads += [Head(f"Group by {name}") for name in grouped]
    rows = [
        [
            text(evaluated.systems[i]),
            *([] if counts is None else [text(counts[i])]),
            *(with_interval(*(each[i] for each in column)) for column in columns.values()),
            *(text(_group_span(each, i)) for each in grouped.values()),
        ]
        for i in evaluated.order
    ]
    name, percent = evaluated.standardized_name, f"{100 * evaluated.settings.confidence:g}%"
    caption = f"Means over topics with {percent} t intervals, by falling {name}."
    facts = evaluated.coverage
    return join(
        [
            table(caption, heads, rows),
            *([] if (facts.complete & facts.ranked).all() else [paragraph(_set_aside_told(facts))]),
            *([paragraph(_common_told(facts))] if facts.is_reduced else []),
            paragraph(_groups_told(evaluated)) if grouped else Markup(""),
            _means_picture(evaluated, columns[name], f"Runs by mean {name}, with {percent} intervals"),
        ]
    )


def _means_picture(evaluated: Evaluated, means: tuple[Floats, Floats, Floats], title: str) -> Markup:
    """Return the picture of the means of standardized scores, and of the ends of their intervals."""
    facts = evaluated.coverage
    figure = score_figures.means(
        evaluated.raw.systems,
        *means,
        ranked=facts.ranked,
        topics="topics that all of them have" if facts.is_reduced else "",
        measure=evaluated.standardized_name,
        scheme=evaluated.scheme,
        confidence=evaluated.settings.confidence,
        size="page",
    )
    best = evaluated.systems[evaluated.order[0]]
    told = f"A dot and a line for each run, from the best, {best}, at the top; the numbers are in the table above."
    return picture("means", figure, title, told)


def _group_span(groups: tuple[Ints, Ints], i: int) -> str:
    """Return the groups of the i-th system, such as ``2`` or ``1–3``."""
    first, last = groups[0][i], groups[1][i]
    if not first:
        return MISSING
    return f"{first}" if first == last else f"{first}–{last}"


def _set_aside_told(facts: Coverage) -> str:
    """Return in words how incomplete runs are treated."""
    if not facts.ranked.any():
        return "No topic is common to all runs, so that none is ranked."
    number = f"{int((~facts.complete).sum())} of {count(len(facts.complete), 'run')}"
    told = f"Incomplete, because topics are missing that more than half of the runs have: {number}."
    if facts.ranked.all():
        return f"{told} Fewer than two runs are complete, so all runs are ranked."
    return f"{told} They stand below the others, with their number of topics, and have no rank and no group."


def _common_told(facts: Coverage) -> str:
    """Return in words over which topics the means are."""
    n = facts.common.sum(axis=0)
    runs = "runs" if facts.ranked.all() else "complete runs"
    told = count(int(n.min()), "topic") if n.min() == n.max() else f"{n.min()} to {n.max()} topics"
    return f"Means, intervals and groups are over the {told} that all {runs} have, not all {len(facts.common)}."


def _groups_told(evaluated: Evaluated) -> str:
    """Return the test behind the significance groups, in words."""
    settings, scores = evaluated.settings, evaluated.raw_scores[evaluated.coverage.ranked]
    whose = "all runs" if evaluated.coverage.ranked.all() else "all complete runs"
    n_common = int((~np.isnan(scores).any(axis=0)).sum())
    return (
        "Runs that share a significance group do not differ significantly: randomised Tukey HSD test of all pairs, "
        f"alpha {settings.alpha:g}, {settings.n_resamples} permutations, seed {settings.seed}, "
        f"on the {n_common} of {count(scores.shape[1], 'topic')} that {whose} have (Carterette 2012)."
    )


def scores_section(evaluated: Evaluated) -> Markup:
    """Return a heat map of all scores by the main measure, raw beside standardized."""
    figure = score_figures.heatmap(evaluated.main_tables, size="page")
    names = f"{evaluated.raw_name} and {evaluated.standardized_name}"
    told = (
        f"Two panels, {names}, with a row for each run, the best at the top, and a column for "
        "each topic, the easiest at the left; lighter is higher."
    )
    return picture("heatmap", figure, f"All scores: {names}, lighter is higher", told)


def reproduce_section(evaluated: Evaluated) -> Markup:
    """Return the exact command and version."""
    return join(
        [
            paragraph(f"With stdeval {__version__}, in the folder where these files are:"),
            element("pre", element("code", text(evaluated.sources.command))),
        ]
    )

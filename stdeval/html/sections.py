"""The sections of a report, each from an `Evaluated`."""

from __future__ import annotations

import numpy as np

from stdeval import __version__
from stdeval.html.closely import against_baseline, gains_and_losses, topics
from stdeval.html.elements import (
    Head,
    Markup,
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
from stdeval.html.evaluated import Evaluated
from stdeval.html.frame import page
from stdeval.standardization import SCHEMES
from stdeval.table import Ints

MANY = 12
"""Runs of which the files are no longer listed one by one."""

SCALES = {
    "Z": "Z is the distance from the references' mean in their standard deviations: 0 is what they achieve on "
    "average, and 1 is one standard deviation above.",
    "N": "N is the share of a normal distribution below it, by the references' mean and standard deviation: 0.5 is "
    "what they achieve on average, 0.84 is one standard deviation above, and 0.16 one below.",
    "U": "U is a straight line through the distance from the references' mean in their standard deviations, cut "
    "off at 0 and 1: the middle is what they achieve on average.",
    "E": "E is the share of the reference scores that are no greater: 0.9 is reached or exceeded by few of them, "
    "and 0.5 is their median.",
}


def report(evaluated: Evaluated, title: str | None = None, date: str | None = None) -> str:
    """A self-contained HTML page of an evaluation.

    Parameters
    ----------
    evaluated : Evaluated
    title : str, optional
        None: how many runs and topics there are.
    date : str, optional
        Stands below the title; without one the same input gives the same bytes.

    Returns
    -------
    str
    """
    runs, on = _count(len(evaluated.raw.systems), "run"), _count(len(evaluated.raw.topics), "topic")
    sections = [
        ("evaluated", "What was evaluated", evaluated_section(evaluated)),
        ("reading", "How to read standardized scores", paragraph(reading(evaluated.scheme))),
        ("summary", "Summary", summary(evaluated)),
        ("scores", "All scores", heat_map(evaluated)),
        ("topics", "Topics, hard first", topics(evaluated)),
        ("gains", "Where each run gains and loses", gains_and_losses(evaluated)),
    ]
    if evaluated.baseline is not None:
        name = evaluated.systems[evaluated.baseline]
        sections.append(("baseline", f"Comparison with {name}", against_baseline(evaluated, evaluated.baseline)))
    sections.append(("reproduce", "To reproduce this", reproduce(evaluated)))
    note = f"stdeval {__version__}" + (f", {date}" if date else "")
    return page(title or f"Evaluation of {runs} on {on}", sections, note)


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def evaluated_section(evaluated: Evaluated) -> Markup:
    """Files, topics, judged documents, factors and their references, measures, warnings."""
    sources, table_ = evaluated.sources, evaluated.raw
    pairs = [("Judgments", text(sources.qrels))] if sources.qrels else []
    pairs += [("Runs", _files(sources.runs, evaluated.systems)), ("Topics", text(str(len(table_.topics))))]
    if sources.judged:
        judged, relevant = np.sum(list(sources.judged.values()), axis=0)
        pairs.append(("Judged documents", text(f"{judged}, of which {relevant} are relevant")))
    if sources.options:
        pairs.append(("Options", text(sources.options)))
    pairs += [
        ("Measures", text(", ".join(table_.measures))),
        ("Scheme", text(f"{evaluated.scheme}: {SCHEMES[evaluated.scheme].title}")),
        ("Factors", text("; ".join(sources.factors) or "none: the runs are their own references")),
        ("References", text(_references(evaluated))),
        ("Warnings", unordered(map(text, sources.warnings)) if sources.warnings else text("none")),
    ]
    return facts(pairs)


def _files(paths: tuple[str, ...], systems: tuple[str, ...]) -> Markup:
    if len(paths) > MANY:
        return text(f"{len(systems)}, from the {len(paths)} files of the command below")
    if len(paths) != len(systems):
        return text(f"{len(systems)}, from {', '.join(paths)}")
    return unordered(
        text(path if name in path else f"{name}: {path}") for name, path in zip(systems, paths, strict=True)
    )


def _references(evaluated: Evaluated) -> str:
    factors = evaluated.factors
    here = [i for i, topic in enumerate(factors.topics) if topic in set(evaluated.raw.topics)]
    n, sd = factors.n[here], factors.sd[here]
    known = n[n > 0]
    numbers = "an unknown number of" if not len(known) else "–".join(map(str, sorted({known.min(), known.max()})))
    without = len(evaluated.raw.topics) - len(here)
    lines = [f"{numbers} systems on {_count(len(here), 'topic')}"]
    lines += [f"{_count(without, 'topic')} without factors"] if without else []
    same = int((sd == 0).any(axis=1).sum())
    lines += [f"on {_count(same, 'topic')} all equal by some measure"] if same else []
    return "; ".join(lines)


def reading(scheme: str) -> str:
    """Four sentences on how to read standardized scores.

    Parameters
    ----------
    scheme : {"Z", "N", "U", "E"}
    """
    return (
        "A standardized score says where a run stands among the reference systems on the same topic, so that "
        f"easy and hard topics weigh the same in a mean. {SCALES[scheme]} "
        "Means over different topics or collections can be compared as far as their references can. "
        "An interval says how much a mean depends on the choice of topics, and runs that share a significance "
        "group should not be ranked by their means."
    )


def summary(evaluated: Evaluated) -> Markup:
    """Means with intervals by every measure, raw and standardized, and significance groups by the first."""
    from stdeval import plots

    columns = evaluated.columns()
    groups = {name: evaluated.groups(scores) for name, scores in evaluated.main.items()}
    grouped = {name: each for name, each in groups.items() if each is not None}
    heads = [Head("Run", False), *map(Head, columns), *(Head(f"Group by {name}") for name in grouped)]
    rows = [
        [
            text(evaluated.systems[i]),
            *(with_interval(*(each[i] for each in column)) for column in columns.values()),
            *(text(_span(each, i)) for each in grouped.values()),
        ]
        for i in evaluated.order
    ]
    percent = f"{100 * evaluated.settings.confidence:g}%"
    caption = f"Means over topics with {percent} t intervals, by falling {evaluated.standardized.measures[0]}."
    name = evaluated.standardized.measures[0]
    figure = plots.means(
        evaluated.raw.systems,
        *columns[name],
        measure=evaluated.measure,
        scheme=evaluated.scheme,
        confidence=evaluated.settings.confidence,
        size="page",
    )
    best = evaluated.systems[evaluated.order[0]]
    told = f"A dot and a line for each run, from the best, {best}, at the top; the numbers are in the table above."
    return join(
        [
            table(caption, heads, rows),
            paragraph(_groups_told(evaluated)) if grouped else Markup(""),
            picture("means", figure, f"Runs by mean {name}, with {percent} intervals", told),
        ]
    )


def _span(groups: tuple[Ints, Ints], i: int) -> str:
    first, last = groups[0][i], groups[1][i]
    return f"{first}" if first == last else f"{first}–{last}"


def _groups_told(evaluated: Evaluated) -> str:
    settings, scores = evaluated.settings, evaluated.raw.values[:, :, 0]
    n = int((~np.isnan(scores).any(axis=0)).sum())
    return (
        "Runs that share a significance group do not differ significantly: randomised Tukey HSD test of all pairs, "
        f"alpha {settings.alpha:g}, {settings.n_resamples} permutations, seed {settings.seed}, on the {n} of "
        f"{_count(scores.shape[1], 'topic')} that all runs have (Carterette 2012)."
    )


def heat_map(evaluated: Evaluated) -> Markup:
    """All scores by the first measure, raw beside standardized."""
    from stdeval import plots

    figure = plots.heatmap(
        evaluated.raw,
        evaluated.measure,
        ["raw", evaluated.scheme],
        evaluated.factors,
        uniform=evaluated.uniform,
        size="page",
    )
    raw, standardized = evaluated.main
    told = (
        f"Two panels, {raw} and {standardized}, with a row for each run, the best at the top, and a column for "
        "each topic, the easiest at the left; lighter is higher."
    )
    return picture("heatmap", figure, f"All scores: {raw} and {standardized}, lighter is higher", told)


def reproduce(evaluated: Evaluated) -> Markup:
    """The exact command and version."""
    return join(
        [
            paragraph(f"With stdeval {__version__}, in the folder where these files are:"),
            element("pre", element("code", text(evaluated.sources.command))),
        ]
    )

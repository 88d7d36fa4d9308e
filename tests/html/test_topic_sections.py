"""The sections on single topics: their numbers against plain loops, in the order promised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stdeval.html import report
from stdeval.html.overview_sections import evaluated_section
from stdeval.html.topic_sections import gains_section, topics_section
from stdeval.standardization import fit_factors, standardize

pytest.importorskip("matplotlib")

NAMES = ("alpha", "beta", "gamma", "delta")


def test_hard_topics_come_first(evaluation, cells):
    evaluated = evaluation(NAMES, judged={str(i): (i + 5, i) for i in range(1, 13)})
    head, *rows = cells(topics_section(evaluated))[0]
    assert head[:5] == ["Topic", "Judged", "Relevant", "Mean map of references", "sd of references"]
    order = np.argsort(evaluated.raw.values[:, :, 0].mean(axis=0))
    assert [row[0] for row in rows] == [evaluated.raw.topics[t] for t in order]
    for row, t in zip(rows, order, strict=True):
        scores = evaluated.raw.values[:, t, 0]
        assert row[1:5] == [str(int(row[0]) + 5), row[0], f"{scores.mean():.4f}", f"{scores.std(ddof=1):.4f}"]
        assert row[5] == f"{NAMES[scores.argmax()]} ({scores.max():.4f})"
        assert sorted(row[6:]) == sorted(f"{score:.4f}" for score in evaluated.standardized.values[:, t, 0])


def test_gains_and_losses_are_the_furthest_topics(evaluation, cells):
    evaluated = evaluation(NAMES)
    for name, above, gains, below, losses in cells(gains_section(evaluated))[0][1:]:
        scores = dict(
            zip(evaluated.raw.topics, evaluated.standardized.values[NAMES.index(name), :, 0], strict=True)
        )
        best = sorted((topic for topic in scores if scores[topic] > 0.5), key=lambda t: -scores[t])
        worst = sorted((topic for topic in scores if scores[topic] < 0.5), key=scores.__getitem__)
        assert (int(above), int(below)) == (len(best), len(worst))
        assert gains == (", ".join(f"{topic} ({scores[topic]:.2f})" for topic in best[:3]) or "–")
        assert losses == (", ".join(f"{topic} ({scores[topic]:.2f})" for topic in worst[:3]) or "–")


def test_gains_are_counted_from_the_neutral_score(evaluation, cells):
    scores = evaluation(NAMES).standardized_scores
    for neutral in (0.9, float(scores[0, 0])):  # the score of a topic that is neither above nor below
        rows = cells(gains_section(replace(evaluation(NAMES), neutral=neutral)))[0][1:]
        above = {name: int((own > neutral).sum()) for name, own in zip(NAMES, scores, strict=True)}
        below = {name: int((own < neutral).sum()) for name, own in zip(NAMES, scores, strict=True)}
        assert {row[0]: int(row[1]) for row in rows} == above
        assert {row[0]: int(row[3]) for row in rows} == below


def test_topics_without_factors_are_counted_and_last(evaluation, cells):
    whole = evaluation(NAMES)
    factors = fit_factors(whole.raw.select(topics=whole.raw.topics[2:]))
    known = np.arange(len(whole.raw.topics)) >= 2
    mean, sd = (np.where(known, array, np.nan) for array in (whole.references.mean, whole.references.sd))
    evaluated = replace(
        whole,
        references=replace(whole.references, mean=mean, sd=sd, n_topics=10),
        standardized=standardize(whole.raw, factors),
        sources=replace(whole.sources, factors=("f.csv",)),
    )
    assert "4 systems on 10 topics; 2 topics without factors" in evaluated_section(evaluated)
    head, *rows = cells(topics_section(evaluated))[0]
    assert head[1:5] == ["Mean map of references", "sd of references", "Mean map of runs", "sd of runs"]
    assert {row[0] for row in rows[-2:]} == set(whole.raw.topics[:2])
    assert all(row[1] == "–" and row[3] != "–" for row in rows[-2:])
    assert report(evaluated)

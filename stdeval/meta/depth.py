"""Scores of runs at a pool depth and an evaluation depth (Webber, Moffat, Zobel, EVIA 2010, Section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stdeval.errors import InputError
from stdeval.evaluation import Evaluator, Options
from stdeval.measures.names import resolve
from stdeval.measures.pooling import pool_runs, pooled_qrels
from stdeval.meta.trials import check_number
from stdeval.table import ScoreTable, scores_of
from stdeval.trec.reading import Qrels, Run

RAW, EXPANDED, ABBREVIATED = "raw", "expanded", "abbreviated"


class DepthMeasure(NamedTuple):
    """A measure that is cut at the evaluation depth, in up to three forms: raw, expanded, abbreviated.

    In the names of the forms, ``{k}`` is the depth. ``level`` is the relevance level, or None for the evaluation's.
    """

    name: str
    forms: dict[str, str]
    level: int | None = None

    def named(self, form: str, depth: int) -> str:
        """Return the canonical name of a form at a depth."""
        (measure,) = resolve([self.forms[form].format(k=depth)])
        return measure.name if self.level is None else measure._replace(level=self.level).name


DEPTH_MEASURES = {
    row.name: row
    for row in (
        DepthMeasure("P", {RAW: "P_{k}", EXPANDED: "recall_{k}", ABBREVIATED: "relative_P_{k}"}),
        DepthMeasure("map", {RAW: "sp_cut_{k}", EXPANDED: "map_cut_{k}", ABBREVIATED: "amap_cut_{k}"}),
        DepthMeasure("jkdcg", {RAW: "jkdcg_cut_{k}", EXPANDED: "enjkdcg_cut_{k}", ABBREVIATED: "njkdcg_cut_{k}"}),
        DepthMeasure("dcg", {RAW: "dcg_cut_{k}", ABBREVIATED: "ndcg_cut_{k}"}),
        DepthMeasure("rbp", {RAW: "RBP(resid=0.1)@{k}", ABBREVIATED: "nRBP(resid=0.1)@{k}"}),
    )
}
"""The measures of the paper; the p of rank-biased precision leaves a residual of 0.1 at each depth."""

_OF_FAMILY = {"sp": "map", "amap_cut": "map", "recall": "P", "njkdcg": "jkdcg", "ndcg": "dcg", "nrbp": "rbp"}
"""Families of measures that are forms of a measure of another name."""


def depth_measure(text: str) -> DepthMeasure:
    """Return the measure of a name, with its forms: P, map, jkdcg, dcg, rbp, or any other without a cutoff.

    All others, and ndcg with gains, have the raw form only. A relevance level and the p of rank-biased precision
    hold for all forms of the measure. If no p is given, it depends on the depth.

    Examples
    --------
    >>> depth_measure("AP").name, depth_measure("bpref").forms
    ('map', {'raw': 'bpref'})
    >>> depth_measure("RBP(p=0.95, rel=2)").named("abbreviated", 10)
    'nrbp_p=0.95_cut_10_rel=2'
    """
    if text in DEPTH_MEASURES:
        return DEPTH_MEASURES[text]
    first, *others = resolve([text])
    known = DEPTH_MEASURES.get(_OF_FAMILY.get(first.family.name, first.family.name))
    # The bare name of a family with cutoffs, such as "recall", stands for all of them.
    if (others and known is None) or (not others and first.cutoff is not None):
        expected = f"expected a measure without one, such as {', '.join(DEPTH_MEASURES)}"
        raise InputError(f"measure '{text}': the evaluation depth is the cutoff; {expected}")
    # the forms of dcg take no gains
    if known is None or first.has_named_gains:
        return DepthMeasure(first.name, {RAW: first.name})
    # A measure without p is resolved with the p that other commands take, 0.8.
    if first.persistence is not None and "p=" in text:
        p = first.parameter
        known = DepthMeasure(f"rbp_{p}", {RAW: f"rbp_{p}_cut_{{k}}", ABBREVIATED: f"nrbp_{p}_cut_{{k}}"})
    if first.level is None:
        return known
    return DepthMeasure(f"{known.name}_rel={first.level}", known.forms, first.level)


def pooled_scores(
    qrels: Qrels,
    runs: Sequence[Run],
    measures: Sequence[DepthMeasure],
    eval_depths: Sequence[int],
    options: Options,
    pool_depth: int,
    contributors: Sequence[Run] | None = None,
) -> list[ScoreTable]:
    """Return a table of scores per evaluation depth if only documents up to the pool depth had been judged.

    Systems are named by their positions. A topic scores 0 if it has no judgment left or the run misses it. The
    options' ``depth`` and ``complete`` are ignored. The runs are pooled, or, if given, the contributors.
    """
    check_number("pool_depth", 0, np.inf, pool_depth)
    pooled = runs if contributors is None else contributors
    judged = pooled_qrels(qrels, pool_runs([run.documents.items() for run in pooled], pool_depth, qrels))
    systems, topics = tuple(map(str, range(len(runs)))), tuple(qrels)
    row_of = {topic: i for i, topic in enumerate(topics)}

    def scores(names: set[str], depth: int) -> ScoreTable:
        wanted = resolve(names)
        evaluator = Evaluator(judged, wanted, options._replace(depth=depth, complete=True))
        rows = [row_of[topic] for topic in evaluator.topics]
        values = np.zeros((len(systems), len(topics), len(wanted)))
        for i, run in enumerate(runs):
            # The evaluator refuses a run without any judged topic, which scores 0 throughout here.
            if not run.documents.keys().isdisjoint(judged):
                values[i, rows] = scores_of(evaluator.score_run(run))
        return ScoreTable(systems, topics, tuple(measure.name for measure in wanted), values)

    forms = [(measure, form) for measure in measures for form in measure.forms]
    names = [{measure.named(form, depth) for measure, form in forms} for depth in eval_depths]
    # If the names of the measures cut the runs already, all depths are scored in one pass.
    if options.judged_only or not all("{k}" in measure.forms[form] for measure, form in forms):
        return list(map(scores, names, eval_depths))
    table = scores(set().union(*names), max(eval_depths))
    return [table.select(measures=[measure.name for measure in resolve(each)]) for each in names]

"""Scores of runs at a pool depth and an evaluation depth, by measures in their forms.

References
----------
W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability.
EVIA 2010. (Sections 3.1 and 4.2)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stdeval.errors import InputError
from stdeval.evaluation import Evaluator, Options
from stdeval.measures.names import resolve
from stdeval.measures.pooling import pool_runs, pooled_qrels
from stdeval.table import ScoreTable
from stdeval.trec import Qrels, Run

RAW, EXPANDED, ABBREVIATED = "raw", "expanded", "abbreviated"


@dataclass(frozen=True)
class DepthMeasure:
    """A measure that is cut at the evaluation depth, in up to three forms.

    Parameters
    ----------
    name : str
    forms : dict of str to str
        By form the name, in which ``{k}`` is the depth. ``raw`` is not normalized; ``expanded`` is
        normalized by the ideal ranking of all relevant documents, ``abbreviated`` by that cut at the depth.
    """

    name: str
    forms: dict[str, str]

    def named(self, form: str, depth: int) -> str:
        """The canonical name of a form at a depth.

        Examples
        --------
        >>> DEPTH_MEASURES["map"].named("expanded", 20)
        'map_cut_20'
        """
        return resolve([self.forms[form].format(k=depth)])[0].name


def _row(name: str, raw: str, expanded: str | None, abbreviated: str | None) -> DepthMeasure:
    forms = {RAW: raw, EXPANDED: expanded, ABBREVIATED: abbreviated}
    return DepthMeasure(name, {form: template for form, template in forms.items() if template is not None})


DEPTH_MEASURES = {
    row.name: row
    for row in (
        _row("P", "P_{k}", "recall_{k}", "relative_P_{k}"),
        _row("map", "sp_cut_{k}", "map_cut_{k}", "amap_cut_{k}"),
        _row("jkdcg", "jkdcg_cut_{k}", "enjkdcg_cut_{k}", "njkdcg_cut_{k}"),
        _row("dcg", "dcg_cut_{k}", None, "ndcg_cut_{k}"),
        _row("rbp", "RBP(resid=0.1)@{k}", None, "nRBP(resid=0.1)@{k}"),
    )
}
"""The measures of the paper; the p of rank-biased precision leaves a residual of 0.1 at each depth."""

_ALSO = {"sp": "map", "amap_cut": "map", "recall": "P", "njkdcg": "jkdcg", "ndcg": "dcg", "nrbp": "rbp"}


def depth_measure(text: str) -> DepthMeasure:
    """The measure that a name means: one of the table, or any other that has no cutoff, which then is cut.

    Raises
    ------
    InputError
        If there is no such measure, or it has a cutoff of its own.

    Examples
    --------
    >>> depth_measure("AP").name, depth_measure("bpref").forms
    ('map', {'raw': 'bpref'})
    """
    if text in DEPTH_MEASURES:
        return DEPTH_MEASURES[text]
    found = resolve([text])
    family = found[0].family.name
    known = DEPTH_MEASURES.get(_ALSO.get(family, family))
    if known is not None and (len(found) > 1 or found[0].cutoff is None):
        return known
    if len(found) > 1 or found[0].cutoff is not None:
        expected = ", ".join(DEPTH_MEASURES)
        raise InputError(f"measure '{text}': the evaluation depth cuts, expected one without cutoff, as {expected}")
    return DepthMeasure(found[0].name, {RAW: found[0].name})


def pooled_scores(
    qrels: Qrels,
    runs: Sequence[Run],
    measures: Sequence[DepthMeasure],
    eval_depths: Sequence[int],
    options: Options,
    pool_depth: int,
) -> list[ScoreTable]:
    """Scores of runs when only what they had pooled to a depth was judged, a table per evaluation depth.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    runs : sequence of Run
        Those pooled and scored.
    measures : sequence of DepthMeasure
    eval_depths : sequence of int
    options : Options
        Its depth, and whether it is complete, are not used.
    pool_depth : int

    Returns
    -------
    list of ScoreTable
        Systems are named by their places, measures canonically. A topic without a judgment left scores 0,
        as does one that a run lacks.
    """
    pool = pool_runs([run.documents.items() for run in runs], pool_depth, qrels)
    judged = pooled_qrels(qrels, pool)
    return [_scores(qrels, judged, runs, measures, depth, options) for depth in eval_depths]


def _scores(
    qrels: Qrels, judged: Qrels, runs: Sequence[Run], measures: Sequence[DepthMeasure], depth: int, options: Options
) -> ScoreTable:
    names = {measure.named(form, depth) for measure in measures for form in measure.forms}
    wanted = resolve(names)
    evaluator = Evaluator(judged, wanted, options._replace(depth=depth, complete=True))
    topics = tuple(qrels)
    rows = [topics.index(topic) for topic in evaluator.topics]
    values = np.zeros((len(runs), len(topics), len(wanted)))
    for i, run in enumerate(runs):
        if not run.documents.keys().isdisjoint(judged):
            values[i, rows] = evaluator.score_run(run).values
    return ScoreTable(tuple(map(str, range(len(runs)))), topics, tuple(m.name for m in wanted), values)

"""Scores of runs at a pool depth and an evaluation depth, by measures in their forms.

References
----------
W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability.
EVIA 2010. (Sections 3.1 and 4.2, Figures 2 to 4)
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
from stdeval.trec.reading import Qrels, Run

RAW, EXPANDED, ABBREVIATED = "raw", "expanded", "abbreviated"


@dataclass(frozen=True)
class DepthMeasure:
    """A measure that is cut at the evaluation depth, in up to three forms."""

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

_MEASURE_OF_FAMILY = {
    "sp": "map",
    "amap_cut": "map",
    "recall": "P",
    "njkdcg": "jkdcg",
    "ndcg": "dcg",
    "nrbp": "rbp",
}
"""Families of measures that are forms of a measure of another name."""

_RANK_BIASED = {RAW: "rbp", ABBREVIATED: "nrbp"}
"""The families of the forms of rank-biased precision whose p is given."""


def depth_measure(text: str) -> DepthMeasure:
    """Return the measure of a name, with its forms: P, map, jkdcg, dcg, rbp, or any other without a cutoff.

    All others, and ndcg with gains, have the raw form only. A relevance level and the p of rank-biased precision
    hold for all forms of the measure. If no p is given, it depends on the depth.

    Parameters
    ----------
    text : str

    Returns
    -------
    DepthMeasure
        ``name``; ``forms``, the name of the measure by form (raw, expanded, abbreviated), where ``{k}`` stands for
        the depth; and ``level``, the relevance level, or None for that of the evaluation.

    Examples
    --------
    >>> depth_measure("AP").name, depth_measure("bpref").forms
    ('map', {'raw': 'bpref'})
    >>> depth_measure("RBP(p=0.95, rel=2)").named("abbreviated", 10)
    'nrbp_p=0.95_cut_10_rel=2'
    >>> depth_measure("RBP(rel=2)").name, depth_measure("RBP(p=0.8)").name
    ('rbp_rel=2', 'rbp_p=0.8')
    >>> depth_measure("ndcg").name, depth_measure("ndcg_1=3,2=9").forms
    ('dcg', {'raw': 'ndcg_1=3,2=9'})
    """
    if text in DEPTH_MEASURES:
        return DEPTH_MEASURES[text]
    first, *others = resolve([text])
    known = DEPTH_MEASURES.get(_MEASURE_OF_FAMILY.get(first.family.name, first.family.name))
    # The bare name of a family with cutoffs, such as "recall", stands for all of them.
    if (others and known is None) or (not others and first.cutoff is not None):
        expected = ", ".join(DEPTH_MEASURES)
        what = f"measure '{text}': the evaluation depth is the cutoff"
        raise InputError(f"{what}; expected a measure without one, such as {expected}")
    # the forms of dcg take no gains
    if known is None or first.has_named_gains:
        return DepthMeasure(first.name, {RAW: first.name})
    # A measure without p is resolved with the p that other commands take, 0.8.
    if first.persistence is not None and "p=" in text:
        forms = {form: f"{family}_{first.parameter}_cut_{{k}}" for form, family in _RANK_BIASED.items()}
        known = DepthMeasure(f"{known.name}_{first.parameter}", forms)
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
    """Return the scores of runs if only their documents up to the pool depth had been judged.

    Parameters
    ----------
    qrels : dict
        Topic to docno to judgment.
    runs : sequence of Run
        The runs that are scored.
    measures : sequence of DepthMeasure
    eval_depths : sequence of int
        In ranks, at least 1.
    options : Options
        Its ``depth`` and ``complete`` are ignored.
    pool_depth : int
        In ranks, at least 1.
    contributors : sequence of Run, optional
        The runs that are pooled; None for those that are scored.

    Returns
    -------
    list of ScoreTable
        One table per evaluation depth. Systems are named by their positions, measures canonically. A topic scores
        0 if it has no judgment left or the run misses it.

    Examples
    --------
    >>> qrels, run = {"1": {"a": 1, "b": 1}}, Run("t", {"1": {"a": 2.0, "b": 1.0}})
    >>> (table,) = pooled_scores(qrels, [run], [depth_measure("AP")], [10], Options(), pool_depth=1)
    >>> table.measures
    ('map_cut_10', 'sp_cut_10', 'amap_cut_10')
    """
    for depth in (pool_depth, *eval_depths):
        if depth < 1:
            raise InputError(f"depth {depth}, expected 1 or more")
    pooled = runs if contributors is None else contributors
    pool = pool_runs([run.documents.items() for run in pooled], pool_depth, qrels)
    judged = pooled_qrels(qrels, pool)
    names = {
        depth: {measure.named(form, depth) for measure in measures for form in measure.forms}
        for depth in eval_depths
    }
    # If the names of the measures cut the runs already, all depths are scored in one pass.
    if options.judged_only or not all("{k}" in form for measure in measures for form in measure.forms.values()):
        return [_scores(qrels, judged, runs, names[depth], depth, options) for depth in eval_depths]
    table = _scores(qrels, judged, runs, set().union(*names.values()), max(eval_depths), options)
    return [table.select(measures=[measure.name for measure in resolve(names[depth])]) for depth in eval_depths]


def _scores(
    qrels: Qrels, judged: Qrels, runs: Sequence[Run], names: set[str], depth: int, options: Options
) -> ScoreTable:
    wanted = resolve(names)
    evaluator = Evaluator(judged, wanted, options._replace(depth=depth, complete=True))
    topics = tuple(qrels)
    row_of = {topic: i for i, topic in enumerate(topics)}
    rows = [row_of[topic] for topic in evaluator.topics]
    values = np.zeros((len(runs), len(topics), len(wanted)))
    for i, run in enumerate(runs):
        # The evaluator refuses a run without any judged topic, which scores 0 throughout here.
        if not run.documents.keys().isdisjoint(judged):
            values[i, rows] = evaluator.score_run(run).values
    systems = tuple(map(str, range(len(runs))))
    return ScoreTable(systems, topics, tuple(measure.name for measure in wanted), values)

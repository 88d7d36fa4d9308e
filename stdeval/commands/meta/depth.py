"""`stdeval meta depth`: the effect of pooling depth and evaluation depth on measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress, product

import click
import numpy as np

from stdeval import notices
from stdeval.cli import experiments, options, scoring, standardizing
from stdeval.cli.declarations import Choice, WholeRange
from stdeval.cli.experiments import COUNTED_BY_C, Experiment
from stdeval.cli.options import file_option, gathered, option
from stdeval.errors import InputError, counted, excerpt, warn
from stdeval.evaluation import Options
from stdeval.files import BLANKS, Input, exists, is_same_file, numbered_lines
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures import papers, pooling
from stdeval.measures.names import resolve, scheme_label
from stdeval.meta.depth import DEPTH_MEASURES, RAW, DepthMeasure, depth_measure, pooled_scores
from stdeval.meta.ttests import discriminative_power
from stdeval.standardization import factors as references
from stdeval.standardization.factors import Factors
from stdeval.table import Floats, ScoreTable
from stdeval.trec.reading import JudgmentError, Run, located, read_qrels, sorted_topics

Tables = dict[tuple[int, int], ScoreTable]
"""Pool depth and evaluation depth to the raw scores of the same systems and topics."""

STANDARDIZED = "standardized"
FORMS = ("raw", "expanded", "abbreviated", STANDARDIZED)

# The experiment decides how deep it evaluates the runs.
considered = gathered(
    "evaluation", Options, options.complete_option, options.level_option, options.judged_only_option
)
runs_argument = options.qrels_and_runs("QRELS [NAME=]RUN...")
runs_only = gathered(
    "inputs", options.InputOptions, runs_argument, options.measure_option, considered, options.jobs_option
)

_FORM = "Not normalized, normalized by the whole ideal ranking, or by the ideal to the depth; repeatable."
_depths_option = partial(option, of=WholeRange(min=1), default=(5, 10, 20, 50, 100))


@experiments.experiment_command(
    "depth", "-m AP --pool-depth 10 --eval-depth 10 qrels.gz references/*.run.gz", inputs=runs_only, schemes=("n",)
)
@_depths_option("--pool-depth DEPTH... pool_depths", "Documents per topic that each run pools; repeatable.")
@_depths_option("--eval-depth DEPTH... eval_depths", "Documents per topic that are evaluated; repeatable.")
@option("--form forms", _FORM, Choice(FORMS), multiple=True, default=FORMS)
@file_option(
    "--pool-runs FILE pool_list",
    "Pool only the runs in FILE, a tag or a file per line; other runs are not evaluated.  [default: all RUNs]",
)
@experiments.alphas_option(default=(0.05,), show_default="0.05")
def command(
    experiment: Experiment,
    pool_depths: tuple[int, ...],
    eval_depths: tuple[int, ...],
    forms: tuple[str, ...],
    pool_list: str | None,
    alphas: tuple[float, ...],
) -> None:
    """Discriminative power and mean score by pool depth, evaluation depth, measure and form."""
    if len(experiment.inputs.files) < 2:
        raise click.UsageError("expected QRELS and at least one RUN")
    if STANDARDIZED in forms and "raw" in experiment.schemes:
        raise click.UsageError(f"--form {STANDARDIZED} has no scheme raw, expected --form raw for raw scores")
    named = {measure.name: measure for measure in map(depth_measure, experiment.inputs.measures)}
    for measure in named.values():
        if not {*measure.forms, STANDARDIZED} & set(forms):
            expected = ", ".join((*measure.forms, STANDARDIZED))
            raise InputError(f"{measure.name} has no --form {' or '.join(forms)}, expected one of: {expected}")
    measures = list((named or DEPTH_MEASURES).values())
    depths = sorted(set(pool_depths)), sorted(set(eval_depths))
    try:
        n_pooled, tables = _read(experiment, measures, depths, pool_list)
    except JudgmentError as error:
        raise located(error, experiment.inputs.files[0]) from None
    table = tables[max(tables)]
    factors = standardizing.factors_of(experiment.standardization)
    if factors is not None:
        shallowest = tables[min(tables)]
        used = scoring.origin_of(experiment.inputs, shallowest)
        found = references.differences_of(factors, shallowest, used)
        warn(notices.other_origin(found, experiment.standardization.factor_files[0]))
    rows: list[list[Cell]] = []
    n_topics = n_kept = len(table.topics)
    levels = sorted(set(alphas))
    for labels, scores in _cells(experiment, product(measures, dict.fromkeys(forms)), tables, factors):
        n_kept = min(n_kept, scores.shape[1])
        powers = zip(levels, discriminative_power(scores, levels).shares.tolist(), strict=True)
        rows += [[*labels, alpha, power, float(scores.mean())] for alpha, power in powers]
    equal = "at some depth, their reference scores are equal"
    warn(notices.left_out_topics(n_topics - n_kept, n_topics, equal))
    if STANDARDIZED in forms:
        n_references = len(table.systems) if factors is None else int(factors.n[factors.n > 0].min())
        warn(notices.few_references(n_references, experiment.schemes))
    names = ("measure", "form", "scheme", "pool_depth", "depth")
    listing = Listing([*map(Field, names), Field("alpha", "g"), Field("power"), Field("mean")], rows)
    of_some = "" if pool_list is None else f", pool of {counted(n_pooled, 'run')}"
    constants: dict[str, Cell] = {"pooled": n_pooled} if of_some else {}
    experiment.write(f"pool depth and evaluation depth, paired t test{of_some}", table, listing, constants)


def _read(
    experiment: Experiment, measures: Sequence[DepthMeasure], depths: Sequence[list[int]], pool_list: str | None
) -> tuple[int, Tables]:
    """Return the number of pooled runs, and the scores at every two depths, on the topics that all runs have."""
    given, (qrels_file, *paths), (pool_depths, eval_depths) = experiment.inputs, experiment.inputs.files, depths
    scoring.refuse_repeated(paths)
    judged = read_qrels(Input(qrels_file))

    def read(of: Sequence[str], depth: int) -> list[Run]:
        how = {"depth": depth, "precision": given.evaluation.precision}
        return list(scoring.read_pooled_runs(of, judged, given.jobs, **how)) if of else []

    runs = read(paths, max(*pool_depths, *eval_depths))
    names = tuple(scoring.run_names([run.tag for run in runs], paths, given.names))
    topics = sorted_topics(judged)
    has = np.array([[given.evaluation.complete or topic in run.documents for topic in topics] for run in runs])
    compared, common = scoring.compared_runs(has, names, "left out", narrows=False)
    kept = list(compress(topics, common))
    warn(notices.left_out_topics(len(topics) - len(kept), len(topics), COUNTED_BY_C))
    qrels = {topic: judged[topic] for topic in kept}
    papers.check_grades(qrels, resolve(measure.named(RAW, eval_depths[0]) for measure in measures))
    evaluated = pooled = list(compress(runs, compared))
    if pool_list is not None:
        places, others = _listed_runs(pool_list, paths, names)
        pooled = [*(runs[place] for place in places), *read(others, pool_depths[-1])]
    deepest, shallowest = pool_depths[-1], pool_depths[0]
    shallow = [run.tag for run in pooled if scoring.is_shallow(run, deepest, qrels)]
    # A deeper pool has all judgments of a shallower one.
    pool = pooling.pool_runs([run.documents.items() for run in pooled], shallowest, qrels)
    judged_there = pooling.pooled_qrels(qrels, pool)
    unjudged = [topic for topic in kept if topic not in judged_there]
    treated = f"all runs score 0 there at pool depth {shallowest}"
    warn(notices.unpooled_topics(unjudged, len(kept), treated), notices.shallow_runs(shallow, len(pooled), deepest))
    at_pool = partial(pooled_scores, qrels, evaluated, measures, eval_depths, given.evaluation, contributors=pooled)
    with experiment.mapper(len(pool_depths), "pool depths") as mapper:
        scored = [table for row in mapper(at_pool, pool_depths) for table in row]
    named = [replace(table, systems=tuple(compress(names, compared))) for table in scored]
    return len(pooled), dict(zip(product(pool_depths, eval_depths), named, strict=True))


def _listed_runs(path: str, paths: Sequence[str], names: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the runs of a list: the indices of evaluated runs, by name or file, and the files of other runs."""
    source = Input(path)
    places, others = dict[int, None](), dict[str, None]()
    for line, text in numbered_lines(source):
        name = text.strip(BLANKS)
        same = [i for i, given in enumerate(paths) if given == name or is_same_file(given, name)]
        if name in names or same:
            places[names.index(name) if name in names else same[0]] = None
        elif exists(name):
            others[name] = None
        elif name:
            what = f"no run '{excerpt(name)}' and no such file"
            raise InputError(f"{what}, expected the tag or the file of a run per line", source.name, line)
    if not (places or others):
        raise InputError("no runs, expected the tag or the file of a run per line", source.name)
    return list(places), list(others)


def _cells(
    experiment: Experiment, forms: Iterable[tuple[DepthMeasure, str]], tables: Tables, factors: Factors | None
) -> Iterator[tuple[tuple[Cell, ...], Floats]]:
    """Yield measure, form, scheme and depths, and the scores, for each form that a measure has."""
    for measure, form in forms:
        if form in measure.forms:
            for at, table in tables.items():
                yield (measure.name, form, RAW, *at), table.measure(measure.named(form, at[1]))
        elif form == STANDARDIZED:
            raw = {at: table.select(measures=[measure.named(RAW, at[1])]) for at, table in tables.items()}
            how = experiment.schemes, experiment.standardization, factors
            by_depths = {at: standardizing.scores_by_scheme(table, *how) for at, table in raw.items()}
            for scheme, (at, found) in product(experiment.schemes, by_depths.items()):
                scores = found.tables[scheme].values[:, ~found.lacks, 0]
                yield (measure.name, form, scheme_label(scheme), *at), scores

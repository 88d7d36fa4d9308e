"""`stdeval meta depth`: the effect of pooling depth and evaluation depth on measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from stdeval import notices
from stdeval.cli.experiments import COUNTED_BY_C, Experiment, alphas_option, experiment_command, runs_only
from stdeval.cli.inputs import evaluation_options, refuse_repeated, run_names
from stdeval.cli.options import InputOptions
from stdeval.cli.standardizing import differences_of_inputs, factors_of, scores_by_scheme
from stdeval.cli.tables import read_pooled_runs
from stdeval.cli.types import INPUT_FILE, Choice, WholeRange, option
from stdeval.display import counted, excerpt
from stdeval.errors import InputError, warn
from stdeval.files import BLANKS, Input, is_same_file, numbered_lines
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.measures.names import resolve
from stdeval.measures.papers import check_grades
from stdeval.measures.pooling import pool_runs, pooled_qrels
from stdeval.meta.depth import DEPTH_MEASURES, RAW, DepthMeasure, depth_measure, pooled_scores
from stdeval.meta.power import discriminative_power
from stdeval.standardization.factors import Factors
from stdeval.standardization.schemes import scheme_label
from stdeval.table import Floats, ScoreTable
from stdeval.trec.reading import Qrels, Run, locating_judgments, read_qrels, sorted_topics

Tables = dict[tuple[int, int], ScoreTable]
"""Pool depth and evaluation depth to the raw scores of the same systems and topics."""

DEPTHS = (5, 10, 20, 50, 100)
MANY_SHALLOW = 0.1
"""A run is shallow if it has fewer documents than a pool is deep for more than this share of the topics."""

STANDARDIZED = "standardized"
FORMS = ("raw", "expanded", "abbreviated", STANDARDIZED)


@experiment_command(
    "depth",
    "-m AP --pool-depth 10 --eval-depth 10 qrels.gz references/*.run.gz",
    inputs=runs_only,
    schemes=("n",),
)
@option(
    "--pool-depth pool_depths",
    "Number of documents per topic that each run adds to the pool; repeatable.",
    WholeRange(min=1),
    "DEPTH",
    multiple=True,
    default=DEPTHS,
)
@option(
    "--eval-depth eval_depths",
    "Number of documents per topic that are evaluated; repeatable.",
    WholeRange(min=1),
    "DEPTH",
    multiple=True,
    default=DEPTHS,
)
@option(
    "--form forms",
    "Not normalized, normalized by the whole ideal ranking, or by the ideal to the depth; repeatable.",
    Choice(FORMS),
    multiple=True,
    default=FORMS,
)
@option(
    "--pool-runs pool_list",
    "Pool only the runs listed in FILE, one per line: the tag or the file of a RUN, or the file of another run, "
    "which is not evaluated.  [default: all RUNs]",
    INPUT_FILE,
    "FILE",
)
@alphas_option((0.05,), "0.05")
def command(
    experiment: Experiment,
    pool_depths: tuple[int, ...],
    eval_depths: tuple[int, ...],
    forms: tuple[str, ...],
    pool_list: str | None,
    alphas: tuple[float, ...],
) -> None:
    """Discriminative power and mean score by pool depth, evaluation depth, measure and form."""
    inputs = experiment.inputs
    if len(inputs.files) < 2:
        raise click.UsageError("expected QRELS and at least one RUN")
    if STANDARDIZED in forms and "raw" in experiment.schemes:
        raise click.UsageError(f"--form {STANDARDIZED} has no scheme raw, expected --form raw for raw scores")
    measures = _measures_with_a_form(inputs.measures, forms)
    pool_depths, eval_depths = (tuple(sorted(set(depths))) for depths in (pool_depths, eval_depths))
    with locating_judgments(inputs.files[0]):
        runs, pooled, tables = _read(experiment, measures, pool_depths, eval_depths, pool_list)
    table = tables[max(tables)]
    factors = factors_of(experiment.standardization)
    if factors is not None:
        found = differences_of_inputs(factors, inputs, tables[min(tables)])
        warn(notices.other_origin(found, experiment.standardization.factor_files[0]))
    cells = _cells(experiment, measures, tables, factors, list(dict.fromkeys(forms)))
    rows: list[list[Cell]] = []
    n_topics = n_kept = len(table.topics)
    levels = sorted(set(alphas))
    for labels, scores in cells:
        n_kept = min(n_kept, scores.shape[1])
        powers = discriminative_power(scores, levels).shares.tolist()
        mean = float(scores.mean())
        rows += [[*labels, alpha, power, mean] for alpha, power in zip(levels, powers, strict=True)]
    equal = "at some depth, their reference scores are equal"
    warn(notices.left_out_topics(n_topics - n_kept, n_topics, equal))
    if STANDARDIZED in forms:
        n_references = len(runs) if factors is None else int(factors.n[factors.n > 0].min())
        warn(notices.few_references(n_references, experiment.schemes))
    names = ("measure", "form", "scheme", "pool_depth", "depth")
    listing = Listing([*map(Field, names), Field("alpha", "g"), Field("power"), Field("mean")], rows)
    of_some = "" if pool_list is None else f", pool of {counted(len(pooled), 'run')}"
    title = f"pool depth and evaluation depth, paired t test{of_some}"
    experiment.write(title, table, listing, {"pooled": len(pooled)} if of_some else None)


def _measures_with_a_form(names: Sequence[str], forms: Sequence[str]) -> list[DepthMeasure]:
    """Return the measures of these names, or the default ones; refuse a named one that has none of the forms."""
    measures = [depth_measure(name) for name in names]
    for name, measure in zip(names, measures, strict=True):
        has = [form for form in FORMS if form in (*measure.forms, STANDARDIZED)]
        if not set(has) & set(forms):
            stands = f"{name}, which is {measure.name} here," if name != measure.name else name
            asked = f"--form {' or '.join(dict.fromkeys(forms))}"
            raise InputError(f"{stands} has no {asked}, expected one of: {', '.join(has)}")
    return list({measure.name: measure for measure in measures or DEPTH_MEASURES.values()}.values())


def _read(
    experiment: Experiment,
    measures: Sequence[DepthMeasure],
    pool_depths: Sequence[int],
    eval_depths: Sequence[int],
    pool_list: str | None,
) -> tuple[list[Run], list[Run], Tables]:
    """Return the runs, the pooled runs, and the scores at every two depths, on the topics that all runs have."""
    inputs = experiment.inputs
    asked = resolve(measure.named(RAW, eval_depths[0]) for measure in measures)
    source, paths = Input(inputs.files[0]), inputs.files[1:]
    refuse_repeated(paths)
    judged = read_qrels(source)
    runs = _read_runs(paths, max(*pool_depths, *eval_depths), judged, inputs)
    names = tuple(run_names([run.tag for run in runs], paths, inputs.names))
    topics = sorted_topics(judged)
    kept = [topic for topic in topics if inputs.complete or all(topic in run.documents for run in runs)]
    warn(notices.left_out_topics(len(topics) - len(kept), len(topics), COUNTED_BY_C))
    qrels = {topic: judged[topic] for topic in kept}
    check_grades(qrels, asked)
    pooled = runs if pool_list is None else _contributors(inputs, pool_list, runs, pool_depths[-1], judged)
    _warn_of_pools(qrels, pooled, pool_depths)
    options = evaluation_options(inputs)
    at_pool = partial(pooled_scores, qrels, runs, measures, eval_depths, options, contributors=pooled)
    with experiment.mapper(len(pool_depths), "pool depths") as mapper:
        rows = list(mapper(at_pool, pool_depths))
    tables = {
        (pool, depth): replace(table, systems=names)
        for pool, row in zip(pool_depths, rows, strict=True)
        for depth, table in zip(eval_depths, row, strict=True)
    }
    return runs, pooled, tables


def _read_runs(paths: Sequence[str], depth: int, judged: Qrels, inputs: InputOptions) -> list[Run]:
    """Read the first documents of runs."""
    return list(read_pooled_runs(paths, depth, judged, inputs.precision, inputs.jobs)) if paths else []


def _warn_of_pools(qrels: Qrels, runs: Sequence[Run], depths: Sequence[int]) -> None:
    """Warn of runs with fewer documents than the deepest pool, and of topics that the shallowest one lacks."""
    deepest, shallowest = max(depths), min(depths)
    shallow = [
        run.tag
        for run in runs
        if sum(len(run.documents.get(topic, ())) < deepest for topic in qrels) > MANY_SHALLOW * len(qrels)
    ]
    pool = pool_runs([run.documents.items() for run in runs], shallowest, qrels)
    # A deeper pool has all judgments of a shallower one
    kept = pooled_qrels(qrels, pool)
    unjudged = [topic for topic in sorted_topics(qrels) if topic not in kept]
    treated = f"all runs score 0 there at pool depth {shallowest}"
    warn(notices.unpooled_topics(unjudged, len(qrels), treated), notices.shallow_runs(shallow, len(runs), deepest))


def _contributors(inputs: InputOptions, path: str, runs: Sequence[Run], depth: int, judged: Qrels) -> list[Run]:
    """Return the runs that a list names, by tag or file; runs that are not evaluated are read to the depth."""
    source = Input(path)
    given = inputs.files[1:]
    place_of = {name: i for i, name in enumerate(run_names([run.tag for run in runs], given, inputs.names))}
    places: dict[int | str, None] = {}
    for line, text in numbered_lines(source):
        if not (name := text.strip(BLANKS)):
            continue
        place = _contributor(name, given, place_of)
        if place is None:
            what = f"no run '{excerpt(name)}' and no such file"
            raise InputError(f"{what}, expected the tag or the file of a run per line", source.name, line)
        if place in places:
            raise InputError(f"run '{excerpt(name)}' appears twice, expected it once", source.name, line)
        places[place] = None
    if not places:
        raise InputError("no runs, expected the tag or the file of a run per line", source.name)
    others = [place for place in places if isinstance(place, str)]
    read = _read_runs(others, depth, judged, inputs)
    return [*(runs[place] for place in places if isinstance(place, int)), *read]


def _contributor(name: str, given: Sequence[str], place_of: Mapping[str, int]) -> int | str | None:
    """Return the index of an evaluated run, by its file or tag, or the path of another run; None if neither."""
    if name not in given and not Path(name).is_file():
        return place_of.get(name)
    same = next((i for i, path in enumerate(given) if path == name or is_same_file(path, name)), None)
    if name in place_of and same != place_of[name]:
        raise InputError(f"'{excerpt(name)}' is the tag of a run and a file, expected './{name}' for the file")
    return name if same is None else same


def _cells(
    experiment: Experiment,
    measures: Sequence[DepthMeasure],
    tables: Tables,
    factors: Factors | None,
    forms: Sequence[str],
) -> Iterator[tuple[tuple[Cell, ...], Floats]]:
    """Yield measure, form, scheme and depths, and the scores, for each form that a measure has."""
    for measure in measures:
        for form in forms:
            if form in measure.forms:
                for at, table in tables.items():
                    yield (measure.name, form, RAW, *at), table.measure(measure.named(form, at[1]))
            elif form == STANDARDIZED:
                by_depths = {
                    at: scores_by_scheme(
                        table.select(measures=[measure.named(RAW, at[1])]),
                        *(experiment.schemes, experiment.standardization, factors),
                    )
                    for at, table in tables.items()
                }
                for scheme in experiment.schemes:
                    for at, found in by_depths.items():
                        scores = found.tables[scheme].values[:, ~found.left_out, 0]
                        yield (measure.name, form, scheme_label(scheme), *at), scores

"""`stdeval meta depth`: the effect of pooling depth and evaluation depth on measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click

from stdeval import notices
from stdeval.cli.experiments import COUNTED_BY_C, NOTHING_RANDOM, Experiment, alphas_option, experiment_options
from stdeval.cli.inputs import (
    NamedQrels,
    best_runs,
    evaluation_options,
    read_pooled_runs,
    refuse_repeated,
    run_names,
)
from stdeval.cli.options import INPUT_FILE, Choice, GroupedCommand, InputOptions, WholeRange, uncut_run_options
from stdeval.cli.standardizing import differences_of_inputs, factors_of, round_scores, scores_by_scheme
from stdeval.display import counted, excerpt
from stdeval.errors import InputError, warn
from stdeval.files import BLANKS, Input, is_same_file, text_lines
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

DEPTHS = (5, 10, 20, 50, 100)
MANY_SHALLOW = 0.1
"""A run is shallow if it has fewer documents than a pool is deep for more than this share of the topics."""

STANDARDIZED = "standardized"
FORMS = ("raw", "expanded", "abbreviated", STANDARDIZED)


@click.command(
    "depth",
    cls=GroupedCommand,
    epilog="Example: stdeval meta depth -m AP --pool-depth 10 --eval-depth 10 qrels.gz references/*.run.gz",
)
@experiment_options(NOTHING_RANDOM, schemes=("n",), inputs=uncut_run_options)
@click.option(
    "--pool-depth",
    "pool_depths",
    type=WholeRange(min=1),
    multiple=True,
    default=DEPTHS,
    show_default=True,
    metavar="DEPTH",
    help="Number of documents per topic that each run adds to the pool; repeatable.",
)
@click.option(
    "--eval-depth",
    "eval_depths",
    type=WholeRange(min=1),
    multiple=True,
    default=DEPTHS,
    show_default=True,
    metavar="DEPTH",
    help="Number of documents per topic that are evaluated; repeatable.",
)
@click.option(
    "--form",
    "forms",
    type=Choice(FORMS),
    multiple=True,
    default=FORMS,
    show_default=True,
    help="Not normalized, normalized by the whole ideal ranking, or by the ideal to the depth; repeatable.",
)
@click.option(
    "--pool-runs",
    "pool_list",
    type=INPUT_FILE,
    metavar="FILE",
    help="Pool only the runs listed in FILE, one per line: the tag or the file of a RUN, or the file of another "
    "run, which is not evaluated.  [default: all RUNs]",
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
    if len(experiment.inputs.files) < 2:
        raise click.UsageError("expected QRELS and at least one RUN")
    if STANDARDIZED in forms and "raw" in experiment.schemes:
        raise click.UsageError(f"--form {STANDARDIZED} has no scheme raw, expected --form raw for raw scores")
    measures = _measures_with_a_form(experiment.inputs.measures, forms)
    with locating_judgments(experiment.inputs.files[0]):
        scores = _depth_scores(experiment, measures, sorted(set(pool_depths)), sorted(set(eval_depths)), pool_list)
    listing = _listing(experiment, scores, list(dict.fromkeys(forms)), sorted(set(alphas)))
    if STANDARDIZED in forms:
        warn(notices.few_references(scores.n_references, experiment.schemes))
    table = scores.table
    title, whole = "pool depth and evaluation depth, paired t test", listing
    if pool_list is not None:
        title += f", pool of {counted(scores.n_pooled, 'run')}"
        whole = listing.with_constants({"pooled": scores.n_pooled})
    experiment.write(title, len(table.systems), len(table.topics), whole, [listing])


@dataclass(frozen=True, eq=False)
class DepthScores:
    """Raw scores of the same systems and topics, in a table for each pool depth and evaluation depth."""

    measures: list[DepthMeasure]
    tables: dict[tuple[int, int], ScoreTable]
    n_pooled: int
    factors: Factors | None

    @property
    def table(self) -> ScoreTable:
        """The scores at the greatest depths."""
        return self.tables[max(self.tables)]

    @property
    def n_references(self) -> int:
        """The smallest number of reference runs of a topic."""
        return len(self.table.systems) if self.factors is None else int(self.factors.n[self.factors.n > 0].min())


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


def _depth_scores(
    experiment: Experiment,
    measures: list[DepthMeasure],
    pool_depths: list[int],
    eval_depths: list[int],
    pool_list: str | None,
) -> DepthScores:
    """Score the runs at every two depths, on the topics that all of them have."""
    inputs = experiment.inputs
    asked = resolve(measure.named(RAW, eval_depths[0]) for measure in measures)
    judged, runs = _read(inputs, max(*pool_depths, *eval_depths))
    names = run_names([run.tag for run in runs], inputs.files[1:], inputs.names)
    qrels = _on_common_topics(judged.qrels, runs, inputs)
    check_grades(qrels, asked)
    pooled = None if pool_list is None else _contributors(inputs, pool_list, runs, pool_depths[-1], judged)
    options = evaluation_options(inputs)
    if inputs.best is not None:
        deepest = (eval_depths[-1:], options, pool_depths[-1])
        (table,) = pooled_scores(qrels, runs, measures[:1], *deepest, contributors=pooled)
        first = table.select(measures=[measures[0].named(RAW, eval_depths[-1])])
        kept = best_runs(inputs._replace(measures=()), replace(first, systems=tuple(names)))
        runs, names = [runs[i] for i in kept], [names[i] for i in kept]
    _warn_of_pools(qrels, runs if pooled is None else pooled, pool_depths)
    at_pool = partial(pooled_scores, qrels, runs, measures, eval_depths, options, contributors=pooled)
    with experiment.mapper(len(pool_depths), "pool depths") as mapper:
        rows = list(mapper(at_pool, pool_depths))
    tables = {
        (pool, depth): replace(table, systems=tuple(names))
        for pool, row in zip(pool_depths, rows, strict=True)
        for depth, table in zip(eval_depths, row, strict=True)
    }
    factors = _factors_of(experiment, rows[0][0])
    return DepthScores(measures, tables, len(runs if pooled is None else pooled), factors)


def _factors_of(experiment: Experiment, table: ScoreTable) -> Factors | None:
    """Read the factors, and warn of other judgments or options than those of the scores."""
    factors = factors_of(experiment.standardization)
    if factors is not None:
        found = differences_of_inputs(factors, experiment.inputs, table)
        warn(notices.other_origin(found, experiment.standardization.factor_files[0]))
    return factors


def _read(inputs: InputOptions, deepest: int) -> tuple[NamedQrels, list[Run]]:
    """Read the judgments, and the runs to the depth needed."""
    source, paths = Input(inputs.files[0]), inputs.files[1:]
    refuse_repeated(paths)
    judged = NamedQrels(read_qrels(source), source.name)
    return judged, list(read_pooled_runs(paths, deepest, judged, inputs.precision, inputs.jobs))


def _on_common_topics(qrels: Qrels, runs: Sequence[Run], inputs: InputOptions) -> Qrels:
    """Return the judgments of the topics that all runs have, or with -c those of all topics."""
    topics = sorted_topics(qrels)
    kept = [topic for topic in topics if inputs.complete or all(topic in run.documents for run in runs)]
    warn(notices.left_out_topics(len(topics) - len(kept), len(topics), COUNTED_BY_C))
    return {topic: qrels[topic] for topic in kept}


def _warn_of_pools(qrels: Qrels, runs: Sequence[Run], depths: Sequence[int]) -> None:
    """Warn of runs with fewer documents than the deepest pool, and of topics that the shallowest one lacks."""
    deepest, shallowest = max(depths), min(depths)
    shallow = [
        run.tag
        for run in runs
        if sum(len(run.documents.get(topic, ())) < deepest for topic in qrels) > MANY_SHALLOW * len(qrels)
    ]
    pool = pool_runs([run.documents.items() for run in runs], shallowest, qrels)
    # a deeper pool has all judgments of a shallower one
    kept = pooled_qrels(qrels, pool)
    unjudged = [topic for topic in sorted_topics(qrels) if topic not in kept]
    treated = f"all runs score 0 there at pool depth {shallowest}"
    warn(
        notices.unpooled_topics(unjudged, len(qrels), treated),
        notices.shallow_runs(shallow, len(runs), deepest),
    )


def _contributors(
    inputs: InputOptions, path: str, runs: Sequence[Run], depth: int, judged: NamedQrels
) -> list[Run]:
    """Return the runs that a list names, by tag or file; runs that are not evaluated are read to the depth."""
    source = Input(path)
    given = inputs.files[1:]
    place_of = {name: i for i, name in enumerate(run_names([run.tag for run in runs], given, inputs.names))}
    places: dict[int | str, None] = {}
    for line, text in text_lines(source).numbered():
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
    read = list(read_pooled_runs(others, depth, judged, inputs.precision, inputs.jobs)) if others else []
    return [*(runs[place] for place in places if isinstance(place, int)), *read]


def _contributor(name: str, given: Sequence[str], place_of: Mapping[str, int]) -> int | str | None:
    """Return the index of an evaluated run, by its file or tag, or the path of another run; None if neither."""
    if name not in given and not Path(name).is_file():
        return place_of.get(name)
    same = next((i for i, path in enumerate(given) if path == name or is_same_file(path, name)), None)
    if name in place_of and same != place_of[name]:
        raise InputError(f"'{excerpt(name)}' is the tag of a run and a file, expected './{name}' for the file")
    return name if same is None else same


def _listing(experiment: Experiment, scores: DepthScores, forms: Sequence[str], alphas: Sequence[float]) -> Listing:
    """Return a row per measure, form, scheme, pool depth, evaluation depth and level of significance."""
    rows: list[list[Cell]] = []
    n_topics = n_kept = len(scores.table.topics)
    for measure in scores.measures:
        for form, scheme, cells in _cells(experiment, scores, measure, forms):
            for depths, cell in cells.items():
                n_kept = min(n_kept, cell.shape[1])
                powers = discriminative_power(cell, alphas).shares.tolist()
                mean = float(cell.mean())
                rows += [
                    [measure.name, form, scheme, *depths, a, p, mean] for a, p in zip(alphas, powers, strict=True)
                ]
    equal = "at some depth, their reference scores are equal"
    warn(notices.left_out_topics(n_topics - n_kept, n_topics, equal))
    names = ("measure", "form", "scheme", "pool_depth", "depth")
    return Listing([*map(Field, names), Field("alpha", "g"), Field("power"), Field("mean")], rows)


Cells = dict[tuple[int, int], Floats]
"""Pool depth and evaluation depth to the scores, shape (n_systems, n_topics)."""


def _cells(
    experiment: Experiment, scores: DepthScores, measure: DepthMeasure, forms: Sequence[str]
) -> Iterator[tuple[str, str, Cells]]:
    """Yield each form and scheme that the measure has, and its cells."""
    for form in forms:
        if form in measure.forms:
            cells = {at: table.measure(measure.named(form, at[1])) for at, table in scores.tables.items()}
            yield form, RAW, cells
        elif form == STANDARDIZED:
            for scheme, cells in _standardized_cells(experiment, scores, measure).items():
                yield form, scheme_label(scheme), cells


def _standardized_cells(experiment: Experiment, scores: DepthScores, measure: DepthMeasure) -> dict[str, Cells]:
    cells: dict[str, Cells] = {scheme: {} for scheme in experiment.schemes}
    for at, table in scores.tables.items():
        raw = round_scores(table.select(measures=[measure.named(RAW, at[1])]), experiment.standardization)
        standardized = scores_by_scheme(raw, experiment.schemes, experiment.standardization, scores.factors)
        for scheme, values in standardized.tables.items():
            cells[scheme][at] = values.values[:, ~standardized.left_out, 0]
    return cells

"""An experiment as its options describe it: its scores, its workers and its output."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, NamedTuple

import click
import numpy as np

from stdeval import notices
from stdeval.cli.inputs import as_typed, judgments, takes_scores
from stdeval.cli.messages import progress
from stdeval.cli.options import (
    ALPHA,
    OUTPUT_FILE,
    Command,
    Decorator,
    FiniteRange,
    InputOptions,
    OutputOptions,
    StandardizationOptions,
    WholeRange,
    aggregate_option,
    default_schemes,
    format_options,
    input_options,
    seed_option,
    stacked,
    standardization_options,
)
from stdeval.cli.standardizing import factors_of, raw_scores, scores_by_scheme, tables_after_warning
from stdeval.display import counted, listed
from stdeval.errors import InputError, warn
from stdeval.files import output
from stdeval.formats.listing import Listing
from stdeval.formats.writers import EXACT, escape_latex, escape_markdown, write_listing
from stdeval.measures.names import is_better_higher, split_scheme
from stdeval.meta.trials import BLOCK, FEWEST_TOPICS, Mapper, check_scores
from stdeval.standardization.factors import Factors
from stdeval.standardization.schemes import scheme_label
from stdeval.stats.aggregates import AGGREGATES, Transform
from stdeval.table import Floats, ScoreTable
from stdeval.workers import block_mapper

MISSING = "missing from some run"
COUNTED_BY_C = f"{MISSING}, -c counts them as 0"
"""Why topics are left out, in scores files and in evaluated runs."""


@dataclass(frozen=True, eq=False)
class Tables:
    """The scores of the same systems on the same topics by every measure and scheme, without gaps."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    schemes: tuple[str, ...]
    values: Floats
    raw: Floats
    n_missing: int

    def cells(self) -> Iterator[tuple[str, str, Floats]]:
        """Yield each measure and scheme with its scores, shape (n_systems, n_topics)."""
        for i, measure in enumerate(self.measures):
            for j, scheme in enumerate(self.schemes_of(measure)):
                yield measure, scheme, self.values[i, j]

    def schemes_of(self, measure: str) -> tuple[str, ...]:
        """Return the schemes of the scores by a measure, which may be standardized already, such as Nmap."""
        stored = split_scheme(measure)[0]
        return tuple(stored if stored and scheme == "raw" else scheme for scheme in self.schemes)


def complete_tables(
    table: ScoreTable,
    schemes: Sequence[str],
    options: StandardizationOptions,
    factors: Factors | None,
    systems: Sequence[str] | None = None,
) -> Tables:
    """Standardize raw scores by every scheme, and keep the topics where no score is missing by any of them."""
    standardized = scores_by_scheme(table, ["raw", *schemes], options, factors)
    by_scheme = tables_after_warning(standardized)
    # topics that are left out because of their factors have been reported already
    kept = [topic for topic, out in zip(table.topics, standardized.left_out, strict=True) if not out]
    raw = by_scheme["raw"].select(systems=systems, topics=kept)
    values = np.stack([by_scheme[scheme].select(systems=systems, topics=kept).values for scheme in schemes])
    is_missing = np.any(np.isnan(raw.values), axis=(0, 2))
    complete = ~(np.any(np.isnan(values), axis=(0, 1, 3)) | is_missing)
    topics = tuple(topic for topic, keep in zip(raw.topics, complete, strict=True) if keep)
    by_measure = np.ascontiguousarray(raw.values[:, complete].transpose(2, 0, 1))
    if not complete.all() and len(topics) < FEWEST_TOPICS:
        number = counted(len(topics), "topic") if topics else "no topic"
        on = f"on which all runs have scores by {_all_of(raw.measures)}"
        raise InputError(f"{number} {on}, expected at least {FEWEST_TOPICS}")
    check_scores(by_measure)
    cells = np.ascontiguousarray(values[:, :, complete].transpose(3, 0, 1, 2))
    labels = tuple(map(scheme_label, schemes))
    return Tables(raw.systems, topics, raw.measures, labels, cells, by_measure, int(is_missing.sum()))


def better_higher(scores: Floats, measure: str) -> Floats:
    """Return the scores, negated if lower is better by the measure, so that the best systems come first."""
    return scores if is_better_higher(measure) else -scores


def scored_systems(table: ScoreTable) -> list[str]:
    """Return the systems that have scores by every measure, and warn of the others."""
    lacks = np.any(np.isnan(table.values).all(axis=1), axis=1)
    if lacks.all():
        raise InputError(f"no run has scores by {_all_of(table.measures)}, expected the same runs by each")
    warn(notices.unscored([name for name, lack in zip(table.systems, lacks, strict=True) if lack], "run"))
    return [name for name, lack in zip(table.systems, lacks, strict=True) if not lack]


def _all_of(measures: Sequence[str]) -> str:
    return measures[0] if len(measures) == 1 else f"all measures ({listed(measures)})"

NOTHING_RANDOM = 0
"""Trials of an experiment that draws nothing at random."""

CORRELATIONS = ("tau_b", "tau_ap_b", "r")
"""The columns of correlations."""

HEADLINES: Mapping[str, Callable[[str], str]] = {
    "markdown": escape_markdown,
    "latex": lambda text: f"% {escape_latex(text)}",
}
"""How some formats write the line above the tables; the others write it unchanged."""


@dataclass(frozen=True)
class Experiment:
    """An experiment as its options describe it: the scores, the trials and their seed, and the output."""

    inputs: InputOptions
    standardization: StandardizationOptions
    schemes: tuple[str, ...]
    seed: int
    n_trials: int
    to: OutputOptions

    def tables(self) -> Tables:
        """Read the scores, and standardize them by every scheme, on the topics that all systems have."""
        factors = factors_of(self.standardization)
        scores = raw_scores(self.inputs, self.standardization, factors, gaps="ignore")
        table = as_typed(scores, self.inputs, self.to.format)
        # As with --best, runs that are left out are not reference runs either.
        table = table.select(systems=scored_systems(table))
        tables = complete_tables(table, self.schemes, self.standardization, factors)
        from_scores = takes_scores(self.inputs)
        n_topics = len(table.topics if from_scores else judgments(self.inputs))
        n_missing = tables.n_missing + n_topics - len(table.topics)
        warn(notices.left_out_topics(n_missing, n_topics, MISSING if from_scores else COUNTED_BY_C))
        return tables

    def generator(self) -> np.random.Generator:
        """Return a generator with the seed; it is made anew for each measure, so all have the same trials."""
        return np.random.default_rng(self.seed)

    @contextmanager
    def mapper(self, n_blocks: int | None = None, what: str = f"blocks of {BLOCK} trials") -> Iterator[Mapper]:
        """Provide a function that computes blocks of work on workers, with a progress bar over the blocks."""
        n = math.ceil(self.n_trials / BLOCK) if n_blocks is None else n_blocks
        with block_mapper(self.inputs.jobs, self.n_trials) as mapped:

            def watched(function: Callable[[Any], Any], blocks: Iterable[Any]) -> Iterable[Any]:
                return progress(mapped(function, blocks), n, what)

            yield watched

    def write(
        self,
        title: str,
        n_systems: int | None,
        n_topics: int | None,
        listing: Listing,
        text: Sequence[Listing] | None = None,
        files: Mapping[str | None, Listing] | None = None,
    ) -> None:
        """Write the results, with the numbers of systems, topics and trials, and the seed."""
        counts = {noun: n for noun, n in (("system", n_systems), ("topic", n_topics)) if n is not None}
        parts = [counted(n, noun) for noun, n in counts.items()]
        facts = {f"{noun}s": n for noun, n in counts.items()}
        if self.n_trials != NOTHING_RANDOM:
            parts += [f"seed {self.seed}", counted(self.n_trials, "trial")]
            facts |= {"seed": self.seed, "trials": self.n_trials}
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(output(self.to.path))
            for path, other in (files or {}).items():
                if path is not None:
                    write_listing(stack.enter_context(output(path)), "csv", other.with_constants(facts))
            if self.to.format in EXACT:
                write_listing(out, self.to.format, listing.with_constants(facts))
                return
            headline = ": ".join(filter(None, [title, ", ".join(parts)]))
            self._write_parts(out, headline, [listing] if text is None else text)

    def _write_parts(self, out: IO[str], headline: str, parts: Sequence[Listing]) -> None:
        """Write listings below a headline; their labels, all columns before the first number, are flush left."""
        out.write(f"{HEADLINES.get(self.to.format, str)(headline)}\n")
        for part in parts:
            first = part.rows[0] if part.rows else []
            n_left = next((i for i, cell in enumerate(first) if not isinstance(cell, str)), len(first))
            out.write("\n")
            write_listing(out, self.to.format, part._replace(n_left=n_left).with_digits(self.to.digits))


def warn_of_undefined(correlations: Iterable[Floats], reason: str) -> None:
    """Warn that means and percentiles leave out the trials without a correlation (NaN), if there are any."""
    is_undefined = np.isnan(np.concatenate([np.ravel(each) for each in correlations]))
    warn(notices.undefined_coefficients(int(is_undefined.sum()), len(is_undefined), reason))

trials_out_option = click.option(
    "--trials-out",
    "trials_path",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write the result of each trial to FILE, as CSV; - is stdout, if -o names a file.",
)


def table_format_options(command: Command) -> Command:
    """Add the options for the output format and file, passed as ``to``. The format text is the same as table."""

    @format_options("as table")
    @functools.wraps(command)
    def with_table(*, to: OutputOptions, **others: Any) -> Any:
        return command(to=to._replace(format="table") if to.format == "text" else to, **others)

    return with_table


def trials_option(default: int) -> Decorator:
    """Return the option that gives the number of random trials, as ``n_trials``."""
    return click.option(
        "--trials",
        "n_trials",
        type=WholeRange(1, 10**7),
        default=default,
        show_default=True,
        metavar="N",
        help="Number of random trials.",
    )


def alphas_option(default: tuple[float, ...], shown: str) -> Decorator:
    """Return the option that names levels of significance, as ``alphas``; ``shown`` is the default in words."""
    return click.option(
        "--alpha",
        "alphas",
        type=ALPHA,
        multiple=True,
        default=default,
        show_default=shown,
        help="Level of significance; repeatable.",
    )


def experiment_options(
    default_trials: int, schemes: tuple[str, ...] = (), inputs: Decorator = input_options
) -> Decorator:
    """Give a command the options that all experiments have, as ``experiment``."""
    drawing: list[Decorator] = (
        [] if default_trials == NOTHING_RANDOM else [trials_option(default_trials), seed_option]
    )
    options = stacked(*drawing, table_format_options)
    input_decorator = inputs

    def decorate(command: Command) -> Command:
        @input_decorator
        @standardization_options(schemes)
        @options
        @functools.wraps(command)
        def with_experiment(
            *,
            inputs: InputOptions,
            standardization: StandardizationOptions,
            schemes: tuple[str, ...],
            to: OutputOptions,
            n_trials: int = NOTHING_RANDOM,
            seed: int = 0,
            **others: Any,
        ) -> Any:
            named = default_schemes(schemes, standardization)
            experiment = Experiment(inputs, standardization, named, seed, n_trials, to)
            return command(experiment=experiment, **others)

        return with_experiment

    return decorate


class Method(NamedTuple):
    """An aggregate with its epsilon, NaN if it has none."""

    aggregate: str
    epsilon: float
    function: Callable[[Floats], Floats]
    transform: Transform | None


def method_options(command: Command) -> Command:
    """Give a command the options that name aggregates, as ``methods``, a list of `Method`."""

    @aggregate_option
    @click.option(
        "--epsilon",
        "epsilons",
        type=FiniteRange(0, min_open=True),
        multiple=True,
        metavar="E",
        help="Of egm, egm-trec and ehm; repeatable.  [default: 0.01, of egm-trec 1e-5]",
    )
    @functools.wraps(command)
    def with_methods(*, aggregates: tuple[str, ...], epsilons: tuple[float, ...], **others: Any) -> Any:
        return command(methods=_methods(aggregates, epsilons), **others)

    return with_methods


def _methods(aggregates: Sequence[str], epsilons: Sequence[float]) -> list[Method]:
    """Return the aggregates; those with an epsilon once for each epsilon named, or once with their default."""
    methods = []
    for row in (AGGREGATES[name] for name in dict.fromkeys(aggregates)):
        if row.epsilon is None:
            transform = None if row.transform is None else row.transform()
            methods.append(Method(row.name, math.nan, row.function, transform))
        else:
            for epsilon in dict.fromkeys(epsilons or [row.epsilon]):
                transform = None if row.transform is None else row.transform(epsilon)
                methods.append(Method(row.name, epsilon, partial(row.function, epsilon=epsilon), transform))
    return methods

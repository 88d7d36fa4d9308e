"""The parts that experiments share: their options, their scores without gaps, their workers and their output."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import IO, Any, NamedTuple

import click
import numpy as np

from stdeval.commands.factor_files import factors_of, raw_scores
from stdeval.commands.input_options import InputOptions, input_options
from stdeval.commands.inputs import as_typed
from stdeval.commands.judgments import takes_scores
from stdeval.commands.messages import progress, warn
from stdeval.commands.options import (
    Command,
    Decorator,
    OutputOptions,
    aggregate_option,
    format_options,
    refuse_without_effect,
    seed_option,
    stacked,
)
from stdeval.commands.parameter_types import ALPHA, OUTPUT_FILE, FiniteRange, WholeRange
from stdeval.commands.schemes import scores_by_scheme, tables_after_warning
from stdeval.commands.standardization_options import (
    StandardizationOptions,
    default_schemes,
    refuse_unused_parameters,
    standardization_options,
)
from stdeval.comparability import options_named
from stdeval.display import counted, listed
from stdeval.formats.listing import Listing
from stdeval.formats.markup import escape_latex, escape_markdown
from stdeval.formats.writers import EXACT, write_listing
from stdeval.measures.names import is_better_higher, split_scheme
from stdeval.meta.trials import BLOCK, Mapper, check_scores
from stdeval.origins import Origins, shared_topics
from stdeval.outputs import output
from stdeval.schemes import scheme_label
from stdeval.stats.aggregates import AGGREGATES, Transform
from stdeval.table import Bools, Factors, Floats, ScoreTable
from stdeval.workers import block_mapper

NOTHING_RANDOM = 0
"""Trials of an experiment that draws nothing at random."""

CORRELATIONS = ("tau_b", "tau_ap_b", "r")
"""The columns of correlations."""

HEADLINES: Mapping[str, Callable[[str], str]] = {
    "markdown": escape_markdown,
    "latex": lambda text: f"% {escape_latex(text)}",
}
"""How some formats write the line above the tables; the others write it unchanged."""

COUNTED_BY_C = ", -c counts them as 0"
"""How to keep topics that are missing from a run; a hint for evaluated runs, not for scores files."""


# Options


table_format_options = format_options("as table")
trials_out_option = click.option(
    "--trials-out",
    "trials_path",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write the result of each trial to FILE, as CSV; - is stdout, if -o names a file.",
)


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
    default_trials: int, schemes: tuple[str, ...] = ("raw",), inputs: Decorator = input_options
) -> Decorator:
    """Give a command the options that all experiments have, as ``experiment``.

    Parameters
    ----------
    default_trials : int
        The default number of random trials; `NOTHING_RANDOM` if there are none, and so no options for them.
    schemes : tuple of str
        The default schemes.
    inputs : decorator
        Gives the command the options of its input, as ``inputs``.
    """
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
            refuse_unused_parameters(named)
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
    if all(AGGREGATES[name].epsilon is None for name in aggregates):
        refuse_without_effect(["epsilons"], "-a egm, egm-trec or ehm")
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


# Scores


@dataclass(frozen=True, eq=False)
class Tables:
    """The scores of the same systems on the same topics by every measure and scheme, without gaps.

    Parameters
    ----------
    systems, topics, measures, schemes : tuple of str
        Schemes are ``raw`` and letters.
    values : ndarray, shape (n_measures, n_schemes, n_systems, n_topics)
    raw : ndarray, shape (n_measures, n_systems, n_topics)
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    schemes: tuple[str, ...]
    values: Floats
    raw: Floats

    def cells(self) -> Iterator[tuple[str, str, Floats]]:
        """Yield each measure and scheme, and the scores by them, shape (n_systems, n_topics)."""
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
    *,
    from_scores: bool,
) -> Tables:
    """Standardize raw scores by every scheme, and keep the topics where no score is missing by any of them.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    schemes : sequence of str
    options : StandardizationOptions
    factors : Factors or None
        None for a table that is its own reference.
    systems : sequence of str, optional
        The systems to keep. If the table is its own reference, the others still count as references.
    from_scores : bool
        True if the scores come from scores files.
    """
    standardized = scores_by_scheme(table, ["raw", *schemes], options, factors)
    by_scheme = tables_after_warning(standardized)
    # topics that are left out because of their factors have been reported already
    kept = [topic for topic, out in zip(table.topics, standardized.left_out, strict=True) if not out]
    raw = by_scheme["raw"].select(systems=systems, topics=kept)
    values = np.stack([by_scheme[scheme].select(systems=systems, topics=kept).values for scheme in schemes])
    complete = ~(np.any(np.isnan(values), axis=(0, 1, 3)) | np.any(np.isnan(raw.values), axis=(0, 2)))
    topics = keep_complete(raw.topics, complete, _reason(raw, "" if from_scores else COUNTED_BY_C))
    by_measure = np.ascontiguousarray(raw.values[:, complete].transpose(2, 0, 1))
    check_scores(by_measure)
    cells = np.ascontiguousarray(values[:, :, complete].transpose(3, 0, 1, 2))
    return Tables(raw.systems, topics, raw.measures, tuple(map(scheme_label, schemes)), cells, by_measure)


def better_higher(scores: Floats, measure: str) -> Floats:
    """Return the scores, negated if lower is better by the measure, so that the best systems come first."""
    return scores if is_better_higher(measure) else -scores


def scored_systems(table: ScoreTable) -> list[str]:
    """Return the systems that have scores by every measure, and warn of the others, which have no complete topic.

    Scores files that are joined by column may have different systems.
    """
    without = np.asarray(np.isnan(table.values).all(axis=1))
    partial = np.asarray(without.any(axis=1))
    if partial.any():
        first = int(np.argmax(partial))
        measure = table.measures[int(np.argmax(without[first]))]
        example = f"(e.g. '{table.systems[first][:60]}' by {measure})"
        verb = "has" if partial.sum() == 1 else "have"
        warn(f"{int(partial.sum())} of {len(partial)} runs {verb} no score by some measure {example}: left out")
    return [name for name, lacks in zip(table.systems, partial, strict=True) if not lacks]


def _reason(raw: ScoreTable, hint: str) -> str:
    """Return why topics are left out: the run without scores for most of them, or undefined standardized scores."""
    missing = np.isnan(raw.values).any(axis=2).sum(axis=1)
    most = int(np.argmax(missing))
    if not missing[most]:
        return "some standardized score is undefined there"
    return f"they are missing from some run (most: '{raw.systems[most][:60]}' {missing[most]}){hint}"


def keep_complete(topics: Sequence[str], complete: Bools, reason: str) -> tuple[str, ...]:
    """Return the topics that are complete, and warn of the others: experiments use the same topics for all runs."""
    if not complete.all():
        warn(f"{int((~complete).sum())} of {len(complete)} topics left out: {reason}")
    return tuple(topic for topic, keep in zip(topics, complete, strict=True) if keep)


def warn_of_other_options(named: Iterable[tuple[Origins, str]], measures: Sequence[str]) -> None:
    """Warn of a collection that was evaluated with other options than another, as far as both name them.

    Parameters
    ----------
    named : iterable of (Origins, str)
        The origins of the scores on each collection, and the name of the collection.
    measures : sequence of str
        Options that change no score by these are not compared.
    """
    known = [(options, name) for origins, name in named if (options := options_named(origins, measures))]
    for (a, name_a), (b, name_b) in combinations(known, 2):
        if a != b:
            one, other = (listed(sorted(option or "the default options" for option in each)) for each in (a, b))
            warn(f"{name_a} was made with {one}, {name_b} with {other}: expected the same options")
            return


def warn_of_shared_topics(named: Iterable[tuple[Sequence[str], Origins, str]], harm: str) -> None:
    """Warn of topics that two collections share.

    Parameters
    ----------
    named : iterable of (sequence of str, Origins, str)
        The topics of each collection, their origins, and the name of the collection.
    harm : str
        The fault if they are the same topics.
    """
    shared = []
    for (a, origins_a, name_a), (b, origins_b, name_b) in combinations(named, 2):
        topics = shared_topics(a, origins_a, b, origins_b)
        if topics:
            shared.append((len(topics), name_a, name_b))
    if shared:
        n, name_a, name_b = max(shared)
        more = counted(len(shared) - 1, "more pair")
        pairs = "" if len(shared) == 1 else f" (and {more} of files have such topics)"
        names = "name" if n == 1 else "names"
        told = f"{name_a} and {name_b} have {counted(n, 'topic')} of the same {names}{pairs}"
        warn(f"{told}: if they are the same topics, {harm}")


# Output


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
        systems = scored_systems(table)
        from_scores = takes_scores(self.inputs)
        return complete_tables(table, self.schemes, self.standardization, factors, systems, from_scores=from_scores)

    def generator(self) -> np.random.Generator:
        """Return a generator with the seed; it is made anew for each measure, so all have the same trials."""
        return np.random.default_rng(self.seed)

    @contextmanager
    def mapper(self, n_blocks: int | None = None, what: str = f"blocks of {BLOCK} trials") -> Iterator[Mapper]:
        """Provide a function that computes blocks of work on workers, with a progress bar over the blocks.

        Parameters
        ----------
        n_blocks : int, optional
            None for blocks of trials.
        what : str
            The label of the bar.
        """
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
        """Write the results, with the numbers of systems, topics and trials, and the seed.

        Parameters
        ----------
        title : str
            The experiment, for the first line of the formats that people read.
        n_systems, n_topics : int or None
            None if the experiment needs no scores.
        listing : Listing
            One row per cell, for CSV and JSON.
        text : sequence of Listing, optional
            The listings for people; None for the same one.
        files : mapping of str to Listing, optional
            Other listings, such as that of the trials, by the file to which each is written as CSV, unless that is
            None. If one of the files cannot be written, nothing is.
        """
        counts = {noun: n for noun, n in (("system", n_systems), ("topic", n_topics)) if n is not None}
        told = [counted(n, noun) for noun, n in counts.items()]
        facts = {f"{noun}s": n for noun, n in counts.items()}
        if self.n_trials != NOTHING_RANDOM:
            told += [f"seed {self.seed}", counted(self.n_trials, "trial")]
            facts |= {"seed": self.seed, "trials": self.n_trials}
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(output(self.to.path))
            for path, other in (files or {}).items():
                if path is not None:
                    write_listing(
                        stack.enter_context(output(path)), "csv", other.with_constants({"seed": self.seed})
                    )
            if self.to.format in EXACT:
                write_listing(out, self.to.format, listing.with_constants(facts))
                return
            headline = ": ".join(filter(None, [title, ", ".join(told)]))
            self._write_parts(out, headline, [listing] if text is None else text)

    def _write_parts(self, out: IO[str], headline: str, parts: Sequence[Listing]) -> None:
        """Write listings below a headline; their labels, all columns before the first number, are flush left."""
        # Experiments have several tables, which text cannot tell apart by tabs alone.
        output_format = "table" if self.to.format == "text" else self.to.format
        out.write(f"{HEADLINES.get(output_format, str)(headline)}\n")
        for part in parts:
            first = part.rows[0] if part.rows else []
            n_left = next((i for i, cell in enumerate(first) if not isinstance(cell, str)), len(first))
            out.write("\n")
            write_listing(out, output_format, part._replace(n_left=n_left).with_digits(self.to.digits))

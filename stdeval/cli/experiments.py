"""What the experiments share: their options, scores by scheme on complete topics, trials on workers, and output."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from stdeval import notices, workers
from stdeval.cli import declarations, options, scoring, standardizing
from stdeval.cli.declarations import ALPHA, stdeval_command
from stdeval.cli.options import Decorator, gathered, option, stacked
from stdeval.cli.output import OutputOptions, format_options
from stdeval.errors import InputError, counted, listed, warn
from stdeval.files import output
from stdeval.formats import EXACT, writers
from stdeval.formats.listing import Cell, Listing
from stdeval.measures import names
from stdeval.meta import trials
from stdeval.standardization import factors as references
from stdeval.stats import aggregates as averages
from stdeval.table import Bools, Floats, ScoreTable

MISSING = "missing from some run"
COUNTED_BY_C = f"{MISSING}, -c counts them as 0"
"""Why topics are left out, in scores files and in evaluated runs."""

CORRELATIONS = ("tau_b", "tau_ap_b", "r")
"""The columns of `stdeval.stats.correlation.Correlations`."""


@dataclass(frozen=True, eq=False)
class Tables:
    """The scores of the same systems on the same topics by every measure and scheme, without gaps.

    ``values`` has the shape (n_measures, n_schemes, n_systems, n_topics), and ``raw`` the same without schemes.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    schemes: tuple[str, ...]
    values: Floats
    raw: Floats

    def cells(self) -> Iterator[tuple[str, str, Floats]]:
        """Yield each measure and scheme with its scores, shape (n_systems, n_topics)."""
        for i, measure in enumerate(self.measures):
            for j, scheme in enumerate(self.schemes_of(measure)):
                yield measure, scheme, self.values[i, j]

    def schemes_of(self, measure: str) -> tuple[str, ...]:
        """Return the schemes of the scores by a measure, which may be standardized already, such as Nmap."""
        stored = names.split_scheme(measure)[0]
        return tuple(stored if stored and scheme == "raw" else scheme for scheme in self.schemes)


def complete_tables(
    table: ScoreTable,
    schemes: Sequence[str],
    standardization: options.StandardizationOptions,
    factors: references.Factors | None,
    systems: Sequence[str] | None = None,
) -> Tables:
    """Standardize raw scores by every scheme, and keep the topics where no score is missing by any of them."""
    by_scheme = standardizing.shown_scores(table, ["raw", *schemes], standardization, factors)
    raw = by_scheme["raw"].select(systems=systems)
    values = np.stack([by_scheme[scheme].select(systems=systems).values for scheme in schemes])
    complete = ~np.any(np.isnan(values), axis=(0, 1, 3))
    by_measure = np.ascontiguousarray(raw.values[:, complete].transpose(2, 0, 1))
    cells = np.ascontiguousarray(values[:, :, complete].transpose(3, 0, 1, 2))
    topics, labels = tuple(compress(raw.topics, complete)), tuple(map(names.scheme_label, schemes))
    return Tables(raw.systems, topics, raw.measures, labels, cells, by_measure)


def compared_table(table: ScoreTable) -> ScoreTable:
    """Return the systems that are compared, on their common topics; refuse too few, and warn of other systems."""
    if not (has := scored(table)).any():
        raise InputError(f"no run has scores by all measures ({listed(table.measures)}), expected some that have")
    kept, common = scoring.compared_runs(has, table.systems, "left out", narrows=False)
    return table.select(list(compress(table.systems, kept)), list(compress(table.topics, common)))


def scored(table: ScoreTable) -> Bools:
    """Return True where a system has a score for a topic by every measure, shape (n_systems, n_topics)."""
    return np.asarray(~np.isnan(table.values).any(axis=2))


def better_higher(scores: Floats, measure: str) -> Floats:
    """Return the scores, negated if lower is better by the measure, so that the best systems come first."""
    return scores if names.is_better_higher(measure) else -scores


def warn_of_undefined(correlations: Iterable[Floats], reason: str) -> None:
    """Warn that means and percentiles leave out the trials without a correlation (NaN), if there are any."""
    is_undefined = np.isnan(np.concatenate([np.ravel(each) for each in correlations]))
    warn(notices.undefined_coefficients(int(is_undefined.sum()), len(is_undefined), reason))


@dataclass
class Experiment:
    """An experiment as its options describe it; without trials, nothing is drawn at random."""

    inputs: options.InputOptions
    standardization: options.StandardizationOptions
    schemes: tuple[str, ...]
    to: OutputOptions
    n_trials: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        """Use the default schemes if none is named; the format text is the same as table."""
        self.schemes = standardizing.default_schemes(self.schemes, self.standardization)
        self.to = self.to._replace(format="table" if self.to.format == "text" else self.to.format)

    def tables(self) -> Tables:
        """Read the scores, and standardize them by every scheme, on the topics that all systems have."""
        factors = standardizing.factors_of(self.standardization)
        scores = standardizing.raw_scores(self.inputs, self.standardization, factors, gaps="ignore")
        every = scoring.as_typed(scores, self.inputs, self.to.format)
        # Runs that are left out are not reference runs either.
        table = compared_table(every)
        from_scores = scoring.takes_scores(self.inputs)
        n_topics = len(every.topics if from_scores else scoring.judgments(self.inputs))
        reason = MISSING if from_scores else COUNTED_BY_C
        warn(notices.left_out_topics(n_topics - len(table.topics), n_topics, reason))
        complete = complete_tables(table, self.schemes, self.standardization, factors)
        trials.check_scores(complete.raw)
        return complete

    @contextlib.contextmanager
    def mapper(self, n_blocks: int | None = None, what: str = "") -> Iterator[trials.Mapper]:
        """Provide a function that computes blocks of work on workers, with a progress bar over the blocks."""
        n = math.ceil(self.n_trials / trials.BLOCK) if n_blocks is None else n_blocks
        with workers.block_mapper(self.inputs.jobs, self.n_trials) as mapped:
            named = what or f"blocks of {trials.BLOCK} trials"
            yield lambda function, blocks: scoring.progress(mapped(function, blocks), n, named)

    def write(
        self,
        title: str,
        scores: Tables | ScoreTable | None,
        listing: Listing,
        constants: Mapping[str, Cell] = MappingProxyType({}),
        *,
        text: Sequence[Listing] = (),
        files: Mapping[str, Listing] = MappingProxyType({}),
    ) -> None:
        """Write the listing with constant columns as CSV and JSON, ``text``, or it without them, for readers."""
        facts = {} if scores is None else {"systems": len(scores.systems), "topics": len(scores.topics)}
        parts = [counted(n, noun[:-1]) for noun, n in facts.items()]
        if self.n_trials:
            parts += [f"seed {self.seed}", counted(self.n_trials, "trial")]
            facts |= {"seed": self.seed, "trials": self.n_trials}
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(output(self.to.path))
            for path, other in files.items():
                writers.write_listing(stack.enter_context(output(path)), "csv", other.with_constants(facts))
            if self.to.format in EXACT:
                writers.write_listing(out, self.to.format, listing.with_constants({**constants, **facts}))
                return
            headline = ": ".join(filter(None, [title, ", ".join(parts)]))
            markup = {"markdown": writers.escape_markdown(headline), "latex": f"% {writers.escape_latex(headline)}"}
            out.write(f"{markup.get(self.to.format, headline)}\n")
            for part in text or [listing]:
                # Labels, all columns before the first number, are flush left.
                first = part.rows[0] if part.rows else []
                n_left = next((i for i, cell in enumerate(first) if not isinstance(cell, str)), len(first))
                out.write("\n")
                writers.write_listing(out, self.to.format, part._replace(n_left=n_left), self.to.digits)


def experiment_command(
    name: str,
    example: str,
    *more: Decorator,
    schemes: tuple[str, ...] = (),
    inputs: Decorator = options.plain_input_options,
    standardization: Decorator | None = None,
) -> Decorator:
    """Return a decorator that makes a function with the argument ``experiment`` a command of `stdeval meta`."""
    how = standardization or options.standardization_options(schemes, plain=True)
    return stacked(
        stdeval_command(f"meta {name}", example),
        gathered("experiment", Experiment, inputs, how, *more, format_options("as table")),
    )


def trials_options(default: int, meaning: str = "Number of random trials.") -> Decorator:
    """Return the options of random trials, as ``n_trials`` and ``seed``; if the default is 0, there may be none."""
    limits, shown = declarations.WholeRange(min(1, default), 10**7), default > 0
    trials_option = option("--trials N n_trials", meaning, limits, default=default, show_default=shown)
    return stacked(trials_option, options.seed_option)


alphas_option = partial(option, "--alpha alphas", "Level of significance; repeatable.", ALPHA, multiple=True)

_TRIALS_OUT = "Write the result of each trial to FILE, as CSV; - is stdout, if -o names a file."
trials_out_option = option("--trials-out FILE trials_path", _TRIALS_OUT, declarations.OUTPUT_FILE)


class Method(NamedTuple):
    """An aggregate with its epsilon, NaN if it has none."""

    aggregate: str
    epsilon: float
    function: Callable[[Floats], Floats]
    transform: averages.Transform | None


def _methods(aggregates: tuple[str, ...], epsilons: tuple[float, ...]) -> list[Method]:
    methods = []
    for row in (averages.AGGREGATES[name] for name in dict.fromkeys(aggregates)):
        for epsilon in [math.nan] if row.epsilon is None else dict.fromkeys(epsilons or [row.epsilon]):
            given: dict[str, Any] = {} if row.epsilon is None else {"epsilon": epsilon}
            methods.append(Method(row.name, epsilon, partial(row.function, **given), row.transform(**given)))
    return methods


_EPSILONS = "Of egm, egm-trec and ehm; repeatable.  [default: 0.01, of egm-trec 1e-5]"
_epsilons_option = option("--epsilon E... epsilons", _EPSILONS, declarations.FiniteRange(0, min_open=True))
method_options = gathered("methods", _methods, options.aggregate_option, _epsilons_option)
"""Name aggregates, as ``methods``: once for each epsilon, if they have one."""

"""An experiment as its options describe it: its scores, its workers and its output."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from stdeval import notices
from stdeval.commands.factor_files import factors_of, raw_scores
from stdeval.commands.input_options import InputOptions
from stdeval.commands.inputs import as_typed
from stdeval.commands.judgments import judgments, takes_scores
from stdeval.commands.messages import progress
from stdeval.commands.meta.complete_tables import COUNTED_BY_C, MISSING, Tables, complete_tables, scored_systems
from stdeval.commands.options import OutputOptions
from stdeval.commands.standardization_options import StandardizationOptions
from stdeval.display import counted
from stdeval.errors import warn
from stdeval.formats.listing import Listing
from stdeval.formats.markup import escape_latex, escape_markdown
from stdeval.formats.writers import EXACT, write_listing
from stdeval.meta.trials import BLOCK, Mapper
from stdeval.outputs import output
from stdeval.table import Floats
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

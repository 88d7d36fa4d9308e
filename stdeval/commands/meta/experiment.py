"""What every experiment does: take the scores by measure and scheme, spread the trials, write the findings."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from stdeval.commands.inputs import Inputs, progress, warn
from stdeval.commands.standardization import Standardization
from stdeval.errors import GapWarning
from stdeval.files import output
from stdeval.formats.writers import Cell, Field, write_listing
from stdeval.meta.trials import BLOCK, Mapper, check_scores
from stdeval.table import Bools, Floats, ScoreTable
from stdeval.workers import block_mapper

RAW = "raw"

TAU = ("tau_b", "tau_ap_b", "r")
"""The columns of correlations."""


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
        """Measure, scheme, and scores of shape (n_systems, n_topics)."""
        for i, measure in enumerate(self.measures):
            for j, scheme in enumerate(self.schemes):
                yield measure, scheme, self.values[i, j]


@dataclass(frozen=True)
class Listing:
    """Rows of cells under their fields."""

    fields: Sequence[Field]
    rows: Sequence[Sequence[Cell]]

    def only(self, names: Sequence[str]) -> Listing:
        """These columns, each row once."""
        places = [[field.name for field in self.fields].index(name) for name in names]
        rows = dict.fromkeys(tuple(row[place] for place in places) for row in self.rows)
        return Listing([self.fields[place] for place in places], list(rows))

    def with_facts(self, facts: dict[str, int]) -> Listing:
        """The same with columns for what is true of all rows."""
        return Listing([*self.fields, *map(Field, facts)], [[*row, *facts.values()] for row in self.rows])


@dataclass(frozen=True)
class Experiment:
    """What is asked for: which scores, how many trials of which seed, and where the findings go."""

    inputs: Inputs
    seed: int
    n_trials: int
    style: str
    output_path: str | None

    def tables(self, standardization: Standardization) -> Tables:
        """The scores by every measure and scheme, of the topics that all systems have."""
        with without_gap_warnings():
            table = standardization.raw_scores(self.inputs)
        return standardized_tables(table, standardization)

    def generator(self) -> np.random.Generator:
        """Random numbers from the seed; called for each measure, so that all have the same trials."""
        return np.random.default_rng(self.seed)

    @contextmanager
    def mapper(self, n_blocks: int | None = None, what: str = f"blocks of {BLOCK} trials") -> Iterator[Mapper]:
        """What computes blocks of work, with a progress bar over them; None: blocks of trials."""
        n = math.ceil(self.n_trials / BLOCK) if n_blocks is None else n_blocks
        with block_mapper(self.inputs.jobs, self.n_trials) as mapped:

            def watched(function: Callable[[Any], Any], blocks: Iterable[Any]) -> Iterable[Any]:
                return progress(mapped(function, blocks), n, what)

            yield watched

    def write(
        self, what: str, systems: int, topics: int, listing: Listing, text: Sequence[Listing] | None = None
    ) -> None:
        """Write what was found, with the facts that all of it rests on.

        Parameters
        ----------
        what : str
            The experiment, for the header line of the text.
        systems, topics : int
            Numbers of them.
        listing : Listing
            A row per cell, for CSV.
        text : sequence of Listing, optional
            What the text has instead.
        """
        facts = {"systems": systems, "topics": topics, "seed": self.seed, "trials": self.n_trials}
        with output(self.output_path) as out:
            if self.style == "csv":
                _write_csv(out, listing.with_facts(facts))
                return
            out.write(f"{what}: {systems} systems, {topics} topics, seed {self.seed}, {self.n_trials} trials\n")
            for part in [listing] if text is None else text:
                out.write("\n")
                write_listing(out, "table", part.fields, part.rows, _n_labels(part))

    def write_trials(self, path: str | None, listing: Listing) -> None:
        """Write the results of single trials, where that is asked for."""
        if path is not None:
            with output(path) as out:
                _write_csv(out, listing.with_facts({"seed": self.seed}))


def _write_csv(out: Any, listing: Listing) -> None:
    write_listing(out, "csv", listing.fields, listing.rows)


def _n_labels(listing: Listing) -> int:
    """How many columns stand before the first of numbers."""
    first = listing.rows[0] if listing.rows else []
    return next((i for i, cell in enumerate(first) if not isinstance(cell, str)), len(first))


@contextmanager
def without_gap_warnings() -> Iterator[None]:
    """Scores are read without a word on missing ones, of which `standardized_tables` says what they mean here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GapWarning)
        yield


def standardized_tables(
    table: ScoreTable,
    standardization: Standardization,
    systems: Sequence[str] | None = None,
) -> Tables:
    """Raw scores by every scheme, on the topics where no system's score is missing by any of them.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    standardization : Standardization
    systems : sequence of str, optional
        Those to keep; the others are references all the same, where the table is its own reference.
    """
    wanted = list(dict.fromkeys(standardization.schemes))
    found = standardization.tables(table, list(dict.fromkeys([RAW, *wanted])))
    raw = found[RAW].select(systems=systems)
    values = np.stack([found[scheme].select(systems=systems).values for scheme in wanted])
    kept: Bools = ~(np.any(np.isnan(values), axis=(0, 1, 3)) | np.any(np.isnan(raw.values), axis=(0, 2)))
    _warn_of_gaps(raw, kept)
    labels = tuple(scheme if scheme == RAW else scheme.upper() for scheme in wanted)
    topics = tuple(topic for topic, keep in zip(raw.topics, kept, strict=True) if keep)
    by_measure = np.ascontiguousarray(raw.values[:, kept].transpose(2, 0, 1))
    check_scores(by_measure)
    complete = np.ascontiguousarray(values[:, :, kept].transpose(3, 0, 1, 2))
    return Tables(raw.systems, topics, raw.measures, labels, complete, by_measure)


def _warn_of_gaps(table: ScoreTable, kept: Bools) -> None:
    if kept.all():
        return
    lacking = np.isnan(table.values).any(axis=2).sum(axis=1)
    most = int(np.argmax(lacking))
    why = f"some run lacks them (most: '{table.systems[most][:60]}' {lacking[most]}), -c counts them 0"
    if not lacking.any():
        why = "some standardized score is undefined there"
    warn(f"{int((~kept).sum())} of {len(kept)} topics left out: {why}", GapWarning)


def correlation_fields(names: Sequence[str] = TAU) -> list[Field]:
    """Columns of correlations."""
    return [Field(name) for name in names]

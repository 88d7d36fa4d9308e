"""What commands standardize with: factors, schemes and their parameters, from the options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import click
import numpy as np

from stdeval.commands.inputs import Inputs, warn
from stdeval.errors import InputError
from stdeval.files import Input
from stdeval.formats.foreign import read_factors
from stdeval.formats.writers import Column
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.names import kind_of, resolve
from stdeval.standardization import FEW_REFERENCES, common_measures, fit_factors, standardize
from stdeval.table import Factors, ScoreTable


@dataclass(frozen=True)
class Standardization:
    """The options of standardization: factor files (none: self-standardized), schemes, and their parameters."""

    factor_files: tuple[str, ...]
    ab: str
    no_censor: bool
    digits: int | None
    given_schemes: tuple[str, ...] = ()

    @property
    def schemes(self) -> tuple[str, ...]:
        """The schemes asked for; by default what factors are there for, and raw without them."""
        return self.given_schemes or (("n",) if self.factor_files else ("raw",))

    @cached_property
    def factors(self) -> Factors | None:
        """The factors of the files named; None if there are none."""
        return read_factors([Input(path) for path in self.factor_files]) if self.factor_files else None

    @property
    def affine(self) -> tuple[float, float]:
        """A and B of scheme U."""
        number = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
        if not re.fullmatch(rf"{number},{number}", self.ab):
            raise click.UsageError(f"--ab {self.ab}: expected two numbers with a comma between, as 0.15,0.5")
        A, B = map(float, self.ab.split(","))
        if A <= 0:
            raise click.UsageError(f"--ab {self.ab}: expected a slope A above 0")
        return A, B

    @property
    def uniform(self) -> dict[str, Any]:
        """All parameters of scheme U."""
        A, B = self.affine
        return {"A": A, "B": B, "censor": not self.no_censor}

    def raw_scores(self, inputs: Inputs) -> ScoreTable:
        """The raw scores of the measures asked for; by default of all that the factors have."""
        _ = self.affine
        factors = self.factors
        known = [] if factors is None else [name for name in factors.measures if _is_computed(name)]
        if factors is not None and not inputs.from_scores and not inputs.measures:
            strange = [name for name in factors.measures if name not in known]
            if strange and known:
                warn(
                    f"{len(strange)} measures of the factors are not computed here (e.g. '{strange[0]}'): left out"
                )
            elif strange:
                raise InputError(
                    f"no measure that is computed here, only {', '.join(strange[:8])}", self.factor_files[0]
                )
        table = inputs.table(
            known or DEFAULT_FACTORS, wanted=None if factors is None else set(factors.measures).__contains__
        )
        return self._with_factors(table, bool(inputs.measures))

    def rounded(self, table: ScoreTable) -> ScoreTable:
        """Raw scores, rounded where that is asked for."""
        if self.digits is None:
            return table
        return ScoreTable(table.systems, table.topics, table.measures, np.round(table.values, self.digits))

    def _with_factors(self, table: ScoreTable, asked: bool) -> ScoreTable:
        """The measures of a table that have factors; what was asked for and has none is said."""
        factors = self.factors
        table = self.rounded(table)
        if factors is None:
            return table
        common = common_measures(table.measures, factors)
        if asked and len(common) < len(table.measures):
            strange = [name for name in table.measures if name not in common]
            warn(f"{len(strange)} measures have no factors (e.g. '{strange[0]}'): left out")
        return table.select(measures=common)

    def tables(self, table: ScoreTable, schemes: Sequence[str] | None = None) -> dict[str, ScoreTable]:
        """The scores by each scheme; warns of what has no factors."""
        wanted = list(dict.fromkeys(self.schemes if schemes is None else schemes))
        if wanted == ["raw"]:
            return {"raw": table}
        factors = fit_factors(table) if self.factors is None else self.factors
        if self.factors is None:
            warn_about_references(factors)
        elif "e" in wanted and factors.reference is None:
            what = "means and standard deviations only, expected reference scores for scheme e"
            raise InputError(f"{what} ('stdeval factors --empirical' writes them)", self.factor_files[0])
        found: dict[str, ScoreTable] = {}
        for scheme in wanted:
            found[scheme] = table if scheme == "raw" else standardize(table, factors, scheme, **self.uniform)
        self._warn_of_lost(table, factors, found)
        return found

    def _warn_of_lost(self, table: ScoreTable, factors: Factors, found: dict[str, ScoreTable]) -> None:
        without = [topic for topic in table.topics if topic not in set(factors.topics)]
        if without:
            warn(
                f"{len(without)} of {len(table.topics)} topics have no factors (e.g. '{without[0]}'): "
                "left out of the mean"
            )
        known = np.isin(table.topics, factors.topics)
        present = ~np.isnan(table.values) & known[np.newaxis, :, np.newaxis]
        lost = max(
            (int((present & np.isnan(t.values)).sum()) for scheme, t in found.items() if scheme != "raw"), default=0
        )
        if lost:
            warn(
                f"{lost} of {int(present.sum())} scores are undefined (no factor, or reference scores that are "
                "all equal and differ from the score): left out of the mean"
            )

    def side_by_side(self, table: ScoreTable, raw: bool = False) -> tuple[list[Column], ScoreTable]:
        """The scores by all schemes as one table, measure by measure, and its columns."""
        tables = self.tables(table, (["raw"] if raw else []) + list(self.schemes))
        letters = ["" if scheme == "raw" else scheme.upper() for scheme in tables]
        columns = [Column(name, kind_of(name), letter) for name in table.measures for letter in letters]
        values = np.stack([t.values for t in tables.values()], axis=-1).reshape(*table.values.shape[:2], -1)
        return columns, ScoreTable(table.systems, table.topics, tuple(c.name for c in columns), values)


def _is_computed(name: str) -> bool:
    """Whether a measure of a factors file can be computed from runs: exactly one measure has that name."""
    try:
        return [measure.name for measure in resolve([name])] == [name]
    except InputError:
        return False


def warn_about_references(factors: Factors) -> None:
    """Warn of few reference runs, and of topics on which all reference scores are equal."""
    most = int(factors.n.max(initial=0))
    if 0 < most < FEW_REFERENCES:
        warn(
            f"{most} reference runs: rankings by standardized scores are reliable from about "
            f"{FEW_REFERENCES} on (Webber 2008, Figure 4)"
        )
    constant = factors.sd == 0
    if constant.any():
        example = factors.topics[int(np.flatnonzero(constant.any(axis=1))[0])]
        warn(
            f"the reference scores are all equal for {int(constant.any(axis=1).sum())} of "
            f"{len(factors.topics)} topics (e.g. '{example}', {int(constant.sum())} factors in all): "
            "kept with sd 0"
        )

"""Labelled arrays: the scores of systems; a missing value is always NaN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from stdeval import results
from stdeval.errors import InputError, counted, excerpt, listed
from stdeval.measures import names
from stdeval.provenance import Origin
from stdeval.trec import reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from stdeval.evaluation import RunScores
    from stdeval.measures.catalogue import Measure

# text, so that no import of this module loads numpy, see `stdeval.__main__`
Floats: TypeAlias = "npt.NDArray[np.float64]"
Ints: TypeAlias = "npt.NDArray[np.int64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"
ArrayLike: TypeAlias = "npt.ArrayLike"
Labels: TypeAlias = "Sequence[str] | None"


def checked_labels(labels: Iterable[str], kind: str) -> tuple[str, ...]:
    """Return labels as a tuple, refusing those that are not text or appear twice."""
    counts = Counter([*labels])
    for label, n in counts.items():
        if n > 1 or not isinstance(label, str):
            problem = "appears twice" if n > 1 else "is not text"
            raise InputError(f"{kind} {excerpt(repr(label))} {problem}, expected names, each {kind} once")
    return tuple(counts)


def checked_numbers(values: object, kind: str) -> Floats:
    """Return a read-only copy as an array of float64; refuse infinite numbers."""
    numbers = np.array(values, dtype=np.float64)
    if np.isinf(numbers).any():
        raise InputError(f"{kind} {numbers[np.isinf(numbers)][0]:g}, expected finite numbers, NaN if missing")
    numbers.flags.writeable = False
    return numbers


def places(labels: Sequence[str], wanted: Sequence[str], kind: str) -> list[int]:
    """Return the index of each wanted label; an `InputError` lists the labels if there is none of this name."""
    where = {label: i for i, label in enumerate(labels)}
    for label in wanted:
        if label not in where:
            raise InputError(f"no {kind} {excerpt(repr(label))}, expected one of: {listed(labels, 20)}")
    return [where[label] for label in wanted]


def measures_in(columns: Sequence[str], texts: Iterable[str]) -> list[str]:
    """Return the measures of a table, which are its columns, that the given names refer to."""
    chosen: dict[str, None] = {}
    own = {*columns, *(names.split_prefix(column)[1] for column in columns)}
    lists = ([text] if names.split_prefix(text)[1] in own else names.split_list(text) for text in texts)
    for item in (each for items in lists for each in items):
        prefix, bare = names.split_prefix(item)
        # one name per parameter, such as P_5 and P_10 for P.5,10; a name without a list stays alone
        listed_names = _canonical_names(bare) if "," in bare and bare not in own else []
        for each in [names.prefixed(prefix, name) for name in listed_names] or [item]:
            present = named_measures(columns, each)
            if not present:
                raise InputError(f"no measure '{each}' in the scores, expected one of: {listed(columns, 20)}")
            chosen |= dict.fromkeys(present)
    return list(chosen)


def named_measures(columns: Sequence[str], text: str) -> list[str]:
    """Return the columns of the measures that a name refers to, which may have a prefix; none if there are none."""
    if text in columns:
        return [text]
    prefix, bare = names.split_prefix(text)
    known = {column: names.split_prefix(column) for column in columns}
    wanted = [bare] if bare in {name for _, name in known.values()} else _canonical_names(bare)
    exact = [names.prefixed(prefix, name) for name in wanted if names.prefixed(prefix, name) in known]
    if exact:
        return exact
    spellings: dict[str, set[str]] = {}
    for column, (own, plain) in known.items():
        if not prefix or own == prefix:
            letter, raw = names.split_scheme(plain)
            spellings[column] = {plain, letter + names.canonical(raw)}  # Nmap for NAP
    return [column for name in wanted for column, spelled in spellings.items() if name in spelled]


def _canonical_names(text: str) -> list[str]:
    """Return the names of the measures that a text means, with its scheme if it begins with one."""
    scheme, raw = names.split_scheme(text, is_typed=True)
    return [scheme + measure.name for measure in names.known_measures(raw)]


def only_one(found: Sequence[str], text: str) -> str:
    """Return the only measure that a text means; an `InputError` says that it means several."""
    n = 1 if text in found else max(len(found), len(_canonical_names(names.split_prefix(text)[1])))
    if n > 1:
        raise InputError(f"'{text}' means {n} measures, expected one, such as {found[0]}")
    return found[0]


def rows_for(values: Floats, labels: Sequence[str], wanted: Sequence[str]) -> Floats:
    """Rows of `values` in the order of `wanted`, NaN where `labels` has no such row."""
    row_of = {label: i for i, label in enumerate(labels)}
    known = [i for i, label in enumerate(wanted) if label in row_of]
    rows = np.full((len(wanted), *values.shape[1:]), np.nan)
    rows[known] = values[[row_of[wanted[i]] for i in known]]
    return rows


def missing_scores(table: ScoreTable, others: Bools | None = None) -> tuple[int, int, tuple[str, str] | None]:
    """Return how many pairs of system and judged topic have no score, of how many, and an example."""
    lacks = np.isnan(table.values)
    if any(names.split_prefix(name)[0] for name in table.measures):
        # each of the files that are joined by column has topics of its own
        lacks &= ~lacks.all(axis=0)
    missing = lacks.any(axis=2)
    if others is not None:
        missing &= ~others
    n_systems, n_topics = missing.shape
    n_unknown = max(0, table.origin.n_judged - n_topics)
    pairs = np.argwhere(missing)
    example = (table.systems[pairs[0, 0]], table.topics[pairs[0, 1]]) if len(pairs) else None
    return len(pairs) + n_systems * n_unknown, n_systems * (n_topics + n_unknown), example


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of systems on topics by measures.

    Parameters
    ----------
    systems, topics, measures : tuple of str
        Labels of the three axes, each without repetition.
    values : ndarray, shape (n_systems, n_topics, n_measures)
        Scores as float64, NaN where a system has no score for the topic. The table keeps a read-only copy.
    origin : Origin
        The judgments, options and factors of the scores, as far as they are known.
    unretrieved : mapping of str to frozenset of str, optional
        System to the topics for which it retrieved no document, where they are known and have scores nevertheless.

    Examples
    --------
    >>> table = ScoreTable(("bm25", "tuned"), ("301",), ("map",), [[[0.25]], [[0.75]]])
    >>> table.select(systems=["tuned"]).measure("AP")
    array([[0.75]])
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    origin: Origin = field(default_factory=Origin)
    unretrieved: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        labels = (("system", self.systems), ("topic", self.topics), ("measure", self.measures))
        # the dataclass is frozen
        vars(self).update({f"{kind}s": checked_labels(named, kind) for kind, named in labels})
        vars(self)["values"] = checked_numbers(self.values, "scores")
        shape = (len(self.systems), len(self.topics), len(self.measures))
        if self.values.shape != shape:
            raise InputError(f"scores of shape {self.values.shape}, expected {shape}")

    def __repr__(self) -> str:
        axes = ((self.systems, "system"), (self.topics, "topic"), (self.measures, "measure"))
        numbers = ", ".join(counted(len(labels), kind) for labels, kind in axes)
        return f"ScoreTable({numbers}: {listed(self.measures)})"

    def _repr_html_(self) -> str:
        """The means over the topics, as notebooks show them, with their numbers of topics where they differ."""
        n = np.sum(~np.isnan(self.values), axis=1)
        with np.errstate(invalid="ignore"):
            means = (np.nansum(self.values, axis=1) / n).tolist()
        numbers = ["-".join(map(str, sorted({min(row, default=0), max(row, default=0)}))) for row in n.tolist()]
        differ = len({*numbers}) > 1 or "-" in "".join(numbers)
        rows = [
            [system, *scores, *[number] * differ]
            for system, scores, number in zip(self.systems, means, numbers, strict=True)
        ]
        header = ["", *self.measures, *["topics"] * differ]
        return results.html_table(header, rows, f"means over the topics of {self!r}")

    def complete(self) -> ScoreTable:
        """Return the table of those topics for which every system has a score by every measure.

        Experiments need the same topics of all systems. The table still knows how many topics were judged, so
        `stdeval.check` refuses it if topics are missing from all of its systems now.
        """
        kept: Bools = np.asarray(~np.isnan(self.values).any(axis=(0, 2)))
        if not kept.any():
            raise InputError("no topic for which every system has a score by every measure")
        if kept.all():
            return self
        return replace(self.select(topics=[*compress(self.topics, kept)]), origin=self.origin.whole())

    def to_frame(self) -> Any:
        """Return a `pandas.DataFrame` with a row per system and topic, as in a scores file.

        Its columns are ``run``, ``topic`` and one per measure; NaN is missing, and pairs without any score have no
        row. Topics are text and sorted as text, so ``"10"`` comes before ``"9"``. Before a merge with a frame whose
        topics are numbers, cast them: ``table.to_frame().astype({"topic": int})``.
        """
        systems, topics = np.nonzero(~np.isnan(self.values).all(axis=2))
        labels = {"run": [self.systems[i] for i in systems], "topic": [self.topics[j] for j in topics]}
        return results.data_frame(labels | dict(zip(self.measures, self.values[systems, topics].T, strict=True)))

    def measure(self, name: str) -> Floats:
        """Return the scores by one measure, such as ``map``, or ``AP`` for it: read-only, (n_systems, n_topics)."""
        return self.values[:, :, self.measures.index(only_one(measures_in(self.measures, [name]), name))]

    def select(self, systems: Labels = None, topics: Labels = None, measures: Labels = None) -> ScoreTable:
        """Return the table of the given labels, in the order given; measures may be ``AP`` for ``map``."""
        keep_s = self.systems if systems is None else tuple(systems)
        keep_t = self.topics if topics is None else tuple(topics)
        keep_m = self.measures if measures is None else tuple(measures_in(self.measures, measures))
        rows = (places(self.systems, keep_s, "system"), places(self.topics, keep_t, "topic"))
        values = self.values[np.ix_(*rows, [self.measures.index(name) for name in keep_m])]
        # a number of judged topics without a digest counts all topics
        is_known = len(keep_t) == len(self.topics) or self.origin.digest
        origin = self.origin if is_known else replace(self.origin, n_judged=0)
        lost = {system: frozenset(of) & {*keep_t} for system, of in self.unretrieved.items() if system in keep_s}
        return ScoreTable(keep_s, keep_t, keep_m, values, origin, unretrieved=lost)


# --- the scores of runs ---


def scores_of(run: RunScores) -> Floats:
    """Return the scores of a run, shape (n_topics, n_measures)."""
    return np.array(run.scores).reshape(len(run.topics), -1)


def table_of(runs: Sequence[RunScores], systems: Sequence[str], measures: Sequence[Measure]) -> ScoreTable:
    """Return the scores and counts of runs as one table, on the topics that any of the runs has."""
    topics = reading.sorted_topics({topic for run in runs for topic in run.topics})
    keep = [i for i, measure in enumerate(measures) if measure.family.is_tabled]
    values = np.stack([rows_for(scores_of(run)[:, keep], run.topics, topics) for run in runs])
    unretrieved = {name: run.unretrieved for name, run in zip(systems, runs, strict=True)}
    labels = tuple(measures[i].name for i in keep)
    return ScoreTable(tuple(systems), topics, labels, values, unretrieved=unretrieved)

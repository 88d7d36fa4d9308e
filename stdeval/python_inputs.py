"""Raw scores as one table, of runs that a program holds or of runs that were scored one by one.

numpy is imported inside the functions that need it, since `stdeval eval` runs through this module.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeGuard, cast

from stdeval import notices
from stdeval.display import excerpt, listed, shown_name, unscored
from stdeval.errors import InputError, warn
from stdeval.evaluation import Evaluator, Options, RunScores, levels_without_relevant, topics_without_relevant
from stdeval.measures.catalogue import Measure
from stdeval.measures.names import resolve
from stdeval.provenance import origin_of_qrels
from stdeval.results import (
    TOPIC_COLUMNS,
    Frame,
    column_names,
    column_of,
    first_column,
    identifier,
    is_frame,
    system_of,
)
from stdeval.trec.lines import LARGEST_JUDGMENT
from stdeval.trec.reading import Documents, Judgments, Order, Qrels, Run, sorted_topics

if TYPE_CHECKING:
    from stdeval.table import ScoreTable

_DOCNO_COLUMNS = ("docno", "doc_id", "docid")
_JUDGMENT_COLUMNS = ("label", "relevance", "rel", "judgment", "score")

_COLUMNS_OF_QRELS = (
    ("qid", "docno", "label"),
    ("query_id", "doc_id", "relevance"),
    ("query", "docid", "rel"),
    ("q_id", "doc_id", "score"),
)
"""The columns of topics, docnos and judgments in data frames of PyTerrier, ir_measures, trectools and ranx."""


class HasDict(Protocol):
    """Judgments or a run of ranx."""

    def to_dict(self) -> Any:
        """Return topic to docno to number."""


class Row(Protocol):
    """A judgment (with ``relevance``) or a retrieved document (with ``score``) of ir_measures or ir_datasets."""

    @property
    def query_id(self) -> str:
        """The topic."""

    @property
    def doc_id(self) -> str:
        """The docno."""


QrelsLike = Mapping[str, Mapping[str, int]] | Frame | HasDict | Iterable[Row]
"""Topic to docno to judgment, a data frame, the Qrels of ranx, or the qrels of ir_measures."""

RunLike = Run | Mapping[str, Mapping[str, float]] | Frame | HasDict | Iterable[Row]
"""A run, topic to docno to score, a data frame, a Run of ranx, or a run of ir_measures."""

RunsLike = RunLike | Iterable[RunLike] | Mapping[str, RunLike]
"""One run or several; the keys of a mapping are the names of the runs."""

MeasuresLike = str | object | Iterable[str | object]
"""Names of measures, or objects whose text is the name of a measure, as in ir_measures; one or several."""

_QRELS_EXPECTED = "expected topic to docno to judgment, as stdeval.read_qrels returns, or a data frame"
_RUN_EXPECTED = "expected a Run, as stdeval.read_run returns, topic to docno to score, or a data frame"

# --- what other libraries hold ---


def _listed(given: object) -> object:
    """Return the items of an iterator as a list, since it can be read only once, and any other object itself."""
    return list(given) if isinstance(given, Iterator) else given


def _are_rows(given: object) -> TypeGuard[Sequence[Row]]:
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)) or not given:
        return False
    return all(hasattr(row, "query_id") and hasattr(row, "doc_id") for row in given)


def _is_of_ranx(given: object) -> TypeGuard[HasDict]:
    return hasattr(given, "to_dict") and not isinstance(given, Mapping) and not is_frame(given)


def _by_topic(given: object, kind: Literal["judgments", "scores"]) -> object:
    """Return topic to docno to number, of what another library holds; any other object itself."""
    names: Sequence[str] = _JUDGMENT_COLUMNS if kind == "judgments" else ("score",)
    if is_frame(given):
        if kind == "judgments":
            names = _judgment_columns(given)
        columns = (column_of(given, each) for each in (TOPIC_COLUMNS, _DOCNO_COLUMNS, names))
        # a frame of several runs has rows of the same document
        advice = "; a data frame holds one run: for several, pass a dict of name to data frame"
        return _grouped(zip(*columns, strict=True), advice if kind == "scores" else "")
    if _are_rows(given):
        return _grouped((row.query_id, row.doc_id, _number(row, kind, names)) for row in given)
    return given.to_dict() if _is_of_ranx(given) else given


def _number(row: Row, kind: str, names: Sequence[str]) -> Any:
    name = next((name for name in names if hasattr(row, name)), None)
    if name is None:
        raise InputError(f"{excerpt(repr(row))} among {kind}, expected rows with {listed(names)}")
    return getattr(row, name)


def _judgment_columns(frame: Frame) -> Sequence[str]:
    """Return the possible names of the column of judgments; refuse a data frame that has two such columns."""
    present = set(column_names(frame))
    of_library = next((columns for columns in _COLUMNS_OF_QRELS if present.issuperset(columns)), None)
    if of_library is not None:
        return of_library[-1:]
    several = [name for name in _JUDGMENT_COLUMNS if name in present and name != "score"]
    if len(several) > 1:
        raise InputError(f"columns {listed(several)}, expected one column of judgments")
    return _JUDGMENT_COLUMNS


def _grouped(rows: Iterable[Sequence[Any]], advice: str = "") -> dict[str, dict[str, Any]]:
    """Return topic to docno to number of rows with a topic, a document and a number."""
    grouped: dict[str, dict[str, Any]] = {}
    for topic, docno, number in rows:
        documents = grouped.setdefault(identifier(topic, "topic"), {})
        name = identifier(docno, "docno")
        if name in documents:
            found = f"document '{excerpt(name)}' appears twice in topic '{excerpt(str(topic))}'"
            raise InputError(f"{found}{advice}")
        documents[name] = number
    return grouped


def _order_of(frame: object, documents: Mapping[str, Documents]) -> Order:
    """Return whether scores rise with the ranks of a data frame, if it has a column of these."""
    order = Order()
    if not is_frame(frame) or first_column(frame, ["rank"]) is None:
        return order
    ranks: dict[str, list[Any]] = {}
    for topic, rank in zip(column_of(frame, TOPIC_COLUMNS), column_of(frame, ["rank"]), strict=True):
        ranks.setdefault(identifier(topic, "topic"), []).append(rank)
    for topic, numbers in ranks.items():
        scores = list(documents[topic].values())
        first, last = (_whole(numbers[0]), scores[0]), (_whole(numbers[-1]), scores[-1])
        order = order.with_topic(len(scores), first, last)
    return order


# --- judgments and runs, checked ---


def qrels_of(given: QrelsLike) -> Qrels:
    """Return checked judgments in the form of `stdeval.trec.reading.read_qrels`."""
    try:
        judged = _by_topic(_listed(given), "judgments")
    except InputError as error:
        raise error.at("qrels") from None
    if not isinstance(judged, Mapping):
        hint = f"; stdeval.read_qrels({given!r}) reads a file" if isinstance(given, str) else ""
        raise InputError(f"qrels of type {type(given).__name__}, {_QRELS_EXPECTED}{hint}")
    if not judged:
        raise InputError("no judgments, expected topic to docno to judgment", "qrels")
    return {topic: _checked_judgments(topic, judgments) for topic, judgments in judged.items()}


def _checked_judgments(topic: object, judgments: Mapping[str, object]) -> Judgments:
    checked: Judgments = {}
    docnos = _checked_docnos(topic, judgments, "qrels")
    for docno, (given, value) in zip(docnos, judgments.items(), strict=True):
        # pytrec_eval takes Python's numbers only, not numpy's.
        whole = _whole(value)
        if whole is None or abs(whole) > LARGEST_JUDGMENT:
            what = f"topic '{topic}': the judgment of '{excerpt(given)}' is {excerpt(repr(value))}"
            raise InputError(f"{what}, expected a whole number, at most {LARGEST_JUDGMENT}", "qrels")
        checked[docno] = whole
    return checked


def _whole(value: object) -> int | None:
    """Return a whole number, such as 1, 1.0 or True, as an int; None for anything else."""
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        # data frames hold whole numbers as floats beside missing ones
        return int(value) if isinstance(value, float) and value.is_integer() else None


class NamedRun(NamedTuple):
    """A run in memory."""

    name: str
    run: Run
    rises: bool = False


def runs_of(given: RunsLike) -> list[NamedRun]:
    """Return runs with their names; one without a tag is named ``run``, several ``run1``, ``run2`` and so on."""
    given = cast(RunsLike, _listed(given))
    # topic to docno to score, and not name to run
    first = next(iter(given.values()), None) if isinstance(given, Mapping) else None
    is_dict = isinstance(first, Mapping) and not any(isinstance(each, Mapping) for each in first.values())
    if isinstance(given, Run) or is_frame(given) or _is_of_ranx(given) or _are_rows(given) or is_dict:
        named = [_named_run(cast(RunLike, given), "run")]
    elif isinstance(given, Mapping):
        named = [_named_run(cast(RunLike, each), str(name))._replace(name=name) for name, each in given.items()]
    elif isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        named = [_named_run(cast(RunLike, each), f"run{i}") for i, each in enumerate(given, 1)]
    else:
        hint = f"; stdeval.read_run({given!r}) reads a file" if isinstance(given, str) else ""
        raise InputError(f"runs of type {type(given).__name__}, {_RUN_EXPECTED}, or several of them{hint}")
    if not named:
        raise InputError("no runs, expected at least one")
    for each in named:
        _check_text(each.name, "the name of a run", None)
    return named


def _named_run(given: RunLike, name: str) -> NamedRun:
    """Return a run with its own name, or else with the given one."""
    if isinstance(given, Run):
        return NamedRun(given.tag, given)
    try:
        own = system_of(given) if is_frame(given) else getattr(given, "name", None) if _is_of_ranx(given) else None
        ranked = _by_topic(_listed(given), "scores")
        order = _order_of(given, cast("dict[str, Documents]", ranked))
    except InputError as error:
        raise error.at(name) from None
    if not isinstance(ranked, Mapping):
        hint = f"; stdeval.read_run({given!r}) reads a file" if isinstance(given, str) else ""
        raise InputError(f"a run of type {type(given).__name__}, {_RUN_EXPECTED}{hint}")
    tag = name if own is None else own
    return NamedRun(tag, Run(tag, cast("dict[str, Documents]", ranked)), order.rises)


def checked_topics(run: Run, *, as_read: bool = False) -> Iterator[tuple[str, Documents]]:
    """Yield the topics of a run in memory, checked as the reader of files would."""
    if not isinstance(run.documents, Mapping):
        raise InputError(f"documents of type {type(run.documents).__name__}, {_RUN_EXPECTED}", run.tag)
    for topic, documents in run.documents.items():
        checked = _checked_docnos(topic, documents, run.tag)
        docnos = checked if as_read else documents
        if not all(map(_is_finite, documents.values())):
            # A NaN has no place in a ranking.
            docno, score = next(item for item in documents.items() if not _is_finite(item[1]))
            what = "text" if isinstance(score, str | bytes) else "not finite"
            found = f"topic '{topic}' has a score that is {what}: '{excerpt(docno)}' {excerpt(repr(score))}"
            raise InputError(f"{found}, expected a number", run.tag)
        # pytrec_eval takes Python's numbers only, not numpy's.
        yield topic, dict(zip(docnos, map(float, documents.values()), strict=True))


def _is_finite(score: object) -> bool:
    try:
        return math.isfinite(score)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False


def _check_text(name: object, kind: str, where: str | None) -> None:
    if not isinstance(name, str):
        raise InputError(f"{kind} is {excerpt(repr(name))}, expected text, such as '{excerpt(str(name))}'", where)
    try:
        name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError(f"{kind} is {shown_name(ascii(name))}, expected text", where) from None


def _checked_docnos(topic: object, documents: object, where: str) -> Iterable[str]:
    """Return docnos in the form of those from files, refusing those that crash pytrec_eval."""
    _check_text(topic, "a topic", where)
    if not isinstance(documents, Mapping):
        raise InputError(f"topic '{topic}' has {type(documents).__name__}, expected docno to number", where)
    if not documents:
        # pytrec_eval crashes on a topic without documents.
        raise InputError(f"topic '{topic}' has no documents", where)
    try:
        joined = "\n".join(documents)
        is_text = b"\0" not in joined.encode()
    except TypeError:
        odd = next(docno for docno in documents if not isinstance(docno, str))
        raise InputError(f"topic '{topic}' has the docno {excerpt(repr(odd))}, expected text", where) from None
    except UnicodeEncodeError:
        is_text = False
    if not is_text:
        raise InputError(f"topic '{topic}' has a docno that is not text", where)
    # A docno of one blank stands for no document, see `stdeval.evaluation`.
    if "" in documents or " " in documents:
        raise InputError(f"topic '{topic}' has a blank docno, expected text", where)
    return documents if joined.isascii() else map(_as_read, documents)


def _as_read(docno: str) -> str:
    """Return a docno as the readers do, with a character for each of its bytes in UTF-8."""
    try:
        docno.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return docno.encode().decode("latin-1")
    return docno


def measure_names(given: MeasuresLike) -> list[str]:
    """Return the names of measures that are given by name, or as objects whose text is their name."""
    # measures of ir_measures have a NAME, and their text is the name with its parameters
    if isinstance(given, (str, bytes, Measure)) or hasattr(given, "NAME"):
        given = cast(MeasuresLike, [given])
    example = "expected names, such as 'map' or ['map', 'P_10']"
    if not isinstance(given, Iterable):
        raise InputError(f"measures of type {type(given).__name__}, {example}")
    names = []
    for each in cast(Iterable[object], given):
        if not (isinstance(each, (str, Measure)) or hasattr(each, "NAME")):
            expected = "expected a name, such as 'map', or a measure of ir_measures"
            raise InputError(f"measure {excerpt(repr(each))}, {expected}")
        names.append(each.name if isinstance(each, Measure) else str(each))
    if not names:
        raise InputError(f"no measures, {example}")
    return names


def is_tabled(measure: Measure) -> bool:
    """Return True if a measure has a number for each topic, which a table can hold."""
    return measure.family.kind in ("score", "count")


def table_of(runs: Sequence[RunScores], systems: Sequence[str], measures: Sequence[Measure]) -> ScoreTable:
    """Return the scores and counts of runs as one table, on the topics that any of the runs has."""
    import numpy as np

    from stdeval.table import ScoreTable, rows_for

    topics = sorted_topics({topic for run in runs for topic in run.topics})
    keep = [i for i, measure in enumerate(measures) if is_tabled(measure)]
    values = np.empty((len(runs), len(topics), len(keep)))
    for i, run in enumerate(runs):
        values[i] = rows_for(run.values[:, keep], run.topics, topics)
    unretrieved = {name: run.unretrieved for name, run in zip(systems, runs, strict=True)}
    names = tuple(measures[i].name for i in keep)
    return ScoreTable(tuple(systems), topics, names, values, unretrieved=unretrieved)


def evaluate(
    qrels: QrelsLike, runs: RunsLike, measures: MeasuresLike = ("official",), options: Options | None = None
) -> ScoreTable:
    """Return the raw scores of runs.

    Parameters
    ----------
    qrels : dict, data frame, Qrels of ranx, or qrels of ir_measures
        Topic to docno to judgment, as from `stdeval.read_qrels`; a data frame with the columns ``qid``, ``docno``
        and ``label`` (PyTerrier), ``query_id``, ``doc_id`` and ``relevance`` (ir_measures), or ``query``, ``docid``
        and ``rel`` (trectools), whatever other columns it has; or rows with the fields ``query_id``, ``doc_id`` and
        ``relevance``.
    runs : Run, dict, data frame, Run of ranx, run of ir_measures, or several of them
        One run, a list of runs, or name to run. A run is a `stdeval.Run`, or of the same kinds as the qrels, with
        ``score`` for the number. The keys of a dict name the systems. Otherwise, the tag of a `stdeval.Run` and the
        column ``run``, ``name`` or ``system`` of a data frame do. A run without a name is called ``run``, and in a
        list ``run1``, ``run2`` and so on. For a data frame of several runs, pass
        ``dict(list(frame.groupby("name")))``.
    measures : str, measure of ir_measures, or several of them
        Names in any form that the command line takes; trec_eval's official measures by default.
    options : Options, optional

    Returns
    -------
    ScoreTable
        Scores and counts: one row of scores for every judged topic that at least one run has, with NaN for the runs
        without it. Topics are text, sorted as text, whatever they were in a data frame. Measures have trec_eval's
        names; the methods of the table take other spellings, too.

    Raises
    ------
    InputError
        If a measure is unknown, a run is empty or has no topic in common with the qrels, two runs have the same
        name, a data frame holds several runs, has no column of topics, documents or numbers, or several columns
        that may be judgments (unless it has all columns of one library), a docno is not text, a score is not
        finite, a judgment is above the highest grade of err, or an argument is of another type.

    Warns
    -----
    InputWarning
        See the section WARNINGS of stdeval(1). ``warnings.simplefilter("ignore", stdeval.InputWarning)`` turns all
        warnings off.

    Notes
    -----
    Documents are ordered by descending score, and ties by descending docno, as in trec_eval. A column or field
    ``rank`` makes no difference, except for a warning if scores rise with it. A data frame of qrels that has
    all columns of one library is read by these, whatever other columns it has.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    >>> run = {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 0.5}}
    >>> evaluate(qrels, run, "AP").values.ravel()
    array([0.5, 1. ])
    >>> evaluate(qrels, {"bm25": run, "tuned": run}, ["AP", "P@10"])
    ScoreTable(2 systems, 2 topics, 2 measures: map, P_10)
    """
    from dataclasses import replace

    wanted = resolve(measure_names(measures))
    if not any(map(is_tabled, wanted)):
        raise InputError(unscored([each.name for each in wanted]))
    checked, named = qrels_of(qrels), runs_of(runs)
    evaluator = Evaluator(checked, wanted, options)
    scored = [evaluator.score_run(each.run, as_read=True) for each in named]
    names = [each.name for each in named]
    table = table_of(scored, names, evaluator.measures)
    seen = dict(zip(names, scored, strict=True))
    level, complete, n_topics = evaluator.options.level, evaluator.options.complete, len(evaluator.topics)
    highest, levels = levels_without_relevant(checked, wanted, level)
    without = topics_without_relevant(checked, wanted, level, binary=evaluator.options.binary)
    warn(
        notices.unjudged_runs([name for name, run in seen.items() if not run.is_judged], len(seen), "the qrels"),
        notices.no_relevant("the qrels", levels, highest),
        notices.rising_scores([each.name for each in named if each.rises], len(seen)),
        notices.missing_topics(
            {name: run.n_missing for name, run in seen.items() if not complete},
            n_topics,
            {name: run.n_outside for name, run in seen.items()},
            "Options(complete=True)",
        ),
        notices.topics_without_relevant(without, n_topics, level),
    )
    origin = origin_of_qrels(checked, evaluator.options.typed)
    # With the digest, `check` refuses a table that lacks judged topics. A table on all topics has none, so that a
    # choice of its topics is accepted.
    is_whole = len(table.topics) == origin.n_judged
    return replace(table, origin=origin.by_topic() if is_whole else origin)

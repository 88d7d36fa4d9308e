"""Judgments and runs that Python programs hold, and their raw scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import index
from typing import Any, Protocol, cast

from stdeval import evaluation, provenance
from stdeval.errors import InputError, excerpt, listed, unscored
from stdeval.measures.names import resolve
from stdeval.results import TOPIC_COLUMNS, Frame, column_names, column_of, identifier, is_frame, system_of
from stdeval.table import ScoreTable, table_of
from stdeval.trec.lines import LARGEST_JUDGMENT, as_read
from stdeval.trec.reading import Documents, Qrels, Run, rising

_DOCNO_COLUMNS = ("docno", "doc_id", "docid", "corpus-id")
_JUDGMENT_COLUMNS = ("label", "relevance", "rel", "judgment", "score")

# the columns of judgments, by those of topics, in data frames of PyTerrier, ir_measures, trectools, ranx and BEIR
_JUDGMENTS_BESIDE = {"qid": "label", "query_id": "relevance", "query": "rel", "q_id": "score", "query-id": "score"}


class _HasDict(Protocol):
    """Judgments or a run of ranx, which return topic to docno to number."""

    def to_dict(self) -> Any: ...


# a sequence of rows is that of ir_measures, and the keys of several runs are their names
QrelsLike = Mapping[str, Mapping[str, int]] | Frame | _HasDict | Iterable[Any]
RunLike = Run | Mapping[str, Mapping[str, float]] | Frame | _HasDict | Iterable[Any]
RunsLike = RunLike | Iterable[RunLike] | Mapping[str, RunLike]


def _are_rows(given: object) -> bool:
    return isinstance(given, list | tuple) and all(hasattr(row, "query_id") for row in given) and bool(given)


def _is_of_ranx(given: object) -> bool:
    return hasattr(given, "to_dict") and not isinstance(given, Mapping) and not is_frame(given)


def _by_topic(given: Any, field: str, columns: Sequence[str], advice: str = "") -> Mapping[str, Mapping[str, Any]]:
    """Return topic to docno to number; numbers are in this field of the rows, or in one of the columns."""
    given = list(given) if isinstance(given, Iterator) else given
    if isinstance(given, Mapping):
        return given
    if is_frame(given):
        by_name = (column_of(given, each) for each in (TOPIC_COLUMNS, _DOCNO_COLUMNS, columns))
        rows: Iterable[Sequence[Any]] = zip(*by_name, strict=True)
    elif _are_rows(given):
        rows = ((row.query_id, row.doc_id, getattr(row, field)) for row in given)
    elif _is_of_ranx(given):
        return cast("Mapping[str, Mapping[str, Any]]", given.to_dict())
    else:
        expected = f"expected topic to docno to {field}, or a data frame"
        raise InputError(f"{type(given).__name__}, {expected}; stdeval.read_qrels and stdeval.read_run read files")
    grouped: dict[str, dict[str, Any]] = {}
    for topic, docno, number in rows:
        documents, name = grouped.setdefault(identifier(topic, "topic"), {}), identifier(docno, "docno")
        if name in documents:
            found = f"document '{excerpt(name)}' appears twice in topic '{excerpt(str(topic))}'"
            raise InputError(found + advice)
        documents[name] = number
    return grouped


def _judgment_columns(frame: Frame) -> Sequence[str]:
    """Return the possible names of the column of judgments; refuse a data frame that has two such columns."""
    present = set(column_names(frame))
    of_library = [column for topic, column in _JUDGMENTS_BESIDE.items() if present >= {topic, column}]
    several = [name for name in _JUDGMENT_COLUMNS if name in present and name != "score"]
    if not of_library and len(several) > 1:
        raise InputError(f"columns {listed(several)}, expected one column of judgments")
    return of_library[:1] or _JUDGMENT_COLUMNS


def qrels_of(given: QrelsLike) -> Qrels:
    """Return checked judgments in the form of `stdeval.trec.reading.read_qrels`."""
    try:
        judged = _by_topic(given, "relevance", _judgment_columns(given) if is_frame(given) else ())
    except InputError as error:
        raise error.at("qrels") from None
    expected = f"a whole number, at most {LARGEST_JUDGMENT}"
    checked: Qrels = _checked(judged, "qrels", "judgment", _judgment, expected)
    if not checked:
        raise InputError("no judgments, expected topic to docno to judgment", "qrels")
    return checked


def _judgment(value: Any) -> int | None:
    """Return a whole number, such as 1, 1.0 or True, as an int; None for anything else."""
    try:
        number = index(value)
    except TypeError:
        # data frames hold whole numbers as floats beside missing ones
        if not (isinstance(value, float) and value.is_integer()):
            return None
        number = int(value)
    return number if abs(number) <= LARGEST_JUDGMENT else None


def _score(value: Any) -> float | None:
    try:
        return float(value) if math.isfinite(value) else None
    except (TypeError, OverflowError):
        return None


def _checked(
    given: Mapping[str, Mapping[str, Any]], where: str, what: str, number_of: Callable[[Any], Any], expected: str
) -> dict[str, Any]:
    """Return topic to docno to number as the readers of files give them, checked as they check them."""
    checked = {}
    for topic, documents in given.items():
        # an empty topic is not in the qrels, and missing from a run, as in files of JSON
        if documents == {}:
            continue
        docnos = _checked_docnos(topic, documents, where)
        # pytrec_eval takes Python's numbers only, not numpy's
        numbers = list(map(number_of, documents.values()))
        if None in numbers:
            docno = [*documents][numbers.index(None)]
            found = f"topic '{topic}': the {what} of '{excerpt(docno)}' is {excerpt(repr(documents[docno]))}"
            raise InputError(f"{found}, expected {expected}", where)
        checked[topic] = dict(zip(docnos, numbers, strict=True))
    return checked


def runs_of(given: RunsLike) -> list[tuple[Run, bool]]:
    """Return runs with their names as tags, and whether the scores of each rise with its ranks."""
    given = cast(RunsLike, list(given)) if isinstance(given, Iterator) else given
    # topic to docno to score, and not name to run
    first = next(iter(given.values()), None) if isinstance(given, Mapping) else None
    is_dict = isinstance(first, Mapping) and not any(isinstance(each, Mapping) for each in first.values())
    if isinstance(given, Run) or is_frame(given) or _is_of_ranx(given) or _are_rows(given) or is_dict:
        runs = [_run_of(given, "run")]
    elif isinstance(given, Mapping):
        named = {name: _run_of(cast(RunLike, each), str(name)) for name, each in given.items()}
        runs = [(run._replace(tag=name), rises) for name, (run, rises) in named.items()]
    else:
        runs = [_run_of(each, f"run{i}") for i, each in enumerate(cast("Iterable[RunLike]", given), 1)]
    if not runs:
        raise InputError("no runs, expected at least one")
    return runs


def _run_of(given: RunLike, name: str) -> tuple[Run, bool]:
    """Return a run with its own name, or else with the given one, and whether its scores rise with its ranks."""
    if isinstance(given, Run):
        return given, False
    try:
        own = system_of(given) if is_frame(given) else getattr(given, "name", None)
        # a frame of several runs has rows of the same document
        advice = "; a data frame holds one run: for several, pass a dict of name to data frame"
        documents = cast("dict[str, Documents]", _by_topic(given, "score", ["score"], advice))
        is_ranked = is_frame(given) and "rank" in column_names(given)
        ranks = _by_topic(given, "rank", ["rank"]) if is_ranked else {}
    except InputError as error:
        raise error.at(name) from None
    total = 0
    for topic, of_topic in ranks.items():
        lines = [*zip(of_topic.values(), documents[topic].values(), strict=True)]
        total += rising(len(lines), lines[0], lines[-1])
    return Run(name if own is None else own, documents), total > 0


def _checked_docnos(topic: str, documents: Mapping[str, object], where: str) -> Iterable[str]:
    """Return docnos in the form of those from files, refusing topics and docnos that crash pytrec_eval."""
    if not isinstance(topic, str):
        raise InputError(f"a topic is {excerpt(repr(topic))}, expected text, such as '{topic}'", where)
    try:
        joined = "\n".join(documents)
        # a docno of one blank stands for no document, see `stdeval.measures.catalogue`
        is_text = b"\0" not in joined.encode() and documents.keys().isdisjoint(("", " "))
    except (TypeError, UnicodeEncodeError):
        is_text = False
    if not is_text:
        raise InputError(f"topic '{topic}' has a docno that is not text, or blank", where)
    return documents if joined.isascii() else map(as_read, documents)


def evaluate(
    qrels: QrelsLike, runs: RunsLike, measures: object = ("official",), options: evaluation.Options | None = None
) -> ScoreTable:
    """Return the raw scores of runs, with documents in trec_eval's order: by descending score, then docno.

    A column ``rank`` only makes a difference for the warning that scores rise with it. The warnings are those of
    stdeval(1); ``warnings.simplefilter("ignore", stdeval.InputWarning)`` turns all off.

    Parameters
    ----------
    qrels : dict, data frame, Qrels of ranx, or qrels of ir_measures
        Topic to docno to judgment, as from `stdeval.read_qrels`; a data frame with the columns of PyTerrier
        (``qid``, ``docno``, ``label``), ir_measures (``query_id``, ``doc_id``, ``relevance``), trectools
        (``query``, ``docid``, ``rel``) or BEIR (``query-id``, ``corpus-id``, ``score``), whatever other columns it
        has; or rows with the fields of ir_measures.
    runs : Run, dict, data frame, Run of ranx, run of ir_measures, or several of them
        One run, a list of runs, or name to run. A run is a `stdeval.Run`, or of the same kinds as the qrels, with
        ``score`` for the number. Systems are named by the keys of a dict; otherwise by the tag of a `stdeval.Run`
        or the column ``run``, ``name`` or ``system`` of a data frame; otherwise ``run``, or ``run1``, ``run2``
        and so on. For a data frame of several runs, pass ``dict(list(frame.groupby("name")))``.
    measures : str, measure of ir_measures, or several of them
        Names in any form that the command line takes; trec_eval's official measures by default.
    options : Options, optional

    Returns
    -------
    ScoreTable
        Scores and counts by trec_eval's names, on every judged topic that at least one run has, sorted as text.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    >>> run = {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 0.5}}
    >>> evaluate(qrels, {"bm25": run, "tuned": run}, ["AP", "P@10"])
    ScoreTable(2 systems, 2 topics, 2 measures: map, P_10)
    """
    # the text of a measure of ir_measures, which has a NAME, is its name with its parameters
    is_one = isinstance(measures, str) or hasattr(measures, "NAME")
    wanted = resolve(list(map(str, cast("Iterable[object]", [measures] if is_one else measures))))
    if not any(measure.family.is_tabled for measure in wanted):
        raise InputError(unscored([each.name for each in wanted]))
    checked, held = qrels_of(qrels), runs_of(runs)
    evaluator = evaluation.Evaluator(checked, wanted, options)
    scored = []
    for run, rises in held:
        documents = _checked(run.documents, run.tag, "score", _score, "a finite number")
        scored.append(evaluator.score_run(Run(run.tag, documents))._replace(rises=rises))
    table = table_of(scored, [run.tag for run, _ in held], evaluator.measures)
    evaluation.warn_of_runs(evaluator, dict(zip(table.systems, scored, strict=True)))
    as_given = {topic: checked[topic] for topic in evaluator.qrels}
    origin = provenance.origin_of_qrels(as_given, evaluator.options.typed)
    # With the digest, `check` refuses a table that lacks judged topics. A table on all topics has none, so that a
    # choice of its topics is accepted.
    return replace(table, origin=origin.by_topic() if len(table.topics) == origin.n_judged else origin)

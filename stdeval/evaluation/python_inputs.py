"""Judgments, runs and measures as Python programs hold them.

They are brought into the form of what the readers return, and checked as the readers check files, because
pytrec_eval trusts its caller and may crash the process.

This module loads no numpy, since `eval` runs through it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import NamedTuple, cast

from stdeval.display import excerpt, shown_name
from stdeval.errors import InputError
from stdeval.evaluation.other_libraries import (
    JUDGMENTS,
    SCORES,
    HasDict,
    Row,
    are_rows,
    as_sequence,
    by_topic,
    is_of_ranx,
    own_name,
    ranks_by_topic,
)
from stdeval.frames import Frame, is_frame
from stdeval.measures.parameters import Measure
from stdeval.trec.lines import LARGEST_JUDGMENT
from stdeval.trec.reading import Documents, Judgments, Order, Qrels, Run

QrelsLike = Mapping[str, Mapping[str, int]] | Frame | HasDict | Iterable[Row]
"""Topic to docno to judgment, a data frame, the Qrels of ranx, or the qrels of ir_measures."""

RunLike = Run | Mapping[str, Mapping[str, float]] | Frame | HasDict | Iterable[Row]
"""A run, topic to docno to score, a data frame, a Run of ranx, or a run of ir_measures."""

RunsLike = RunLike | Iterable[RunLike] | Mapping[str, RunLike]
"""One run or several; the keys of a mapping are the names of the runs."""

MeasuresLike = str | object | Iterable[str | object]
"""Names of measures, or objects whose text is the name of a measure, as those of ir_measures; one or several."""

_QRELS_EXPECTED = "expected topic to docno to judgment, as stdeval.read_qrels returns, or a data frame"
_RUN_EXPECTED = "expected a Run, as stdeval.read_run returns, topic to docno to score, or a data frame"

_NAME_OF_ONE = "run"
"""The name of a run that has no tag."""


def qrels_of(given: QrelsLike) -> Qrels:
    """Return checked judgments in the form of `stdeval.trec.reading.read_qrels`.

    Raises
    ------
    InputError
        If they are not judgments of documents on topics.

    Examples
    --------
    >>> qrels_of({"301": {"a": 1, "b": 0}})
    {'301': {'a': 1, 'b': 0}}
    """
    try:
        judged = by_topic(as_sequence(given), JUDGMENTS)
    except InputError as error:
        raise error.at("qrels") from None
    if not isinstance(judged, Mapping):
        hint = f"; stdeval.read_qrels({given!r}) reads a file" if isinstance(given, str) else ""
        raise InputError(f"qrels of type {type(given).__name__}, {_QRELS_EXPECTED}{hint}")
    if not judged:
        raise InputError("no judgments, expected topic to docno to judgment", "qrels")
    return {topic: _checked_judgments(topic, judgments) for topic, judgments in judged.items()}


def _checked_judgments(topic: object, judgments: object) -> Judgments:
    docnos = _checked_docnos(topic, judgments, "qrels")
    # pytrec_eval takes Python's numbers only, not numpy's.
    checked = [_whole(value) for value in cast(Judgments, judgments).values()]
    if any(value is None or abs(value) > LARGEST_JUDGMENT for value in checked):
        docno, value = next(
            (docno, value)
            for (docno, value), whole in zip(cast(Judgments, judgments).items(), checked, strict=True)
            if whole is None or abs(whole) > LARGEST_JUDGMENT
        )
        what = f"topic '{topic}': the judgment of '{excerpt(docno)}' is {excerpt(repr(value))}"
        raise InputError(f"{what}, expected a whole number, at most {LARGEST_JUDGMENT}", "qrels")
    return dict(zip(docnos, cast(list[int], checked), strict=True))


def _whole(value: object) -> int | None:
    """Return a whole number, such as 1, 1.0 or True, as an int; None for anything else."""
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        # data frames hold whole numbers as floats beside missing ones
        return int(value) if isinstance(value, float) and value.is_integer() else None


class NamedRun(NamedTuple):
    """A run in memory.

    Parameters
    ----------
    name : str
    run : Run
    rises : bool
        True if its scores rise with its ranks, see `stdeval.trec.reading.Order`.
    """

    name: str
    run: Run
    rises: bool = False


def runs_of(given: RunsLike) -> list[NamedRun]:
    """Return runs with their names; one without a tag is named ``run``, several ``run1``, ``run2`` and so on.

    Raises
    ------
    InputError
        If they are not runs. Their documents are checked later, topic by topic, by `checked_topics`.

    Examples
    --------
    >>> runs_of({"301": {"a": 1.5}})
    [NamedRun(name='run', run=Run('run', 1 topic, 1 document), rises=False)]
    >>> runs_of({"bm25": {"301": {"a": 1.5}}})
    [NamedRun(name='bm25', run=Run('bm25', 1 topic, 1 document), rises=False)]
    """
    given = cast(RunsLike, as_sequence(given))
    if isinstance(given, Run) or is_frame(given) or is_of_ranx(given) or are_rows(given) or _is_one_dict(given):
        named = [_named_run(cast(RunLike, given), _NAME_OF_ONE)]
    elif isinstance(given, Mapping):
        named = [_named_run(cast(RunLike, each), str(name))._replace(name=name) for name, each in given.items()]
    elif isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        named = [_named_run(cast(RunLike, each), f"{_NAME_OF_ONE}{i}") for i, each in enumerate(given, 1)]
    else:
        hint = f"; stdeval.read_run({given!r}) reads a file" if isinstance(given, str) else ""
        raise InputError(f"runs of type {type(given).__name__}, {_RUN_EXPECTED}, or several of them{hint}")
    if not named:
        raise InputError("no runs, expected at least one")
    for each in named:
        _check_text(each.name, "the name of a run", None)
    return named


def _is_one_dict(given: object) -> bool:
    """Return whether an object is topic to docno to score, and not name to run."""
    if not isinstance(given, Mapping) or not given:
        return False
    first = next(iter(given.values()))
    return isinstance(first, Mapping) and not any(isinstance(each, Mapping) for each in first.values())


def _named_run(given: RunLike, name: str) -> NamedRun:
    """Return a run with its own name, or else with the given one."""
    if isinstance(given, Run):
        return NamedRun(given.tag, given)
    try:
        own = own_name(given)
        ranked, ranks = by_topic(as_sequence(given), SCORES), ranks_by_topic(given)
    except InputError as error:
        raise error.at(name) from None
    if not isinstance(ranked, Mapping):
        hint = f"; stdeval.read_run({given!r}) reads a file" if isinstance(given, str) else ""
        raise InputError(f"a run of type {type(given).__name__}, {_RUN_EXPECTED}{hint}")
    tag = name if own is None else own
    documents = cast("dict[str, Documents]", ranked)
    order = Order()
    for topic, numbers in ranks.items():
        scores = list(documents[topic].values())
        first, last = (_whole(numbers[0]), scores[0]), (_whole(numbers[-1]), scores[-1])
        order = order.with_topic(len(scores), first, last)
    return NamedRun(tag, Run(tag, documents), order.rises)


def checked_topics(run: Run, *, as_read: bool = False) -> Iterator[tuple[str, Documents]]:
    """Yield the topics of a run in memory, checked as the reader of files would.

    Parameters
    ----------
    run : Run
    as_read : bool
        Bring docnos into the form of those that are read from files, as `qrels_of` does.

    Raises
    ------
    InputError
        If a topic has no documents, a docno is not text, or a score is not a finite number.
    """
    if not isinstance(run.documents, Mapping):
        raise InputError(f"documents of type {type(run.documents).__name__}, {_RUN_EXPECTED}", run.tag)
    for topic, documents in run.documents.items():
        checked = _checked_docnos(topic, documents, run.tag)
        docnos = checked if as_read else documents
        try:
            is_finite = all(map(math.isfinite, documents.values()))
        except (TypeError, OverflowError):
            is_finite = False
        if not is_finite:
            # A NaN has no place in a ranking.
            docno = next(docno for docno, score in documents.items() if not _is_finite(score))
            score = documents[docno]
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
    r"""Return docnos in the form of those from files, refusing those that crash pytrec_eval.

    Lone surrogates cannot be encoded as UTF-8. In C a docno ends at ``\0``, so two docnos may become one, which
    aborts the process.
    """
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
    # A docno of one blank stands for no document, see `stdeval.evaluation.trec_eval_scores`.
    if "" in documents or " " in documents:
        raise InputError(f"topic '{topic}' has a blank docno, expected text", where)
    return documents if joined.isascii() else map(_as_read, documents)


def _as_read(docno: str) -> str:
    """Return a docno as the readers do, with a character for each of its bytes in UTF-8.

    So judgments from a file fit runs from a program. A docno of a file is left as it is.
    """
    try:
        docno.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return docno.encode().decode("latin-1")
    return docno


def measure_names(given: MeasuresLike) -> list[str]:
    """Return the names of measures that are given by name, or as objects whose text is their name.

    Parameters
    ----------
    given : str, object or iterable of them
        ``"map"``, ``["AP", "P@10"]``, or measures of ir_measures, such as ``ir_measures.AP``.

    Raises
    ------
    InputError
        If there are none, or if one is neither text nor a measure.

    Examples
    --------
    >>> measure_names("AP"), measure_names(["AP", "P@10"])
    (['AP'], ['AP', 'P@10'])
    """
    several = not (isinstance(given, (str, bytes, Measure)) or hasattr(given, "NAME"))
    if several and not isinstance(given, Iterable):
        raise InputError(
            f"measures of type {type(given).__name__}, expected names, such as 'map' or ['map', 'P_10']"
        )
    names = [_measure_name(each) for each in (cast(Iterable[object], given) if several else [given])]
    if not names:
        raise InputError("no measures, expected names, such as 'map' or ['map', 'P_10']")
    return names


def _measure_name(given: object) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, Measure):
        return given.name
    # measures of ir_measures have a NAME, and their text is the name with its parameters
    if hasattr(given, "NAME"):
        return str(given)
    raise InputError(f"measure {excerpt(repr(given))}, expected a name, such as 'map', or a measure of ir_measures")

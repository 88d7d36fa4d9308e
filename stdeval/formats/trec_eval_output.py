"""Read the scores that trec_eval printed, of one run after the other."""

from __future__ import annotations

import functools
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from stdeval.display import counted, shown_name
from stdeval.errors import InputError, InputWarning
from stdeval.formats.csv_numbers import parse_number
from stdeval.formats.printed_means import about_other_mean, about_summary_only
from stdeval.formats.scores_csv import table_of_scores
from stdeval.measures.facts import kind_of
from stdeval.measures.names import is_known
from stdeval.origins import SIGNATURE, Origin, have_option
from stdeval.signature import (
    SignedOrigin,
    about_unnamed_measures,
    counted_topics,
    parse_signature,
    unnamed_measures,
)
from stdeval.summary_rows import SUMMARY, is_summary
from stdeval.table import ScoreTable
from stdeval.text_lines import BLANKS, TextLines, columns_of
from stdeval.trec.lines import RUN_WIDTH
from stdeval.trec.reading import sorted_topics


@dataclass
class _PrintedRun:
    """The printed lines of one run: scores by measure and topic, means, and whether its summary has begun."""

    runid: str | None = None
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    means: dict[str, str] = field(default_factory=dict)
    summarized: bool = False

    def add(self, measure: str, topic: str, score: float, file_name: str, at: int) -> None:
        """Add the score in a line; `InputError` if there is one by the same measure on the same topic."""
        self.summarized = False
        by_topic = self.scores.setdefault(measure, {})
        if topic in by_topic:
            raise InputError(f"measure '{measure}' and topic '{topic}' appear twice", file_name, at)
        by_topic[topic] = score


def scores_from_output(lines: TextLines, file_name: str) -> ScoreTable:
    """Return the scores per topic in the output of ``trec_eval -q`` for one run after the other.

    A run begins with its runid line, or, where that was not printed, with the first line of a topic after
    the summary of the run before it. trec_eval itself prints runid at the start of the summary. A signature is that
    of all runs above it.
    """
    runs = [_PrintedRun()]
    measures: dict[str, None] = {}
    # each looked up once, because a file may have millions of lines, and numbers of four decimals are few
    kind = functools.cache(kind_of)
    numbers: dict[str, float] = {}
    first_line = 0
    signatures = _Signatures(file_name)
    for at, measure, topic, value in _output_lines(lines, file_name):
        run = runs[-1]
        complete = run.summarized and run.scores
        if measure == SIGNATURE and topic == SUMMARY:
            signatures.add(value, len(runs), at)
            run.summarized = True
        elif measure == "runid":
            if complete or run.runid is not None:
                runs.append(_PrintedRun())
            runs[-1].runid, runs[-1].summarized = value, False
        elif is_summary(topic):
            run.summarized = True
            if topic == SUMMARY:
                run.means[measure] = value
        elif kind(measure) != "text":
            if complete:
                runs.append(_PrintedRun())
            if value not in numbers:
                numbers[value] = parse_number(value, file_name, at, "value")
            runs[-1].add(measure, topic, numbers[value], file_name, at)
            measures[measure] = None
            first_line = first_line or at
    _refuse_other_outputs(measures, runs, file_name, first_line)
    _warn_of_topics_without_lines(runs, file_name)
    _warn_of_incomplete_topics(runs, file_name)
    return signatures.signed(_table_of_runs(runs, list(measures), file_name), len(runs))


class _Signatures:
    """The signatures in the output. Each is that of all runs above it."""

    def __init__(self, file_name: str) -> None:
        self._file_name = file_name
        self._texts: dict[str, None] = {}
        self._origin = SignedOrigin(None, None)
        self._n_runs = 0

    def add(self, text: str, n_runs: int, at: int) -> None:
        """Add a signature below some runs; refuse one of other judgments, options or factors than those before."""
        try:
            found = parse_signature(text)
        except InputError as error:
            raise error.at(self._file_name, at) from None
        if self._texts and found != self._origin:
            what = "signature with other judgments, options or factors than that of the runs before"
            raise InputError(f"{what}, expected the same", self._file_name, at)
        self._texts[text] = None
        self._origin, self._n_runs = found, n_runs

    def signed(self, table: ScoreTable, n_runs: int) -> ScoreTable:
        """Add the facts of the signatures to the scores, and warn if they do not fit."""
        if any(unnamed := {name: text for text in self._texts for name in unnamed_measures(text, table.measures)}):
            self._warn(about_unnamed_measures(unnamed))
        if self._n_runs < n_runs:
            if self._texts:
                found = f"no signature after the last {counted(n_runs - self._n_runs, 'run')}"
                self._warn(f"{found}, so that of the others is left out")
            return table
        origin = self._origin
        known = origin.options is not None
        origins = dict.fromkeys(table.topics, Origin(options=origin.options)) if known else {}
        return replace(
            table,
            origins=origins,
            retrieved={} if have_option("-J", origins) else table.retrieved,
            qrels=origin.qrels,
            n_signed=counted_topics(self._texts) if origin.qrels is None else 0,
            standardization=origin.standardization,
        )

    def _warn(self, message: str) -> None:
        warnings.warn(f"{self._file_name}: {message}", InputWarning, stacklevel=2)


def _refuse_other_outputs(
    measures: Collection[str], runs: Sequence[_PrintedRun], file_name: str, first_line: int
) -> None:
    """Refuse outputs without topics, and those whose lines or columns are in another order."""
    if not measures:
        raise InputError("no rows of topics, expected the output of trec_eval -q; made without -q?", file_name)
    if _are_exchanged(measures, runs):
        found = "columns topic measure value, as ir_measures -q prints them"
        raise InputError(f"{found}, expected measure topic value", file_name, first_line)
    of_runs = [run.scores.keys() for run in runs if run.scores]
    if any(before.isdisjoint(of_run) for before, of_run in pairwise(of_runs)):
        found = "runs with no measure in common, expected the lines in the order in which trec_eval prints them"
        raise InputError(f"{found}; were they sorted?", file_name)
    only = about_summary_only([run.runid or "" for run in runs if run.means and not run.scores], ())
    if only is not None:
        raise InputError(only, file_name)


def _are_exchanged(measures: Iterable[str], runs: Sequence[_PrintedRun]) -> bool:
    """Return whether no measure has the name of one, but all topics have."""
    topics = (topic for run in runs for by_topic in run.scores.values() for topic in by_topic)
    return not any(map(is_known, measures)) and all(map(is_known, topics))


def _warn_of_topics_without_lines(runs: Sequence[_PrintedRun], file_name: str) -> None:
    """Warn of runs whose means are over more topics than have lines, as in the output of ``trec_eval -q -c``."""
    found = [told for run in runs if run.scores and (told := _about_topics_without_lines(run)) is not None]
    if found:
        more = "" if len(found) == 1 else f" (and {counted(len(found) - 1, 'more run')})"
        why = "topics that -c counts as 0 have no lines, so they are missing here"
        warnings.warn(f"{file_name}: {found[0]}{more}: {why}", InputWarning, stacklevel=2)


def _warn_of_incomplete_topics(runs: Sequence[_PrintedRun], file_name: str) -> None:
    """Warn of a topic with fewer measures than others, such as the last one of an output that was cut off."""
    for run in runs:
        n_measures = Counter(topic for by_topic in run.scores.values() for topic in by_topic)
        topic, n = min(n_measures.items(), key=lambda each: each[1], default=("", 0))
        if n < len(run.scores):
            name = "" if run.runid is None else f" of '{shown_name(run.runid)}'"
            found = f"topic '{shown_name(topic)}'{name} has {n} of {counted(len(run.scores), 'measure')}"
            warnings.warn(f"{file_name}: {found}: was the output cut off?", InputWarning, stacklevel=2)
            return


def _about_topics_without_lines(run: _PrintedRun) -> str | None:
    """Describe a run whose means are over more topics than have lines; return None for other runs."""
    name = "" if run.runid is None else f" of '{shown_name(run.runid)}'"
    n_averaged = run.means.get("num_q", "")
    if re.fullmatch("[0-9]{1,9}", n_averaged):
        n_topics = len({topic for by_topic in run.scores.values() for topic in by_topic})
        if int(n_averaged) > n_topics:
            return f"scores of {n_topics} of the {n_averaged} topics{name}"
    for measure, by_topic in run.scores.items():
        told = about_other_mean(measure, name, run.means.get(measure, ""), list(by_topic.values()))
        if told is not None:
            return told
    return None


def _output_lines(lines: TextLines, file_name: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the number, measure, topic and value of each line that is not blank."""
    for at, line in lines.numbered():
        # trec_eval separates by tabs, and the tag of a run may hold blanks
        fields = line.split("\t")
        if len(fields) != 3 or not line.strip(BLANKS):
            fields = columns_of(line)
            if not fields:
                continue
        if len(fields) != 3:
            hint = " (this looks like a run)" if len(fields) == RUN_WIDTH else ""
            found = f"{counted(len(fields), 'column')}, expected 3: measure topic value{hint}"
            raise InputError(found, file_name, at)
        measure, topic, value = fields
        yield at, measure.strip(BLANKS), topic.strip(BLANKS), value.strip(BLANKS)


def _table_of_runs(runs: Sequence[_PrintedRun], measures: Sequence[str], file_name: str) -> ScoreTable:
    """Return the scores of runs; a run without a runid line has the name of the file."""
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for run in runs:
        if not run.scores:
            continue
        label = file_name if run.runid is None else run.runid
        if label in scores:
            raise InputError(f"run '{label}' appears twice, expected it once", file_name)
        scores[label] = run.scores
    topics = sorted_topics(
        {topic for of_run in scores.values() for by_topic in of_run.values() for topic in by_topic}
    )
    values = np.full((len(scores), len(topics), len(measures)), np.nan)
    for i, of_run in enumerate(scores.values()):
        for j, measure in enumerate(measures):
            by_topic = of_run.get(measure, {})
            places = [place for place, topic in enumerate(topics) if topic in by_topic]
            values[i, places, j] = [by_topic[topics[place]] for place in places]
    return table_of_scores(list(scores), topics, measures, values)

"""Read the scores that trec_eval printed, of one run after the other."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from stdeval.display import counted
from stdeval.errors import InputError
from stdeval.formats.csv_numbers import parse_number
from stdeval.formats.scores_csv import refuse_summaries_only, table_of_scores
from stdeval.measures.facts import kind_of
from stdeval.provenance import SIGNATURE, Signed, parse_same
from stdeval.summary_rows import SUMMARY, is_summary
from stdeval.table import ScoreTable
from stdeval.text_lines import BLANKS, TextLines, columns_of
from stdeval.trec.lines import RUN_WIDTH
from stdeval.trec.reading import sorted_topics


@dataclass
class _PrintedRun:
    """The printed lines of one run: scores by measure and topic, and whether its summary has begun."""

    runid: str | None = None
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
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
        elif kind(measure) != "text":
            if complete:
                runs.append(_PrintedRun())
            if value not in numbers:
                numbers[value] = parse_number(value, file_name, at, "value")
            runs[-1].add(measure, topic, numbers[value], file_name, at)
            measures[measure] = None
    if not measures:
        raise InputError("no rows of topics, expected the output of trec_eval -q; made without -q?", file_name)
    scored = {run.runid or "" for run in runs if run.scores}
    summarized = (run.runid or "" for run in runs if run.summarized)
    refuse_summaries_only(dict.fromkeys(summarized), scored, file_name)
    return signatures.signed(_table_of_runs(runs, list(measures), file_name), len(runs))


class _Signatures:
    """The signatures in the output. Each is that of all runs above it."""

    def __init__(self, file_name: str) -> None:
        self._file_name = file_name
        self._signed: Signed | None = None
        self._n_runs = 0

    def add(self, text: str, n_runs: int, at: int) -> None:
        """Add a signature below some runs; refuse one of other judgments, options or factors than those before."""
        try:
            self._signed = parse_same(text, self._signed)
        except InputError as error:
            raise error.at(self._file_name, at) from None
        self._n_runs = n_runs

    def signed(self, table: ScoreTable, n_runs: int) -> ScoreTable:
        """Add the facts of the signatures to the scores, unless there are runs without."""
        if self._n_runs < n_runs or self._signed is None:
            return table
        options, origin = self._signed
        known = {} if options is None else dict.fromkeys(table.topics, options)
        return replace(table, origin=replace(origin, options=known))


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

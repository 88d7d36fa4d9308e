"""trec_eval's measures, computed by pytrec_eval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from pytrec_eval_ext import RelevanceEvaluator

from stdeval.measures.catalogue import Measure
from stdeval.trec.reading import Documents, Judgments, Qrels

_NO_DOCUMENT = " "  # that no run has: fields of files end at blanks, and `stdeval.python_inputs` refuses it

TrecScorer = Callable[[dict[str, Documents]], dict[str, dict[str, float]]]
"""A function of keys of topics and their documents that returns scores by key and pytrec_eval's name."""


class Request:
    """The measures that one pytrec_eval evaluator computes, at one relevance level, and their places in a row."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.parameters: dict[str, set[str]] = {}
        self.places: list[tuple[int, str]] = []
        self.needs_nonrelevant = False

    def add(self, place: int, measure: Measure) -> None:
        """Add a measure, whose score belongs at `place` in the row."""
        family, parameter = measure.family, measure.parameter
        self.parameters.setdefault(family.name, set()).update([parameter] if parameter else [])
        is_in_name = family.parameter in ("cutoff", "recall", "multiple")
        self.places.append((place, f"{family.name}_{parameter}" if is_in_name else family.name))
        # Explicit gains may give judgment 0 a gain; then documents judged not relevant count too.
        self.needs_nonrelevant |= family.needs_nonrelevant or measure.has_named_gains

    def scorer(self, qrels: Qrels, *, binary: bool, judged_only: bool) -> TrecScorer:
        """Return a function that scores topics by these measures."""
        judged = {key: self._judgments(judgments, binary, judged_only) for key, judgments in qrels.items()}
        level = 1 if binary else self.level
        # pytrec_eval has an array with a place for each judgment of the topic up to the highest, and crashes if
        # the level is far above it. All levels above the highest judgment give the same scores.
        levels = {key: min(level, max(judgments.values()) + 1) for key, judgments in judged.items()}
        # as in P.5,10
        items = self.parameters.items()
        arguments = {f"{name}.{','.join(sorted(given))}" if given else name for name, given in items}

        def evaluator(keys: Iterable[str], level: int) -> RelevanceEvaluator:
            return RelevanceEvaluator({key: judged[key] for key in keys}, arguments, level, judged_only)

        if any("=" in argument for argument in arguments):
            # pytrec_eval overwrites the text of the gains while parsing it, and aborts when it parses the text
            # again for the next call: an evaluator with gains can be used only once.
            return lambda topics: {
                key: evaluator([key], levels[key]).evaluate({key: documents})[key]
                for key, documents in topics.items()
            }
        keys_of: dict[int, list[str]] = {}
        for key, each in levels.items():
            keys_of.setdefault(each, []).append(key)
        evaluators = {each: evaluator(keys, each) for each, keys in keys_of.items()}
        if len(evaluators) == 1:
            return cast(TrecScorer, next(iter(evaluators.values())).evaluate)
        return lambda topics: {key: evaluators[levels[key]].evaluate({key: topics[key]})[key] for key in topics}

    def _judgments(self, judgments: Judgments, binary: bool, judged_only: bool) -> Judgments:
        """Return the judgments of a topic that the measures need: at least one, the highest from 0."""
        if binary:
            # A judgment becomes 1 or 0, relevant or not; a negative one, which means unjudged, stays.
            judgments = {docno: int(rel >= self.level) if rel >= 0 else rel for docno, rel in judgments.items()}
        # Most judged documents are not relevant, and few measures need them. pytrec_eval sorts all judgments that
        # it gets, and looks up every document in them, so it scores a run much faster without these.
        if not (self.needs_nonrelevant or judged_only):
            judgments = {docno: rel for docno, rel in judgments.items() if rel > 0}
        # pytrec_eval overruns its memory if no judgment of a topic is 0 or more. A document that is not relevant,
        # and that no run can hold, changes no measure.
        return judgments if any(rel >= 0 for rel in judgments.values()) else {**judgments, _NO_DOCUMENT: 0}


def requests(measures: Sequence[Measure], level: int) -> list[Request]:
    """Distribute trec_eval's measures over as few evaluators as possible."""
    found: list[Request] = []
    for place, measure in enumerate(measures):
        family, own_level = measure.family, measure.level or level
        # runid is not a score: writers print the tag.
        if family.name == "runid" or family.needs_vector:
            continue
        of_level = [each for each in found if each.level == own_level]
        if family.parameter in ("number", "recalls", "weights", "gains"):
            # a pytrec_eval evaluator accepts only one value of these
            of_level = [each for each in of_level if family.name not in each.parameters]
        if not of_level:
            of_level = [Request(own_level)]
            found += of_level
        of_level[0].add(place, measure)
    return found

"""Scores by trec_eval's measures, computed by pytrec_eval.

This is the only module that imports pytrec_eval, which trusts its caller: it crashes the process on input that it
does not expect. So only names that `stdeval.measures.names` has checked reach it, and each guard below says what
it prevents. Topics are passed by their position in the qrels, because pytrec_eval confuses a topic named
"no_query".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pytrec_eval_ext import RelevanceEvaluator

from stdeval.evaluation.options import Options
from stdeval.measures.parameters import Measure
from stdeval.trec.reading import Documents, Qrels

_NO_DOCUMENT = " "
"""A docno that no run has: fields of files end at blanks, and `stdeval.evaluation.python_inputs` refuses it."""

_ONE_PARAMETER = ("number", "recalls", "weights", "gains")
"""Kinds of parameters for which a pytrec_eval evaluator accepts only one value."""

_PARAMETER_IN_NAME = ("cutoff", "recall", "multiple")
"""Kinds of parameters that are part of the names under which pytrec_eval returns scores."""

TrecScorer = Callable[[dict[str, Documents]], dict[str, dict[str, float]]]
"""A function of keys of topics and their documents that returns scores by key and pytrec_eval's name."""


class Request:
    """The measures that one pytrec_eval evaluator computes, at one relevance level.

    Attributes
    ----------
    parameters : dict
        The parameters asked for, by pytrec_eval's name of the measure.
    places : list of (int, str)
        For each measure its place in the row of scores, and the name under which pytrec_eval returns its score.
    needs_nonrelevant : bool
        True if a measure distinguishes documents judged not relevant from unjudged ones.
    """

    def __init__(self, level: int) -> None:
        self.level = level
        self.parameters: dict[str, set[str]] = {}
        self.places: list[tuple[int, str]] = []
        self.needs_nonrelevant = False

    def takes(self, measure: Measure) -> bool:
        """Return False if pytrec_eval takes only one parameter of the measure, and one was added already."""
        return measure.family.parameter not in _ONE_PARAMETER or measure.family.name not in self.parameters

    def add(self, place: int, measure: Measure) -> None:
        """Add a measure, whose score belongs at `place` in the row."""
        family, parameter = measure.family, measure.parameter
        self.parameters.setdefault(family.name, set()).update([parameter] if parameter else [])
        name = f"{family.name}_{parameter}" if family.parameter in _PARAMETER_IN_NAME else family.name
        self.places.append((place, name))
        # Explicit gains may give judgment 0 a gain; then documents judged not relevant count too.
        self.needs_nonrelevant |= family.needs_nonrelevant or measure.has_named_gains

    def arguments(self) -> set[str]:
        """The measures as pytrec_eval takes them, as in ``P.5,10``."""
        return {f"{name}.{','.join(sorted(given))}" if given else name for name, given in self.parameters.items()}


def requests_for(measures: Sequence[Measure], level: int) -> list[Request]:
    """Distribute trec_eval's measures over as few evaluators as possible.

    One evaluator serves one relevance level. If a measure has several parameters, it may need several evaluators.
    """
    requests: list[Request] = []
    for place, measure in enumerate(measures):
        # runid is not a score: writers print the tag.
        if measure.family.provider == "trec_eval" and measure.family.name != "runid":
            own_level = measure.level or level
            request = next((r for r in requests if r.level == own_level and r.takes(measure)), None)
            if request is None:
                request = Request(own_level)
                requests.append(request)
            request.add(place, measure)
    return requests


def trec_scorer(request: Request, qrels: Qrels, options: Options) -> TrecScorer:
    """Return a function that scores topics by the measures of a request.

    Parameters
    ----------
    request : Request
    qrels : dict
        Key of the topic to docno to judgment.
    options : Options
    """
    judged = _judgments_for(request, qrels, options)
    level = 1 if options.binary else request.level
    # pytrec_eval has an array with a place for each judgment of the topic up to the highest, and crashes if the
    # level is far above it. All levels above the highest judgment give the same scores: no document is relevant.
    levels = {key: min(level, max(judgments.values()) + 1) for key, judgments in judged.items()}
    arguments = request.arguments()
    if any("=" in argument for argument in arguments):
        # pytrec_eval overwrites the text of the gains while parsing it, and aborts when it parses the text again
        # for the next call: an evaluator with gains can be used only once.
        return lambda topics: {
            key: RelevanceEvaluator({key: judged[key]}, arguments, levels[key], options.judged_only).evaluate(
                {key: documents}
            )[key]
            for key, documents in topics.items()
        }
    evaluators = {
        each: RelevanceEvaluator(
            {key: judged[key] for key in judged if levels[key] == each}, arguments, each, options.judged_only
        )
        for each in set(levels.values())
    }
    if len(evaluators) == 1:
        (evaluator,) = evaluators.values()
        return cast(TrecScorer, evaluator.evaluate)
    return lambda topics: {key: evaluators[levels[key]].evaluate({key: topics[key]})[key] for key in topics}


def _judgments_for(request: Request, qrels: Qrels, options: Options) -> Qrels:
    """Return the judgments of each topic that the measures of a request need: at least one, the highest from 0."""
    if options.binary:
        # A judgment becomes 1 or 0, relevant or not; a negative one, which means unjudged, stays.
        qrels = {
            key: {docno: int(rel >= request.level) if rel >= 0 else rel for docno, rel in judgments.items()}
            for key, judgments in qrels.items()
        }
    # Most judged documents are not relevant, and few measures need them. pytrec_eval sorts all judgments that it
    # gets, and looks up every document in them, so it scores a run much faster without these.
    if not (request.needs_nonrelevant or options.judged_only):
        qrels = {
            key: {docno: rel for docno, rel in judgments.items() if rel > 0} for key, judgments in qrels.items()
        }
    # pytrec_eval overruns its memory if no judgment of a topic is 0 or more. A document that is not relevant, and
    # that no run can hold, changes no measure.
    return {
        key: judgments if any(rel >= 0 for rel in judgments.values()) else {**judgments, _NO_DOCUMENT: 0}
        for key, judgments in qrels.items()
    }

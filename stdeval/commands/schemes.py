"""Standardize the scores that a command works on, with the factors and schemes that its options name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from stdeval.commands.input_options import Gaps, InputOptions
from stdeval.commands.inputs import origins_of, read_table, takes_scores
from stdeval.commands.messages import warn
from stdeval.commands.score_files import warn_of_rounded
from stdeval.commands.selection import ranking_measure
from stdeval.commands.standardization_options import LeaveOut, StandardizationOptions
from stdeval.comparability import difference_of_factors, difference_of_origins, signed_qrels
from stdeval.display import counted, excerpt, listed
from stdeval.errors import InputError
from stdeval.factors import (
    USUAL_REFERENCES,
    common_measures,
    fit_factors,
    impossible_deviations,
    n_repeated_systems,
    unlikely_deviations,
)
from stdeval.formats.blocks import Column
from stdeval.formats.readers import read_factors
from stdeval.leave_out import fit_others, groups_by_pattern, standardize_by_others, topics_left_out
from stdeval.measures.catalogue import DEFAULT_FACTORS
from stdeval.measures.names import is_in_unit_range, kind_of, resolve, split_scheme
from stdeval.origins import qrels_digest
from stdeval.schemes import FEW_REFERENCES, SCHEMES, needs_reference_scores, scheme_letter
from stdeval.standardization import left_out_topics, standardize
from stdeval.table import Bools, Factors, Ints, ScoreTable


def factors_of(options: StandardizationOptions, gaps: Gaps = "warn") -> Factors | None:
    """Read the factors; None if no file is named, and the runs are their own reference runs.

    Parameters
    ----------
    options : StandardizationOptions
    gaps : {"warn", "refuse"}
        The treatment of standard deviations that are impossible.

    Returns
    -------
    Factors, optional
        Those of rounded reference scores, if raw scores are to be rounded and the reference scores are known: equal
        scores are equal only if both are rounded.
    """
    if not options.factor_files:
        return None
    factors = read_factors(options.factor_files)
    if options.digits is not None and factors.reference is not None:
        factors = fit_factors(round_scores(factors.reference, options))
    message = _about_impossible(factors)
    if message is not None and gaps == "refuse":
        raise InputError(message, options.factor_files[0])
    if message is not None:
        warn(message)
    return factors


def warn_of_impossible(factors: Factors) -> None:
    """Warn of standard deviations that no scores in [0, 1] can have."""
    message = _about_impossible(factors)
    if message is not None:
        warn(message)


def _about_impossible(factors: Factors) -> str | None:
    """Return a message about too large standard deviations, or None; the files of factors may be swapped."""
    unit = np.array([is_in_unit_range(name) for name in factors.measures])
    moments = factors.mean, factors.sd, factors.n
    too_large, scores = impossible_deviations(*moments) & unit, "scores from 0 to 1"
    if not too_large.any():
        too_large = unlikely_deviations(*moments) & unit
        scores = f"{USUAL_REFERENCES} or more scores from 0 to 1"
    if factors.reference is not None or not too_large.any():
        return None
    i, j = np.argwhere(too_large)[0]
    example = (
        f"'{factors.topics[i]}' by {factors.measures[j]}: mean {factors.mean[i, j]:g}, sd {factors.sd[i, j]:g}"
    )
    return (
        f"standard deviations of {int(too_large.any(axis=1).sum())} of {len(factors.topics)} topics are too large "
        f"for {scores} (e.g. {example}): means and standard deviations swapped?"
    )


def about_origins(made: Factors | ScoreTable, inputs: InputOptions, table: ScoreTable) -> str | None:
    """Return a message about factors or stored scores of other judgments or options than the runs, or None.

    Parameters
    ----------
    made : Factors or ScoreTable
        The factors or the stored scores.
    inputs : InputOptions
    table : ScoreTable
        The scores of the runs. Their origins are those that their files name, or those of the judgments.
    """
    if isinstance(made, ScoreTable) and (message := difference_of_factors(made, table)) is not None:
        return message
    signed = signed_qrels(made)
    if not made.origins and signed is None:
        return None
    if takes_scores(inputs):
        return difference_of_origins(made, table.measures, table.origins, table.qrels)
    used = origins_of(inputs)
    # Single topics are compared anyway, so all of them need no comparison unless only a signature names them.
    return difference_of_origins(made, table.measures, used, qrels_digest(used) if signed else None)


def warn_of_rounded_references(table: ScoreTable, factors: Factors) -> None:
    """Warn if the scores, or the reference scores of the factors, are rounded and the others are not."""
    if factors.reference is not None:
        advice = "expected full precision, or --round N, which also rounds the reference scores"
        warn_of_rounded([table, factors.reference], f", {advice}")


def raw_scores(
    inputs: InputOptions,
    options: StandardizationOptions,
    factors: Factors | None,
    gaps: Gaps = "warn",
    beside: Sequence[str] = (),
) -> ScoreTable:
    """Read the raw scores by the measures named; if none is named, by all that the factors have.

    A warning tells if the factors were made from other judgments or with other options than the scores.

    Parameters
    ----------
    inputs : InputOptions
    options : StandardizationOptions
    factors : Factors or None
        From `factors_of`.
    gaps : {"warn", "refuse", "ignore"}
        The treatment of runs without documents for some topics.
    beside : sequence of str
        Measures by which runs are evaluated as well; they come last, and need no factors.
    """
    computable = [] if factors is None else [name for name in factors.measures if _is_computable(name)]
    if factors is not None and not takes_scores(inputs) and not inputs.measures:
        strange = [name for name in factors.measures if name not in computable]
        if strange and not computable:
            what = f"no measure that stdeval computes, only {listed(strange)}"
            raise InputError(what, options.factor_files[0])
        if strange:
            number = f"{counted(len(strange), 'measure')} of the factors"
            warn(f"{number} cannot be computed here (e.g. '{strange[0]}'): left out", is_caveat=False)
    # With factors, their measures are chosen below, where a message can name the measures of both.
    wanted = None if factors is None else lambda name: True
    asked = inputs
    if beside and not takes_scores(inputs):
        named = inputs.measures or tuple(computable) or DEFAULT_FACTORS
        asked = inputs._replace(measures=(*named, *beside))
    table = round_scores(read_table(asked, computable or DEFAULT_FACTORS, wanted=wanted, gaps=gaps), options)
    if factors is None:
        return table
    message = about_origins(factors, inputs, table)
    if message is not None:
        warn(message)
    warn_of_rounded_references(table, factors)
    common = common_measures(table.measures, factors)
    if inputs.best is not None and (ranking := ranking_measure(inputs, table)) not in common:
        what = f"--best {inputs.best} ranks by {ranking}, which the factors do not have"
        raise InputError(f"{what}: expected -m with one of: {listed(common)}")
    extra = [name for name in beside if name in table.measures and name not in common]
    without = [name for name in table.measures if name not in (*common, *extra)]
    if inputs.measures and without:
        warn(f"no factors for {counted(len(without), 'measure')} (e.g. '{without[0]}'): left out", is_caveat=False)
    return table.select(measures=[*common, *extra])


def _is_computable(name: str) -> bool:
    """Return True if a measure of a factors file can be computed from runs: its name stands for one measure."""
    try:
        return [measure.name for measure in resolve([name])] == [name]
    except InputError:
        return False


def round_scores(table: ScoreTable, options: StandardizationOptions) -> ScoreTable:
    """Round raw scores if the options say so."""
    if options.digits is None:
        return table
    return replace(table, values=np.round(table.values, options.digits))


class Standardized(NamedTuple):
    """Scores by scheme, and the scores and topics that are left out.

    Parameters
    ----------
    tables : dict of str to ScoreTable
        Scheme to scores, including ``"raw"`` if it is asked for.
    messages : list of str
        About scores that are left out.
    left_out : ndarray of bool, shape (n_topics,)
        Topics that some scheme leaves out by some measure, because the standard deviation of their factors is 0.
    """

    tables: dict[str, ScoreTable]
    messages: list[str]
    left_out: Bools


def scores_by_scheme(
    table: ScoreTable, schemes: Sequence[str], options: StandardizationOptions, factors: Factors | None
) -> Standardized:
    """Standardize raw scores by each scheme.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    schemes : sequence of str
        Schemes as they are typed, ``raw`` among them.
    options : StandardizationOptions
    factors : Factors or None
        From `factors_of`; None for a table that is its own reference.

    Raises
    ------
    InputError
        If scheme e or m is asked for and the factors have no reference scores, or if scores are standardized
        already.
    """
    wanted = list(dict.fromkeys(schemes))
    if wanted == ["raw"]:
        return Standardized({"raw": table}, [], np.zeros(len(table.topics), dtype=bool))
    _refuse_standardized(table.measures)
    if factors is None and len(table.systems) < 2:
        what = f"one run, '{excerpt(table.systems[0])}', and no factors to standardize it with"
        raise InputError(f"{what}, expected -F FILE, or at least two runs, which are then their own reference runs")
    if options.leave_out is not None:
        return _scores_by_others(table, wanted, options, options.leave_out)
    used = fit_factors(table) if factors is None else factors
    counting = next(filter(needs_reference_scores, wanted), None)
    if counting is not None and used.reference is None:
        what = f"means and standard deviations only, expected reference scores for scheme {counting}"
        raise InputError(f"{what} ('stdeval factors --empirical' writes them)", options.factor_files[0])
    tables = {
        scheme: table
        if scheme == "raw"
        else standardize(table, used, scheme, A=options.A, B=options.B, censor=options.censor)
        for scheme in wanted
    }
    left_out = {
        scheme: left_out_topics(used, table.topics, table.measures, scheme, censor=options.censor)
        for scheme in wanted
    }
    somewhere = np.any(list(left_out.values()), axis=(0, 2))
    messages = _about_few_references(used.n, wanted)
    if used.reference is not None:
        reference = used.reference
        messages += _about_repeated_references(n_repeated_systems(reference.values), len(reference.systems))
    if somewhere.any():
        by = [scheme_letter(scheme) for scheme, where in left_out.items() if where.any()]
        messages.append(about_left_out_topics(table.topics, somewhere, by, used.rounded))
    elif factors is None:
        messages += _about_equal_references(used)
    return Standardized(tables, messages + _about_left_out(table, used, tables, left_out), somewhere)


def _refuse_standardized(measures: Sequence[str]) -> None:
    """Refuse scores whose names begin with the letter of a scheme: they would be standardized a second time."""
    already = [name for name in measures if split_scheme(name)[0]]
    if already:
        raw = [name for name in measures if name not in already]
        expected = f"-m with one of: {listed(raw)}" if raw else "raw scores, or --scheme raw where a command has it"
        raise InputError(f"{already[0]} is standardized already, expected {expected}")


def _scores_by_others(
    table: ScoreTable, schemes: Sequence[str], options: StandardizationOptions, leave_out: LeaveOut
) -> Standardized:
    """Standardize each run of a table by the others, without its group if groups are given."""
    others = fit_others(table, groups_of(leave_out, table.systems))
    parameters: dict[str, Any] = {"A": options.A, "B": options.B, "censor": options.censor}
    tables = {
        scheme: table if scheme == "raw" else standardize_by_others(others, scheme, **parameters)
        for scheme in schemes
    }
    left_out = {scheme: topics_left_out(others, scheme, censor=options.censor) for scheme in schemes}
    somewhere = np.any(list(left_out.values()), axis=(0, 2))
    messages = _about_few_references(np.array([[others.n_left]]), schemes)
    messages += _about_repeated_references(n_repeated_systems(table.values), len(table.systems))
    if leave_out != LeaveOut(known=leave_out.known):
        messages.append("--leave-out group: each group has other reference runs, which flatters a strong group")
    equal = np.any(others.sd == 0, axis=(0, 2))
    whose = "the reference scores of some runs"
    if somewhere.any():
        by = [scheme_letter(scheme) for scheme, where in left_out.items() if where.any()]
        messages.append(about_left_out_topics(table.topics, somewhere, by, rounded=False, whose=whose))
    elif equal.any():
        messages.append(f"{whose} are all equal for {_number_of_topics(table.topics, equal)}: kept with sd 0")
    present = ~np.isnan(table.values)
    messages += _about_undefined(present, tables, left_out, "fewer than two reference runs are left")
    return Standardized(tables, messages, somewhere)


def groups_of(leave_out: LeaveOut, systems: Sequence[str]) -> list[str] | None:
    """Return the group of each system; None if each is left out by itself."""
    if leave_out.groups is not None:
        return leave_out.groups.of(systems, leave_out.known)
    return None if leave_out.pattern is None else groups_by_pattern(leave_out.pattern, systems)


def tables_after_warning(standardized: Standardized) -> dict[str, ScoreTable]:
    """Return the scores by scheme, and warn of those that are left out."""
    for message in standardized.messages:
        warn(message)
    return standardized.tables


def about_references(factors: Factors, schemes: Sequence[str], n_repeated: int = 0) -> list[str]:
    """Return messages about few or repeated references, and about topics on which all references score alike.

    Parameters
    ----------
    factors : Factors
    schemes : sequence of str
        The schemes for which the factors are meant.
    n_repeated : int
        Number of references with the scores of another one.
    """
    most = int(factors.n.max(initial=0))
    return [
        *_about_few_references(factors.n, schemes),
        *_about_repeated_references(n_repeated, most),
        *_about_equal_references(factors),
    ]


def _about_repeated_references(n: int, n_references: int) -> list[str]:
    # Real tracks have a few pairs of runs that differ only in documents that no measure tells apart.
    if n < max(1, 0.1 * n_references):
        return []
    verb = "has" if n == 1 else "have"
    return [f"{n} of {n_references} reference runs {verb} the scores of another one: they count several times"]


def _about_few_references(n: Ints, schemes: Sequence[str]) -> list[str]:
    """Return warnings of few reference runs: on all topics, or on some of them."""
    most = int(n.max(initial=0))
    used = [SCHEMES[scheme_letter(scheme)] for scheme in schemes if scheme != "raw"]
    short = [scheme for scheme in used if 0 < most < scheme.few_references]
    limits = sorted({scheme.few_references for scheme in short})
    told: list[str] = []
    for limit in limits:
        letters = " and ".join(scheme.letter for scheme in short if scheme.few_references == limit)
        by = "standardized scores" if limit == FEW_REFERENCES else letters
        source = " (Webber 2008, Figure 4)" if limit == FEW_REFERENCES else ""
        told.append(
            f"{f'those by {by}' if told else f'rankings by {by} are reliable'} from about {limit} on{source}"
        )
    if told:
        return [f"{counted(most, 'reference run')}: {', '.join(told)}"]
    least = min((scheme.few_references for scheme in used), default=0)
    few: Bools = np.any((n > 0) & (n < least), axis=1)
    if not few.any():
        return []
    number, fewest = int(few.sum()), int(n[n > 0].min())
    verb = "has" if number == 1 else "have"
    found = f"{number} of {counted(len(few), 'topic')} {verb} fewer than {least} reference runs (fewest: {fewest})"
    return [f"{found}: scores standardized there are unreliable"]


def _about_equal_references(factors: Factors) -> list[str]:
    constant = factors.sd == 0
    if not constant.any():
        return []
    topics = np.flatnonzero(constant.any(axis=1))
    return [
        f"the reference scores are all equal for {len(topics)} of {len(factors.topics)} topics "
        f"(e.g. '{factors.topics[topics[0]]}', {int(constant.sum())} factors in all): kept with sd 0"
    ]


def about_left_out_topics(
    topics: Sequence[str],
    left_out: Bools,
    letters: Sequence[str],
    rounded: bool,
    whose: str = "the reference scores",
) -> str:
    """Return the message about topics that schemes leave out because a standard deviation is 0.

    Parameters
    ----------
    topics : sequence of str
    left_out : ndarray of bool, shape (n_topics,)
    letters : sequence of str
        The letters of the schemes.
    rounded : bool
        True if the standard deviations were rounded.
    whose : str
        The scores that are equal.
    """
    number = _number_of_topics(topics, left_out)
    if rounded:
        return f"the factors of {number} have sd 0, which may be a small sd that was rounded: left out of the mean"
    return f"{whose} are all equal for {number}: left out of the mean by {' and '.join(letters)}"


def _number_of_topics(topics: Sequence[str], chosen: Bools) -> str:
    """Return how many topics are chosen, and the first of them as an example."""
    return f"{int(chosen.sum())} of {len(topics)} topics (e.g. '{topics[int(np.argmax(chosen))]}')"


def _about_left_out(
    table: ScoreTable, factors: Factors, tables: dict[str, ScoreTable], told: dict[str, Bools]
) -> list[str]:
    """Return messages about topics without factors, and about other scores that are undefined.

    Parameters
    ----------
    table : ScoreTable
        Raw scores.
    factors : Factors
    tables : dict of str to ScoreTable
        By scheme.
    told : dict of str to ndarray of bool, shape (n_topics, n_measures)
        By scheme, where scores are undefined for a reason that another message gives.
    """
    messages = []
    known = np.isin(table.topics, factors.topics)
    if not known.all():
        n, example = int((~known).sum()), table.topics[int(np.argmin(known))]
        verb = "has" if n == 1 else "have"
        messages.append(
            f"{n} of {len(table.topics)} topics {verb} no factors (e.g. '{example}'): left out of the mean"
        )
    present = ~np.isnan(table.values) & known[np.newaxis, :, np.newaxis]
    return messages + _about_undefined(present, tables, told, "no factor, or only one reference run")


def _about_undefined(
    present: Bools, tables: dict[str, ScoreTable], told: dict[str, Bools], reason: str
) -> list[str]:
    """Return a message about standardized scores that are undefined although their raw scores are known, if any.

    Parameters
    ----------
    present : ndarray of bool, shape (n_systems, n_topics, n_measures)
        The raw scores that are counted.
    tables, told
        As for `_about_left_out`.
    reason : str
    """
    undefined = [
        present & np.isnan(each.values) & ~told[scheme] for scheme, each in tables.items() if scheme != "raw"
    ]
    most = max((int(each.sum()) for each in undefined), default=0)
    number = f"{most} of {int(present.sum())} scores"
    return [f"{number} cannot be standardized ({reason}): left out of the mean"] if most else []


def _kind(measure: str, letter: str) -> str:
    """Return the kind of a measure, standardized by the scheme of this letter or raw."""
    kind = kind_of(measure)
    # A standardized count is a score, which has a mean. trec_eval -Z nevertheless prints its sum.
    return "score" if kind == "count" and letter not in ("", "Z") else kind


def side_by_side(tables: dict[str, ScoreTable]) -> tuple[list[Column], ScoreTable]:
    """Return the columns and the table of scores by all schemes, measure by measure.

    Parameters
    ----------
    tables : dict of str to ScoreTable
        Scheme to scores, all of the same systems, topics and raw measures, which are taken from the first.
    """
    first = next(iter(tables.values()))
    letters = [scheme_letter(scheme) for scheme in tables]
    measures = first.measures if not letters[0] else tuple(name[1:] for name in first.measures)
    columns = [Column(name, _kind(name, letter), letter) for name in measures for letter in letters]
    values = np.stack([table.values for table in tables.values()], axis=-1)
    stacked = values.reshape(*first.values.shape[:2], -1)
    return columns, ScoreTable(first.systems, first.topics, tuple(column.name for column in columns), stacked)

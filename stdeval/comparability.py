"""Factors and stored scores that were made from other judgments, or with other options, than scores of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from stdeval.display import counted, excerpt, listed
from stdeval.errors import InputError
from stdeval.measures.facts import unused_options
from stdeval.measures.names import split_scheme
from stdeval.origins import (
    OTHER_FACTORS,
    UNKNOWN_FACTORS,
    Origin,
    Origins,
    QrelsDigest,
    References,
    are_other_qrels,
    other_origins,
    qrels_digest,
    without,
)
from stdeval.reference_factors import Factors
from stdeval.signature import have_other_factors
from stdeval.table import Ints, ScoreTable


def difference_of_origins(
    made: Factors | ScoreTable, measures: Sequence[str], used: Origins, qrels: QrelsDigest | None
) -> str | None:
    """Return a sentence about factors or stored scores of other judgments or options than the runs, or None.

    The option ``-c`` of factors is not compared: reference runs that have all topics have the same factors with it.
    Stored scores may be zeros that ``-c`` counts for missing topics.

    Parameters
    ----------
    made : Factors or ScoreTable
        The factors or the stored scores.
    measures : sequence of str
        The measures of the runs.
    used : mapping of str to Origin
        The origins of the scores of the runs.
    qrels : QrelsDigest, optional
        The judgments of all topics, from which the scores of the runs were computed; None if they are unknown.

    Examples
    --------
    >>> from stdeval.origins import Origin
    >>> made = ScoreTable(("a",), ("1",), ("map",), [[[0.5]]], {"1": Origin("00000001", "-l 2")})
    >>> difference_of_origins(made, ["map"], {"1": Origin("00000001", "")}, None)
    'scores of 1 of 1 topics were made with -l 2, the runs are evaluated with the default options'
    """
    shared = [name for name in made.measures if name in measures]
    compared = _with_used_options((made.origins, used), shared, ["-c"] if isinstance(made, Factors) else [])
    other = other_origins(made.topics, *compared)
    kind = "factors" if isinstance(made, Factors) else "scores"
    parts = []
    if other.judgments:
        parts.append(f"{kind} of {len(other.judgments)} of {other.n_topics} topics were made from other judgments")
    for options, topics in other.options.items():
        with_options = options or "the default options"
        evaluated = compared[1][topics[0]].options or "the default options"
        parts.append(
            f"{kind} of {len(topics)} of {other.n_topics} topics were made with {with_options}, "
            f"the runs are evaluated with {evaluated}"
        )
    expected, signed = qrels or qrels_digest(used), signed_qrels(made)
    named = signed or qrels_digest(made.origins)
    if not other.judgments and are_other_qrels(named, expected, are_whole=None not in (signed, qrels)):
        parts.append(f"{kind} were made from other judgments ({named}, expected {expected})")
    return "; ".join(parts) or None


def difference_of_factors(made: ScoreTable, table: ScoreTable) -> str | None:
    """Return a sentence if stored scores were standardized with other factors than the runs, otherwise None.

    Parameters
    ----------
    made, table : ScoreTable
        The stored scores, and the scores of the runs, if these are stored too.
    """
    columns = set(made.measures) & set(table.measures)
    same = set(made.topics) == set(table.topics)
    other = have_other_factors(made.standardization, table.standardization, columns, have_same_topics=same)
    if other is None:
        return "the signatures cannot tell whether the same factors standardized these scores and those of the runs"
    return "scores were standardized with other factors or parameters than the runs" if other else None


def undecided_origins(baseline: ScoreTable, table: ScoreTable | None) -> str | None:
    """Return a sentence if stored scores of a baseline or of the runs do not name their judgments and options.

    Parameters
    ----------
    baseline : ScoreTable
        Stored scores.
    table : ScoreTable, optional
        The scores of the runs, from files; None if they are computed here, from judgments that are known.
    """
    whose = {"the baseline": unnamed_origins(baseline), "the runs": [] if table is None else unnamed_origins(table)}
    unnamed = [name for name, facts in whose.items() if facts]
    if not unnamed:
        return None
    what = listed_facts(whose.values())
    return (
        f"the scores of {' and of '.join(unnamed)} do not name their {what}: it is not known "
        "whether those of the baseline and of the runs are the same (--signature stores them)"
    )


def undecided_factors_origins(factors: Factors, table: ScoreTable | None) -> str | None:
    """Return a sentence if only the factors or only the scores name their judgments and options, otherwise None.

    Parameters
    ----------
    factors : Factors
    table : ScoreTable, optional
        The scores of the runs, from files; None if they are computed here, from judgments that are known.
    """
    of_factors, of_runs = unnamed_origins(factors), [] if table is None else unnamed_origins(table)
    if of_factors == of_runs:
        return None
    if set(of_runs) - set(of_factors):
        one, other, what, stored = "scores", "factors", of_runs, " (--signature stores them)"
    else:
        one, other, what, stored = "factors", "runs", of_factors, ""
    unknown = f"it is not known whether those of the {other} are the same"
    return f"the {one} do not name their {listed_facts([what])}: {unknown}{stored}"


def fit_of_factors(different: str | None, undecided: str | None) -> tuple[str, ...]:
    """Return the field of a signature that says how the factors fit the scores; none if both are known to fit.

    Parameters
    ----------
    different : str or None
        The message about factors of other judgments or options, as from `difference_of_origins`.
    undecided : str or None
        As from `undecided_factors_origins`.
    """
    if different is not None:
        return (OTHER_FACTORS,)
    return () if undecided is None else (UNKNOWN_FACTORS,)


def about_missing_factor_topics(factors: Factors, table: ScoreTable, *, are_known: bool = False) -> Iterator[str]:
    """Yield a message about topics of the factors that are not in the scores.

    If neither the factors nor the scores name their judgments, any such topic is told: they may be of different
    collections. Otherwise only many such topics are told.

    Parameters
    ----------
    factors : Factors
    table : ScoreTable
    are_known : bool
        The judgments of the scores are known, although the table does not name them.

    Examples
    --------
    >>> factors = Factors(("1", "2"), ("map",), [[0.5], [0.5]], [[0.1], [0.1]], [[9], [9]])
    >>> table = ScoreTable(("a",), ("1",), ("map",), [[[0.25]]])
    >>> print(*about_missing_factor_topics(factors, table, are_known=True))
    1 of 2 topics of the factors (e.g. '2') is not in the scores: standardized means are over the others
    """
    scored = set(table.topics)
    missing = [topic for topic in factors.topics if topic not in scored]
    if not missing:
        return
    verb = "is" if len(missing) == 1 else "are"
    number = f"{len(missing)} of {counted(len(factors.topics), 'topic')}"
    found = f"{number} of the factors (e.g. '{excerpt(missing[0])}') {verb} not in the scores"
    if unnamed_origins(factors) and not are_known and unnamed_origins(table):
        yield f"{found}, and neither of them names its judgments: are both of the same collection?"
    elif len(missing) > _MANY_MISSING * len(factors.topics):
        yield f"{found}: standardized means are over the others"


_MANY_MISSING = 0.1
"""A message tells if more than this share of the topics of the factors are not in the scores."""


def undecided_joined_origins(
    tables: Sequence[ScoreTable], file_names: Sequence[str], files: str = "all joined files"
) -> str | None:
    """Return a sentence if one of several `files` of scores does not name its judgments and options, or None."""
    facts = [unnamed_origins(table) for table in tables]
    unnamed = [file for found, file in zip(facts, file_names, strict=True) if found]
    if not unnamed or len(tables) < 2:
        return None
    and_others = f" and of {counted(len(unnamed) - 1, 'more file')}" if len(unnamed) > 1 else ""
    return (
        f"the scores of {unnamed[0]}{and_others} do not name their {listed_facts(facts)}: it is not known whether "
        f"those of {files} are the same (--signature stores them)"
    )


def refuse_unscored_topics(table: ScoreTable, where: str | None = None, otherwise: str = "") -> None:
    """Refuse scores without some of the topics that were judged, as far as their signature tells these.

    Parameters
    ----------
    table : ScoreTable
    where : str, optional
        The place that the message names.
    otherwise : str
        The end of the message, if there is another way out.
    """
    if len(table.topics) < table.n_judged:
        whose = "signature" if table.qrels is None else "judgments"
        found = f"scores of {len(table.topics)} of the {table.n_judged} topics of the {whose}"
        raise InputError(f"{found}, expected scores of all of them{otherwise}", where)


def difference_of_own_factors(table: ScoreTable) -> str | None:
    """Return a sentence if factors from other judgments or options standardized stored scores, otherwise None."""
    made = table.standardization
    has_others = made is not None and made.has_other_factors and _are_standardized(table)
    return "standardized with factors from other judgments or options than theirs" if has_others else None


def refuse_other_factors(table: ScoreTable, where: str | None = None) -> None:
    """Refuse stored scores that factors from other judgments or options standardized."""
    if (found := difference_of_own_factors(table)) is not None:
        expected = "expected factors from the same judgments and options"
        raise InputError(f"the scores were {found}, {expected}", where)


_FACTS = ["judgments", "options", "factors"]


def unnamed_origins(made: ScoreTable | Factors) -> list[str]:
    """Return the facts that scores or factors do not name for all topics: judgments, options or factors.

    Only standardized scores need factors.
    """
    if isinstance(made, ScoreTable) and made.joined:
        facts = {fact for part in made.joined for fact in unnamed_origins(part)}
        return [fact for fact in _FACTS if fact in facts]
    origins = [made.origins.get(topic, Origin()) for topic in made.topics]
    is_standardized = isinstance(made, ScoreTable) and _are_standardized(made)
    is_named = {
        "judgments": signed_qrels(made) is not None or all(origin.judgments for origin in origins),
        "options": all(origin.options is not None for origin in origins),
        "factors": not is_standardized or (isinstance(made, ScoreTable) and made.standardization is not None),
    }
    return [fact for fact, named in is_named.items() if not named]


def listed_facts(each: Iterable[Sequence[str]]) -> str:
    """Return the facts in any of the lists in words, such as "judgments, options and factors"."""
    facts = sorted({fact for facts in each for fact in facts}, key=_FACTS.index)
    return " and ".join(filter(None, [", ".join(facts[:-1]), facts[-1]]))


def _are_standardized(table: ScoreTable) -> bool:
    return any(split_scheme(name)[0] for name in table.measures)


def signed_qrels(made: Factors | ScoreTable) -> QrelsDigest | None:
    """Return the judgments that the signature of scores names, or of the scores from which factors were fitted."""
    scores = made if isinstance(made, ScoreTable) else made.reference
    return None if scores is None else scores.qrels


def options_named(origins: Origins, measures: Sequence[str]) -> frozenset[str]:
    """Return the options that origins name, without those that change no score by the measures.

    Examples
    --------
    >>> from stdeval.origins import Origin
    >>> options_named({"1": Origin("", "-l 2"), "2": Origin("", "-l 2 --max-grade 4"), "3": Origin()}, ["map"])
    frozenset({'-l 2'})
    """
    (used,) = _with_used_options([origins], measures)
    return frozenset(origin.options for origin in used.values() if origin.options is not None)


def about_other_options(named: Iterable[tuple[Origins, str]], measures: Sequence[str]) -> Iterator[str]:
    """Yield messages about collections whose options differ, or are not known.

    Parameters
    ----------
    named : iterable of (Origins, str)
        The origins of the scores on each collection, and the name of the collection.
    measures : sequence of str
        Options that change no score by these are not compared.
    """
    all_options = [(options_named(origins, measures), name) for origins, name in named]
    known = [each for each in all_options if each[0]]
    if len(known) < len(all_options) > 1:
        unnamed = next(name for options, name in all_options if not options)
        told = f"the scores of {unnamed} do not name their options"
        yield f"{told}: it is not known whether those of all collections are the same (--signature stores them)"
    for (a, name_a), (b, name_b) in combinations(known, 2):
        if a != b:
            one, other = (listed(sorted(option or "the default options" for option in each)) for each in (a, b))
            yield f"{name_a} was made with {one}, {name_b} with {other}: expected the same options"
            return


_AS_MANY = 0.8
"""Collections with numbers of reference runs below this ratio may have chosen them in different ways."""


def about_other_schemes(named: Iterable[tuple[ScoreTable, str]]) -> Iterator[str]:
    """Yield messages about collections that were standardized in different ways, or whose files do not say how.

    Collections always have different factors.
    """
    named = list(named)
    unnamed = [name for table, name in named if _are_standardized(table) and table.standardization is None]
    if unnamed and len(named) > 1:
        told = f"the scores of {unnamed[0]} do not name their factors"
        yield f"{told}: it is not known whether all were standardized in the same way (--signature stores them)"
    known = [(table.standardization, name) for table, name in named if table.standardization is not None]
    for (a, name_a), (b, name_b) in combinations(known, 2):
        one, other = (", ".join((*each.schemes, *each.adjustments)) for each in (a, b))
        if one != other and {scheme[0] for scheme in a.schemes} & {scheme[0] for scheme in b.schemes}:
            yield f"{name_a} was standardized by {one}, {name_b} by {other}: expected the same"
            return
    yield from about_other_references((made.references, name) for made, name in known)


def about_other_references(named: Iterable[tuple[References, str]]) -> Iterator[str]:
    """Yield a message if one collection has far fewer reference runs than another.

    Parameters
    ----------
    named : iterable of (References, str)
        The references of each collection, and its name.

    Examples
    --------
    >>> named = [(References("", 40, 40), "a.csv"), (References("", 24, 25), "b.csv")]
    >>> print(*about_other_references(named))  # doctest: +NORMALIZE_WHITESPACE
    a.csv was standardized by 40 reference runs, b.csv by 24 to 25: the scores are comparable only if both sets are
    equally good
    """
    for (a, name_a), (b, name_b) in combinations(named, 2):
        if _are_fewer(a, b):
            numbers = f"{name_a} was standardized by {_numbers(a)} reference runs, {name_b} by {_numbers(b)}"
            yield f"{numbers}: the scores are comparable only if both sets are equally good"
            return


def about_uneven_collections(n: Ints) -> Iterator[str]:
    """Yield a message if the topics of one collection have far fewer references than those of another.

    Parameters
    ----------
    n : ndarray of int, shape (n_topics, n_measures)
        The numbers of references; 0 where there are none. Another message tells if they are at most half as many.

    Examples
    --------
    >>> import numpy as np
    >>> print(*about_uneven_collections(np.array([[40], [24]])))  # doctest: +NORMALIZE_WHITESPACE
    topics were standardized by 24 to 40 reference runs: the scores are comparable only if all sets of them are
    equally good
    """
    known = n[n > 0].tolist()
    fewest, most = min(known, default=0), max(known, default=0)
    if most / 2 < fewest < _AS_MANY * most:
        numbers = f"topics were standardized by {fewest} to {most} reference runs"
        yield f"{numbers}: the scores are comparable only if all sets of them are equally good"


def _are_fewer(one: References, other: References) -> bool:
    """Return whether one collection has far fewer references than the other, on all topics or on some."""
    pairs = ((one.fewest, other.fewest), (one.most, other.most))
    return any(0 < min(pair) < _AS_MANY * max(pair) for pair in pairs)


def _numbers(references: References) -> str:
    _, fewest, most = references
    return str(most) if fewest == most else f"{fewest} to {most}"


def about_mixed_options(table: ScoreTable, measures: Sequence[str]) -> str | None:
    """Return a sentence if the topics of one table name different options, otherwise None.

    Options that change no score by the measures do not count. Topics that name none may have any, so they count as
    different from those that name one.

    Examples
    --------
    >>> origins = {"1": Origin("0000000a", "-M 10"), "2": Origin("0000000b", "")}
    >>> table = ScoreTable(("a",), ("1", "2"), ("map",), [[[0.5], [0.25]]], origins)
    >>> about_mixed_options(table, ["map"])
    'scores of 1 of 2 topics were computed with -M 10, those of the others with the default options'
    """
    if not table.origins:
        return None
    (used,) = _with_used_options([table.origins], measures)
    n_topics = Counter(used.get(topic, Origin()).options for topic in table.topics)
    named = [options for options in n_topics if options]
    if not named or len(n_topics) == 1:
        return None
    others = [options for options in n_topics if options != named[0]]
    unnamed = "options that they do not name"
    of_others = listed([unnamed if each is None else each or "the default options" for each in others])
    number = f"{n_topics[named[0]]} of {counted(len(table.topics), 'topic')}"
    return f"scores of {number} were computed with {named[0]}, those of the others with {of_others}"


def _with_used_options(
    each: Sequence[Origins], measures: Sequence[str], ignored: Collection[str] = ()
) -> list[Origins]:
    """Return origins without options that change no score by the measures, such as --max-grade of map."""
    binary = any("--binary" in (origin.options or "") for origins in each for origin in origins.values())
    unused = {*unused_options(measures, binary), *ignored}
    return [
        {
            topic: origin if origin.options is None else origin._replace(options=without(origin.options, unused))
            for topic, origin in origins.items()
        }
        for origins in each
    ]

"""Look up measures by name; name standardized scores, and the columns of joined files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

from stdeval.errors import InputError
from stdeval.measures import SCHEME_LETTERS, catalogue, papers
from stdeval.measures.catalogue import NICKNAMES, TREC_EVAL, Family, Measure

_TREC_EVAL = {family.name: family for family in TREC_EVAL}


@cache
def families() -> dict[str, Family]:
    """Return all measures by name, in the order of output."""
    return _TREC_EVAL | {family.name: family for family in papers.PAPERS}


# --- names that stand for no measure ---


class UnknownNameError(Exception):
    """A text that stands for no measure, and the family it names, if only the parameter is wrong."""


# measures of other programs, as `_folded` returns their names
_ELSEWHERE = dict.fromkeys(("acc", "hit", "hits", "hitrate"), "success") | {"rcap": "relative_P"}
_ELSEWHERE |= dict.fromkeys(("hole", "unjudged"), "unj")
_NOT_COMPUTED = dict.fromkeys(("ncg", "nerr", "q", "qmeasure"), "is not computed") | {
    "numnonjudgedret": "is not computed: it is num_ret - num_rel_ret - num_nonrel_judged_ret",
    "accuracy": "is success_K or, in ir_measures, how often a relevant document is above another: not computed",
}


def _refusal(text: str, family: Family | None = None) -> InputError:
    """Return the error that users see, with up to three of the similar names that a shell completes."""
    from difflib import get_close_matches  # it takes time to load, and few names are wrong

    wanted = _folded(text[:40])
    stem = wanted.rstrip("0123456789")
    if stem in _NOT_COMPUTED:
        return InputError(f"measure '{text[:80]}' {_NOT_COMPUTED[stem]}")
    spellings = {_folded(name): name for names in reversed(_completed()) for name in names}
    cutoff = wanted.removeprefix(stem)
    same = _ELSEWHERE.get(stem) or canonical(spellings.get(f"{stem}10", "")).removesuffix("_10")
    meant = f"{same}_{cutoff}" if cutoff else same
    if (cutoff or stem in _ELSEWHERE) and known_measures(meant):
        hints = [meant]
    else:
        near = [wanted] if wanted in spellings else get_close_matches(wanted, spellings, n=3)
        hints = [spellings[name] for name in near]
    problem = f"no measure '{text[:80]}'" + ("" if hints else ", expected one that 'stdeval measures' lists")
    if family is not None:
        problem = f"measure '{text[:80]}': {family.name} takes {catalogue.PARAMETERS[family.parameter][2]}"
        hints = [hint for hint in hints if not family.parameter or _folded(hint) == wanted]
    return InputError(f"{problem}, did you mean {' or '.join(hints)}?" if hints else problem)


def _folded(name: str) -> str:
    return re.sub(r"_cut(?=[_.])|_at(?=_)|[_@-]|(?<![0-9])\.", "", name.lower())


# --- the grammar ---

# As in `stdeval.measures.catalogue`, no expression takes more than linear time.
_IR_FORM = r"(?P<name>[A-Za-z]+)(?:\((?P<arguments>[^()]*)\))?(?:@(?P<at>[0-9.]+))?"
_COMMA = r"\([^()]*\)|,(?!(?!11pt)[-+]?\.?[0-9]|(?:max|p|rel)=|,|$)"


def split_list(text: str) -> list[str]:
    """Return the names in a list, which begin after commas; P.5,10 and RBP(p=0.8,rel=2) are one name."""
    commas = [match.start() for match in re.finditer(_COMMA, text) if match[0] == ","]
    return [text[before + 1 : after] for before, after in pairwise([-1, *commas, len(text)])]


def measures_named(text: str) -> list[Measure]:
    """Return the measures that one text stands for."""
    if "@" in text or "(" in text:
        return _from_ir_measures(text)
    if text in NICKNAMES:
        return [measure for name in NICKNAMES[text] for measure in measures_named(name)]
    name, mark, level = text.partition("_rel=")
    if mark and level.isdecimal():
        return _at_level(measures_named(name), level, text)
    family = _TREC_EVAL.get(text) or families().get(text) or _family_of_alias(text)
    if family is not None:
        return [Measure(family, default) for default in family.defaults]
    named = [family for family in families().values() if text.startswith((f"{family.name}.", f"{family.name}_"))]
    if not named:
        raise UnknownNameError(text)
    # ndcg_cut_10 is ndcg_cut with 10, not ndcg with cut_10
    longest = max(named, key=lambda family: len(family.name))
    return _with_parameter(longest, text[len(longest.name) + 1 :], text)


def _at_level(measures: list[Measure], level: str, text: str) -> list[Measure]:
    """Return the measures with a level of their own, except measures of a group whose values no level changes."""
    if not re.fullmatch("[0-9]{1,9}", level) or int(level) < 1:
        raise InputError(f"measure '{text[:80]}': rel={level}, expected a whole number from 1")
    if not any(measure.has_level for measure in measures):
        raise InputError(f"measure '{text[:80]}': {measures[0].family.name} does not depend on a relevance level")
    return [measure._replace(level=int(level)) if measure.has_level else measure for measure in measures]


def _family_of_alias(name: str, *kinds: str) -> Family | None:
    """Return the family with this alias and one of these kinds of parameter, by default preferably none."""
    named = [family for family in families().values() if name in family.aliases]
    exact = [family for kind in kinds or ("",) for family in named if family.parameter == kind]
    return next(iter(exact or ([] if kinds else named)), None)


def _with_parameter(family: Family, text: str, whole: str) -> list[Measure]:
    """Return the measures of a family, one for each parameter listed in ``text``, a part of the ``whole`` name."""
    parameters = catalogue.canonical_parameters(family, text)
    if parameters is None:
        raise UnknownNameError(whole, family)
    return [Measure(family, parameter) for parameter in parameters]


def _from_ir_measures(text: str) -> list[Measure]:
    """Return the measures that a name like ``nDCG(dis='log2', rel=2)@10`` stands for."""
    form = re.fullmatch(_IR_FORM, text)
    if form is None:
        raise UnknownNameError(text)
    # The commas of gains={0:0,1:10} are not those between parameters.
    items = re.findall(r"(?:\{[^{}]*\}|[^,])+", (form["arguments"] or "").replace(" ", ""))
    arguments = {key: value.strip("'\"") for key, _, value in (item.partition("=") for item in items)}
    if not all(arguments.values()) or len(arguments) != len(items):
        expected = "expected name=value parameters, each once, with commas between"
        raise InputError(f"measure '{text[:80]}': {expected}")
    name = _in_usual_case(form["name"]) if form["at"] else form["name"]
    family, parameter = _ir_family(name, arguments, form["at"], text)
    level = arguments.pop("rel", None) if family.has_level else None
    if arguments:
        what = f"measure '{text[:80]}': {'='.join(next(iter(arguments.items())))}"
        raise InputError(f"{what}, expected rel, or a parameter that 'stdeval measures {family.name}' shows")
    measures = _with_parameter(family, parameter, text) if parameter else measures_named(family.name)
    return measures if level is None else _at_level(measures, level, text)


def _in_usual_case(name: str) -> str:
    """Return a name before an @ in its usual case, such as nDCG for Ndcg; in NRBP, N is the letter of a scheme."""
    usual = ["rbp", *(alias for family in families().values() for alias in family.aliases)]
    if name in usual or (name[0] in SCHEME_LETTERS and name[1:] in usual):
        return name
    return next((each for each in usual if each.lower() == name.lower()), name)


def _ir_family(name: str, arguments: dict[str, str], at: str | None, text: str) -> tuple[Family, str]:
    """Return the family of an ir_measures name and its parameter in trec_eval's form."""
    if name in ("SetP", "SetRelP") and arguments.get("relative") in ("True", "False"):
        name = "SetRelP" if arguments.pop("relative") == "True" else "SetP"
    if name == "NumRet" and "rel" in arguments:
        name = "NumRelRet"
    if at is None:
        at = arguments.pop("recall" if name == "IPrec" else "cutoff", None)
    for key in ("dis", "dcg"):
        # the discount or the gains of the DCG family: the default is log2, and aliases have the other value
        aliases = (alias for family in families().values() for alias in family.aliases)
        of_key = {alias for alias in aliases if alias.startswith(f"{name}({key}=")}
        wanted = f"{name}({key}={arguments.get(key)})"
        if wanted in of_key or (of_key and arguments.get(key) == "log2"):
            name = wanted if wanted in of_key else name
            del arguments[key]
    family = families().get(name) or _family_of_alias(name)
    if family is not None and family.parameter == "persistence":
        if "resid" in arguments:
            arguments["p"] = _p_of_residual(arguments, at, text)
        given = {"p=": arguments.pop("p", "0.8"), "_max=": arguments.pop("max", None), "_cut_": at}
        return family, "".join(f"{mark}{value}" for mark, value in given.items() if value)
    if family is not None and family.parameter == "number" and "beta" in arguments and at is None:
        return family, arguments.pop("beta")
    if at is not None:
        family = _family_of_alias(name, "cutoff", "optional cutoff", "graded", "recall")
    if family is None:
        raise UnknownNameError(text)
    if family.parameter == "graded" and "max" in arguments:
        at = "_".join(filter(None, [at, f"max={arguments.pop('max')}"]))
    return family, at or ""


def _p_of_residual(arguments: dict[str, str], at: str | None, text: str) -> str:
    """Return the p with which rank-biased precision leaves a residual at a depth."""
    resid = arguments.pop("resid")
    is_number = re.fullmatch(catalogue.NUMBER, resid) and 0 < float(resid) < 1
    if not is_number or "p" in arguments or catalogue.canonical_parameter("cutoff", at or "") is None:
        form = "RBP(resid=R)@K with R in (0, 1) and a whole number K from 1, which sets p = R^(1/K), without p"
        raise InputError(f"measure '{text[:80]}': expected {form}")
    return repr(float(resid) ** (1 / int(at or 1)))


# --- measures by name ---


def resolve(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Return the measures that the names stand for, each once, in trec_eval's order."""
    return tuple(sorted(resolve_as_typed(texts), key=Measure.place))


def resolve_as_typed(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Return the measures that the names stand for, each once, in the order of the names."""
    try:
        names = [name for text in texts for name in split_list(text)]
        return tuple({measure.name: measure for name in names for measure in measures_named(name)}.values())
    except UnknownNameError as unknown:
        raise _refusal(*unknown.args) from None


def known_measures(name: str) -> list[Measure]:
    """Return the measures that a name stands for, in trec_eval's order; none if the name is unknown."""
    try:
        return sorted({measure.name: measure for measure in measures_named(name)}.values(), key=Measure.place)
    except (InputError, UnknownNameError):
        return []


def measure_named(name: str) -> Measure | None:
    """Return the raw measure with this name; None if no measure or several measures have it."""
    measures = known_measures(name)
    return measures[0] if len(measures) == 1 else None


def canonical(name: str) -> str:
    """Return the canonical name of a measure; unchanged if the name is unknown or stands for several measures."""
    measure = measure_named(name)
    return name if measure is None else measure.name


def prefixed(prefix: str, name: str) -> str:
    """Return the name of a measure in a table that joins files, such as ``deep:map``; unchanged without prefix."""
    return f"{prefix}:{name}" if prefix else name


def split_prefix(name: str) -> tuple[str, str]:
    """Return the prefix of a measure's name, which is empty if there is none, and the name without it."""
    prefix, _, bare = name.rpartition(":")
    return prefix, bare


def measure_of(name: str) -> Measure | None:
    """Return the (first) measure of this name, with or without a prefix; None if the name is unknown."""
    return next(iter(known_measures(split_prefix(name)[1])), None)


# --- standardized scores ---

_OF_NDEVAL = "NRBP|NERR(?:@[0-9]+)?"
"""Names of measures of diversity, so that N of RBP and N of ERR are not named so."""


def split_scheme(name: str, *, is_typed: bool = False) -> tuple[str, str]:
    """Return the letter of the scheme in the name of standardized scores, and the name of the raw measure."""
    prefix, bare = split_prefix(name)
    if len(bare) == 2 and not is_typed:
        return "", name
    if bare[:1] not in {*SCHEME_LETTERS} or measure_of(bare) is not None or re.fullmatch(_OF_NDEVAL, bare):
        return "", name
    if bare[1:2] == "(" and bare[-1] == ")" and len(bare) > 3:
        return bare[0], prefixed(prefix, bare[2:-1])
    return (bare[0], prefixed(prefix, bare[1:])) if measure_of(bare[1:]) is not None else ("", name)


def standardized_name(letter: str, measure: str) -> str:
    """Return the name of a measure's scores that a scheme standardized; unchanged if the letter is empty."""
    if not letter:
        return measure
    prefix, bare = split_prefix(measure)
    spellings = [letter + bare, letter + canonical(bare)] if measure_of(split_scheme(bare)[1]) else []
    unambiguous = next((spelling for spelling in spellings if split_scheme(spelling)[0]), f"{letter}({bare})")
    return prefixed(prefix, unambiguous)


def publication_name(name: str) -> str:
    """Return the name of a measure as papers print it; of a raw measure, ``-m`` takes it, too."""
    letter, raw = split_scheme(name)
    prefix, bare = split_prefix(raw)
    measure = measure_named(bare)
    if measure is None or not measure.family.aliases or measure.has_named_gains:
        return name
    alias, _, variant = measure.family.aliases[0].rstrip(")").partition("(")
    kind, parameter = measure.family.parameter, measure.parameter
    is_given = kind != "persistence" or "p=" in bare or "resid=" in bare
    arguments = [
        variant,
        parameter.partition("_")[0] if kind == "persistence" and is_given else "",
        f"beta={parameter}" if kind == "number" and parameter else "",
        f"max={measure.max_grade}" if "max=" in parameter else "",
        "" if measure.level is None else f"rel={measure.level}",
    ]
    given = ",".join(filter(None, arguments))
    cutoff = parameter if kind == "recall" else measure.cutoff
    printed = alias + (f"({given})" if given else "") + (f"@{cutoff}" if cutoff else "")
    return prefixed(prefix, f"{letter}-{printed}" if letter else printed)


# --- facts about measures ---


def kind_of(name: str) -> str:
    """Return the kind (see `Family`) of the measure of this name; ``"score"`` if the name is unknown."""
    measure = measure_of(name)
    return "score" if measure is None else measure.family.kind


def level_of(name: str, level: int) -> int:
    """Return the relevance level of the measure of this name; ``level`` if it has none of its own."""
    measure = measure_of(name)
    return (measure and measure.level) or level


def range_of(name: str) -> str:
    """Return the range (see `Family`) of the measure of this name; ``"unbounded"`` if the name is unknown."""
    measure = measure_of(name)
    return "unbounded" if measure is None else measure.range


def is_better_higher(name: str) -> bool:
    """Return True if a higher score is better by the measure of this name; also True if the name is unknown."""
    measure = measure_of(split_scheme(name)[1])
    return measure is None or measure.better_higher


def scheme_letter(scheme: str) -> str:
    """Return the letter that prefixes the names of measures: none for raw scores, else an upper-case letter."""
    return "" if scheme == "raw" else scheme.upper()


def scheme_label(scheme: str) -> str:
    """Return the label of a scheme in listings and pictures: ``raw``, or an upper-case letter."""
    return scheme_letter(scheme) or "raw"


def kind_of_scores(letter: str, measure: str) -> str:
    """Return the kind of scores by a scheme: those of counts are scores too, but by Z a sum, as by trec_eval -Z."""
    if not letter:
        return kind_of(measure)
    return "sum" if letter == "Z" and kind_of(measure) == "count" else "score"


def unused_options(names: Iterable[str], binary: bool) -> frozenset[str]:
    """Return the options of the evaluation that change no score by the measures of these names."""
    found = [known_measures(split_prefix(name)[1]) for name in names]
    if not all(found):
        return frozenset()
    measures = [measure for several in found for measure in several]
    used = {
        "-l": any(measure.depends_on_level(binary) for measure in measures),
        "--binary": any(measure.family.has_gains for measure in measures),
    }
    return frozenset(option for option in used if not used[option])


def measures_beginning_with(text: str, letters: str = "") -> list[tuple[str, str]]:
    """Return names of measures that begin with a text, each with its definition, in the order of the table."""
    for names in _completed():
        if found := [each for each in names.items() if each[0].startswith(text)]:
            return found
    if text[:1] in {*letters}:
        return [(text[0] + name, definition) for name, definition in measures_beginning_with(text[1:])]
    return []


def _completed() -> tuple[dict[str, str], dict[str, str]]:
    """Return the definitions of measures by name, with usual parameters, and by their other names."""
    names = {name: row.definition for row in families().values() for name in _with_defaults(row, row.name, "_")}
    names |= dict.fromkeys(NICKNAMES, "several measures")
    # Shells need quotation marks around parentheses, and these kinds have none.
    kinds = ("", "cutoff", "optional cutoff", "graded", "gains")
    rows = [row for row in families().values() if row.parameter in kinds]
    aliases = [(row, alias) for row in rows for alias in row.aliases if "(" not in alias]
    return names, {name: row.definition for row, alias in aliases for name in _with_defaults(row, alias, "@")}


def _with_defaults(family: Family, name: str, mark: str) -> list[str]:
    return [f"{name}{mark}{default}" if default else name for default in family.defaults]

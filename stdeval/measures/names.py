"""Look up measures by name; name standardized scores, and the columns of joined files."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stdeval.errors import InputError
from stdeval.measures.catalogue import (
    EXPECTED_PARAMETERS,
    FAMILIES,
    FAMILY,
    NICKNAMES,
    NUMBER,
    Family,
    Measure,
    canonical_number,
    canonical_parameters,
    persistence,
)

_STEM_AND_PARAMETER = r"(?P<stem>[A-Za-z](?:[A-Za-z_]*[A-Za-z])?)[._@(]*(?P<parameter>[0-9][0-9.,]*)?"

_OTHER_SPELLINGS = {"R_precision": "Rprec"}
"""Usual names of measures that are not names here."""

_MOST_SUGGESTED = 40
"""No similar name is suggested for a name, or a parameter, with more characters than this."""


def _refusal(text: str, family: Family | None = None) -> InputError:
    """Return the error for a name that stands for no measure, with suggestions."""
    if family is None:
        problem = f"no measure '{text[:80]}'"
    else:
        problem = f"measure '{text[:80]}': {family.name} takes {EXPECTED_PARAMETERS[family.parameter]}"
    # The message about a persistence shows an example of a name already.
    has_example = family is not None and family.parameter == "persistence"
    hints = [] if has_example else [hint for hint in _nearest(text) if hint != text]
    if hints:
        return InputError(f"{problem}, did you mean {' or '.join(hints)}?")
    return InputError(problem + (", expected one that 'stdeval measures' lists" if family is None else ""))


def _nearest(text: str) -> list[str]:
    """Return up to three valid names similar to a text, with its parameter if some family takes it."""
    # A minus sign stays a sign, as in P_-1.
    text = re.sub(r"(?<=[A-Za-z0-9])-", "_", text)
    match = re.match(_STEM_AND_PARAMETER, text)
    stem, parameter = (match["stem"], (match["parameter"] or "").rstrip(".,")) if match else (text, "")
    if len(stem) > _MOST_SUGGESTED:
        return []
    from difflib import get_close_matches  # it takes time to load, and few names are wrong

    parameter = parameter if len(parameter) <= _MOST_SUGGESTED else ""
    spellings = _spellings(parameter)
    folded = _folded(stem)
    # The reasons for a mistake, the likeliest first: the wrong form of the parameter (P10), a part of a longer name
    # (ndcg_10 for ndcg_cut_10), the wrong case or hyphens, a typing error.
    names = (
        [name for name in spellings if name == stem]
        or [name for name in spellings if stem and name.startswith(f"{stem}_")]
        or [name for name in spellings if _folded(name) == folded]
        or get_close_matches(stem, list(spellings), n=3, cutoff=0.6)
    )
    return list(dict.fromkeys(spellings[name] for name in names))[:3]


def _spellings(parameter: str) -> dict[str, str]:
    """Return each name that takes a parameter, with its spelling with the parameter; all names if none takes it."""
    families = [row for row in FAMILIES if parameter and canonical_parameters(row, parameter) is not None]
    if families:
        spellings = {alias: f"{alias}@{parameter}" for row in families for alias in row.aliases}
        return spellings | {row.name: f"{row.name}.{parameter}" for row in families}
    names = [name for row in FAMILIES for name in (row.name, *row.aliases)]
    return {name: name for name in (*names, *NICKNAMES)} | _OTHER_SPELLINGS


def _folded(name: str) -> str:
    return name.lower().replace("_", "")


# --- the grammar ---

# As in `stdeval.measures.catalogue`, no expression takes more than linear time.
_LEVEL = r"(?P<name>.+)_rel=(?P<level>[0-9]+)"
_IR_FORM = r"(?P<name>[A-Za-z]+)(?:\((?P<arguments>[^()]*)\))?(?:@(?P<at>[0-9.]+))?"

_LONGEST_NAME = max(map(len, FAMILY))

_VARIANTS = {"dis": ("log2", "jk"), "dcg": ("log2", "exp-log2")}
"""Parameters that choose a measure of the DCG family: the default, and the value that stands in aliases."""


class UnknownNameError(Exception):
    """A text that stands for no measure, and the family it names, if only the parameter is wrong."""

    def __init__(self, text: str, family: Family | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.family = family


def measures_named(text: str) -> list[Measure]:
    """Return the measures that one text stands for."""
    if "@" in text or "(" in text:
        return _from_ir_measures(text)
    if text in NICKNAMES:
        return [measure for name in NICKNAMES[text] for measure in measures_named(name)]
    own_level = re.fullmatch(_LEVEL, text) if "_rel=" in text else None
    if own_level:
        if re.fullmatch(_LEVEL, own_level["name"]):
            raise UnknownNameError(text)
        return _at_level(measures_named(own_level["name"]), _level(own_level["level"], text), text)
    family = FAMILY.get(text) or _family_of_alias(text, "")
    if family is not None:
        return [Measure(family, default) for default in family.defaults]
    stem, dot, parameter = text.partition(".")
    if dot and stem in FAMILY:
        return _with_parameter(FAMILY[stem], parameter, text)
    # The longest name comes first: ndcg_cut_10 is ndcg_cut with 10, not ndcg with cut_10.
    for end in [place for place in range(min(len(text) - 1, _LONGEST_NAME), 0, -1) if text[place] == "_"]:
        if text[:end] in FAMILY and FAMILY[text[:end]].parameter:
            return _with_parameter(FAMILY[text[:end]], text[end + 1 :], text)
    raise UnknownNameError(text)


def _at_level(measures: list[Measure], level: int, text: str) -> list[Measure]:
    """Return the measures with a level of their own, except measures of a group whose values no level changes."""
    if not any(measure.family.has_level for measure in measures):
        name = measures[0].family.name
        hint = f", did you mean num_rel_ret_rel={level}?" if name == "num_ret" else ""
        raise InputError(f"measure '{text[:80]}': {name} does not depend on a relevance level{hint}")
    return [measure._replace(level=level) if measure.family.has_level else measure for measure in measures]


def _family_of_alias(name: str, parameter: str) -> Family | None:
    """Return the family that has this alias and this kind of parameter."""
    named = [family for family in FAMILIES if name in family.aliases]
    exact = [family for family in named if family.parameter == parameter]
    return next(iter(exact or ([] if parameter else named)), None)


def _with_parameter(family: Family, text: str, whole: str) -> list[Measure]:
    """Return the measures of a family, one for each parameter listed in ``text``, a part of the ``whole`` name."""
    parameters = canonical_parameters(family, text)
    if parameters is None:
        raise UnknownNameError(whole, family)
    return [Measure(family, parameter) for parameter in parameters]


def _from_ir_measures(text: str) -> list[Measure]:
    """Return the measures that a name like ``nDCG(dis='log2', rel=2)@10`` stands for."""
    form = re.fullmatch(_IR_FORM, text)
    if form is None:
        raise UnknownNameError(text)
    arguments = _arguments(form["arguments"] or "", text)
    family, parameter = _ir_family(form["name"], arguments, form["at"], text)
    level = _level(arguments.pop("rel"), text) if family.has_level and "rel" in arguments else None
    if arguments:
        what = f"measure '{text[:80]}': unknown parameter '{next(iter(arguments))}'"
        raise InputError(f"{what}, expected {_known_arguments(family)}")
    measures = _with_parameter(family, parameter, text) if parameter else measures_named(family.name)
    return measures if level is None else _at_level(measures, level, text)


def _arguments(text: str, whole: str) -> dict[str, str]:
    """Return the parameters in the parentheses of an ir_measures name."""
    # The commas of gains={0:0,1:10} are not those between parameters.
    items = re.findall(r"(?:\{[^{}]*\}|[^,])+", text.replace(" ", ""))
    pairs = [item.partition("=") for item in items]
    arguments = {key: value.strip("'\"") for key, _, value in pairs}
    if not all(arguments.values()) or len(arguments) != len(pairs):
        raise InputError(f"measure '{whole[:80]}': expected name=value parameters, each once, with commas between")
    return arguments


def _ir_family(name: str, arguments: dict[str, str], at: str | None, text: str) -> tuple[Family, str]:
    """Return the family of an ir_measures name and its parameter in trec_eval's form."""
    if name in ("SetP", "SetRelP") and arguments.get("relative") in ("True", "False"):
        name = "SetRelP" if arguments.pop("relative") == "True" else "SetP"
    if name == "NumRet" and "rel" in arguments:
        name = "NumRelRet"
    if at is None:
        at = arguments.pop("recall" if name == "IPrec" else "cutoff", None)
    name = _variant(name, arguments, text)
    family = FAMILY.get(name) or _family_of_alias(name, "")
    if family is not None and family.parameter == "persistence":
        return family, _persistence_parameter(arguments, at, text)
    if family is not None and "beta" in arguments and family.parameter == "number" and at is None:
        return family, arguments.pop("beta")
    if at is not None:
        families = (_family_of_alias(name, kind) for kind in ("cutoff", "optional cutoff", "graded", "recall"))
        family = next((family for family in families if family is not None), None)
    if family is None:
        raise UnknownNameError(text)
    if family.has_grades and "max" in arguments:
        at = "_".join(filter(None, [at, f"max={arguments.pop('max')}"]))
    return family, at or ""


def _variant(name: str, arguments: dict[str, str], text: str) -> str:
    """Return the alias of the measure of the DCG family that ``dis`` or ``dcg`` chooses; otherwise the name."""
    for key, (default, other) in _VARIANTS.items():
        if key in arguments and _family_of_alias(f"{name}({key}={other})", "") is not None:
            value = arguments.pop(key)
            if value not in (default, other):
                elsewhere = next((key for key, values in _VARIANTS.items() if value in values), None)
                meant = f"{elsewhere}={value}, or " if elsewhere else ""
                expected = f"{meant}{key}={other} or {key}={default}"
                raise InputError(f"measure '{text[:80]}': {key}={value}, expected {expected}")
            name = name if value == default else f"{name}({key}={other})"
    return name


def _known_arguments(family: Family) -> str:
    """Return the names of the parameters that a family takes in the parentheses of an ir_measures name."""
    own = {"persistence": ["p", "resid"], "number": ["beta"], "graded": ["max"]}.get(family.parameter, [])
    names = [alias.partition("(")[0] for alias in family.aliases]
    variants = ((key, f"({key}={other})") for key, (_, other) in _VARIANTS.items())
    chosen = [key for key, end in variants if any(_family_of_alias(name + end, "") for name in names)]
    known = [*own, *chosen, *(["rel"] if family.has_level else [])]
    return " or ".join(part for part in (", ".join(known[:-1]), *known[-1:]) if part) or "none"


def _persistence_parameter(arguments: dict[str, str], at: str | None, text: str) -> str:
    """Return the parameter of rank-biased precision from p, or from the residual at a depth."""
    if "resid" in arguments:
        resid, depth = arguments.pop("resid"), at or ""
        if not re.fullmatch(NUMBER, resid) or not 0 < float(resid) < 1:
            raise InputError(f"measure '{text[:80]}': resid={resid}, expected a number in (0, 1)")
        if "p" in arguments or canonical_number("cutoff", depth) is None:
            form = "RBP(resid=R)@K with a whole number K from 1, which sets p = R^(1/K), without p"
            raise InputError(f"measure '{text[:80]}': expected {form}")
        return f"p={persistence(float(resid), int(depth))!r}_cut_{depth}"
    p = arguments.pop("p", "0.8")
    return f"p={p}" + (f"_cut_{at}" if at else "")


def _level(text: str, whole: str) -> int:
    """Return the relevance level that a part of a name gives."""
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) < 1:
        raise InputError(f"measure '{whole[:80]}': rel={text}, expected a whole number from 1")
    return int(text)


SCHEME_LETTERS = "ZNUEM"
"""The keys of `stdeval.standardization.schemes.SCHEMES`; a copy, because that module needs numpy."""


def resolve(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Return the measures that the names stand for, each once, in trec_eval's order."""
    return tuple(sorted(resolve_as_typed(texts), key=lambda measure: measure.sort_key))


def resolve_as_typed(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Return the measures that the names stand for, each once, in the order of the names; see `resolve`."""
    try:
        return _each_once(texts)
    except UnknownNameError as unknown:
        raise _refusal(unknown.text, unknown.family) from None


def _each_once(texts: Iterable[str]) -> tuple[Measure, ...]:
    return tuple({measure.name: measure for text in texts for measure in measures_named(text)}.values())


def known_measures(name: str) -> list[Measure]:
    """Return the measures that a name stands for, in trec_eval's order; none if the name is unknown."""
    try:
        return sorted(_each_once([name]), key=lambda measure: measure.sort_key)
    except (InputError, UnknownNameError):
        return []


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


def family_of(name: str) -> Family | None:
    """Return the family of the measure of this name, with or without a prefix; None if the name is unknown."""
    measure = measure_of(name)
    return None if measure is None else measure.family


def is_known(name: str) -> bool:
    """Return True if a measure, which may be standardized, has this name: ``Nmap`` is known."""
    return family_of(split_scheme(name)[1]) is not None


_OF_NDEVAL = "NRBP|NERR(?:@[0-9]+)?"
"""Names of measures of diversity, so that N of RBP and N of ERR are not named so."""


def split_scheme(name: str, *, is_typed: bool = False) -> tuple[str, str]:
    """Return the letter of the scheme in the name of standardized scores, and the name of the raw measure."""
    prefix, bare = split_prefix(name)
    if len(bare) == 2 and not is_typed:
        return "", name
    if bare[:1] not in {*SCHEME_LETTERS} or family_of(bare) is not None or re.fullmatch(_OF_NDEVAL, bare):
        return "", name
    if bare[1:2] == "(" and bare[-1] == ")" and len(bare) > 3:
        return bare[0], prefixed(prefix, bare[2:-1])
    return (bare[0], prefixed(prefix, bare[1:])) if family_of(bare[1:]) is not None else ("", name)


def standardized_name(letter: str, measure: str) -> str:
    """Return the name of a measure's scores that a scheme standardized; unchanged if the letter is empty."""
    if not letter:
        return measure
    prefix, bare = split_prefix(measure)
    spellings = [letter + bare, letter + canonical(bare)] if is_known(bare) else []
    unambiguous = next((spelling for spelling in spellings if split_scheme(spelling)[0]), f"{letter}({bare})")
    return prefixed(prefix, unambiguous)


def canonical(name: str) -> str:
    """Return the canonical name of a measure; unchanged if the name is unknown or stands for several measures."""
    measure = measure_named(name)
    return name if measure is None else measure.name


def measure_named(name: str) -> Measure | None:
    """Return the raw measure with this name; None if no measure or several measures have it."""
    measures = known_measures(name)
    return measures[0] if len(measures) == 1 else None


def publication_name(name: str) -> str:
    """Return the name of a measure as papers print it; of a raw measure, ``-m`` takes it, too."""
    letter, raw = split_scheme(name)
    prefix, bare = split_prefix(raw)
    try:
        measures = resolve([bare])
    except InputError:
        return name
    if len(measures) != 1 or not measures[0].family.aliases:
        return name
    printed = _printed(measures[0], bare)
    return prefixed(prefix, f"{letter}-{printed}" if letter else printed)


def _printed(measure: Measure, name: str) -> str:
    """Return the first alias of a measure with its parameters as ir_measures writes them."""
    alias, _, variant = measure.family.aliases[0].rstrip(")").partition("(")
    arguments = [variant] if variant else []
    cutoff = "" if measure.cutoff is None else f"@{measure.cutoff}"
    kind = measure.family.parameter
    if kind == "persistence":
        given = "p=" in name or "resid=" in name
        arguments += [measure.parameter.partition("_cut_")[0]] if given else []
    elif kind == "number" and measure.parameter:
        arguments.append(f"beta={measure.parameter}")
    elif kind == "graded" and "max=" in measure.parameter:
        arguments.append(f"max={measure.max_grade}")
    elif kind == "recall":
        cutoff = f"@{measure.parameter}"
    elif kind == "gains" and measure.parameter:
        return measure.name
    if measure.level is not None:
        arguments.append(f"rel={measure.level}")
    return f"{alias}({','.join(arguments)}){cutoff}" if arguments else f"{alias}{cutoff}"


def kind_of(name: str) -> str:
    """Return the kind (see `Family`) of the measure of this name; ``"score"`` if the name is unknown."""
    family = family_of(name)
    return "score" if family is None else family.kind


def level_of(name: str, level: int) -> int:
    """Return the relevance level of the measure of this name; ``level`` if it has none of its own."""
    measures = known_measures(name)
    return (measures[0].level if measures else None) or level


def is_in_unit_range(name: str) -> bool:
    """Return True if the scores of the measure of this name are in [0, 1]; False if the name is unknown."""
    measure = measure_of(name)
    return measure is not None and measure.range == "0..1"


def is_never_negative(name: str) -> bool:
    """Return True if no score of the measure of this name is below 0; False if the name is unknown."""
    measure = measure_of(name)
    return measure is not None and measure.range.startswith(("0..", "count"))


def is_better_higher(name: str) -> bool:
    """Return True if a higher score is better by the measure of this name; also True if the name is unknown."""
    measure = measure_of(split_scheme(name)[1])
    return measure is None or measure.better_higher


def is_summed(name: str) -> bool:
    """Return True for a count, raw or by Z: its scores are summed over topics, as by `trec_eval -Z`."""
    letter, raw = split_scheme(name)
    return letter in ("", "Z") and kind_of(raw) == "count"


def unused_options(names: Iterable[str], binary: bool) -> frozenset[str]:
    """Return the options of the evaluation that change no score by the measures of these names."""
    try:
        measures = resolve(split_prefix(name)[1] for name in names)
    except InputError:
        return frozenset()
    used = {
        "-l": any(measure.depends_on_level(binary) for measure in measures),
        "--binary": any(measure.family.has_gains for measure in measures),
        "--max-grade": any(measure.family.has_grades for measure in measures),
    }
    return frozenset(option for option, is_used in used.items() if not is_used)


def measures_beginning_with(text: str, letters: str = "") -> list[tuple[str, str]]:
    """Return names of measures that begin with a text, each with its definition, in the order of the table."""
    outputs = [(name, row.definition) for row in FAMILIES for name in _with_defaults(row, row.name, "_")]
    outputs += [(nickname, "several measures") for nickname in NICKNAMES]
    kinds = ("", "cutoff", "optional cutoff", "graded", "gains")
    rows = [row for row in FAMILIES if row.parameter in kinds]
    # Shells need quotation marks around parentheses.
    aliases = [(row, alias) for row in rows for alias in row.aliases if "(" not in alias]
    other = [(name, row.definition) for row, alias in aliases for name in _with_defaults(row, alias, "@")]
    for names in (outputs, other):
        found = {name: definition for name, definition in names if name.startswith(text)}
        if found:
            return list(found.items())
    if text and text[0] in letters:
        return [(text[0] + name, definition) for name, definition in measures_beginning_with(text[1:])]
    return []


def _with_defaults(family: Family, name: str, mark: str) -> list[str]:
    return [f"{name}{mark}{default}" if default else name for default in family.defaults]

"""The grammar of measure names: the two forms of trec_eval and that of ir_measures.

``P_10``, ``P.10`` and ``P@10`` name the same measure. Accepted names are passed on to pytrec_eval, which aborts the
process on some names and misreads others. Therefore any text that is not exactly the name of a measure is refused.
"""

from __future__ import annotations

import re

from stdeval.errors import InputError
from stdeval.measures.catalogue import FAMILIES, FAMILY, NICKNAMES, Family
from stdeval.measures.parameters import NUMBER, Measure, canonical_number, canonical_parameters, persistence

# As in `stdeval.measures.parameters`, no expression takes more than linear time.
_LEVEL = re.compile(r"(?P<name>.+)_rel=(?P<level>[0-9]+)")

# Most command lines do not need this pattern, and compiling it takes longer than loading this module.
_IR_FORM = r"(?P<name>[A-Za-z]+)(?:\((?P<arguments>[^()]*)\))?(?:@(?P<at>[0-9.]+))?"

_LONGEST_NAME = max(map(len, FAMILY))

_VARIANTS = {"dis": ("log2", "jk"), "dcg": ("log2", "exp-log2")}
"""Parameters that choose a measure of the DCG family: the default, and the value that stands in aliases."""


class UnknownNameError(Exception):
    """A text that stands for no measure, and the family it names, if only the parameter is wrong.

    It is not an `InputError` yet, because suggestions take time, and most callers need none: a file may have
    thousands of columns whose names are not those of measures.
    """

    def __init__(self, text: str, family: Family | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.family = family


def measures_named(text: str) -> list[Measure]:
    """Return the measures that one text stands for.

    Raises
    ------
    UnknownNameError
        If the text stands for no measure.
    InputError
        If it names one with a part that is wrong.
    """
    if "@" in text or "(" in text:
        return _from_ir_measures(text)
    if text in NICKNAMES:
        return [measure for name in NICKNAMES[text] for measure in measures_named(name)]
    own_level = _LEVEL.fullmatch(text)
    if own_level:
        if _LEVEL.fullmatch(own_level["name"]):
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
    """Return the measures with a level of their own, except those of a group whose values no level changes.

    Raises
    ------
    InputError
        If no measure is left to which the level applies.
    """
    if not any(measure.family.has_level for measure in measures):
        name = measures[0].family.name
        hint = f", did you mean num_rel_ret_rel={level}?" if name == "num_ret" else ""
        raise InputError(f"measure '{text[:80]}': {name} does not depend on a relevance level{hint}")
    return [measure._replace(level=level) if measure.family.has_level else measure for measure in measures]


def _family_of_alias(name: str, parameter: str) -> Family | None:
    """Return the family that has this alias and this kind of parameter.

    One alias may belong to several families: nDCG belongs to ndcg and ndcg_cut. If no parameter is wanted but every
    family with this alias has one, the first of them is returned.
    """
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
        raise _unknown_parameter(next(iter(arguments)), family, text)
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
    """Return the family of an ir_measures name and its parameter in trec_eval's form.

    Arguments that are used are removed from `arguments`, so that the caller can refuse the remaining ones.
    """
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
        families = (_family_of_alias(name, kind) for kind in ("cutoff", "optional cutoff", "recall"))
        family = next((family for family in families if family is not None), None)
    if family is None:
        raise UnknownNameError(text)
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


def _unknown_parameter(name: str, family: Family, text: str) -> InputError:
    """Return the error for a parameter in parentheses that the family does not have."""
    return InputError(f"measure '{text[:80]}': unknown parameter '{name}', expected {_known_arguments(family)}")


def _known_arguments(family: Family) -> str:
    """Return the names of the parameters that a family takes in the parentheses of an ir_measures name."""
    own = {"persistence": ["p", "resid"], "number": ["beta"]}.get(family.parameter, [])
    names = [alias.partition("(")[0] for alias in family.aliases]
    chosen = [
        key
        for key, (_, other) in _VARIANTS.items()
        if any(_family_of_alias(f"{name}({key}={other})", "") for name in names)
    ]
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

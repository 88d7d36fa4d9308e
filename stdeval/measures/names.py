"""The grammar of measure names: trec_eval's two forms and that of ir_measures, all meaning the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from stdeval.errors import InputError
from stdeval.measures.catalogue import FAMILIES, FAMILY, NICKNAMES, ORDER, Family

_NUMBER = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_IR_FORM = re.compile(r"(?P<name>[A-Za-z]+)(?:\((?P<arguments>[^()]*)\))?(?:@(?P<at>[0-9.]+))?")
_LEVEL = re.compile(r"(?P<name>.+)_rel=(?P<level>[0-9]+)")
_PERSISTENCE = re.compile(rf"p=(?P<p>{_NUMBER}(?:e-?[0-9]+)?)(?:_cut_(?P<cut>[0-9]+))?")
_STEM_AND_PARAMETER = re.compile(r"(?P<stem>[A-Za-z](?:[A-Za-z_]*[A-Za-z])?)[._@(]*(?P<parameter>[0-9][0-9.,]*)?")
_LARGEST_CUTOFF = 10**9

_JK = "(dis=jk)"
"""After the name of a measure: with the discount of Jarvelin & Kekalainen, as the table of measures has it."""

WANTED = {
    "": "no parameter",
    "cutoff": "whole numbers from 1",
    "length": "a whole number from 1",
    "share": "numbers from 0 with at most two decimals",
    "number": "a number above 0",
    "numbers": "numbers with commas",
    "gains": "level=gain pairs with commas",
    "persistence": "p=P with P in [0, 1), as in rbp_p=0.8, and for the first K documents _cut_K with K from 1",
}


class Measure(NamedTuple):
    """A measure, fully named: what is computed, and what it is called in every output.

    Parameters
    ----------
    family : Family
        Its row in the table of measures.
    parameter : str
        In canonical form, ``""`` for none.
    level : int or None
        The relevance level from which a document is relevant; None: the one of the command.
    """

    family: Family
    parameter: str = ""
    level: int | None = None

    @property
    def name(self) -> str:
        """trec_eval's output name, with ``_rel=LEVEL`` where the measure has a level of its own."""
        name = f"{self.family.name}_{self.parameter}" if self.parameter else self.family.name
        return name if self.level is None else f"{name}_rel={self.level}"

    @property
    def cutoff(self) -> int | None:
        """The rank at which the measure cuts the run, if it does."""
        if self.family.parameter in ("cutoff", "length"):
            return int(self.parameter) if self.parameter else None
        found = _PERSISTENCE.fullmatch(self.parameter)
        return int(found["cut"]) if found and found["cut"] else None

    @property
    def persistence(self) -> float | None:
        """The p of rank-biased precision."""
        found = _PERSISTENCE.fullmatch(self.parameter)
        return float(found["p"]) if found else None

    @property
    def arguments(self) -> dict[str, float]:
        """The parameters of a function of `stdeval.measures.papers`: p and k, where the measure has them."""
        given = {"p": self.persistence, "k": self.cutoff}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def place(self) -> tuple[object, ...]:
        """Sorting by it gives trec_eval's order of output."""
        share = float(self.parameter) if self.family.parameter == "share" else self.persistence or 0.0
        return (ORDER[self.family.name], self.level or 0, share, self.cutoff or 0, self.parameter)


def resolve(texts: Iterable[str]) -> tuple[Measure, ...]:
    """The measures that some names mean together: without repetition, in trec_eval's order.

    Raises
    ------
    InputError
        If a name is not exactly one of a measure or a nickname; it shows the nearest that are.

    Examples
    --------
    >>> [measure.name for measure in resolve(["P.10,5", "AP", "nDCG@10", "P_5"])]
    ['map', 'P_5', 'P_10', 'ndcg_cut_10']
    """
    found = {measure for text in texts for measure in _meant(text)}
    return tuple(sorted(found, key=lambda measure: measure.place))


def kind_of(name: str) -> str:
    """The kind of a measure (see `Family`) by its name; a name from elsewhere is a score."""
    try:
        return resolve([name])[0].family.kind
    except InputError:
        return "score"


def canonical(name: str) -> str:
    """The canonical name of the one measure that a name means; a name from elsewhere stays as it is."""
    try:
        measures = resolve([name])
    except InputError:
        return name
    return measures[0].name if len(measures) == 1 else name


def persistence(resid: float, depth: int) -> float:
    """The p with which rank-biased precision has that residual beyond a depth: resid^(1 / depth), equation 7.

    Parameters
    ----------
    resid : float
        The weight of the ranks beyond ``depth``, in (0, 1).
    depth : int
        At least 1.

    Raises
    ------
    InputError
        If one of them is outside its range.

    Examples
    --------
    Webber, Moffat & Zobel 2010, section 3.1, have 0.8, 0.977 and 0.9977:

    >>> [round(persistence(0.1, depth), 4) for depth in (10, 100, 1000)]
    [0.7943, 0.9772, 0.9977]
    """
    if not 0 < resid < 1:
        raise InputError(f"residual {resid:g}, expected a number above 0 and below 1")
    if depth < 1:
        raise InputError(f"depth {depth}, expected at least 1")
    return float(resid ** (1 / depth))


def _meant(text: str) -> list[Measure]:
    if "@" in text or "(" in text:
        return _from_ir_measures(text)
    if text in NICKNAMES:
        return [measure for name in NICKNAMES[text] for measure in _meant(name)]
    own_level = _LEVEL.fullmatch(text)
    if own_level:
        level = _level(own_level["level"], text)
        return [Measure(measure.family, measure.parameter, level) for measure in _meant(own_level["name"])]
    family = FAMILY.get(text) or _also(text, "")
    if family is not None:
        return [Measure(family, default) for default in family.defaults]
    stem, dot, parameter = text.partition(".")
    if dot and stem in FAMILY:
        return _with_parameter(FAMILY[stem], parameter, text)
    for end in [place for place in range(len(text) - 1, 0, -1) if text[place] == "_"]:
        if text[:end] in FAMILY and FAMILY[text[:end]].parameter:
            return _with_parameter(FAMILY[text[:end]], text[end + 1 :], text)
    raise _refusal(text)


def _also(name: str, parameter: str) -> Family | None:
    """The family that ir_measures or the papers call by a name, with that kind of parameter or without any."""
    named = [family for family in FAMILIES if name in family.also]
    exact = [family for family in named if family.parameter == parameter]
    return next(iter(exact or ([] if parameter else named)), None)


def _with_parameter(family: Family, text: str, whole: str) -> list[Measure]:
    parameters = canonical_parameters(family, text)
    if parameters is None:
        raise _refusal(whole, family)
    return [Measure(family, parameter) for parameter in parameters]


def canonical_parameters(family: Family, text: str) -> list[str] | None:
    """The parameters of a family that a text lists, as they stand in output names; None if it lists none."""
    if family.parameter in ("cutoff", "length", "share"):
        items = text.split(",") if family.parameter != "length" else [text]
        canonical = [_canonical(family.parameter, item) for item in items]
        return None if None in canonical else [item for item in canonical if item is not None]
    if family.parameter == "persistence":
        persistence = _canonical_persistence(text)
        return None if persistence is None else [persistence]
    return [text] if _valid_verbatim(family, text) else None


def _canonical(kind: str, item: str) -> str | None:
    if kind == "share":
        return f"{float(item):.2f}" if re.fullmatch(r"[0-9]+\.?[0-9]{0,2}|\.[0-9]{1,2}", item) else None
    if not re.fullmatch(r"[0-9]{1,12}", item) or not 1 <= int(item) <= _LARGEST_CUTOFF:
        return None
    return str(int(item))


def _canonical_persistence(text: str) -> str | None:
    found = _PERSISTENCE.fullmatch(text)
    if found is None or not 0 <= float(found["p"]) < 1:
        return None
    p = repr(abs(float(found["p"]))).removesuffix(".0")
    if found["cut"] is None:
        return f"p={p}"
    cut = _canonical("cutoff", found["cut"])
    return cut and f"p={p}_cut_{cut}"


def _valid_verbatim(family: Family, text: str) -> bool:
    kind = family.parameter
    if kind == "number":
        return bool(re.fullmatch(_NUMBER, text)) and float(text) > 0
    if kind == "numbers":
        count = "{3}" if family.name == "utility" else "*"
        return bool(re.fullmatch(rf"{_NUMBER}(,{_NUMBER}){count}", text))
    if kind == "gains":
        return bool(re.fullmatch(rf"[0-9]+={_NUMBER}(,[0-9]+={_NUMBER})*", text))
    return False


def _from_ir_measures(text: str) -> list[Measure]:
    form = _IR_FORM.fullmatch(text)
    if form is None:
        raise _refusal(text)
    arguments = _arguments(form["arguments"] or "", text)
    level = _level(arguments.pop("rel"), text) if "rel" in arguments else None
    family, parameter = _ir_family(form["name"], arguments, form["at"], text)
    if arguments:
        raise InputError(
            f"measure '{text}': unknown parameter '{next(iter(arguments))}', expected {_known_arguments(family)}"
        )
    found = _with_parameter(family, parameter, text) if parameter else _meant(family.name)
    return [Measure(measure.family, measure.parameter, level) for measure in found]


def _arguments(text: str, whole: str) -> dict[str, str]:
    pairs = [item.partition("=") for item in text.replace(" ", "").split(",") if item]
    if any(not equals for _, equals, _ in pairs) or len({key for key, _, _ in pairs}) != len(pairs):
        raise InputError(f"measure '{whole}': expected name=value parameters, each once, with commas between")
    return {key: value.strip("'\"") for key, _, value in pairs}


def _ir_family(name: str, arguments: dict[str, str], at: str | None, text: str) -> tuple[Family, str]:
    """The family of an ir_measures name, and its parameter in trec_eval's form; takes the arguments it uses."""
    if name == "SetP" and arguments.pop("relative", "False") == "True":
        name = "SetRelP"
    if "dis" in arguments and _also(f"{name}{_JK}", "") is not None:
        name = _discounted(name, arguments.pop("dis"), text)
    family = FAMILY.get(name) or _also(name, "")
    if family is not None and family.parameter == "persistence":
        return family, _persistence(arguments, at, text)
    if family is not None and "beta" in arguments and family.parameter == "number" and at is None:
        return family, arguments.pop("beta")
    if at is not None:
        family = _also(name, "cutoff") or _also(name, "share")
    if family is None:
        raise _refusal(text)
    return family, at or ""


def _discounted(name: str, discount: str, text: str) -> str:
    if discount not in ("jk", "log2"):
        raise InputError(f"measure '{text}': dis={discount}, expected dis=jk or dis=log2")
    return name if discount == "log2" else f"{name}{_JK}"


def _known_arguments(family: Family) -> str:
    """What a family takes in the parentheses of an ir_measures name."""
    own = {"persistence": "p, resid or ", "number": "beta or "}.get(family.parameter, "")
    discounted = any(_also(f"{name.removesuffix(_JK)}{_JK}", "") for name in family.also)
    return ("dis or " if discounted else own) + "rel"


def _persistence(arguments: dict[str, str], at: str | None, text: str) -> str:
    """RBP's parameter from p, or from the residual at a depth."""
    if "resid" in arguments:
        resid, depth = arguments.pop("resid"), at or ""
        if not re.fullmatch(_NUMBER, resid) or not 0 < float(resid) < 1:
            raise InputError(f"measure '{text}': resid={resid}, expected a number in (0, 1)")
        if "p" in arguments or _canonical("cutoff", depth) is None:
            form = "RBP(resid=R)@K with a whole number K from 1, which sets p = R^(1/K), without p"
            raise InputError(f"measure '{text}': expected {form}")
        return f"p={persistence(float(resid), int(depth))!r}_cut_{depth}"
    p = arguments.pop("p", "0.8")
    return f"p={p}" + (f"_cut_{at}" if at else "")


def _level(text: str, whole: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) < 1:
        raise InputError(f"measure '{whole}': rel={text}, expected a whole number from 1")
    return int(text)


def _refusal(text: str, family: Family | None = None) -> InputError:
    """The error for a name that means nothing, with the nearest that do."""
    if family is None:
        problem = f"no measure '{text[:80]}'"
    else:
        problem = f"measure '{text[:80]}': {family.name} takes {WANTED[family.parameter]}"
    parametric = family is not None and family.parameter == "persistence"
    hints = [] if parametric else [hint for hint in _nearest(text) if hint != text]
    return InputError(problem + (f", did you mean {' or '.join(hints)}?" if hints else ""))


def _nearest(text: str) -> list[str]:
    """Up to three valid names like a text, with its parameter where they take it."""
    from difflib import get_close_matches

    split = _STEM_AND_PARAMETER.match(text)
    stem, parameter = (split["stem"], (split["parameter"] or "").rstrip(".,")) if split else (text, "")
    forms = {name: f"{name}@{parameter}" for row in FAMILIES for name in row.also if _takes(row, parameter)}
    forms |= {row.name: f"{row.name}.{parameter}" for row in FAMILIES if _takes(row, parameter)}
    if not parameter or not forms:
        forms = {name: name for row in FAMILIES for name in (row.name, *row.also)}
        forms |= {name: name for name in NICKNAMES}
    same = [name for name in forms if name == stem]
    longer = [name for name in forms if stem and name.startswith(f"{stem}_")]
    other_case = [name for name in forms if name.lower() == stem.lower()]
    near = same or longer or other_case or get_close_matches(stem, list(forms), n=3, cutoff=0.6)
    return list(dict.fromkeys(forms[name] for name in near))[:3]


def _takes(family: Family, parameter: str) -> bool:
    return bool(parameter) and canonical_parameters(family, parameter) is not None

"""The grammar of measure names: the two forms of trec_eval and that of ir_measures.

``P_10``, ``P.10`` and ``P@10`` name the same measure. Accepted names are passed on to pytrec_eval, which aborts the
process on some names and misreads others. Therefore any text that is not exactly the name of a measure is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from stdeval.errors import InputError
from stdeval.measures.catalogue import FAMILIES, FAMILY, NICKNAMES, ORDER, Family
from stdeval.measures.other_tools import fact_about, fact_about_parameter, same_in_ranx

# Names come from the headers of files, too, so no expression may take more than linear time: where one part of a
# pattern can follow another, they never match the same character, and lists are split before they are matched.
# A number of more than 30 digits cannot be meant, and C prints some differently.
_NUMBER = r"-?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})"
_LEVEL = re.compile(r"(?P<name>.+)_rel=(?P<level>[0-9]+)")

# Most command lines need none of these patterns, and compiling them takes longer than loading this module.
_IR_FORM = r"(?P<name>[A-Za-z]+)(?:\((?P<arguments>[^()]*)\))?(?:@(?P<at>[0-9.]+))?"
_PERSISTENCE = rf"p=(?P<p>{_NUMBER}(?:e-?[0-9]+)?)(?:_cut_(?P<cut>[0-9]+))?"
_STEM_AND_PARAMETER = r"(?P<stem>[A-Za-z](?:[A-Za-z_]*[A-Za-z])?)[._@(]*(?P<parameter>[0-9][0-9.,]*)?"

_LARGEST_CUTOFF = 10**9
_LONGEST_NAME = max(map(len, FAMILY))

_MOST_SUGGESTED = 40
"""Characters of a name, or of its parameter, beyond which no similar name is looked for."""

_VARIANTS = {"dis": ("log2", "jk"), "dcg": ("log2", "exp-log2")}
"""Parameters that choose a measure of the DCG family: the default, and the value that stands in aliases."""

_WITH_CUTOFF = ("cutoff", "optional cutoff", "length")
"""Kinds of parameters that are numbers of documents."""

EXPECTED_PARAMETERS = {
    "": "no parameter",
    "cutoff": "whole numbers from 1",
    "optional cutoff": "whole numbers from 1",
    "length": "a whole number from 1",
    "share": "numbers from 0 with at most two decimals",
    "number": "a number above 0",
    "numbers": "numbers with commas",
    "gains": "level=gain pairs with commas",
    "persistence": "p=P with P in [0, 1), as in rbp_p=0.8, and for the first K documents _cut_K with K from 1",
}


class Measure(NamedTuple):
    """A measure with its parameter and level.

    Parameters
    ----------
    family : Family
        Its row in the table of measures.
    parameter : str
        The parameter in canonical form; ``""`` for none.
    level : int, optional
        A document is relevant if its judgment is at least this level; None for the level of the evaluation.
    """

    family: Family
    parameter: str = ""
    level: int | None = None

    @property
    def name(self) -> str:
        """The name in every output: trec_eval's, with ``_rel=LEVEL`` if the measure has a level of its own."""
        name = f"{self.family.name}_{self.parameter}" if self.parameter else self.family.name
        return name if self.level is None else f"{name}_rel={self.level}"

    @property
    def cutoff(self) -> int | None:
        """The number of documents after which the measure cuts the run; None if it does not."""
        if self.family.parameter in _WITH_CUTOFF:
            return int(self.parameter) if self.parameter else None
        match = re.fullmatch(_PERSISTENCE, self.parameter)
        return int(match["cut"]) if match and match["cut"] else None

    @property
    def persistence(self) -> float | None:
        """The p of rank-biased precision; None for other measures."""
        match = re.fullmatch(_PERSISTENCE, self.parameter)
        return float(match["p"]) if match else None

    def depends_on_level(self, binary: bool) -> bool:
        """Return True if the relevance level of the evaluation (``-l``) can change the score.

        Graded gains are the judgments, whatever the level; binary gains are 1 from the level on.

        Examples
        --------
        >>> [measure.depends_on_level(binary=False) for measure in resolve(["AP", "AP(rel=2)", "ndcg"])]
        [True, False, False]
        """
        return self.level is None and self.family.has_level and (binary or not self.family.has_gains)

    @property
    def sort_key(self) -> tuple[int, int, float, int, str]:
        """A key that sorts measures in trec_eval's order of output, and parameters by their numbers."""
        share = float(self.parameter) if self.family.parameter == "share" else self.persistence or 0.0
        return (ORDER[self.family.name], self.level or 0, share, self.cutoff or 0, self.parameter)


def resolve(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Return the measures that the names stand for, each once, in trec_eval's order.

    Parameters
    ----------
    texts : iterable of str
        Names of measures in any form, and nicknames of groups of measures.

    Raises
    ------
    InputError
        If a text is not exactly such a name; the message suggests similar names.

    Examples
    --------
    >>> [measure.name for measure in resolve(["P.10,5", "AP", "nDCG@10", "P_5"])]
    ['map', 'P_5', 'P_10', 'ndcg_cut_10']
    """
    return tuple(sorted(resolve_as_typed(texts), key=lambda measure: measure.sort_key))


def resolve_as_typed(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Return the measures that the names stand for, each once, in the order of the names; see `resolve`.

    Examples
    --------
    >>> [measure.name for measure in resolve_as_typed(["P.10,5", "AP", "P_5"])]
    ['P_10', 'P_5', 'map']
    """
    try:
        return tuple({measure.name: measure for text in texts for measure in _resolve_one(text)}.values())
    except _UnknownNameError as unknown:
        raise _refusal(unknown.text, unknown.family) from None


def prefixed(prefix: str, name: str) -> str:
    """Return the name of a measure in a table that joins files, such as ``deep:map``; unchanged without prefix."""
    return f"{prefix}:{name}" if prefix else name


def split_prefix(name: str) -> tuple[str, str]:
    """Return the prefix of a measure's name, which is empty if there is none, and the name without it.

    Examples
    --------
    >>> split_prefix("deep:P_10"), split_prefix("map")
    (('deep', 'P_10'), ('', 'map'))
    """
    prefix, _, bare = name.rpartition(":")
    return prefix, bare


def _family_of(name: str) -> Family | None:
    """Return the family of the measure of this name, with or without a prefix; None if the name is unknown."""
    try:
        return _resolved([split_prefix(name)[1]])[0].family
    except (InputError, _UnknownNameError):
        return None


def kind_of(name: str) -> str:
    """Return the kind (see `Family`) of the measure of this name; ``"score"`` if the name is unknown."""
    family = _family_of(name)
    return "score" if family is None else family.kind


def level_of(name: str, level: int) -> int:
    """Return the relevance level of the measure of this name; ``level`` if it has none of its own."""
    try:
        return _resolved([name])[0].level or level
    except (InputError, _UnknownNameError):
        return level


def is_in_unit_range(name: str) -> bool:
    """Return True if the scores of the measure of this name are in [0, 1]; False if the name is unknown."""
    family = _family_of(name)
    return family is not None and family.range == "0..1"


def is_better_higher(name: str) -> bool:
    """Return True if a higher score is better by the measure of this name; also True if the name is unknown.

    The name may begin with the letter of a scheme, as those of standardized scores do.
    """
    family = _family_of(split_scheme(name)[1])
    return family is None or family.better_higher


def split_scheme(name: str) -> tuple[str, str]:
    """Return the letter of the scheme that a name begins with, and the name of the raw measure.

    The letter is empty if the name is that of a raw measure, or unknown without its first letter too.

    Examples
    --------
    >>> split_scheme("Zmap"), split_scheme("deep:NP_10"), split_scheme("MAP"), split_scheme("Zoo")
    (('Z', 'map'), ('N', 'deep:P_10'), ('', 'MAP'), ('', 'Zoo'))
    """
    prefix, bare = split_prefix(name)
    is_standardized = _family_of(bare) is None and bare[:1] in {*"ZNUEM"} and _family_of(bare[1:]) is not None
    return (bare[0], prefixed(prefix, bare[1:])) if is_standardized else ("", name)


def unused_options(names: Iterable[str], binary: bool) -> frozenset[str]:
    """Return the options of the evaluation that change no score by the measures of these names.

    Parameters
    ----------
    names : iterable of str
        With or without a prefix. A measure of an unknown name may depend on every option.
    binary : bool
        True if gains are binary, which makes the gains of the DCG family depend on the level.

    Examples
    --------
    >>> sorted(unused_options(["map"], binary=False)), sorted(unused_options(["map", "err"], binary=False))
    (['--binary', '--max-grade'], ['--binary'])
    """
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


def canonical(name: str) -> str:
    """Return the canonical name of a measure; unchanged if the name is unknown or stands for several measures."""
    try:
        measures = _resolved([name])
    except (InputError, _UnknownNameError):
        return name
    return measures[0].name if len(measures) == 1 else name


def persistence(resid: float, depth: int) -> float:
    """Return the p for which rank-biased precision has a given residual beyond a depth: resid^(1 / depth).

    Parameters
    ----------
    resid : float
        The weight of all ranks beyond ``depth``, in (0, 1).
    depth : int
        Number of ranks; at least 1.

    Raises
    ------
    InputError
        If ``resid`` or ``depth`` is outside its range.

    References
    ----------
    W. Webber, A. Moffat, J. Zobel. The effect of pooling and evaluation depth on metric stability. EVIA 2010,
    equation 7.

    Examples
    --------
    Section 3.1 of the paper has 0.8, 0.977 and 0.9977:

    >>> [round(persistence(0.1, depth), 4) for depth in (10, 100, 1000)]
    [0.7943, 0.9772, 0.9977]
    """
    if not 0 < resid < 1:
        raise InputError(f"residual {resid:g}, expected a number above 0 and below 1")
    if depth < 1:
        raise InputError(f"depth {depth}, expected at least 1")
    return float(resid ** (1 / depth))


class _UnknownNameError(Exception):
    """A text that stands for no measure, and the family it names, if only the parameter is wrong.

    It is not an `InputError` yet, because suggestions take time, and most callers need none: a file may have
    thousands of columns whose names are no measures.
    """

    def __init__(self, text: str, family: Family | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.family = family


def _resolved(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Return measures as `resolve` does, but raise `_UnknownNameError` for a text that stands for none."""
    measures = {measure.name: measure for text in texts for measure in _resolve_one(text)}
    return tuple(sorted(measures.values(), key=lambda measure: measure.sort_key))


def _resolve_one(text: str) -> list[Measure]:
    """Return the measures that one text stands for.

    Raises
    ------
    _UnknownNameError
        If the text stands for no measure.
    InputError
        If it names one with a part that is wrong.
    """
    if "@" in text or "(" in text:
        return _from_ir_measures(text)
    if text in NICKNAMES:
        return [measure for name in NICKNAMES[text] for measure in _resolve_one(name)]
    own_level = _LEVEL.fullmatch(text)
    if own_level:
        if _LEVEL.fullmatch(own_level["name"]):
            raise _UnknownNameError(text)
        return _at_level(_resolve_one(own_level["name"]), _level(own_level["level"], text), text)
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
    raise _UnknownNameError(text)


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
        raise _UnknownNameError(whole, family)
    return [Measure(family, parameter) for parameter in parameters]


def canonical_parameters(family: Family, text: str) -> list[str] | None:
    """Return the parameters listed in a text, as they stand in output names; None if one of them is not valid."""
    if family.parameter in (*_WITH_CUTOFF, "share"):
        # trec_eval's relstring takes one length, the others several parameters.
        items = text.split(",") if family.parameter != "length" else [text]
        canonical = [_canonical_number(family.parameter, item) for item in items]
        # Recall is never above 1, so that precision there is always 0.
        if family.name == "iprec_at_recall" and any(item is not None and float(item) > 1 for item in canonical):
            return None
        return None if None in canonical else [item for item in canonical if item is not None]
    if family.parameter == "persistence":
        p_and_cut = _canonical_persistence(text)
        return None if p_and_cut is None else [p_and_cut]
    return [text] if _is_valid_verbatim(family, text) else None


def _canonical_number(kind: str, item: str) -> str | None:
    """Return a cutoff, length or share as trec_eval prints it; None if it is not valid."""
    if kind == "share":
        return f"{float(item):.2f}" if re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{0,2})?|\.[0-9]{1,2}", item) else None
    if not re.fullmatch(r"[0-9]{1,12}", item) or not 1 <= int(item) <= _LARGEST_CUTOFF:
        return None
    return str(int(item))


def _canonical_persistence(text: str) -> str | None:
    match = re.fullmatch(_PERSISTENCE, text)
    if match is None or not 0 <= float(match["p"]) < 1:
        return None
    # repr() is the shortest text that reads back as the same number; abs() because -0 is 0.
    p = repr(abs(float(match["p"]))).removesuffix(".0")
    if match["cut"] is None:
        return f"p={p}"
    cut = _canonical_number("cutoff", match["cut"])
    return cut and f"p={p}_cut_{cut}"


def _is_valid_verbatim(family: Family, text: str) -> bool:
    """Return True for a parameter that pytrec_eval accepts, and repeats in its output, exactly as it is written."""
    kind = family.parameter
    if kind == "number":
        return bool(re.fullmatch(_NUMBER, text)) and float(text) > 0
    if kind == "numbers":
        numbers = text.split(",")
        is_complete = family.name != "utility" or len(numbers) == 4
        return is_complete and all(re.fullmatch(_NUMBER, number) for number in numbers)
    return kind == "gains" and all(re.fullmatch(rf"[0-9]{{1,9}}={_NUMBER}", gain) for gain in text.split(","))


def _from_ir_measures(text: str) -> list[Measure]:
    """Return the measures that a name like ``nDCG(dis='log2', rel=2)@10`` stands for."""
    form = re.fullmatch(_IR_FORM, text)
    if form is None:
        raise _UnknownNameError(text)
    arguments = _arguments(form["arguments"] or "", text)
    family, parameter = _ir_family(form["name"], arguments, form["at"], text)
    level = _level(arguments.pop("rel"), text) if family.has_level and "rel" in arguments else None
    if arguments:
        raise _unknown_parameter(next(iter(arguments)), family, text)
    measures = _with_parameter(family, parameter, text) if parameter else _resolve_one(family.name)
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
        families = (_family_of_alias(name, kind) for kind in ("cutoff", "optional cutoff", "share"))
        family = next((family for family in families if family is not None), None)
    if family is None:
        raise _UnknownNameError(text)
    return family, at or ""


def _variant(name: str, arguments: dict[str, str], text: str) -> str:
    """Return the alias of the measure of the DCG family that ``dis`` or ``dcg`` chooses; otherwise the name."""
    for key, (default, other) in _VARIANTS.items():
        if key in arguments and _family_of_alias(f"{name}({key}={other})", "") is not None:
            value = arguments.pop(key)
            if value not in (default, other):
                raise InputError(f"measure '{text[:80]}': {key}={value}, expected {key}={other} or {key}={default}")
            name = name if value == default else f"{name}({key}={other})"
    return name


def _unknown_parameter(name: str, family: Family, text: str) -> InputError:
    """Return the error for a parameter in parentheses that the family does not have."""
    fact = fact_about_parameter(name)
    if fact is not None:
        return InputError(f"measure '{text[:80]}': no parameter '{name}' here: {fact}")
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
        if not re.fullmatch(_NUMBER, resid) or not 0 < float(resid) < 1:
            raise InputError(f"measure '{text[:80]}': resid={resid}, expected a number in (0, 1)")
        if "p" in arguments or _canonical_number("cutoff", depth) is None:
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


def _refusal(text: str, family: Family | None = None) -> InputError:
    """Return the error for a name that stands for no measure, with suggestions.

    Parameters
    ----------
    text : str
    family : Family, optional
        The family that is named, if only the parameter is wrong.
    """
    fact = fact_about(text)
    if fact is not None:
        return InputError(f"no measure '{text[:80]}': {fact}")
    same = same_in_ranx(text)
    if family is None or same is not None:
        problem = f"no measure '{text[:80]}'"
    else:
        problem = f"measure '{text[:80]}': {family.name} takes {EXPECTED_PARAMETERS[family.parameter]}"
    # The message about a persistence shows an example of a name already.
    has_example = family is not None and family.parameter == "persistence"
    similar = [same] if same is not None else [] if has_example else _nearest(text)
    hints = [hint for hint in similar if hint != text]
    if hints:
        return InputError(f"{problem}, did you mean {' or '.join(hints)}?")
    return InputError(problem + (", expected one that 'stdeval measures' lists" if family is None else ""))


def _nearest(text: str) -> list[str]:
    """Return up to three valid names similar to a text, with its parameter if some family takes it."""
    from difflib import get_close_matches  # needed for errors only

    match = re.match(_STEM_AND_PARAMETER, text)
    stem, parameter = (match["stem"], (match["parameter"] or "").rstrip(".,")) if match else (text, "")
    if len(stem) > _MOST_SUGGESTED:
        return []
    parameter = parameter if len(parameter) <= _MOST_SUGGESTED else ""
    spellings = _spellings(parameter)
    lower = stem.lower()
    # The likeliest reason for the mistake comes first: the wrong form of the parameter (P10), a part of a longer
    # name (ndcg_10 for ndcg_cut_10), the wrong case, and only then a typing error.
    names = (
        [name for name in spellings if name == stem]
        or [name for name in spellings if stem and name.startswith(f"{stem}_")]
        or [name for name in spellings if name.lower() == lower]
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
    return {name: name for name in (*names, *NICKNAMES)}

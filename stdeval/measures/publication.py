"""Names of measures as papers print them."""

from __future__ import annotations

from stdeval.errors import InputError
from stdeval.measures.names import prefixed, resolve, split_prefix, split_scheme
from stdeval.measures.parameters import Measure


def publication_name(name: str) -> str:
    """Return the name of a measure as papers print it; that of a raw measure means the same after ``-m``.

    Parameters
    ----------
    name : str
        The name of a measure, with or without a prefix and the letter of a scheme. A name that is unknown, or that
        papers have no other form of, is returned as it is.

    Examples
    --------
    >>> [publication_name(name) for name in ("map", "Nndcg_cut_10", "deep:P_5", "rbp_p=0.8_cut_10", "P_10_rel=2")]
    ['AP', 'N-nDCG@10', 'deep:P@5', 'RBP(p=0.8)@10', 'P(rel=2)@10']
    >>> publication_name("rbp")
    'RBP'
    """
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
    """Return the first alias of a measure with its parameters as ir_measures writes them.

    In the output of ``meta depth``, a name of rank-biased precision without p means a p that depends on the depth.
    """
    alias, _, variant = measure.family.aliases[0].rstrip(")").partition("(")
    arguments = [variant] if variant else []
    cutoff = "" if measure.cutoff is None else f"@{measure.cutoff}"
    kind = measure.family.parameter
    if kind == "persistence":
        given = "p=" in name or "resid=" in name
        arguments += [measure.parameter.partition("_cut_")[0]] if given else []
    elif kind == "number" and measure.parameter:
        arguments.append(f"beta={measure.parameter}")
    elif kind == "recall":
        cutoff = f"@{measure.parameter}"
    elif kind == "gains" and measure.parameter:
        return measure.name
    if measure.level is not None:
        arguments.append(f"rel={measure.level}")
    return f"{alias}({','.join(arguments)}){cutoff}" if arguments else f"{alias}{cutoff}"

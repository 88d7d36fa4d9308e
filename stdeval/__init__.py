"""Standardized evaluation of retrieval systems, in the manner of trec_eval.

>>> import numpy as np, stdeval
>>> table = stdeval.ScoreTable(("a", "b"), ("1",), ("map",), np.array([[[0.25]], [[0.75]]]))
>>> factors = stdeval.fit_factors(table)
>>> stdeval.standardize(table, factors, "N").values.ravel().round(2)
array([0.24, 0.76])
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stdeval.errors import InputError as InputError
    from stdeval.errors import InputWarning as InputWarning
    from stdeval.evaluation import Options as Options
    from stdeval.evaluation import evaluate as evaluate
    from stdeval.standardization import fit_factors as fit_factors
    from stdeval.standardization import standardize as standardize
    from stdeval.table import Factors as Factors
    from stdeval.table import ScoreTable as ScoreTable
    from stdeval.trec import Run as Run
    from stdeval.trec import read_qrels as read_qrels
    from stdeval.trec import read_run as read_run

__version__ = "0.1.0"

_HOMES = {
    "InputError": "errors",
    "InputWarning": "errors",
    "Options": "evaluation",
    "evaluate": "evaluation",
    "fit_factors": "standardization",
    "standardize": "standardization",
    "Factors": "table",
    "ScoreTable": "table",
    "Run": "trec",
    "read_qrels": "trec",
    "read_run": "trec",
}
__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604 (the names are strings)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that starting the command loads no numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'stdeval' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(f"stdeval.{_HOMES[name]}"), name)
    globals()[name] = value
    return value

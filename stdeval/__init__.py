"""Standardized evaluation of retrieval systems, in the manner of trec_eval.

=========================================  ===================================================================
names                                      for
=========================================  ===================================================================
read_qrels read_run                        judgments and runs from files
read_scores write_scores                   scores from files, in every format that `stdeval convert` knows
read_factors write_factors                 factors, likewise
evaluate Options                           raw scores
fit_factors standardize                    factors and schemes
aggregate compare check Condition topics   rows with named fields, as the commands of these names print
meta                                       the experiments, as functions of arrays
plots                                      figures of matplotlib
Run ScoreTable Factors Results             the types
InputError InputWarning                    input that cannot be used, and input that may not be as expected
=========================================  ===================================================================

Scores are in a `ScoreTable`. Its method ``to_frame``, like that of `Results`, makes a data frame of pandas.
Judgments and runs may be data frames, too. ``help(stdeval.evaluate)`` shows the help of one function, and
``help(stdeval.meta)`` the list of the experiments.

>>> import numpy as np, stdeval
>>> scores = np.linspace(0.1, 1, 10).reshape(10, 1, 1)
>>> table = stdeval.ScoreTable(tuple("abcdefghij"), ("1",), ("map",), scores)
>>> factors = stdeval.fit_factors(table)
>>> stdeval.standardize(table, factors, "n").values.ravel().round(2)
array([0.07, 0.12, 0.2 , 0.31, 0.43, 0.57, 0.69, 0.8 , 0.88, 0.93])
"""

from importlib import import_module

__version__ = "0.1.0"

TYPE_CHECKING = False
"""Type checkers take it for True. That of `typing` would delay the start of every command."""

if TYPE_CHECKING:
    from stdeval import meta as meta
    from stdeval import plots as plots
    from stdeval.analysis.comparisons import compare as compare
    from stdeval.analysis.means import aggregate as aggregate
    from stdeval.analysis.outcomes import check as check
    from stdeval.analysis.topics import topics as topics
    from stdeval.api import *  # noqa: F403
    from stdeval.gate.conditions import Condition as Condition
else:
    # These load scipy or the figures, which takes longer than everything in stdeval.api.
    _MODULES = ("meta", "plots")
    _SLOW = {
        "Condition": "gate.conditions",
        "aggregate": "analysis.means",
        "check": "analysis.outcomes",
        "compare": "analysis.comparisons",
        "topics": "analysis.topics",
    }

    # Type checkers must not see __getattr__: they would let users take any name from the package.

    def __getattr__(name: str) -> object:
        """Load the public names when one of them is first used, because starting a command must not load numpy."""
        # "from stdeval import notices" asks here first, and must not load everything
        if name in (*_MODULES, "notices"):
            return import_module(f"stdeval.{name}")
        if name in _SLOW:
            return getattr(import_module(f"stdeval.{_SLOW[name]}"), name)
        # Python itself asks for names like __path__
        if name == "__all__" or not name.startswith("_"):
            # "from stdeval import api" would call this function again
            api = vars(import_module("stdeval.api"))
            public = {key: value for key, value in api.items() if not key.startswith("_")}
            globals().update(public, __all__=sorted([*public, *_MODULES, *_SLOW, "__version__"]))
        if name not in globals():
            raise AttributeError(f"module 'stdeval' has no attribute '{name}'")
        return globals()[name]

    def __dir__() -> list[str]:
        """Return the public names only."""
        return __getattr__("__all__")

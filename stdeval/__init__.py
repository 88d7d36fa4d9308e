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
    from stdeval.analysis import aggregate as aggregate
    from stdeval.analysis import check as check
    from stdeval.analysis import compare as compare
    from stdeval.analysis import standardize as standardize
    from stdeval.analysis import topics as topics
    from stdeval.errors import InputError as InputError
    from stdeval.errors import InputWarning as InputWarning
    from stdeval.evaluation import Options as Options
    from stdeval.formats.readers import read_factors as read_factors
    from stdeval.formats.readers import read_scores as read_scores
    from stdeval.formats.readers import write_factors as write_factors
    from stdeval.formats.readers import write_scores as write_scores
    from stdeval.gate import Condition as Condition
    from stdeval.python_inputs import evaluate as evaluate
    from stdeval.results import Results as Results
    from stdeval.standardization.factors import Factors as Factors
    from stdeval.standardization.factors import fit_factors as fit_factors
    from stdeval.table import ScoreTable as ScoreTable
    from stdeval.trec.reading import Run as Run
    from stdeval.trec.reading import read_qrels as read_qrels
    from stdeval.trec.reading import read_run as read_run
else:
    _MODULES = {
        "Condition": "gate",
        "Factors": "standardization.factors",
        "InputError": "errors",
        "InputWarning": "errors",
        "Options": "evaluation",
        "Results": "results",
        "Run": "trec.reading",
        "ScoreTable": "table",
        "aggregate": "analysis",
        "check": "analysis",
        "compare": "analysis",
        "evaluate": "python_inputs",
        "fit_factors": "standardization.factors",
        "read_factors": "formats.readers",
        "read_qrels": "trec.reading",
        "read_run": "trec.reading",
        "read_scores": "formats.readers",
        "standardize": "analysis",
        "topics": "analysis",
        "write_factors": "formats.readers",
        "write_scores": "formats.readers",
    }
    """The module of each public name, which is loaded when the name is first used: commands start without numpy."""

    __all__ = [*_MODULES, "meta", "plots", "__version__"]

    # Type checkers must not see __getattr__: they would let users take any name from the package.

    def __getattr__(name: str) -> object:
        """Load a public name."""
        if name in ("meta", "plots"):
            return import_module(f"stdeval.{name}")
        if name not in _MODULES:
            raise AttributeError(f"module 'stdeval' has no attribute '{name}'")
        return globals().setdefault(name, getattr(import_module(f"stdeval.{_MODULES[name]}"), name))

    def __dir__() -> list[str]:
        """Return the public names only."""
        return __all__

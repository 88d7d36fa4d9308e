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
"""

from importlib import import_module

__version__ = "0.1.0"

__all__ = ["Condition", "Factors", "InputError", "InputWarning", "Options", "Results", "Run", "ScoreTable"]
__all__ += ["__version__", "aggregate", "check", "compare", "evaluate", "fit_factors", "meta", "plots"]
__all__ += ["read_factors", "read_qrels", "read_run", "read_scores", "standardize", "topics"]
__all__ += ["write_factors", "write_scores"]

TYPE_CHECKING = False
"""Type checkers take it for True. That of `typing` would delay the start of every command."""

if TYPE_CHECKING:
    from stdeval import meta, plots
    from stdeval.analysis import aggregate, check, compare, standardize, topics
    from stdeval.errors import InputError, InputWarning
    from stdeval.evaluation import Options
    from stdeval.formats.readers import read_factors, read_scores, write_factors, write_scores
    from stdeval.gate import Condition
    from stdeval.python_inputs import evaluate
    from stdeval.results import Results
    from stdeval.standardization.factors import Factors, fit_factors
    from stdeval.table import ScoreTable
    from stdeval.trec.reading import Run, read_qrels, read_run
else:
    # Each name is loaded when it is first used: commands start without numpy. Type checkers must not see
    # __getattr__: they would let users take any name from the package.
    _NAMES = {
        "analysis": ("aggregate", "check", "compare", "standardize", "topics"),
        "errors": ("InputError", "InputWarning"),
        "evaluation": ("Options",),
        "formats.readers": ("read_factors", "read_scores", "write_factors", "write_scores"),
        "gate": ("Condition",),
        "python_inputs": ("evaluate",),
        "results": ("Results",),
        "standardization.factors": ("Factors", "fit_factors"),
        "table": ("ScoreTable",),
        "trec.reading": ("Run", "read_qrels", "read_run"),
    }

    def __getattr__(name: str) -> object:
        """Load a public name."""
        if name in ("meta", "plots"):
            return import_module(f"stdeval.{name}")
        module = next((module for module, names in _NAMES.items() if name in names), None)
        if module is None:
            raise AttributeError(f"module 'stdeval' has no attribute '{name}'")
        return globals().setdefault(name, getattr(import_module(f"stdeval.{module}"), name))

    def __dir__() -> list[str]:
        """Return the public names only."""
        return __all__

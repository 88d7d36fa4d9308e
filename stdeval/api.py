"""The public names of the package, which `stdeval` loads from here when one of them is first used.

Names that load scipy or the figures are public too; `stdeval` loads each of them by itself.

Type checkers treat a name as public if it is imported ``as`` itself.
"""

from stdeval.analysis.standard_scores import standardize as standardize
from stdeval.errors import InputError as InputError
from stdeval.errors import InputWarning as InputWarning
from stdeval.evaluation.options import Options as Options
from stdeval.evaluation.raw_scores import evaluate as evaluate
from stdeval.formats.storage import read_factors as read_factors
from stdeval.formats.storage import read_scores as read_scores
from stdeval.formats.storage import write_factors as write_factors
from stdeval.formats.storage import write_scores as write_scores
from stdeval.reference_factors import Factors as Factors
from stdeval.results import Results as Results
from stdeval.standardization.factors import fit_factors as fit_factors
from stdeval.table import ScoreTable as ScoreTable
from stdeval.trec.reading import Run as Run
from stdeval.trec.reading import read_qrels as read_qrels
from stdeval.trec.reading import read_run as read_run

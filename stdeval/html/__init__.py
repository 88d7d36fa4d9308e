"""An evaluation as one self-contained HTML page."""

from stdeval.html.data import Evaluated, References, Sources
from stdeval.html.page import report, require_libraries

__all__ = ["Evaluated", "References", "Sources", "report", "require_libraries"]

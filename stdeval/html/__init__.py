"""An evaluation as one self-contained HTML page."""

from stdeval.html.data import Evaluated, References, Settings, Sources
from stdeval.html.page import report, require_libraries

__all__ = ["Evaluated", "References", "Settings", "Sources", "report", "require_libraries"]

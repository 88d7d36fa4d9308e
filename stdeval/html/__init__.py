"""An evaluation as one self-contained HTML page."""

from stdeval.html.page import report, require_libraries
from stdeval.html.report_data import Evaluated, References, Settings, Sources

__all__ = ["Evaluated", "References", "Settings", "Sources", "report", "require_libraries"]

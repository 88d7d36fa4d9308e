"""An evaluation as one self-contained HTML page."""

from stdeval.html.data import Evaluated, References, Sources
from stdeval.html.page import report

__all__ = ["Evaluated", "References", "Sources", "report"]

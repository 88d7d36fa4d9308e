"""An evaluation as one self-contained HTML page."""

from stdeval.html.evaluated import Evaluated, Settings, Sources
from stdeval.html.sections import report

__all__ = ["Evaluated", "Settings", "Sources", "report"]

"""The table of measures, the grammar of their names, and the measures that pytrec_eval does not compute."""

SCHEME_LETTERS = "ZNUEM"
"""The letters before the names of standardized measures, those of the schemes; Zmap is map standardized by z."""

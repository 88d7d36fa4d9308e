"""Measures: the table of measures, the grammar of their names, and those that pytrec_eval does not compute."""

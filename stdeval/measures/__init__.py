"""The table of measures, the grammar of their names, and the measures that pytrec_eval does not compute."""

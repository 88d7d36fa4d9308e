"""Measures: their table and names, and what is computed here rather than by pytrec_eval."""

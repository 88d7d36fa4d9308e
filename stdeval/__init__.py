"""Standardized evaluation of retrieval systems, in the manner of trec_eval."""

__version__ = "0.1.0"

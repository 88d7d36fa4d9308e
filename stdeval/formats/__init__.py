"""Readers and writers of tables of scores and factors, and writers of everything else that is printed."""

EXACT = ("csv", "jsonl")
"""The output formats in full precision, which have no notes and no columns that only readers need."""

MARKED = ("markdown", "latex")
"""The output formats that mark cells, such as the best of a column."""

AVERAGES = ("am", "gm", "egm", "egm-trec", "hm", "ehm", "md")
"""The summaries over topics that `stdeval.stats.aggregates` computes, and that lines are named after."""

"""Readers and writers of tables of scores and factors, and writers of everything else that is printed."""

EXACT = ("csv", "jsonl")  # the formats in full precision, without notes and columns that only readers need
MARKED = ("markdown", "latex")  # the formats that mark cells, such as the best of a column
# the summaries over topics that `stdeval.stats.aggregates` computes, and that lines are named after
AVERAGES = ("am", "gm", "egm", "egm-trec", "hm", "ehm", "md")

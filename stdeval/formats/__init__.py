"""Readers and writers of tables of scores and factors, and writers of everything else that is printed."""

EXACT = ("csv", "jsonl")  # the formats in full precision, without notes and columns that only readers need
MARKED = ("markdown", "latex")  # the formats that mark cells, such as the best of a column
# the summaries over topics that `stdeval.stats.aggregates` computes, and that lines are named after
AVERAGES = ("am", "gm", "egm", "egm-trec", "hm", "ehm", "md")
SIGNATURE = "signature"  # name of the column, and of the line of text, that holds a signature
SUMMARY = "all"  # the topic of lines and rows that summarize all topics, as trec_eval has it
MEANS = (SUMMARY, "amean")  # the topics of rows of means over topics: those of trec_eval and of gdeval

"""`stdeval meta`: the papers' experiments as commands."""

from __future__ import annotations

from stdeval.cli.declarations import Group

COMMANDS = {
    "power": "Discriminative power: the share of system pairs that differ significantly.",
    "rank": "Correlation of the system rankings by every two measures, schemes or aggregates.",
    "reliability": "Reliability: how surely the topics tell the systems apart, and how many topics it takes.",
    "plan": "How many topics a difference needs, and what difference a number of topics finds.",
    "split": "Self-consistency: the correlation of the system rankings on two halves of the topics.",
    "within": "Standardized against raw scores on random topics of one collection.",
    "between": "Scores on two disjoint random sets of topics.",
    "collections": "Compare the scores of the same systems on different collections.",
    "references": "How many reference systems standardization needs.",
    "depth": "Discriminative power and mean score by pool depth, evaluation depth, measure and form.",
}
"""The experiments, and the first sentences of their helps."""

command = Group(
    name="meta",
    package="stdeval.commands.meta",
    helps=COMMANDS,
    modules={"power": "rank", "rank": "rank", **dict.fromkeys(("split", "within", "between"), "topic_sets")},
    help="""Meta-evaluation: how measures and standardization behave.

    The experiments of the papers on standardization, on any runs. Each prints tables, or CSV or JSON with one
    row per cell, and names the seed and the numbers of trials, systems and topics. The same seed gives the same
    output, whatever --jobs is. Incomplete runs are left out, then topics that a run lacks; with -c they count as 0.
    """,
)

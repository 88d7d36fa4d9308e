"""`stdeval plot`: pictures of scores, of standardization, and of the results of the meta-evaluation commands."""

from __future__ import annotations

from stdeval.cli.declarations import Group

PICTURES = {
    "aggregates": "Which aggregate is more self-consistent.",
    "compare": "Differences of two runs, topic by topic.",
    "depth": "Power by evaluation depth, one curve per pool depth.",
    "drmse": "Differences of collections.",
    "forest": "Differences from a baseline, with effect sizes.",
    "heatmap": "All scores, systems x topics.",
    "mapping": "Raw to standardized scores, a curve per topic.",
    "means": "Systems by mean, with confidence intervals.",
    "plan": "Differences that numbers of topics find.",
    "power": "Discriminative power over levels of significance.",
    "references": "Rankings with fewer reference systems.",
    "reliability": "Reliability over the number of topics.",
    "scatter": "Means of systems by every two measures, or two runs by topic.",
    "scores": "How all scores of all runs are distributed.",
    "split": "Self-consistency over topic splits.",
    "tau": "Densities of correlations over trials.",
    "topics": "A box of scores for each topic.",
    "weights": "Rank weights of measures.",
}
"""The pictures, and the first sentences of their helps."""

MODULES = {
    "scores": ("heatmap", "mapping", "scores", "topics", "weights"),
    "systems": ("means", "compare", "scatter", "forest"),
    "experiments": ("aggregates", "depth", "drmse", "plan", "power", "references", "reliability", "split", "tau"),
}
"""The modules of this package, and the pictures that each has."""

command = Group(
    name="plot",
    package="stdeval.commands.plot",
    helps=PICTURES,
    modules={picture: module for module, pictures in MODULES.items() for picture in pictures},
    help="""Draw a picture: png, svg or pdf.

    heatmap, means, mapping, topics, compare and forest draw the scores of one measure, by default map; scores and
    scatter draw one measure or more. power, tau, split, aggregates, depth, drmse, references, reliability and plan
    draw the CSV of the meta-evaluation commands; several collections, each given as NAME=FILE, share one picture.
    The same input gives the same bytes, and no display is needed. Needs matplotlib: pip install 'stdeval[plot]'.
    """,
)

"""The commands, one file each: a command reads its inputs, calls the library, and writes the result."""

from __future__ import annotations

import click

from stdeval import __version__
from stdeval.cli.declarations import Group

COMMANDS = {
    "eval": "Print the raw scores of runs, as trec_eval does.",
    "factors": "Make standardization factors from reference runs.",
    "standardize": "Standardize the scores of runs.",
    "convert": "Convert qrels, runs, scores or factors between file formats.",
    "measures": "List the measures: name, other spellings, range, definition and source.",
    "pool": "Print the qrels that a shallower pool of the runs would have left.",
    "weights": "Print how much a relevant document at each rank is worth.",
    "topics": "Print the statistics of the scores on each topic, and its difficulty.",
    "compare": "Compare every pair of runs, or all runs with a baseline.",
    "check": "Check that runs are good enough, or no worse than a baseline.",
    "validate": "Find all problems of runs before they are submitted.",
    "meta": "Meta-evaluation: how measures and standardization behave.",
    "plot": "Draw a picture: png, svg or pdf.",
    "report": "Report an evaluation as one HTML page.",
    "help": "Show the help of a command, or a page of the manual.",
}
"""The commands and the first sentences of their helps, given here so that listing the commands imports none."""


cli = Group(
    "stdeval.commands",
    COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
    Pages of the manual:
      stdeval help 1 COMMAND        a command, with examples
      stdeval help stdeval          glossary, output formats, signatures, exit status
      stdeval help files            every file format
      stdeval help 7 measures       every measure
      stdeval help standardization  schemes, reference runs, missing topics
      stdeval help papers           the tables and figures of the papers, by command line
    """,
    help="""Evaluate retrieval systems as trec_eval does, and standardize their scores.

    Effectiveness scores depend on the topics. Standardization places each score on the scale of the scores of
    reference runs on the same topic. Then all topics weigh the same in a mean, and means on different
    collections can be compared.

    Files may be compressed (gz, bz2, xz), and one input file may be - for standard input. Exit status: 0 done,
    1 a check failed or a run is not valid, 2 usage or input error.
    """,
)
cli = click.version_option(__version__, prog_name="stdeval")(cli)
cli = click.option("--quiet", is_flag=True, help="Print no warnings on standard error.")(cli)

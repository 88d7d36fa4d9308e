"""The options of the output, and the rows of scores that `eval` and `standardize` write; loads no numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from stdeval.cli import scoring
from stdeval.cli.declarations import OUTPUT_FILE, Choice, WholeRange
from stdeval.cli.options import Decorator, completes, gathered, option
from stdeval.files import output, plain_name
from stdeval.formats import EXACT, MARKED, trec_eval_text, writers
from stdeval.formats import listing as listings

if TYPE_CHECKING:
    from stdeval.cli.options import InputOptions
    from stdeval.formats.listing import Listing
    from stdeval.formats.trec_eval_text import Block, Column
    from stdeval.provenance import Origin
    from stdeval.table import ScoreTable

output_option = option(
    "-o --output FILE output_path",
    "Write to FILE instead of standard output. It appears complete or not at all, and is compressed if its name "
    "ends in .gz, .bz2 or .xz.",
    OUTPUT_FILE,
    default="-",
    show_default=False,
)
no_summary_option = option("-n no_summary", "Omit the summary over all topics.")

# the endings of file names that choose a format
ENDINGS = {".csv": "csv", ".jsonl": "jsonl", ".md": "markdown", ".tex": "latex"}


class OutputOptions(NamedTuple):
    """The format of the output, its file, and the number of decimals in formats for people."""

    format: str = "text"
    path: str | None = "-"
    digits: int | None = None

    def write(self, listing: Listing, more: Iterable[Listing] = ()) -> None:
        """Write a listing, and nothing else, to the file; exact formats may have more rows, a listing at a time."""
        with output(self.path) as out:
            writers.write_listing(out, self.format, listing.with_digits(self.digits))
            for part in more:
                writers.write_listing(out, self.format, part._replace(headed=False))


def format_options(text: str, *, digits: bool = True) -> Decorator:
    """Return the options of the format (text if described) and the file, as ``to``, an `OutputOptions`."""
    choices = [*(["text"] if text else []), "table", *EXACT, *MARKED]
    others = (
        "table: aligned columns; csv, jsonl: full precision; markdown: for GitHub; latex: for the package booktabs"
    )
    forms = f"text: {text}; {others}" if text else others
    meaning = f"{forms}. Without -f, a FILE that ends in .csv, .jsonl, .md or .tex chooses the format."
    default = "text" if text else "csv"
    format_option = option("-f --format output_format", meaning, Choice(choices), default=default)
    decimals = "Print N decimals instead of 4; csv and jsonl are always in full precision."
    digits_option = option("--digits N printed_digits", decimals, WholeRange(0, 17))

    def chosen(output_format: str, output_path: str | None, printed_digits: int | None = None) -> OutputOptions:
        source = click.get_current_context().get_parameter_source("output_format")
        is_named = source is not ParameterSource.COMMANDLINE and output_path not in (None, "-")
        name = plain_name(str(output_path)).lower() if is_named else ""
        by_ending = next((each for ending, each in ENDINGS.items() if name.endswith(ending)), output_format)
        return OutputOptions(by_ending if by_ending in choices else output_format, output_path, printed_digits)

    return gathered("to", chosen, format_option, *([digits_option] if digits else []), output_option)


def refuse_other_ending(path: str | None, writes: str) -> None:
    """Refuse a file whose ending names a format that the command does not write."""
    ending = next(filter(plain_name(path or "").lower().endswith, ENDINGS), None)
    if ending is not None:
        raise click.UsageError(f"-o {path}: {writes} is written, expected a name that does not end in {ending}")


_SIGNATURE = "Print a line to cite with the scores: version, measures, options, judgments and references."
signature_option = option("--signature signed", _SIGNATURE)


def is_signed(to: OutputOptions, signed: bool) -> bool:
    """Return whether an output has the signature: if it is asked for, and always in markup."""
    return signed or to.format in MARKED


@dataclass
class ScoresOutput:
    """The rows of scores that are printed, their order, and the output."""

    per_topic: bool
    no_summary: bool
    sort: str | None
    to: OutputOptions
    signed: bool

    def __post_init__(self) -> None:
        # trec_eval takes -n alone, and prints nothing.
        if self.no_summary and not self.per_topic and self.to.format != "text":
            raise click.UsageError("-n leaves nothing to print, expected -q too, for the scores of each topic")
        self.signed = is_signed(self.to, self.signed)

    def write(
        self,
        columns: Sequence[Column],
        blocks: Iterable[Block],
        inputs: InputOptions,
        table: ScoreTable | None,
        n_runs: int,
        signature: str,
        origin: Origin | None,
        unmarked: str,
    ) -> None:
        """Write the scores of runs, one block per run."""
        rows: dict[str, Any] = {"per_topic": self.per_topic, "summary": not self.no_summary}
        if self.to.format == "text":
            digits = 4 if self.to.digits is None else self.to.digits
            rows |= {"headed": n_runs > 1, "digits": digits, "signature": signature}
            with output(self.to.path) as out:
                trec_eval_text.write_trec_eval(out, columns, blocks, **rows)
            return
        order = scoring.typed_order(inputs, [column.measure for column in columns])
        rows |= {"order": order, "unmarked": unmarked, "origin": origin}
        rows["n_topics"] = scoring.number_of_topics(inputs, table)

        def listed(*some: Block) -> Listing:
            listing = listings.listing_of_blocks(columns, some, self.to.format, **rows)
            return listing._replace(signature=signature)

        if self.to.format not in EXACT:
            self.to.write(listed(*blocks))
            return
        # The first listing has the names of the columns, and no rows.
        self.to.write(listed(), map(listed, blocks))


scores_output_options = gathered(
    "printed",
    ScoresOutput,
    option("-q per_topic", "Also print the scores of each topic."),
    no_summary_option,
    option(
        "--sort MEASURE",
        "Sort runs by MEASURE, the best first, and incomplete runs last. With several summaries, the arithmetic "
        "mean decides, or the first if it is not among them. It is computed on the topics that all have if the "
        "topics of the runs differ.",
        shell_complete=completes("column"),
    ),
    signature_option,
    format_options("as trec_eval prints it"),
)
"""Give a command the options of the output of scores, as ``printed``, a `ScoresOutput`."""

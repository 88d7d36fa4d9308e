"""The options of the output, and the rows of scores that `eval` and `standardize` write: summaries, and order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np
from click.core import ParameterSource

from stdeval import notices
from stdeval import table as score_tables
from stdeval.cli import scoring
from stdeval.cli.declarations import OUTPUT_FILE, Choice, WholeRange
from stdeval.cli.options import Decorator, completes, gathered, option
from stdeval.errors import listed, warn
from stdeval.files import output, plain_name
from stdeval.formats import EXACT, MARKED, SUMMARY, trec_eval_text, writers
from stdeval.formats import listing as listings
from stdeval.measures import names
from stdeval.stats import aggregates, ranking
from stdeval.trec import reading

if TYPE_CHECKING:
    from stdeval.cli.options import InputOptions, SummaryOptions
    from stdeval.formats.listing import Listing
    from stdeval.formats.trec_eval_text import Block, Column
    from stdeval.table import Floats, ScoreTable

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

    format: str
    path: str
    digits: int | None

    def write(self, listing: Listing, more: Iterable[Listing] = ()) -> None:
        """Write a listing, and nothing else, to the file; exact formats may have more rows, a listing at a time."""
        with output(self.path) as out:
            writers.write_listing(out, self.format, listing, self.digits)
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

    def chosen(output_format: str, output_path: str, printed_digits: int | None = None) -> OutputOptions:
        source = click.get_current_context().get_parameter_source("output_format")
        is_named = source is not ParameterSource.COMMANDLINE and output_path != "-"
        name = plain_name(output_path).lower() if is_named else ""
        by_ending = next((each for ending, each in ENDINGS.items() if name.endswith(ending)), output_format)
        return OutputOptions(by_ending if by_ending in choices else output_format, output_path, printed_digits)

    return gathered("to", chosen, format_option, *([digits_option] if digits else []), output_option)


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
        rows |= {"order": order, "unmarked": unmarked}
        rows["origin"] = scoring.origin_of(inputs, table) if self.signed else None
        rows["n_topics"] = scoring.number_of_topics(inputs, table)

        def rows_of(*some: Block) -> Listing:
            listing = listings.listing_of_blocks(columns, some, self.to.format, **rows)
            return listing._replace(signature=signature)

        if self.to.format not in EXACT:
            self.to.write(rows_of(*blocks))
            return
        # The first listing has the names of the columns, and no rows.
        self.to.write(rows_of(), map(rows_of, blocks))


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


# --- summaries over topics, and the order of runs ---


def why_no_best_run(leave_out: str | None, table: ScoreTable) -> str:
    """Return the reason why standardized scores do not show the best run; empty if there is none."""
    made = table.origin.standardization if any(names.split_scheme(name)[0] for name in table.measures) else None
    if leave_out != "group" and (made is None or "leave-out:group" not in " ".join(made.adjustments)):
        return ""
    return "each group has other reference runs, which flatters a strong group"


def summarized(
    blocks: Iterable[Block],
    columns: Sequence[Column],
    options: SummaryOptions,
    sort: str | None = None,
    over_references: Mapping[str, Floats] | None = None,
) -> Iterable[Block]:
    """Return the runs with the summaries that the options ask for, sorted by a measure if one is named."""
    if sort is None and _are_means(options):
        return blocks  # which may be evaluated one by one
    found = _with_summaries(list(blocks), columns, options, over_references)
    return found if sort is None else _sorted_by(sort, found, columns, options.epsilon)


def _are_means(options: SummaryOptions) -> bool:
    """Return whether nothing but the arithmetic means is asked for, which all runs have."""
    return set(options.aggregates) == {"am"} and options.confidence is None


def _with_summaries(
    blocks: list[Block],
    columns: Sequence[Column],
    options: SummaryOptions,
    over_references: Mapping[str, Floats] | None,
) -> list[Block]:
    """Return the runs with the summaries that the options ask for."""
    places = [place for place, column in enumerate(columns) if column.kind == "score"]
    if _are_means(options) or not places:
        return blocks
    topics = reading.sorted_topics({topic for block in blocks for topic in block.topics})
    # shape (n_blocks, n_topics, n_places)
    numbers = ((np.asarray(block.values)[:, places], block.topics) for block in blocks)
    scores = np.stack([score_tables.rows_for(*each, topics) for each in numbers])
    summaries = {at: ends[:, places] for at, ends in (over_references or {}).items()}
    if options.confidence is not None and over_references is None:
        drawn = options.level_named
        if options.interval_method == "t":
            low, high = aggregates.t_interval(scores, axis=1, level=options.confidence)
        else:
            rng, n = np.random.default_rng(options.seed), options.n_resamples
            low, high = aggregates.bootstrap_interval(scores, rng, axis=1, level=options.confidence, n_resamples=n)
            drawn += f".resamples={n}.seed={options.seed}"
        summaries = {f"{SUMMARY}.ci_low{drawn}": low, f"{SUMMARY}.ci_high{drawn}": high}
    lines = [dict(block.summaries) if "am" in options.aggregates else {} for block in blocks]
    for where, figures in (summaries | _aggregates(scores, options)).items():
        whole = np.full((len(blocks), len(columns)), np.nan)
        whole[:, places] = figures
        for of_block, line in zip(lines, whole, strict=True):
            of_block[where] = line
    return [block._replace(summaries=of_block) for block, of_block in zip(blocks, lines, strict=True)]


def _aggregates(scores: Floats, options: SummaryOptions) -> dict[str, Floats]:
    summaries = {}
    for name in dict.fromkeys(options.aggregates):
        if name == "hm":
            undefined = (scores == 0).any(axis=1)
            warn(notices.undefined_means(int(undefined.sum()), undefined.size))
        if name == "sd":
            summaries[f"{SUMMARY}.{name}"] = aggregates.moments(scores.swapaxes(0, 1))[1]
        elif name != "am":
            own = aggregates.AGGREGATES[name].epsilon
            changed = own is not None and options.epsilon not in (None, own)
            where = f"{SUMMARY}.{name}" + (f".epsilon={options.epsilon:g}" if changed else "")
            summaries[where] = aggregates.aggregate(scores, name, axis=1, epsilon=options.epsilon)
    return summaries


def _sorted_by(sort: str, blocks: list[Block], columns: Sequence[Column], epsilon: float | None) -> list[Block]:
    """Return runs from the best to the worst by a measure; those that are not ranked come last."""
    by = _column_named(sort, columns).name
    place = [column.name for column in columns].index(by)
    scored = [listings.scored_topics(columns, block, place) for block in blocks]
    # All runs can be ranked by their numbers of topics.
    ranked = [True] * len(blocks) if by == "num_q" else ranking.ranked_systems(scored)
    topics = {own for own, fair in zip(scored, ranked, strict=True) if fair}
    common = frozenset.intersection(*topics) if len(topics) > 1 and by != "num_q" else None
    aside = [block.label for block, fair in zip(blocks, ranked, strict=True) if not fair]
    if 0 < len(aside) < len(blocks):
        warn(notices.incomplete_runs(aside, len(blocks), "sorted below the others"))
    elif common is not None:
        n_topics = len({topic for block in blocks for topic in block.topics})
        warn(notices.common_topics(len(common), n_topics, "runs are sorted by these"))
    means = dict.fromkeys(topic for block in blocks for topic in block.summaries if trec_eval_text.is_mean(topic))
    figures = {topic: [listings.summary_of(block, topic, place) for block in blocks] for topic in means}
    known = [topic for topic, numbers in figures.items() if not all(map(math.isnan, numbers))]
    # The topic field of a mean names its aggregate, as in all.gm.
    is_plain = columns[place].kind != "score" or known[:1] in ([], [SUMMARY])
    name = "am" if is_plain else known[0].split(".")[1]

    def mean_of(block: Block) -> float:
        if known and not common:
            return listings.summary_of(block, known[0], place)
        numbers = zip(block.topics, (float(row[place]) for row in block.values), strict=True)
        score_of = {topic: score for topic, score in numbers if not math.isnan(score)}
        scores = [score_of[topic] for topic in score_of if topic in (common or ())] or list(score_of.values())
        return float(aggregates.aggregate(np.array(scores), name, epsilon=epsilon)) if scores else math.nan

    largest, better_higher = listings.largest_value(blocks, place), names.is_better_higher(by)
    order = ranking.order_by_means(list(map(mean_of, blocks)), ranked, largest, better_higher=better_higher)
    return [blocks[i] for i in order]


def _column_named(text: str, columns: Sequence[Column]) -> Column:
    """Return the column of numbers that a text means, in any spelling of its measure."""
    named = {column.name: column for column in columns if column.kind != "text"}
    letters = {column.letter for column in columns} - {""}
    meant = [text, names.canonical(text), *([text[0] + names.canonical(text[1:])] if text[:1] in letters else [])]
    # The only form of a measure that is printed may be named without the letter of its scheme.
    of_measure = [column.name for column in columns if column.measure == names.canonical(text)]
    for name in [*meant, *(of_measure if len(of_measure) == 1 else [])]:
        if name in named:
            return named[name]
    raise click.UsageError(f"--sort {text}: expected a measure that is printed: {listed(list(named), 20)}")

"""How an option is declared, the options that commands share, and the records that several fill."""

from __future__ import annotations

import functools
import inspect
import math
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from stdeval.cli import declarations
from stdeval.cli.declarations import Choice, NamedFile, WholeRange
from stdeval.evaluation import Options
from stdeval.files import Input
from stdeval.formats import AVERAGES, readers
from stdeval.measures import SCHEME_LETTERS, names
from stdeval.trec import exclusion

if TYPE_CHECKING:
    from stdeval.formats.readers import Groups
    from stdeval.workers import Jobs

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def option(declared: str, meaning: str, of: Any = None, metavar: str | None = None, **more: Any) -> Decorator:
    """Return an option of these spellings, VALUE (VALUE... if it is repeatable; a flag has none) and parameter."""
    words = declared.split()
    value = next((word for word in words if word.isupper() and not word.startswith("-")), None)
    if value is not None:
        words.remove(value)
        metavar = value.removesuffix("...")
        more = {"multiple": value != metavar, **more}
    elif of is None and metavar is None:
        more = {"is_flag": True, **more}
    more = {"show_default": more.get("default") is not None, **more}
    return click.option(*words, type=of, metavar=metavar, help=meaning, **more)


file_option = partial(option, of=declarations.INPUT_FILE)


def completes(what: str) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    """Return a callback that completes a file, a measure, or a column: a measure that may be standardized."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[Any]:
        item = click.shell_completion.CompletionItem  # loaded by click, when a shell asks
        if what == "file":
            return [item(incomplete, type="file")]
        found = names.measures_beginning_with(incomplete, SCHEME_LETTERS if what == "column" else "")
        return [item(name, help=definition) for name, definition in found]

    return complete


def stacked(*options: Decorator) -> Decorator:
    """Return a decorator that gives a command several options, in this order."""
    return lambda command: functools.reduce(lambda given, each: each(given), reversed(options), command)


def gathered(name: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Return a decorator that gives a command several options as one record, which `make` makes of their values."""
    own = inspect.signature(make).parameters

    def decorate(command: Command) -> Command:
        @stacked(*options)
        @functools.wraps(command)
        def with_record(**given: Any) -> Any:
            record = make(**{key: given.pop(key) for key in own if key in given})
            return command(**{name: record}, **given)

        return with_record

    return decorate


# --- records ---

# How runs without documents for some topics are treated, unless such topics count 0 (-c); refuse also refuses runs
# and judgments that cannot decide anything.
Gaps = Literal["warn", "refuse", "ignore"]


class InputOptions(NamedTuple):
    """The scores that a command works on: those of runs, evaluated with judgments, or those in scores files."""

    files: tuple[str, ...] = ()
    score_files: tuple[NamedFile, ...] = ()
    measures: tuple[str, ...] = ()
    evaluation: Options = Options()
    names: tuple[NamedFile, ...] = ()
    jobs: Jobs = None
    cache_token: str = ""
    best: str | None = None
    collections: bool = False


@dataclass
class StandardizationOptions:
    """How scores are standardized: the files of the factors, and the parameters of the schemes."""

    factor_files: tuple[str, ...] = ()
    slope_and_mean: tuple[float, float] = (0.15, 0.5)
    no_censor: bool = False
    digits: int | None = None
    leave_out: str | None = None
    groups_file: str | None = None
    groups: Groups | None = field(default=None, init=False)
    of_u: dict[str, Any] = field(init=False)  # the parameters of scheme u

    def __post_init__(self) -> None:
        """Read the groups that are left out."""
        A, B = self.slope_and_mean
        self.of_u = {"A": A, "B": B, "censor": not self.no_censor}
        if self.leave_out is not None and self.factor_files:
            raise click.UsageError("--leave-out with -F, expected runs that are their own reference runs")
        if self.leave_out == "group":
            if self.groups_file is None:
                raise click.UsageError("--leave-out group: expected --groups FILE")
            self.groups = readers.read_groups(Input(self.groups_file))


@dataclass(frozen=True)
class SummaryOptions:
    """How scores are summarized over topics: the aggregates, and the interval of the arithmetic mean."""

    aggregates: tuple[str, ...]
    epsilon: float | None
    confidence: float | None
    interval_method: str
    n_resamples: int
    seed: int
    interval_of: str = "topics"

    def __post_init__(self) -> None:
        """Refuse an interval of a mean that is not printed, or from too few resamples for its ends."""
        if self.confidence is None:
            return
        if "am" not in self.aggregates:
            raise click.UsageError("--ci is the interval of the arithmetic mean, expected -a am too")
        least = math.ceil(round(2 / (1 - self.confidence), 9)) - 1
        if (self.interval_of, self.interval_method) != ("topics", "t") and self.n_resamples < least:
            expected = f"expected at least {least} for {100 * self.confidence:g}% intervals"
            raise click.UsageError(f"--resamples {self.n_resamples}: {expected}")

    @property
    def level_named(self) -> str:
        """The level of the interval as the names of its lines have it: empty for 0.95, the usual one."""
        return "" if self.confidence in (None, 0.95) else f".level={self.confidence:g}"


# --- statistics ---

_BASELINE = "Compare with RUN, which is one of the runs given: its name or its file. No other file is read."
baseline_option = option("--baseline RUN", _BASELINE, shell_complete=completes("file"))
_ALPHA = "Significance level: p is significant if it is at most this."
alpha_option = option("--alpha", _ALPHA, declarations.ALPHA, default=0.05)
_SEED = "Seed of the random numbers. Results are reproducible with it."
seed_option = option("--seed N", _SEED, WholeRange(min=0), default=0)
randomness_options = stacked(
    option("--resamples N n_resamples", "Number of random resamples.", WholeRange(1, 10**7), default=10_000),
    seed_option,
)
correction_option = option(
    "--correction",
    "Adjust p for the number of pairs; tukey, hsd and range test all runs at once.",
    Choice(["default", "none", "bonferroni", "holm", "bh", "tukey", "hsd", "range"]),
    default="default",
    show_default="range; holm with --baseline, another --test, or two complete runs",
)
_UNPAIRED = "Do not pair the topics: use Student's t test for two samples."
unpaired_option = option("--unpaired", _UNPAIRED)
welch_option = option("--welch", "With --unpaired: use Welch's t test, for different variances.")
test_option = option(
    "--test",
    "Paired test: t (Student), wilcoxon (signed ranks), sign, permutation (Fisher's randomization), bootstrap "
    "(studentized).",
    Choice(["t", "wilcoxon", "sign", "permutation", "bootstrap"]),
    default="t",
)


interval_option = partial(option, "--ci confidence", of=declarations.CONFIDENCE, metavar="LEVEL")
"""The confidence of an interval, given what it is of."""

# --- input ---


def _paths(context: click.Context, _: click.Parameter, files: tuple[NamedFile, ...]) -> tuple[str, ...]:
    """Return the files of judgments and runs; a command receives the names that some are given beside them."""
    if files and files[0].name:
        raise click.UsageError(f"{files[0].name}={files[0].path}: expected QRELS first, which have no name")
    context.params["names"] = tuple(file for file in files if file.name)
    context.params["cache_token"] = f"{os.getpid()}-{time.monotonic_ns()}"
    return tuple(file.path for file in files)


def qrels_and_runs(metavar: str) -> Decorator:
    """Return the argument of the judgments and runs, as ``files``, with their ``names`` and a ``cache_token``."""
    return click.argument("files", nargs=-1, type=declarations.NAMED_INPUT, metavar=metavar, callback=_paths)


_MEASURE = "Measure, such as map, P.5,10, P_10, nDCG@10 or official. Repeatable."
measure_option = option("-m --measure MEASURE... measures", _MEASURE, shell_complete=completes("measure"))
_JOBS, _USUAL_JOBS = "Use N worker processes", "  [default: all cores; 1 for little work]"
_CLUSTER = f"{_JOBS}, or the Dask cluster at ADDRESS, such as tcp://HOST:8786.{_USUAL_JOBS}"
jobs_option = option("-j --jobs N", f"{_JOBS}.{_USUAL_JOBS}", WholeRange(min=1))
jobs_or_address_option = option("-j --jobs N|ADDRESS", _CLUSTER, declarations.JobsOrAddress(min=1))

_scores_option = option(
    "--scores FILE... score_files",
    "Read scores from a CSV file instead of QRELS RUN... Repeatable. As NAME=FILE, its measures become "
    "NAME:MEASURE.",
    declarations.NAMED_INPUT,
)
_BEST = "Keep only the N or N% of the runs with the best means by the first measure."
_best_option = option("--best N|N%", _BEST, declarations.number_or_share)
complete_option = option("-c complete", "Average over all topics of QRELS; a missing topic scores 0.")
level_option = option(
    "-l LEVEL level",
    "Documents are relevant if their judgment is at least LEVEL. Gains, such as those of ndcg, stay the judgments "
    "unless --binary is given.",
    WholeRange(min=1),
    default=Options().level,
)
_DEPTH = "Evaluate only the first DEPTH documents of each topic."
_depth_option = option("-M --eval-depth DEPTH depth", _DEPTH, WholeRange(min=1))
judged_only_option = option("-J judged_only", "Ignore documents without a judgment.")
_BINARY = "Use binary gains for DCG measures: 1 if the judgment is at least LEVEL."
_binary_option = option("--binary", _BINARY)
precision_option = option(
    "--precision",
    "Compare the scores of documents as 32-bit floats (single, as trec_eval 9) or as 64-bit floats (double, as "
    "trec_eval 10).",
    Choice(["single", "double"]),
    default=Options().precision,
)
_EXCLUDE = "Leave the documents in FILE, qrels or lines of topic and docno, out of QRELS and runs. Repeatable."


def _excluded(context: click.Context, _: click.Parameter, paths: tuple[str, ...]) -> bytes:
    return exclusion.read_packed(paths) if paths and not context.resilient_parsing else b""


exclusion_options = stacked(
    file_option("--exclude FILE...", _EXCLUDE, callback=_excluded),
    option("--exclude-self", "Leave documents that are named as their topic out of QRELS and runs."),
)
_considered = (complete_option, level_option, _depth_option, judged_only_option)
_evaluation = gathered("evaluation", Options, *_considered, exclusion_options, _binary_option, precision_option)
_without_exclusion = gathered("evaluation", Options, *_considered, _binary_option, precision_option)
_inputs = partial(gathered, "inputs", InputOptions, qrels_and_runs("[QRELS [NAME=]RUN...]"), _scores_option)

input_options = _inputs(measure_option, _best_option, _evaluation, jobs_or_address_option)
"""Add the arguments and options that select the input scores; a command receives them as ``inputs``."""

input_options_of_topics = _inputs(measure_option, _best_option, _without_exclusion, jobs_or_address_option)
"""The same for `stdeval topics`, which leaves no documents out."""

input_options_without_measures = _inputs(_evaluation, jobs_or_address_option)
"""The same for a command whose measures are not named by ``-m``."""

plain_input_options = _inputs(measure_option, gathered("evaluation", Options, *_considered), jobs_or_address_option)
"""The same for pictures and experiments, which read unusual evaluations from scores files."""

# --- standardization ---


def scheme_option(meaning: str, *, raw: bool = True, multiple: bool = True, **more: Any) -> Decorator:
    """Return the option that names schemes, as ``schemes``, or a single one, as ``scheme``."""
    choice = Choice([*(["raw"] if raw else []), *SCHEME_LETTERS.lower()])
    return option("--scheme schemes" if multiple else "--scheme scheme", meaning, choice, multiple=multiple, **more)


def _slope_and_mean(text: str) -> tuple[float, float]:
    number = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
    if re.fullmatch(rf"{number},{number}", text):
        A, B = map(float, text.split(","))
        if A > 0 and 0 <= B <= 1:
            return A, B
    raise click.BadParameter(f"'{text}', expected a slope A above 0 and a mean B from 0 to 1, such as 0.15,0.5")


_factors_option = file_option(
    "-F --factors FILE... factor_files",
    "Standardize by the factors in FILE: a CSV of stdeval factors, a zscores_file, reference scores, or, given "
    "twice, the published means and standard deviations.",
)
parameters_of_u = stacked(
    option("--ab A,B slope_and_mean", "Slope and mean of scheme u.", _slope_and_mean, default="0.15,0.5"),
    option("--no-censor", "Do not censor scores of scheme u to [0, 1]."),
)
_ROUND = "Round raw scores, and reference scores of -F, to N decimals first. Use it if some of them were rounded."
round_option = option("--round N digits", _ROUND, WholeRange(min=0, max=15))
_LEAVE_OUT = "Without -F: standardize each run by all other runs (run), or by the runs of other groups (group)."
_GROUPS = "For --leave-out group: a CSV with the columns run (or tag) and group (or team)."
leave_out_options = stacked(
    option("--leave-out", _LEAVE_OUT, Choice(["run", "group"])),
    file_option("--groups FILE groups_file", _GROUPS),
)

factor_options = partial(gathered, "standardization", StandardizationOptions, _factors_option)
"""Give a command the factors, and further options of standardization, as ``standardization``."""


def standardization_options(default: tuple[str, ...] = (), *, raw: bool = True, plain: bool = False) -> Decorator:
    """Return a decorator that gives a command ``standardization``, and ``schemes``, shown side by side."""
    meaning = (
        "How to standardize: z (z score), n (normal), u (uniform), e (empirical), m (empirical with mid-ranks). "
        "Repeatable."
    )
    shown = True if default else "raw; n with -F"
    schemes = scheme_option(meaning, raw=raw, default=default or None, show_default=shown)
    return factor_options(schemes, *([] if plain else [leave_out_options, parameters_of_u, round_option]))


# --- summaries over topics ---


def _aggregate_option(more: tuple[str, ...] = (), meaning: str = "") -> Decorator:
    return option(
        "-a --aggregate aggregates",
        "Summary over the topics: am, gm, hm (arithmetic, geometric, harmonic mean), egm, ehm (gm and hm, adjusted "
        f"by epsilon), egm-trec (as gm_map of trec_eval), md (median){meaning}. Repeatable.",
        Choice([*AVERAGES, *more]),
        multiple=True,
        default=("am",),
    )


aggregate_option = _aggregate_option()
"""Names the aggregates by which systems are ranked."""


_INTERVAL_OF = "Interval over other topics, other reference runs, or both (always by resampling)."
interval_of_option = option(
    "--ci-of interval_of", _INTERVAL_OF, Choice(["topics", "references", "both"]), default="topics"
)
_INTERVAL = "Also print the confidence interval of the arithmetic mean at LEVEL, such as 0.95."
_EPSILON = "Epsilon of egm, egm-trec and ehm.  [default: 0.01; 1e-5 for egm-trec]"
_METHOD = "Interval by Student's t distribution (t) or by resampling the topics (bootstrap)."


def summary_options(*of_interval: Decorator) -> Decorator:
    """Return a decorator that gives a command the options of aggregates and intervals, as ``summaries``."""
    return gathered(
        "summaries",
        SummaryOptions,
        _aggregate_option(("sd",), ", sd (standard deviation)"),
        interval_option(_INTERVAL),
        option("--epsilon E", _EPSILON, declarations.FiniteRange(0, min_open=True)),
        *of_interval,
        option("--ci-method interval_method", _METHOD, Choice(["t", "bootstrap"]), default="t"),
        randomness_options,
    )

"""Time stdeval beside trec_eval, pytrec_eval and ir_measures, and against the targets of its own experiments.

    python tests/benchmark/speed.py [--quick] [--runs 129] [--rounds 5] [--section NAME]... [--data FOLDER]

Every measurement is of a whole child process: CPU time and peak memory as the kernel counts them for the child and
its workers, wall time by the clock. Competitors take turns, and a ratio is taken within a round, so that what else
the machine does falls on all of them. trec_eval joins when it is on PATH, or where TREC_EVAL says, ir_measures when
it is installed. A peak below that of this script itself, some 19 MiB, shows as this script's.

The table has a line per target: the median, the least and the greatest of the rounds, and a verdict. A target is
missed if every round is above it; if only the median is, the verdict is "within the spread". The exit status is 1
if a target is missed. ``--quick`` takes fewer runs, rounds, topics and trials; limits in seconds shrink with them,
and ratios that so small a track cannot show, since starting takes most of the time, are not judged.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

# No numpy here, not even through generate.py: a child's peak memory starts from its parent's.

ROOT = Path(__file__).resolve().parents[2]
GENERATE = Path(__file__).resolve().parent / "generate.py"
MEASURES = ("map", "P_10", "recip_rank", "Rprec", "ndcg")
COMPETITORS = ("stdeval", "trec_eval", "pytrec_eval", "ir_measures")

PYTREC_EVAL = """
import sys
import pytrec_eval
measures, qrels, *runs = sys.argv[1:]
with open(qrels) as lines:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), set(measures.split(",")))
for path in runs:
    with open(path) as lines:
        evaluator.evaluate(pytrec_eval.parse_run(lines))
"""

IR_MEASURES = """
import sys
import ir_measures
from ir_measures import AP, RR, P, Rprec, nDCG
qrels, *runs = sys.argv[1:]
evaluator = ir_measures.evaluator([AP, P @ 10, RR, Rprec, nDCG], list(ir_measures.read_trec_qrels(qrels)))
for path in runs:
    for _ in evaluator.iter_calc(ir_measures.read_trec_run(path)):
        pass
"""

TREC_EVAL = """
qrels=$1; shift
for run in "$@"; do "$TREC_EVAL" -q -m map -m P.10 -m recip_rank -m Rprec -m ndcg "$qrels" "$run" || exit 1; done
"""

Command = Sequence[str]


@dataclass(frozen=True)
class Usage:
    """Time and memory of one child process."""

    cpu: float  # seconds, of the child and of its workers
    wall: float  # seconds
    peak: float  # MiB, of the largest process


@dataclass(frozen=True)
class Track:
    """Files to evaluate."""

    qrels: Path
    runs: tuple[Path, ...]


@dataclass(frozen=True)
class Bench:
    """Where the files lie, how many rounds to go, and who takes part."""

    folder: Path
    n_runs: int
    rounds: int
    big_topics: int
    many_topics: int
    share: float  # of the trials of experiments, and of the limits of their time
    competitors: frozenset[str]


@dataclass(frozen=True)
class Line:
    """A line of the table: a target, and the value in each round."""

    what: str
    values: tuple[float, ...]
    target: float
    is_judged: bool = True

    @property
    def verdict(self) -> str:
        if not self.is_judged:
            return "not judged, too small"
        if statistics.median(self.values) <= self.target:
            return "met"
        return "within the spread" if min(self.values) <= self.target else "MISSED"


Results = Mapping[str, Sequence[Usage]]


def measured(command: Command) -> Usage:
    """Run a command to its end; one that fails ends the benchmark with what it said."""
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            errors.seek(0)
            raise SystemExit(f"{' '.join(command)[:200]} ...: exit {child.returncode}\n{errors.read().decode()}")
    unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, KiB elsewhere
    return Usage(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / unit)


def alternating(commands: Mapping[str, Command], rounds: int) -> dict[str, list[Usage]]:
    """Each command once a round; one round before them, which fills the caches, does not count."""
    results: dict[str, list[Usage]] = {name: [] for name in commands}
    for counted in [False] + [True] * rounds:
        for name, command in commands.items():
            usage = measured(command)
            if counted:
                results[name].append(usage)
    return results


def spread(values: Sequence[float], unit: str) -> str:
    return f"{statistics.median(values):8.3f} ({min(values):.3f} - {max(values):.3f}) {unit}"


def show(results: Results) -> None:
    for name, usages in results.items():
        cpu = spread([usage.cpu for usage in usages], "s CPU")
        wall = spread([usage.wall for usage in usages], "s wall")
        print(f"  {name:<28}{cpu}  {wall}  {max(usage.peak for usage in usages):7.1f} MiB")


def ratio(
    results: Results, one: str, other: str, target: float, of: str = "cpu", divisor: float = 1.0
) -> list[Line]:
    """Return a line with the ratio of two competitors, round by round; none unless both took part."""
    if one not in results or other not in results:
        return []
    pairs = zip(results[one], results[other], strict=True)
    ratios = tuple(getattr(a, of) / getattr(b, of) / divisor for a, b in pairs)
    return [Line(f"{of} of {one} / {other}", ratios, target)]


def at_full_size(bench: Bench, lines: Sequence[Line]) -> list[Line]:
    """Return the lines, judged only if the benchmark is whole."""
    return [replace(line, is_judged=bench.share == 1) for line in lines]


def limit(results: Results, one: str, target: float, of: str = "cpu") -> list[Line]:
    """Return a line with the CPU time in seconds, or the peak in MiB, of one command."""
    if one not in results:
        return []
    unit = "MiB" if of == "peak" else "s"
    return [Line(f"{of} of {one}, {unit}", tuple(getattr(usage, of) for usage in results[one]), target)]


def stdeval(command: str, track: Track, output: Path, jobs: int = 1) -> Command:
    """A stdeval command line; the package is the one of this checkout."""
    chosen = [part for name in MEASURES for part in ("-m", name)]
    form = ["-q", "-f", "csv"] if command == "eval" else []
    files = [str(track.qrels), *map(str, track.runs)]
    return [sys.executable, "-m", "stdeval", command, *form, *files, *chosen, "-j", str(jobs), "-o", str(output)]


def others(track: Track) -> dict[str, Command]:
    files = [str(track.qrels), *map(str, track.runs)]
    return {
        "trec_eval": ["sh", "-c", TREC_EVAL, "sh", *files],
        "pytrec_eval": [sys.executable, "-c", PYTREC_EVAL, ",".join(MEASURES), *files],
        "ir_measures": [sys.executable, "-c", IR_MEASURES, *files],
    }


def taking_part(bench: Bench, commands: Mapping[str, Command]) -> dict[str, Command]:
    """Those of the commands whose competitor, the first word of the name, is here."""
    return {name: command for name, command in commands.items() if name.split()[0] in bench.competitors}


def made(bench: Bench, name: str, **options: int | bool) -> Track:
    """A generated track, made when it is not in the folder yet; its folder's name tells its options."""
    arguments = [f"--{key}" if value is True else f"--{key}={value}" for key, value in options.items() if value]
    folder = bench.folder / "".join([name, *arguments])
    if not folder.is_dir():
        unfinished = folder.with_name(folder.name + ".tmp")
        subprocess.run([sys.executable, GENERATE, *arguments, unfinished], check=True)
        unfinished.rename(folder)
    return Track(folder / "qrels", tuple(sorted(folder.glob("run*"))))


def track_of(bench: Bench) -> Track:
    return made(bench, "track", runs=bench.n_runs)


def measured_here(bench: Bench, commands: Mapping[str, Command], rounds: int = 0) -> Results:
    """Measure and show the commands whose competitors are here."""
    results = alternating(taking_part(bench, commands), rounds or bench.rounds)
    show(results)
    return results


def eval_section(bench: Bench) -> list[Line]:
    track = track_of(bench)
    commands = {
        "stdeval eval": stdeval("eval", track, bench.folder / "scores.csv"),
        "stdeval factors": stdeval("factors", track, bench.folder / "factors.csv"),
        **others(track),
    }
    results = measured_here(bench, commands)
    targets = {"pytrec_eval": (0.72, 0.9), "trec_eval": (0.5, 1.0), "ir_measures": (0.4, 0.5)}
    lines = [
        line
        for other, (ours, fitting) in targets.items()
        for line in (
            *ratio(results, "stdeval eval", other, ours),
            *ratio(results, "stdeval factors", other, fitting),
        )
    ]
    return at_full_size(bench, lines)


def jobs_section(bench: Bench) -> list[Line]:
    track = track_of(bench)
    commands = {
        f"stdeval {command} -j {jobs}": stdeval(command, track, bench.folder / f"{command}{jobs}.csv", jobs)
        for command in ("eval", "factors")
        for jobs in (1, 2)
    }
    results = measured_here(bench, commands)
    lines = [
        line
        for command in ("eval", "factors")
        for line in ratio(results, f"stdeval {command} -j 2", f"stdeval {command} -j 1", 0.6, of="wall")
    ]
    return at_full_size(bench, lines)


def one_run_section(bench: Bench) -> list[Line]:
    track = track_of(bench)
    one = Track(track.qrels, track.runs[:1])
    commands = {"stdeval one run": stdeval("eval", one, bench.folder / "one.csv"), **others(one)}
    results = measured_here(bench, commands, 3 * bench.rounds)
    return [
        *ratio(results, "stdeval one run", "trec_eval", 1.8),
        *ratio(results, "stdeval one run", "ir_measures", 0.4),
    ]


def start_section(bench: Bench) -> list[Line]:
    commands = {
        "stdeval --help": [sys.executable, "-m", "stdeval", "--help"],
        "import click": [sys.executable, "-c", "import click"],
    }
    results = measured_here(bench, commands, 3 * bench.rounds)
    return ratio(results, "stdeval --help", "import click", 1.3)


def memory_section(bench: Bench) -> list[Line]:
    track = track_of(bench)
    commands = {
        f"stdeval {command} -j {jobs}": stdeval(command, track, bench.folder / "memory.csv", jobs)
        for command in ("eval", "factors")
        for jobs in (1, 2)
    }
    results = measured_here(bench, commands, 1)
    return [line for name in results for line in limit(results, name, 100, of="peak")]


def long_section(bench: Bench) -> list[Line]:
    """One run of many topics; a fifth as many shows whether time and memory grow with them."""
    full, part = (
        made(bench, "long", runs=1, topics=topics, judged=20)
        for topics in (bench.big_topics, bench.big_topics // 5)
    )
    commands = {
        "stdeval long run": stdeval("eval", full, bench.folder / "long.csv"),
        "stdeval long run -j 2": stdeval("eval", full, bench.folder / "long2.csv", jobs=2),
        "stdeval a fifth of it": stdeval("eval", part, bench.folder / "long.csv"),
    }
    results = measured_here(bench, commands, min(3, bench.rounds))
    return [
        *limit(results, "stdeval long run", 200, of="peak"),
        *ratio(results, "stdeval long run", "stdeval a fifth of it", 1.1, divisor=5),
        *at_full_size(bench, ratio(results, "stdeval long run -j 2", "stdeval long run", 0.6, of="wall")),
    ]


def gz_section(bench: Bench) -> list[Line]:
    some = min(20, bench.n_runs)
    commands = {
        "stdeval plain": stdeval("eval", made(bench, "plain", runs=some), bench.folder / "plain.csv"),
        "stdeval gz": stdeval("eval", made(bench, "packed", runs=some, gz=True), bench.folder / "gz.csv"),
    }
    return ratio(measured_here(bench, commands), "stdeval gz", "stdeval plain", 1.4)


def many_commands(bench: Bench, size: str, topics: int) -> dict[str, Command]:
    """Commands over ten runs of very many topics with ten documents each, of the shape of MS MARCO."""
    track = made(bench, "many", runs=10, topics=topics, depth=10, judged=1)
    scores = bench.folder / f"many-{size}.csv"
    return {
        f"stdeval eval, {size} topics": stdeval("eval", track, scores),
        f"stdeval factors, {size} topics": stdeval("factors", track, bench.folder / "many-factors.csv"),
        **{
            f"stdeval {command}, {size} topics": [
                *(sys.executable, "-m", "stdeval", command, "--scores", str(scores)),
                *("-m", "map", "-f", "csv", "-o", str(bench.folder / f"{command}.csv")),
            ]
            for command in ("standardize", "compare", "topics")
        },
    }


def many_section(bench: Bench) -> list[Line]:
    """Very many topics, per line of the track of fifty topics, and by those of a quarter of them."""
    few = Track(track_of(bench).qrels, track_of(bench).runs[:10])
    commands = {
        "stdeval eval, 50 topics": stdeval("eval", few, bench.folder / "few.csv"),
        **many_commands(bench, "a quarter of the", bench.many_topics // 4),
        **many_commands(bench, "many", bench.many_topics),
    }
    results = measured_here(bench, commands, min(3, bench.rounds))
    lines = bench.many_topics * 10 / (50 * 1000)  # of a run of many topics, by those of a run of fifty
    per_line = ratio(results, "stdeval eval, many topics", "stdeval eval, 50 topics", 1.3, divisor=lines)
    many = [name for name in results if "many" in name]
    return [
        *at_full_size(bench, per_line),
        *(
            line
            for name in many
            for line in ratio(results, name, name.replace("many", "a quarter of the"), 1.15, divisor=4)
        ),
        *(line for name in many for line in limit(results, name, 200, of="peak")),
    ]


def made_scores(bench: Bench, n_systems: int, n_topics: int) -> Path:
    """A scores CSV with systems and topics of different means, by one measure."""
    path = bench.folder / f"scores-{n_systems}-{n_topics}.csv"
    rng = random.Random(5)
    topics = [rng.random() for _ in range(n_topics)]
    rows = ["run,topic,map"]
    for i in range(n_systems):
        skill = rng.random()
        scores = (0.5 * topic + 0.3 * skill + 0.2 * rng.random() for topic in topics)
        rows += [f"r{i},{t},{score:.4f}" for t, score in enumerate(scores)]
    path.write_text("\n".join([*rows, ""]), encoding="ascii")
    return path


AGGREGATES = ("am", "gm", "egm", "egm-trec", "hm", "ehm", "md")
EPSILONS = ("0.001", "0.01", "0.1")


def meta(
    bench: Bench, experiment: str, scores: Path, schemes: str, n_trials: int, *options: str, jobs: int = 1
) -> Command:
    """A command line of an experiment with its share of trials; the schemes are letters, r for raw."""
    chosen = [part for letter in schemes for part in ("--scheme", "raw" if letter == "r" else letter)]
    trials = ["--trials", str(round(n_trials * bench.share))]
    output = ["-j", str(jobs), "-f", "csv", "-o", str(bench.folder / f"{experiment}.csv")]
    command = [sys.executable, "-m", "stdeval", "meta", experiment, "--scores", str(scores)]
    return [*command, *chosen, *trials, *output, *options]


def experiments_section(bench: Bench) -> list[Line]:
    track, large, small = track_of(bench), made_scores(bench, 126, 50), made_scores(bench, 110, 99)
    methods = [
        *(part for name in AGGREGATES for part in ("-a", name)),
        *(part for epsilon in EPSILONS for part in ("--epsilon", epsilon)),
    ]
    files = [str(track.qrels), *map(str, track.runs[: max(3, round(126 * bench.share))])]
    commands = {
        "meta references": meta(bench, "references", large, "znuem", 2000),
        "meta within": meta(bench, "within", small, "rnuze", 10_000),
        "meta between": meta(bench, "between", small, "rnuze", 10_000),
        "meta split": meta(bench, "split", large, "r", 10_000, *methods),
        "meta depth": [
            *(sys.executable, "-m", "stdeval", "meta", "depth", *files),
            *("-j", "1", "-f", "csv", "-o", str(bench.folder / "depth.csv")),
        ],
    }
    seconds = dict(zip(commands, (20, 8, 16, 15, 25), strict=True))
    two_jobs = {
        f"meta {experiment} -j 2": meta(bench, experiment, small, "rnuze", 10_000, jobs=2)
        for experiment in ("within", "between")
    }
    results = measured_here(bench, {**commands, **two_jobs}, min(3, bench.rounds))
    start = 0.8 if bench.share < 1 else 0.0  # does not shrink with the trials
    limits = [line for name in commands for line in limit(results, name, seconds[name] * bench.share + start)]
    if bench.share < 1:  # the start of workers takes longer than so few trials
        return limits
    return limits + [line for name in two_jobs for line in ratio(results, name, name[:-5], 0.55, of="wall")]


def pages_section(bench: Bench) -> list[Line]:
    scores = str(made_scores(bench, 126, 50))
    commands = {
        "report of 126 runs": [
            *(sys.executable, "-m", "stdeval", "report", "--scores", scores),
            *("-o", str(bench.folder / "report.html")),
        ],
        "plot heatmap of 126 runs": [
            *(sys.executable, "-m", "stdeval", "plot", "heatmap", "--scores", scores, "-m", "map"),
            *("-o", str(bench.folder / "heatmap.png")),
        ],
    }
    results = measured_here(bench, commands)
    return [*limit(results, "report of 126 runs", 4), *limit(results, "plot heatmap of 126 runs", 1.2)]


SECTIONS: dict[str, Callable[[Bench], list[Line]]] = {
    "eval": eval_section,
    "jobs": jobs_section,
    "one": one_run_section,
    "start": start_section,
    "memory": memory_section,
    "long": long_section,
    "gz": gz_section,
    "many": many_section,
    "experiments": experiments_section,
    "pages": pages_section,
}


def competitors(without: Sequence[str]) -> frozenset[str]:
    here = {"stdeval", "meta", "report", "plot", "import"}  # a bare import is what --help is measured against
    here |= {name for name in ("pytrec_eval", "ir_measures") if importlib.util.find_spec(name)}
    here |= {"trec_eval"} if shutil.which(os.environ["TREC_EVAL"]) else set()
    return frozenset(here - set(without))


def describe(bench: Bench) -> None:
    """Return the facts that the figures depend on: the machine, the versions, how busy it is."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "click", "pytrec-eval-terrier")]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"Python {platform.python_version()}, {', '.join(versions)}, {platform.machine()}, {cores} cores")
    print(f"{bench.n_runs} runs, {bench.rounds} rounds, load {os.getloadavg()[0]:.1f} at the start")
    print(f"median (min - max); with {', '.join(name for name in COMPETITORS if name in bench.competitors)}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time stdeval beside its competitors.")
    parser.add_argument("--quick", action="store_true", help="a small track, few rounds and trials")
    parser.add_argument("--runs", type=int, help="runs of the track (default: 129)")
    parser.add_argument("--rounds", type=int, help="times each competitor is measured (default: 5)")
    parser.add_argument("--big-topics", type=int, help="topics of the one long run (default: 5,000)")
    parser.add_argument("--many-topics", type=int, help="topics of the runs with ten documents (default: 100,000)")
    parser.add_argument("--section", action="append", choices=SECTIONS, help="only this one (repeatable)")
    parser.add_argument("--without", action="append", default=[], choices=COMPETITORS, help="leave one out")
    parser.add_argument("--data", type=Path, help="keep the generated files here (default: a temporary folder)")
    return parser.parse_args()


def bench_of(given: argparse.Namespace, folder: Path) -> Bench:
    """Return the sizes that the arguments name, or those of a whole or a quick benchmark."""
    here = competitors(given.without)
    usual = Bench(folder, 129, 5, 5000, 100_000, 1.0, here)
    if given.quick:
        usual = Bench(folder, 10, 2, 250, 2000, 0.02, here)
    return replace(
        usual,
        n_runs=given.runs or usual.n_runs,
        rounds=given.rounds or usual.rounds,
        big_topics=given.big_topics or usual.big_topics,
        many_topics=given.many_topics or usual.many_topics,
    )


def write_table(lines: Sequence[Line]) -> None:
    width = max(len(line.what) for line in lines)
    print(f"\n{'target':<{width}}  {'at most':>8}  {'median':>8}  {'least':>8}  {'greatest':>8}  verdict")
    for line in lines:
        figures = (line.target, statistics.median(line.values), min(line.values), max(line.values))
        print(f"{line.what:<{width}}  {'  '.join(f'{figure:8.2f}' for figure in figures)}  {line.verdict}")


def main() -> int:
    given = arguments()
    os.environ.setdefault("TREC_EVAL", "trec_eval")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # packages are compiled when they are installed, this one too
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.data or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        bench = bench_of(given, folder)
        describe(bench)
        lines = []
        for name in given.section or SECTIONS:
            print(f"\n{name}", flush=True)
            lines += SECTIONS[name](bench)
    if lines:
        write_table(lines)
    return int(any(line.verdict == "MISSED" for line in lines))


if __name__ == "__main__":
    sys.exit(main())

"""Time stdeval beside trec_eval, pytrec_eval and ir_measures, on the same files and in the same session.

    python tests/benchmark/speed.py [--runs 129] [--rounds 5] [--section NAME]... [--data FOLDER]

Every measurement is of a whole child process: CPU time and peak memory as the kernel counts them for the child and
its workers, wall time by the clock. Competitors take turns, and a ratio is taken within a round, so that what else
the machine does falls on all of them. trec_eval joins when it is on PATH, ir_measures when it is installed. A peak
below that of this script itself, some 19 MiB, shows as this script's.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
for run in "$@"; do trec_eval -q -m map -m P.10 -m recip_rank -m Rprec -m ndcg "$qrels" "$run" || exit 1; done
"""

Command = Sequence[str]


@dataclass(frozen=True)
class Usage:
    """What one child process took."""

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
    competitors: frozenset[str]


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


def show(results: Mapping[str, Sequence[Usage]]) -> None:
    for name, usages in results.items():
        cpu = spread([usage.cpu for usage in usages], "s CPU")
        wall = spread([usage.wall for usage in usages], "s wall")
        print(f"  {name:<28}{cpu}  {wall}  {max(usage.peak for usage in usages):7.1f} MiB")


def show_ratio(
    results: Mapping[str, Sequence[Usage]],
    one: str,
    other: str,
    target: float,
    of: str = "cpu",
    divisor: float = 1.0,
) -> None:
    """The ratio of two competitors, where both took part, round by round."""
    if one not in results or other not in results:
        return
    pairs = zip(results[one], results[other], strict=True)
    ratios = [getattr(a, of) / getattr(b, of) / divisor for a, b in pairs]
    verdict = "met" if statistics.median(ratios) <= target else "MISSED"
    print(f"  {one} / {other}, {of}:{spread(ratios, '')} target {target}: {verdict}")


def show_bound(what: str, value: float, target: float) -> None:
    print(f"  {what}: {value:.1f}  target {target}: {'met' if value <= target else 'MISSED'}")


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


def csv_section(bench: Bench) -> None:
    track = track_of(bench)
    commands = {
        "stdeval eval": stdeval("eval", track, bench.folder / "scores.csv"),
        "stdeval factors": stdeval("factors", track, bench.folder / "factors.csv"),
        **{name: command for name, command in others(track).items() if name != "ir_measures"},
    }
    results = alternating(taking_part(bench, commands), bench.rounds)
    show(results)
    for name in ("stdeval eval", "stdeval factors"):
        show_ratio(results, name, "pytrec_eval", 0.9)
        show_ratio(results, name, "trec_eval", 1.0)


def jobs_section(bench: Bench) -> None:
    track = track_of(bench)
    commands = {
        f"stdeval {command} -j {jobs}": stdeval(command, track, bench.folder / f"{command}{jobs}.csv", jobs)
        for command in ("eval", "factors")
        for jobs in (1, 2)
    }
    results = alternating(taking_part(bench, commands), bench.rounds)
    show(results)
    for command in ("eval", "factors"):
        show_ratio(results, f"stdeval {command} -j 2", f"stdeval {command} -j 1", 0.6, of="wall")


def ir_measures_section(bench: Bench) -> None:
    track = track_of(bench)
    commands = {
        "stdeval -j 1": stdeval("eval", track, bench.folder / "scores.csv"),
        "stdeval -j 2": stdeval("eval", track, bench.folder / "scores2.csv", jobs=2),
        "ir_measures": others(track)["ir_measures"],
    }
    results = alternating(taking_part(bench, commands), bench.rounds)
    show(results)
    show_ratio(results, "stdeval -j 1", "ir_measures", 0.4)
    show_ratio(results, "stdeval -j 2", "ir_measures", 0.4, of="wall")


def one_run_section(bench: Bench) -> None:
    track = track_of(bench)
    one = Track(track.qrels, track.runs[:1])
    commands = {"stdeval": stdeval("eval", one, bench.folder / "one.csv"), **others(one)}
    results = alternating(taking_part(bench, commands), 3 * bench.rounds)
    show(results)
    show_ratio(results, "stdeval", "trec_eval", 2.5)


def start_section(bench: Bench) -> None:
    commands = {
        "stdeval --help": [sys.executable, "-m", "stdeval", "--help"],
        "import click": [sys.executable, "-c", "import click"],
    }
    results = alternating(taking_part(bench, commands), 5 * bench.rounds)
    show(results)
    show_ratio(results, "stdeval --help", "import click", 1.3)
    show_ratio(results, "stdeval --help", "import click", 1.3, of="wall")


def memory_section(bench: Bench) -> None:
    track = track_of(bench)
    third = Track(track.qrels, track.runs[: -(-len(track.runs) // 3)])
    for command in ("eval", "factors"):
        for jobs in (1, 2):
            commands = {
                f"stdeval {command} {len(part.runs)} -j {jobs}": stdeval(
                    command, part, bench.folder / "memory.csv", jobs
                )
                for part in (third, track)
            }
            results = alternating(taking_part(bench, commands), 1)
            show(results)
            peaks = [usages[0].peak for usages in results.values()]
            if peaks:
                show_bound("peak, MiB", peaks[1], 100)
                print(f"  growth from {len(third.runs)} to {len(track.runs)} runs: {peaks[1] - peaks[0]:.1f} MiB")


def long_section(bench: Bench) -> None:
    """One run of many topics; a fifth as many shows whether time and memory grow with them."""
    full, part = (
        made(bench, "long", runs=1, topics=topics, judged=20)
        for topics in (bench.big_topics, bench.big_topics // 5)
    )
    commands = {
        "stdeval full": stdeval("eval", full, bench.folder / "long.csv"),
        "stdeval fifth": stdeval("eval", part, bench.folder / "long.csv"),
        "trec_eval full": others(full)["trec_eval"],
        "trec_eval fifth": others(part)["trec_eval"],
    }
    results = alternating(taking_part(bench, commands), min(3, bench.rounds))
    show(results)
    if "stdeval full" in results:
        show_bound("peak, MiB", max(usage.peak for usage in results["stdeval full"]), 200)
        print("  CPU time of five times the lines, divided by five (1: linear):")
        show_ratio(results, "stdeval full", "stdeval fifth", 1.1, divisor=5)


def gz_section(bench: Bench) -> None:
    some = min(20, bench.n_runs)
    commands = {
        "stdeval plain": stdeval("eval", made(bench, "plain", runs=some), bench.folder / "plain.csv"),
        "stdeval gz": stdeval("eval", made(bench, "packed", runs=some, gz=True), bench.folder / "gz.csv"),
    }
    results = alternating(taking_part(bench, commands), bench.rounds)
    show(results)
    show_ratio(results, "stdeval gz", "stdeval plain", 1.4)


@dataclass(frozen=True)
class Section:
    """A row of the table of targets."""

    title: str
    target: str
    function: Callable[[Bench], None]


SECTIONS = {
    "csv": Section(
        "eval -q -f csv and factors over all runs, one process",
        "CPU time at most 0.9 of the pytrec_eval loop's, no more than the trec_eval loop's",
        csv_section,
    ),
    "jobs": Section("two workers", "wall time at most 0.6 of one worker's, on two cores", jobs_section),
    "ir_measures": Section("eval against ir_measures' API", "at most 0.4", ir_measures_section),
    "one": Section("eval of one run of 50,000 lines", "CPU time at most 2.5 times trec_eval's", one_run_section),
    "start": Section("stdeval --help", 'at most 1.3 times python -c "import click"', start_section),
    "memory": Section("peak memory over all runs", "under 100 MiB a process, flat in runs", memory_section),
    "long": Section("one run of very many topics", "peak under 200 MiB, time linear in lines", long_section),
    "gz": Section("gz input", "CPU time within 1.4 of plain", gz_section),
}


def competitors(without: Sequence[str]) -> frozenset[str]:
    here = {"stdeval", "import"}  # a bare import is what stdeval --help is measured against
    here |= {name for name in ("pytrec_eval", "ir_measures") if importlib.util.find_spec(name)}
    here |= {"trec_eval"} if shutil.which("trec_eval") else set()
    return frozenset(here - set(without))


def describe(bench: Bench) -> None:
    """What the figures depend on: the machine, the versions, how busy it is."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "click", "pytrec-eval-terrier")]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"Python {platform.python_version()}, {', '.join(versions)}, {platform.machine()}, {cores} cores")
    print(f"{bench.n_runs} runs, {bench.rounds} rounds, load {os.getloadavg()[0]:.1f} at the start")
    print(f"median (min - max); with {', '.join(name for name in COMPETITORS if name in bench.competitors)}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time stdeval beside its competitors.")
    parser.add_argument("--runs", type=int, default=129, help="runs of the track")
    parser.add_argument("--rounds", type=int, default=5, help="times each competitor is measured")
    parser.add_argument("--big-topics", type=int, default=5000, help="topics of the one long run")
    parser.add_argument("--section", action="append", choices=SECTIONS, help="only this one (repeatable)")
    parser.add_argument("--without", action="append", default=[], choices=COMPETITORS, help="leave one out")
    parser.add_argument("--data", type=Path, help="keep the generated files here (default: a temporary folder)")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # packages are compiled when they are installed, this one too
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.data or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder, given.runs, given.rounds, given.big_topics, competitors(given.without))
        describe(bench)
        for name in given.section or SECTIONS:
            section = SECTIONS[name]
            print(f"\n{name}: {section.title}\n  target: {section.target}", flush=True)
            section.function(bench)


if __name__ == "__main__":
    main()

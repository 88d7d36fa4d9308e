"""Every command with odd values of its options, on small good files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import click

from stdeval.commands import cli

from .good_files import write_good_files
from .outcome import problem, run

ODD = (
    *(
        "0",
        "1",
        "2",
        "5",
        "-1",
        "1.5",
        "nan",
        "inf",
        "-inf",
        "1e5",
        "1e400",
        "2147483647",
        "2147483648",
        "9" * 19,
        "1" * 30,
    ),
    *(
        "",
        " ",
        "x",
        "é",
        "\udcff",
        "0.05",
        ".5",
        "1e-300",
        "-0",
        "+1",
        "0x10",
        "1_000",
        "hard-easy",
        "1-10",
        "0.15,0.5",
        "0,0",
    ),
    *(
        "map=0.3",
        "map=nan",
        "map=",
        "=0.3",
        "a",
        "b",
        "tag",
        "@",
        "P@",
        "P.",
        "P.0",
        "RBP(p=1)",
        "RBP(p=0.5)@3",
        "rbp_p=1e-400",
    ),
    *(
        "rbp_p=0.5_cut_0",
        "AP(rel=0)",
        "AP(rel=2)",
        "AP(rel=3000000)",
        "iprec_at_recall..5",
        "utility.1,2,3",
        "set_F.0",
    ),
    *(
        "ndcg.1=",
        "ndcg.1=5,1=7",
        "relstring.0",
        "all_trec",
        "official",
        "webber",
        "gm_map",
        "runid",
        "num_q",
        "num_ret",
        "10%",
    ),
    *("map", "P_10", "Nmap", "50%", "0%", "1000%"),
)
USUAL = {
    "-m": ("map", "P.5", "ndcg", "rbp", "bpref", "all_trec", "webber", "sp", "num_ret", "unj.5", "err"),
    "--resamples": ("1", "50"),
    "--trials": ("1", "10"),
    "-j": ("1",),
    "-k": ("1", "10"),
    "-d": ("1", "3"),
    "--baseline": ("tag", "a"),
    "--to": ("scores", "factors", "zscores", "matrix"),
    "--topics": ("1", "2"),
    "--size": ("2", "3"),
}
"""Values that let a command go on, and not take long."""

WITH_FILES = {"-o", "--junit", "--dask", "--trials-out", "--pairs-out", "--help", "-F", "--scores"}
OF_CSV = ("power", "tau", "split", "depth", "drmse", "references", "aggregates")


def _walk(command: click.Command, words: list[str]) -> Iterator[tuple[list[str], dict[str, click.Option]]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            child = command.get_command(click.Context(command), name)
            if child is not None:
                yield from _walk(child, [*words, name])
        return
    options = [each for each in command.params if isinstance(each, click.Option)]
    yield words, {min(option.opts, key=len): option for option in options}


@cache
def commands() -> list[tuple[list[str], dict[str, click.Option]]]:
    """Return the words of each command, and its options by their shortest names."""
    return list(_walk(cli, []))


def _values(rng: Random, name: str, option: click.Option) -> list[str]:
    """Return an option with a value: often a good one, else an odd one."""
    if option.is_flag:
        return [name]
    usual = tuple(option.type.choices) if isinstance(option.type, click.Choice) else USUAL.get(name, ODD)
    return [name, str(rng.choice(usual if rng.random() < 0.8 else ODD))]


def _input(rng: Random, words: list[str], options: dict[str, click.Option], paths: dict[str, Path]) -> list[object]:
    scores = ["--scores", paths["scores"]]
    if words[0] in ("measures", "weights", "completion", "help"):
        return ["-m", "rbp"] if words[0] == "weights" else []
    if words[0] == "convert":
        return [rng.choice(list(paths.values()))]
    if words == ["meta", "collections"]:
        return [paths["scores"], paths["scores2"]]
    if words[0] == "plot" and words[1] in OF_CSV:
        return [paths["power"]]
    factors = (
        ["-F", paths[rng.choice(("factors", "zscores", "scores"))]]
        if "-F" in options and rng.random() < 0.4
        else []
    )
    runs = [paths["qrels"], paths["run"], paths["run2"]]
    return factors + (scores if "--scores" in options and rng.random() < 0.5 else runs)


def case(rng: Random, folder: Path) -> str:
    """Run one command."""
    words, options = rng.choice(commands())
    paths = write_good_files(folder)
    known = [name for name in options if name not in WITH_FILES]
    chosen = rng.choices(known, k=rng.choice((0, 1, 1, 2, 3))) if known else []
    # experiments are cut short, unless the number of trials is what is odd
    chosen += [name for name in ("--trials", "--resamples", "-d", "--to") if name in options and name not in chosen]
    arguments = [*words, *(word for name in chosen for word in _values(rng, name, options[name]))]
    arguments += ["-o", str(folder / "out.svg")] if words[0] == "plot" else []
    arguments += map(str, _input(rng, words, options, paths))
    wrong = problem(run(arguments), words[0])
    return f"{arguments}: {wrong}" if wrong else ""

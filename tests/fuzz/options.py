"""Every command with options of odd values, which may contradict each other: done, or refused in one line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import click

from stdeval.commands import cli

from .mutations import GOOD
from .outcome import problem, run

VALUES = """0 1 2 5 -1 1.5 nan inf 1e5 1e400 2147483648 9223372036854775808 é \udcff .5 1e-300 -0 +1 0x10 1_0 1-10 1,2,3
    map P_10 Nmap map=0.3 map=nan map= =0.3 a tag @ P@ P.0 RBP(p=1) rbp_p=1e-400 AP(rel=0) AP(rel=3000000) set_F.0
    utility.1,2 ndcg.1=5,1=7 relstring.5 all_trec official webber gm_map runid num_q num_ret sp""".split()
FEW = {"--resamples": "50", "--trials": "10"}
LEFT_OUT = {"--help", "--output", "--junit", "--jobs", "--scores", "--trials-out"}


@cache
def commands() -> list[tuple[list[str], list[click.Option]]]:
    """Return the words of each command that takes runs, and its options."""

    def below(command: click.Command, words: list[str]) -> Iterator[tuple[list[str], list[click.Option]]]:
        if isinstance(command, click.Group):
            for name in command.list_commands(click.Context(command)):
                found = command.get_command(click.Context(command), name)
                yield from below(found, [*words, name])
        else:
            yield words, [each for each in command.params if isinstance(each, click.Option)]

    return [(words, options) for words, options in below(cli, []) if any("--jobs" in each.opts for each in options)]


def _given(rng: Random, option: click.Option, folder: Path) -> list[str]:
    """Return an option as it could be typed."""
    if option.is_flag:
        return option.opts[:1]
    default = [str(option.default)] if isinstance(option.default, int | float) else []
    choices = [str(each) for each in getattr(option.type, "choices", ())] or default
    usual = choices or ["map"] * ("-m" in option.opts) or [str(folder / rng.choice(list(GOOD)))]
    value = FEW.get(option.opts[-1]) or rng.choice(usual if rng.random() < 0.7 else [*VALUES, ""])
    return [option.opts[-1], value]


def case(rng: Random, folder: Path) -> str:
    """Run one command line."""
    runs = {name: GOOD["run2"].replace(b"tag2", name.encode()).replace(b"d3", b"d2") for name in ("run3", "run4")}
    for name, content in {**GOOD, **runs}.items():
        (folder / name).write_bytes(content)
    words, options = rng.choice(commands())
    free = [each for each in options if not LEFT_OUT.intersection(each.opts)]
    chosen = rng.sample(free, min(len(free), rng.randrange(4)))
    chosen += [each for each in free if each.opts[-1] in FEW and each not in chosen]
    given = [word for option in chosen for word in _given(rng, option, folder)]
    takes_scores = any("--scores" in each.opts for each in options)
    files = ["--scores", "scores"] if takes_scores and rng.random() < 0.5 else ["qrels", "run", "run2", *runs]
    target = ["-o", str(folder / "o.svg")] if words[0] == "plot" else []
    arguments = [*words, *given, *target, *(each if each == "--scores" else str(folder / each) for each in files)]
    wrong = problem(run(arguments), words[0])
    return f"{arguments}: {wrong}" if wrong else ""

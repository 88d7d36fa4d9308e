"""The Python API with odd values: a table of numbers, or an `InputError`, never another exception or a crash."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from random import Random

import numpy as np

from stdeval import Factors, Options, Run, ScoreTable, evaluate, fit_factors, standardize
from stdeval.errors import InputError, InputWarning

JUDGMENTS = (0, 1, 2, -1, -5, 10**6, 2**31, -(2**31), 2**62, 2**63, 10**30, -(10**30))
DOCUMENT_SCORES = (0.0, -0.0, 1.0, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf)
NAMES = ("a", "b", "", " ", "a\nb", "a\0b", "é", "日", "\udcff", "all", "no_query", "x" * 40_000)
LEVELS = (1, 2, 0, -1, 999_999_999, 2**31, 10**30)
DEPTHS = (None, 1, 5, 0, -1, 10**30)
MEASURES = (
    "map",
    "bpref",
    "infAP",
    "ndcg",
    "sp",
    "err",
    "unj_5",
    "P_5",
    "map_cut_1000000000",
    "rbp_p=0.8",
    "Bpref(rel=999999999)",
)
SCORES = (0.0, 0.5, 1.0, 1e308, -1e308, math.nan, math.inf, -math.inf, 5e-324)


def _odd(rng: Random, values: tuple) -> object:
    """Return one of the values, usually one of the first three."""
    return rng.choice(values[:3] if rng.random() < 0.8 else values)


def _evaluated(rng: Random) -> ScoreTable:
    topics = [_odd(rng, NAMES) for _ in range(rng.choice((1, 3)))]
    qrels = {topic: {_odd(rng, NAMES): _odd(rng, JUDGMENTS) for _ in range(3)} for topic in topics}
    runs = [
        Run(tag, {topic: {_odd(rng, NAMES): _odd(rng, DOCUMENT_SCORES) for _ in range(3)} for topic in topics})
        for tag in ("s", "t", "u")
    ]
    options = Options(
        _odd(rng, LEVELS), _odd(rng, DEPTHS), rng.random() < 0.3, rng.random() < 0.3, rng.random() < 0.3
    )
    return evaluate(qrels, runs, rng.sample(MEASURES, 2), options)


def _given(rng: Random) -> ScoreTable:
    values = [[[_odd(rng, SCORES)] for _ in range(3)] for _ in range(4)]
    return ScoreTable(("a", "b", "c", "d"), ("1", "2", "3"), ("map",), np.array(values))


def _factors(rng: Random, table: ScoreTable) -> Factors:
    if rng.random() < 0.7:
        return fit_factors(table)
    shape = (len(table.topics), len(table.measures))
    mean, sd = (np.full(shape, _odd(rng, (*SCORES, -1.0))) for _ in range(2))
    return Factors(table.topics, table.measures, mean, sd, np.full(len(table.topics), 5))


def case(rng: Random, folder: Path) -> str:
    """Evaluate or take scores, and standardize them."""
    del folder
    try:
        with np.errstate(all="raise", under="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            table = rng.choice((_evaluated, _given))(rng)
            standardized = standardize(table, _factors(rng, table), rng.choice("ZNUEM"))
    except InputError:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error} at {_place(error)}"
    return "infinite scores" if np.isinf(standardized.values).any() else ""


def _place(error: BaseException) -> str:
    """Return the file and line of this package where an exception was raised."""
    at = error.__traceback__
    places = []
    while at is not None:
        places.append(f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}")
        at = at.tb_next
    return " ".join(places)

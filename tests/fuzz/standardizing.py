"""`stdeval standardize` against the equations, computed here from what `stdeval eval` prints."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from random import Random
from statistics import NormalDist

from . import scoring
from .outcome import Outcome, problem, run

MEASURES = ("map", "P_5", "ndcg", "recip_rank", "Rprec", "bpref", "set_F", "recall_5", "num_ret")
SCHEMES = {
    "z": lambda z: z,
    "n": NormalDist().cdf,
    "u": lambda z: min(1.0, max(0.0, 0.15 * z + 0.5)),
}

Rows = dict[tuple[str, str], dict[str, float]]


def _rows(outcome: Outcome) -> Rows:
    """Return the scores of each run and topic in the CSV that was printed."""
    table = csv.DictReader(io.StringIO(outcome.stdout.decode("utf-8", "surrogateescape"), newline=""))
    return {
        (row["run"], row["topic"]): {
            name: float(cell) for name, cell in row.items() if name not in ("run", "topic") and cell
        }
        for row in table
    }


def _standardized(row: dict[str, float], scheme: str, factors: dict[str, tuple[float, float]]) -> dict[str, float]:
    return {
        scheme.upper() + name: SCHEMES[scheme]((score - factors[name][0]) / factors[name][1])
        for name, score in row.items()
    }


def case(rng: Random, folder: Path) -> str:
    """Standardize one run with factors of every topic."""
    qrels, run_file, options = scoring.make(rng)
    for name, data in (("qrels", qrels), ("run", run_file)):
        (folder / name).write_bytes(data)
    kept = [option for option in options if option in ("-c", "-J")]
    measures = rng.sample(MEASURES, rng.choice((1, 2, 4)))
    kept += [word for name in measures for word in ("-m", name)]
    files = [str(folder / "qrels"), str(folder / "run")]
    evaluated = run(["eval", "-q", "-n", "-f", "csv", *kept, *files])
    if problem(evaluated) or evaluated.status:
        return problem(evaluated)
    raw, scheme = _rows(evaluated), rng.choice(list(SCHEMES))
    factors = {
        topic: {name: (round(rng.uniform(0.3, 0.7), 4), round(rng.uniform(0.01, 0.45), 4)) for name in measures}
        for _, topic in raw
    }
    zscores = "".join(
        f"{topic}\t{name}\t{mean}\t{sd}\n" for topic, own in factors.items() for name, (mean, sd) in own.items()
    )
    (folder / "zscores").write_text(zscores, "utf-8", "surrogateescape")
    done = run(
        ["standardize", "-F", folder / "zscores", "--scheme", scheme, "-q", "-n", "-f", "csv", *kept, *files]
    )
    if problem(done) or done.status:
        return problem(done) or done.stderr
    found = _rows(done)
    expected = {key: _standardized(row, scheme, factors[key[1]]) for key, row in raw.items()}
    return (
        "" if _agree(found, expected) else f"{scheme} {kept} {qrels!r} {run_file!r}: {found}, expected {expected}"
    )


def _agree(found: Rows, expected: Rows) -> bool:
    return found.keys() == expected.keys() and all(
        row.keys() == found[key].keys()
        and all(math.isclose(row[name], found[key][name], rel_tol=1e-9, abs_tol=1e-12) for name in row)
        for key, row in expected.items()
    )

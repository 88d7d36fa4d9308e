"""A simulated track of the size of TREC's: judgments and runs from a seed."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import numpy as np

N_COLLECTION = 500_000
SCORE_FORMATS = ("%.4f", "%.6f", "%.3f", "%.9f", "%.6g")  # systems print scores differently
DOCNOS = ("FT9%02d-%d", "FBIS3-%d%04d", "LA%06d-%04d", "FR940%03d-0-%05d")  # as on TREC disks 4 and 5


def docno(number: int) -> str:
    """Name of a document; different numbers have different names."""
    rest, form = divmod(number, len(DOCNOS))
    return DOCNOS[form] % (11 + rest // 9000, 1000 + rest % 9000)


def write_track(folder: Path, n_runs: int, n_topics: int, depth: int, n_judged: int) -> list[str]:
    """Write judgments and runs, one topic after the other; return the paths, that of the judgments first."""
    folder.mkdir()
    paths = [folder / "qrels", *(folder / f"run{run:03}" for run in range(n_runs))]
    rng = np.random.default_rng(6)
    # the documents believed in most are judged, and the first of them are relevant more often
    chance = 0.18 * np.linspace(1, 0, n_judged) ** 2
    with ExitStack() as stack:
        qrels, *runs = (stack.enter_context(path.open("w", encoding="ascii")) for path in paths)
        for topic in range(401, 401 + n_topics):
            numbers = rng.choice(N_COLLECTION, max(4 * depth, n_judged), replace=False)
            names = np.array([docno(number) for number in numbers.tolist()], dtype=object)
            belief = 3 * np.sort(rng.standard_exponential(len(names)))[::-1]
            judgments = (rng.random(n_judged) < chance) * rng.integers(1, 3, n_judged)
            judgments[0] = 1
            judged = zip(names[:n_judged].tolist(), judgments.tolist(), strict=True)
            qrels.writelines(f"{topic} 0 {name} {judgment}\n" for name, judgment in judged)
            for run, file in enumerate(runs):
                scores = belief + rng.standard_normal(len(names)) * (0.5 + run % 7)
                order = np.argsort(-scores)[:depth]
                found = zip(names[order].tolist(), range(1, depth + 1), scores[order].tolist(), strict=True)
                line = f"{topic} Q0 %s %d {SCORE_FORMATS[run % len(SCORE_FORMATS)]} {paths[run + 1].name}\n"
                file.writelines(line % fields for fields in found)
    return list(map(str, paths))

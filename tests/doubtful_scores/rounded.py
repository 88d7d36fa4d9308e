"""Scores as measures of few values give them, and as they are rounded."""

from __future__ import annotations

import numpy as np


def scores_of(measure: str, shape: tuple[int, int]) -> np.ndarray:
    """Scores as the measure gives them to better and worse systems; Rprec with up to 30 relevant documents."""
    random = np.random.default_rng(7)
    share = np.linspace(0.3, 0.7, shape[0])[:, np.newaxis]
    if measure in ("P_3", "P_10", "P_30"):
        k = int(measure[2:])
        return random.binomial(k, share, shape) / k
    if measure == "recip_rank":
        return 1 / random.geometric(share, shape)
    n_relevant = random.integers(1, 31, shape[1])
    return random.binomial(n_relevant, share, shape) / n_relevant


def rounded_to(digits: int, scores: np.ndarray) -> np.ndarray:
    """Scores rounded to decimals, or to 32-bit floats."""
    return scores.astype(np.float32).astype(float) if digits == 32 else scores.round(digits)

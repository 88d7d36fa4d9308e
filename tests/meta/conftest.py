"""The five tables of the published experiments, made from the TREC 2004 Robust scores."""

from __future__ import annotations

import json

import numpy as np
import pytest

from stdeval.standardization.schemes import apply_scheme
from stdeval.stats.aggregates import moments


@pytest.fixture(scope="session")
def tables(robust):
    """Raw, N, U, Z, E, each standardized on all topics."""
    mean, sd, _ = moments(robust)
    return np.stack([robust, *(apply_scheme(letter, robust, mean, sd, robust) for letter in "NUZE")])


@pytest.fixture(scope="session")
def published(shared):
    """Results of Urbano 2019 with AP, by experiment, statistic and scheme in the order of `tables`."""
    results = json.loads((shared / "urbano2019" / "published.json").read_text())
    schemes = ("raw", "N-std", "U-std", "z-std", "E-std")
    return {
        experiment: {
            statistic: [by_scheme["ap"][statistic][scheme] for scheme in schemes]
            for statistic in by_scheme["ap"]
            if statistic != "trials"
        }
        for experiment, by_scheme in results.items()
    }

"""`stdeval meta within` and `between`: the published results, and that neither workers nor form change numbers."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

SCHEMES = {"raw": "raw", "N": "N-std", "U": "U-std", "Z": "z-std", "E": "E-std"}
"""The schemes with published results, by their names there."""

FLAGS = [word for scheme in (*SCHEMES, "M") for word in ("--scheme", scheme.lower())]
COLUMNS = {"tau_b": "tau", "tau_ap_b": "tauAP", "r": "r"}


@pytest.fixture(scope="module")
def published(shared):
    return json.loads((shared / "urbano2019" / "published.json").read_text())


@pytest.mark.parametrize(("command", "n_trials"), [("within", 400), ("between", 200)])
def test_a_run_of_the_published_experiments(run, robust_files, published, command, n_trials):
    # Urbano 2019, Sections 3.1 and 3.2: 10,000 trials of the authors' own code, AP
    expected = published[command]["ap"]
    options = ["--scores", robust_files.everything, *FLAGS, "--trials", n_trials, "-f", "csv"]
    rows = run("meta", command, *options).rows
    assert len(rows) == 6 * 19
    assert [row["scheme"] for row in rows[-19:]] == ["M"] * 19
    for row in rows[:-19]:
        scheme = SCHEMES[row["scheme"]]
        for ours, theirs in COLUMNS.items():
            mean, sd = (expected[theirs][scheme][name] for name in ("mean", "sd"))
            error = max(sd * np.sqrt(1 / n_trials + 1 / 10_000), 1e-12)
            assert abs(float(row[ours]) - mean) < 5 * error
    for rate in ("power", *(("type1",) if command == "between" else ())):
        for scheme, theirs in SCHEMES.items():
            ours = [float(row[rate]) for row in rows if row["scheme"] == scheme]
            np.testing.assert_allclose(ours, expected[rate][theirs], atol=0.012)
    assert {(row["systems"], row["topics"], row["seed"], row["trials"]) for row in rows} == {
        ("110", "99", "0", str(n_trials))
    }


@pytest.mark.parametrize("command", ["within", "between"])
def test_workers_change_nothing_and_seeds_do(run, scores_file, tmp_path, command):
    def done(name, *options):
        trials = tmp_path / name
        found = run(
            "meta", command, "--scores", path, "--topics", 5, "--trials", 250, "--trials-out", trials, *options
        )
        assert found.status == 0
        return found.raw, trials.read_bytes()

    path = scores_file(n_systems=12)
    alone = done("alone", "-j", 1)
    assert done("spread", "-j", 2) == alone
    assert done("default") == alone
    assert done("other", "--seed", 1)[1] != alone[1]


def test_trials_are_tidy_and_their_means_are_printed(run, scores_file, tmp_path):
    path, trials = scores_file(n_systems=12, measures=("map", "P_10")), tmp_path / "trials.csv"
    options = ["--scheme", "n", "--topics", 6, "--trials", 30, "--alpha", 0.05, "--trials-out", trials]
    rows = run("meta", "between", "--scores", path, *options, "-f", "csv").rows
    with trials.open() as lines:
        each = list(csv.DictReader(lines))
    told = ["experiment", "trial_topics", "systems", "topics", "seed", "trials"]
    assert list(each[0]) == ["measure", "scheme", "coefficient", "trial", "value", *told]
    assert [each[0][name] for name in told] == ["between", "6", "12", "12", "0", "30"]
    assert len(each) == 2 * 3 * 30
    for row in rows:
        for name in COLUMNS:
            values = [
                float(one["value"])
                for one in each
                if (one["measure"], one["coefficient"]) == (row["measure"], name)
            ]
            assert float(row[name]) == pytest.approx(np.mean(values))
            assert float(row[f"{name}_sd"]) == pytest.approx(np.std(values, ddof=1))

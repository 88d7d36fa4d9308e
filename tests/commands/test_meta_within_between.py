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


def test_the_test_is_named_in_the_rows_and_in_the_picture(run, scores_file, tmp_path):
    path, options = scores_file(n_systems=12), ["--scheme", "n", "--topics", 6, "--trials", 5, "-f", "csv"]
    told = {}
    for name in ("within", "between"):
        done = run("meta", name, "--scores", path, *options)
        assert {row["test"] for row in done.rows} == {"t" if name == "within" else "welch"}
        rows = tmp_path / f"{name}.csv"
        rows.write_bytes(done.raw)
        picture = tmp_path / f"{name}.svg"
        assert run("plot", "power", "-o", picture, rows).status == 0
        told[name] = "Welch" in picture.read_text()
    assert told == {"within": False, "between": True}


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


def test_text_has_a_column_a_scheme(run, scores_file):
    done = run(
        "meta", "within", "--scores", scores_file(n_systems=12), "--topics", 5, "--trials", 20, "--alpha", 0.05
    )
    header, _, columns, *rows, _, rates, power = done.stdout.splitlines()
    assert header.endswith("12 systems, 12 topics, seed 0, 20 trials")
    assert columns.split()[:3] == ["measure", "scheme", "tau_b"]
    assert [row.split()[1] for row in rows] == ["raw", "N"]
    assert rates.split() == ["rate", "measure", "alpha", "raw", "N"]
    assert power.split()[:3] == ["power", "map", "0.05"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["within", "--topics", 50], "samples of 50 topics, expected 2 to 12"),
        (["within", "--topics", 13], "samples of 13 topics, expected 2 to 12"),
        (["between", "--topics", 7], "samples of 7 topics in either set, expected 2 to 6"),
        (["between", "--topics", 1], "Invalid value for '--topics'"),
        (["between", "--trials", 0], "Invalid value for '--trials'"),
        (["within", "--alpha", "0"], "Invalid value for '--alpha'"),
    ],
)
def test_splits_that_do_not_fit_are_refused(run, scores_file, arguments, message):
    done = run("meta", *arguments, "--scores", scores_file(n_systems=12))
    assert (done.status, done.raw, done.stderr.count("\n")) == (2, b"", 1)
    assert message in done.stderr


def test_the_standard_deviation_of_one_trial_is_missing(run, scores_file):
    for command in ("within", "between"):
        done = run("meta", command, "--scores", scores_file(), "--topics", 4, "--trials", 1, "-f", "csv")
        assert {row["tau_b_sd"] for row in done.rows} == {""}
        text = run("meta", command, "--scores", scores_file(), "--topics", 4, "--trials", 1).stdout
        assert ", 1 trial\n" in text


@pytest.mark.parametrize("command", ["within", "between"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_topics_of_a_trial_are_a_column(run, scores_file, command, form):
    """Beside the number of all topics, which a reader took for that of a trial."""
    typed = ("meta", command, "--scores", scores_file(), "--trials", 2, "--topics", 5, "-f", form)
    done = run(*typed)
    rows = done.rows if form == "csv" else [json.loads(line) for line in done.stdout.splitlines()]
    assert {(str(row["trial_topics"]), str(row["topics"])) for row in rows} == {("5", "12")}


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ("within --topics 4", "trial_topics 4, and 5 above"),
        ("within --topics 5 --seed 1", "seed 1, and 0 above"),
        ("within --topics 5 --trials 9", "trials 9, and 8 above"),
        ("between --topics 5", "experiment between, and within above"),
    ],
)
def test_a_picture_does_not_mix_trials_of_different_experiments(run, scores_file, tmp_path, second, told):
    """The first file has the trials of raw scores, the second one those of N, so that no row is there twice."""
    scores, first, other = scores_file(), tmp_path / "first.csv", tmp_path / "other.csv"
    options = ("--topics", 5, "--trials", 8, "--scheme", "raw", "--trials-out", first)
    assert run("meta", "within", "--scores", scores, *options).status == 0
    name, *others = second.split()
    typed = ("meta", name, "--trials", 8, *others, "--scheme", "n", "--scores", scores)
    assert run(*typed, "--trials-out", other).status == 0
    done = run("plot", "tau", first, other, "-o", tmp_path / "tau.svg")
    assert (done.status, f"{told}, expected the same, or NAME=FILE" in done.stderr) == (2, True)
    assert run("plot", "tau", f"a={first}", f"b={other}", "-o", tmp_path / "tau.svg").status == 0


def test_a_picture_of_power_does_not_mix_trials_of_different_sizes(run, scores_file, tmp_path):
    paths = [tmp_path / f"{size}.csv" for size in (4, 6)]
    for size, scheme, path in zip((4, 6), ("raw", "n"), paths, strict=True):
        typed = ("--scores", scores_file(), "--trials", 3, "--topics", size, "--scheme", scheme)
        run("meta", "within", *typed, "-f", "csv", "-o", path)
    done = run("plot", "power", *paths, "-o", tmp_path / "power.svg")
    assert (done.status, "trial_topics 6, and 4 above" in done.stderr) == (2, True)


@pytest.fixture
def mostly_tied(write):
    """Twelve runs that differ on few of 50 topics: in many random sets of topics all have equal means."""
    rows = [
        f"r{r:02d},{t},{int(t not in {(4 * r + i) % 50 for i in range(r % 3)})}"
        for r in range(12)
        for t in range(50)
    ]
    return write("tied.csv", ["run,topic,success_10", *rows])


@pytest.mark.parametrize("command", ["within", "between"])
def test_trials_without_a_correlation_are_left_out_and_counted(run, mostly_tied, tmp_path, command):
    trials = tmp_path / "trials.csv"
    options = ["--topics", 4, "--trials", 60, "--scheme", "raw", "--trials-out", trials]
    done = run("meta", command, *options, "-f", "csv", "--scores", mostly_tied)
    with trials.open() as lines:
        found = [row["value"] for row in csv.DictReader(lines) if row["coefficient"] == "tau_b"]
    known = np.array([float(value) for value in found if value])
    assert 2 < len(known) < 60
    assert float(done.rows[0]["tau_b"]) == pytest.approx(known.mean())
    assert float(done.rows[0]["tau_b_sd"]) == pytest.approx(known.std(ddof=1))
    assert f"{60 - len(known)} of 60 coefficients" in done.stderr

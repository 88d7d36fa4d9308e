"""`stdeval convert`: files of others; tests/golden/convert.txt has the formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from stdeval.files import Input
from stdeval.formats.csv_tables import read_scores

pytestmark = pytest.mark.oracle


# trec_eval's own output, read back: means over topics are those of its last lines, to its four decimals
@pytest.mark.parametrize(
    "name",
    [
        "cranfield.bm25-depth10.q-n.txt",
        "cranfield.tfidf-rounded2.q-all_trec.txt",
        "trec-covid-r4.r4.fusion2.q-all_trec.txt",
    ],
)
def test_real_trec_eval_output(run, write, shared: Path, name: str):
    path = shared / "trec_eval-9.0.8" / name
    done = run("convert", "--to", "scores", path)
    assert done.stderr == ""
    lines = [line.split() for line in path.read_text().splitlines()]
    table = read_scores(Input(write("s.csv", done.stdout)))
    assert len(table.topics) == len({topic for _, topic, _ in lines if topic != "all"})
    for measure, topic, value in lines:
        if topic == "all" and measure in table.measures and not measure.startswith("num_"):
            assert np.nanmean(table.measure(measure)) == pytest.approx(float(value), abs=1.01e-4)


@pytest.mark.parametrize("measure", ["ap", "ndcg"])
def test_urbano_matrices(run, shared: Path, tmp_path: Path, measure: str):
    path = shared / "urbano2019" / f"robust2004_{measure}.csv"
    scores = tmp_path / "scores.csv"
    assert run("convert", "--to", "scores", "-m", measure, "-o", scores, path).status == 0
    expected = np.genfromtxt(path, delimiter=",", skip_header=1)
    table = read_scores(Input(scores))
    assert table.values.shape == (110, 99, 1)
    order = [int(topic) - 1 for topic in table.topics]
    np.testing.assert_array_equal(table.values[:, :, 0], expected[order].T)
    if measure == "ap":
        # Webber, Moffat & Zobel 2008, Table 6: mean AP on the topics of 2003 and of 2004
        assert expected[:50].mean() == pytest.approx(0.327, abs=5e-4)
        rows = {topic: table.values[:, i, 0].mean() for i, topic in enumerate(table.topics)}
        assert np.mean([rows[str(i)] for i in range(1, 51)]) == pytest.approx(0.327, abs=5e-4)
        assert np.mean([rows[str(i)] for i in range(51, 100)]) == pytest.approx(0.293, abs=5e-4)


def test_urbano_standardized_by_itself(run, shared: Path, tmp_path: Path):
    """Urbano, Lima & Hanjalic 2019, section 2, describe the standardized scores of the 2004 topics."""
    scores = tmp_path / "scores.csv"
    run("convert", "--to", "scores", "-m", "AP", "-o", scores, shared / "urbano2019" / "robust2004_ap.csv")
    schemes = ["--scheme", "n", "--scheme", "u", "--no-censor"]
    done = run("standardize", "-q", "-f", "csv", "-n", *schemes, "--scores", scores)
    by_topic: dict[int, list[tuple[float, float]]] = {}
    for row in done.rows:
        by_topic.setdefault(int(row["topic"]), []).append((float(row["Nmap"]), float(row["Umap"])))
    n, u = np.array([by_topic[topic] for topic in range(51, 100)]).transpose(2, 0, 1)
    assert n.shape == (49, 110)
    assert 0.45 <= n.mean(axis=1).min() <= n.mean(axis=1).max() <= 0.55
    # 0.14 to 0.31 as printed, that is with two decimals
    assert (n.std(axis=1, ddof=1).min().round(2), n.std(axis=1, ddof=1).max().round(2)) == (0.14, 0.31)
    np.testing.assert_allclose(u.mean(axis=1), 0.5, atol=1e-12)
    np.testing.assert_allclose(u.std(axis=1, ddof=1), 0.15, atol=1e-12)
    raw = np.genfromtxt(shared / "urbano2019" / "robust2004_ap.csv", delimiter=",", skip_header=1)[50:]
    np.testing.assert_allclose(n, stats.norm.cdf(stats.zscore(raw, axis=1, ddof=1)), atol=1e-12)

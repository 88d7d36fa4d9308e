"""Pictures of the page: they can stand beside each other, and the forest plot has the numbers of the comparison."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from stdeval import plots
from stdeval.html import Settings
from stdeval.html import page as pictures
from stdeval.html.data import claims, compared
from stdeval.html.page import forest, picture


def test_pictures_keep_their_paths_and_their_ids_apart():
    figure = plots.weights(["rbp_p=0.8", "dcg"], np.array([[0.2, 0.16, 0.128], [1, 0.63, 0.5]]), ["dcg"])
    file = io.BytesIO()
    plots.save_figure(figure, file, "svg")
    whole = ElementTree.fromstring(file.getvalue())
    one, two = (str(picture(name, figure, f"<{name}>", "told & shown").svg) for name in ("one", "two"))
    ids = [set(re.findall(r'\bid="([^"]+)"', each)) for each in (one, two)]
    assert len(ids[0]) > 10
    assert not ids[0] & ids[1]
    for each, own in zip((one, two), ids, strict=True):
        assert set(re.findall(r'(?:href="|url\()#([^")]+)', each)) <= own
        assert "<!--" not in each and "<?xml" not in each and "<style" not in each
        assert "&lt;" in each and "told &amp; shown" in each
    space = ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg"'
    inline = ElementTree.fromstring(one.replace("<svg", f"<svg{space}", 1))
    path = "{http://www.w3.org/2000/svg}path"
    drawn, kept = ([" ".join(p.get("d", "").split()) for p in tree.iter(path)] for tree in (whole, inline))
    assert kept == drawn


def test_forest_has_the_first_runs_and_marks_significant_ones(evaluation):
    names = tuple("abcdefghijkl")
    evaluated = evaluation(names, baseline=1)
    results = compared(evaluated)[0]
    drawn = forest(evaluated, results)
    order = [names[i] for i in evaluated.order if i != 1]
    assert [row.system for row in drawn.rows] == order[:8]
    assert drawn.n_tested == 11
    for row in drawn.rows:
        k = list(results.others).index(names.index(row.system))
        assert 0 <= row.low <= row.mark <= row.high <= 200
        assert row.is_significant == (results.adjusted[k] <= 0.05)
        assert np.sign(row.mark - drawn.zero) == np.sign(results.comparison.difference[k])
        assert row.is_significant == (row.low > drawn.zero or row.high < drawn.zero)
        assert row.told.startswith(f"{results.comparison.difference[k]:+.3f} [")


def test_differences_are_drawn_on_the_topics_of_the_claim(evaluation, with_gaps, monkeypatch):
    """Where the means are over common topics, a bar of another topic would not belong to the mean below it."""
    evaluated = with_gaps(evaluation(tuple("abcd"), baseline=1), {i: slice(3 * i, 3 * i + 3) for i in range(3)})
    (claim, *_) = claims(evaluated, compared(evaluated))
    drawn = []
    original = pictures.pair_figures.compare

    def kept(topics, differences, *rest, **options):
        drawn.append(differences)
        return original(topics, differences, *rest, **options)

    monkeypatch.setattr(pictures.pair_figures, "compare", kept)
    pictures.differences_picture(evaluated, claim)
    assert np.count_nonzero(~np.isnan(drawn[0])) == claim.n == 3
    assert np.nanmean(drawn[0]) == pytest.approx(claim.difference)


def test_forest_counts_the_runs_that_were_tested(evaluation, with_gaps):
    gappy = with_gaps(evaluation(tuple("abcd"), baseline=0), {2: slice(1, None)})
    drawn = forest(gappy, compared(gappy)[0])
    assert [row.system for row in drawn.rows] == [
        name for name in np.array(gappy.systems)[gappy.order] if name in "bd"
    ]
    assert drawn.n_tested == 2


def test_forest_of_equal_runs_is_a_point(evaluation):
    whole = evaluation(("a", "b"), baseline=0)
    same = np.broadcast_to(whole.raw.values[:1], whole.raw.values.shape)
    evaluated = replace(whole, raw=replace(whole.raw, values=same), standardized=None, scheme="raw")
    (row,) = forest(evaluated, compared(evaluated)[0]).rows
    assert row.low == row.mark == row.high


def test_intervals_of_means_meet_unless_the_runs_differ_by_tukeys_test(evaluation, monkeypatch):
    evaluated = evaluation(tuple("abcdefghijkl"), baseline=None)
    drawn = {}
    means = pictures.mean_figures.means
    monkeypatch.setattr(
        pictures.mean_figures, "means", lambda *args, **named: drawn.update(ends=args[2:4]) or means(*args, **named)
    )
    title = pictures.means_picture(evaluated).title
    assert title.endswith("with 95% Tukey intervals: two runs whose intervals do not meet differ significantly")
    low, high = drawn["ends"]
    is_apart = (low[:, np.newaxis] > high) | (high[:, np.newaxis] < low)
    np.testing.assert_array_equal(is_apart, evaluated.tukey[-1].pvalues <= 0.05)
    assert 0 < is_apart.sum() < 132
    settings = Settings(alpha=0.01, n_resamples=500)
    strict = replace(evaluation(tuple("abcdefghijkl"), baseline=None), settings=settings)
    assert "with 99% Tukey intervals: " in pictures.means_picture(strict).title
    low, high = drawn["ends"]
    is_apart = (low[:, np.newaxis] > high) | (high[:, np.newaxis] < low)
    np.testing.assert_array_equal(is_apart, strict.tukey[-1].pvalues <= 0.01)
    assert 0 < is_apart.sum() < (strict.tukey[-1].pvalues <= 0.05).sum()
    few = replace(evaluation(tuple("abcdefghijkl"), baseline=None), settings=Settings(n_resamples=10))
    assert pictures.means_picture(few).title == "Runs by mean N-AP, with 95% intervals"

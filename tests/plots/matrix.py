"""Draw every kind of picture of every content in every size, and list texts that overlap or leave the picture.

    python -m tests.plots.matrix [--kind KIND]... [--content CONTENT]... [--size SIZE]... [--save FOLDER]

Exit status 1 if there is any. A picture that is refused, with one line that says why, is counted, and listed with
--refused.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from stdeval import plots
from stdeval.errors import InputError
from stdeval.measures.names import resolve
from stdeval.measures.papers import rank_weights
from stdeval.standardization.factors import Factors, fit_factors
from stdeval.standardization.schemes import mapping_curves, standardize
from stdeval.stats.intervals import t_interval
from stdeval.table import Floats, ScoreTable
from tests.plots.text_boxes import faults

SIZES = ("column", "page", "slide")

LONG = tuple(
    f"monot5-{size}-msmarco-{epochs}k-{source}-{expansion}-expansion-rrf60"
    for size in ("base", "large", "3b")
    for epochs in ("10", "100")
    for source in ("title", "description", "narrative", "all-fields")
    for expansion in ("doc2query", "rm3")
)
FOREIGN = (
    "清华大学-检索-一号", "清华大学-检索-二号", "東京大学ランク付け", "서울대학교-검색", "جامعة-القاهرة-بحث",
    "אוניברסיטה-תל-אביב", "มหาวิทยาลัย-ค้นหา", "दिल्ली-खोज-प्रणाली", "Ωμέγα-αναζήτηση", "поиск-мгу-1", "Žluťoučký-kůň",
    "zürich-größe-ß", "İstanbul-arama", "rank🚀fusion", "$x_1^2$", "a\tb", "naïve\u0301-e\u0301", "q" * 3,
)  # fmt: skip


SPECIAL = ("equal scores", "all missing", "long names", "non-ASCII names", "large scores", "small scores")
"""Kinds of content other than numbers of runs and topics."""


@dataclass(frozen=True)
class Content:
    """Scores to draw, and the names of runs, topics and collections."""

    n_runs: int = 48
    n_topics: int = 50
    kind: str = ""

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        if self.kind in ("long names", "non-ASCII names"):
            return LONG if self.kind == "long names" else FOREIGN
        return tuple(f"group{i // 3:02d}-run{i % 3}" for i in range(self.n_runs))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """Names of the topics."""
        long = "clueweb-2012-category-a-topic-{}-of-the-web-track" if self.kind == "long names" else "{}"
        return tuple(long.format(301 + i) for i in range(self.n_topics))

    @cached_property
    def collections(self) -> tuple[str, ...]:
        """Names of the collections of an experiment."""
        if self.kind in ("long names", "non-ASCII names"):
            return self.runs[:4]
        return ("trec-8", "robust04") if self.n_runs == 48 else ("",)

    def values(self, *shape: int) -> Floats:
        """Return scores in 0 to 1 as a track has them, or equal, missing, large or small ones."""
        rng = np.random.default_rng(len(shape) + sum(shape))
        noise = sum(rng.normal(size=[n if i == j else 1 for j, n in enumerate(shape)]) for i in range(len(shape)))
        scores = 1 / (1 + np.exp(-(noise + rng.normal(size=shape))))
        scores[rng.random(shape) < 0.05] = 0.0
        special = {"equal scores": 0 * scores + 0.5, "all missing": 0 * scores + np.nan}
        factor = {"large scores": 3.2e6, "small scores": 2.5e-5}.get(self.kind, 1)
        return special.get(self.kind, factor * scores)

    def table(self, *measures: str) -> ScoreTable:
        """Return scores of the runs on the topics."""
        values = self.values(len(self.runs), len(self.topics), len(measures))
        return ScoreTable(self.runs, self.topics, measures, values)

    def rows(self, *, value: str, **levels: Any) -> dict[str, list[Any]]:
        """Return tidy rows: a value for each combination of levels, and of collections if there are several."""
        cells = list(product(self.collections, *levels.values()))
        columns = dict(zip(("collection", *levels), map(list, zip(*cells, strict=True)), strict=True))
        return {**columns, value: self.values(len(cells)).tolist()}

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures of an experiment."""
        names = ("map", "ndcg_cut_10", "P_10", "recip_rank", "rbp_p=0.8", "Rprec", "bpref", "gm_map", "jkdcg")
        return names[: {1: 1, 2: 2, 3: 3, 126: 9}.get(self.n_runs, 4)]


CONTENTS = {
    "1 run": Content(1),
    "2 runs": Content(2),
    "3 runs": Content(3),
    "48 runs": Content(48),
    "126 runs": Content(126),
    "1 topic": Content(48, 1),
    "500 topics": Content(12, 500),
    **{kind: Content(48, 50, kind) for kind in SPECIAL},
}


def _panels(content: Content, schemes: str = "NUE", *measures: str) -> dict[str, ScoreTable]:
    raw = content.table(*(measures or ("ndcg_cut_10",)))
    return {"raw": raw, **{scheme: standardize(raw, _factors(content, raw), scheme) for scheme in schemes}}


def _factors(content: Content, raw: ScoreTable) -> Factors:
    """Return factors from the runs; those of a run by itself come from others."""
    return fit_factors(raw if content.n_runs > 1 else Content(48, content.n_topics).table(*raw.measures))


def _means(content: Content, **look: Any) -> Figure:
    values = content.table("map").values[:, :, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mean = np.nanmean(values, axis=1)
    return plots.means(content.runs, mean, *_interval(values), measure="map", **look)


def _scatter(content: Content, **look: Any) -> Figure:
    table = content.table("shallow:ndcg_cut_10", "deep:ndcg_cut_10", "map")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return plots.scatter(np.nanmean(table.values, axis=1).T, table.measures, **look)


def _compare(content: Content, **look: Any) -> Figure:
    a, b = content.table("map").values[[0, -1], :, 0]
    names, interval = (content.runs[0], content.runs[-1]), _interval(a - b)
    return plots.compare(content.topics, a - b, interval, measure="map", systems=names, **look)


def _interval(values: Floats) -> Any:
    """Return the ends of the intervals of means over the last axis; NaN for a single value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return t_interval(values)


def _mapping(content: Content, **look: Any) -> Figure:
    raw = content.table("map")
    factors = _factors(content, raw)
    curves = {scheme: mapping_curves(raw, factors, scheme) for scheme in "NUE"}
    return plots.mapping(raw, {scheme: standardize(raw, factors, scheme) for scheme in "NUE"}, curves, **look)


def _weights(content: Content, **look: Any) -> Figure:
    chosen = resolve(("dcg", "rbp_p=0.8", "rbp_p=0.95", "jkdcg")[: max(1, min(4, content.n_runs))])
    weights = np.stack([rank_weights(measure, 10 * content.n_topics) for measure in chosen])
    right = [measure.name for measure in chosen if measure.persistence is not None]
    return plots.weights([measure.name for measure in chosen], weights, right, **look)


def _trials(content: Content, value: str, **levels: Any) -> dict[str, list[Any]]:
    return content.rows(value=value, **levels, measure=content.measures, scheme=("raw", "N", "U"), trial=range(9))


def _aggregates(content: Content, **look: Any) -> Figure:
    rows = content.rows(value="difference", measure=content.measures, pair=(("egm", "am"), ("egm", "gm")))
    pairs = rows.pop("pair")
    rows.update(aggregate=[a for a, _ in pairs], aggregate_b=[b for _, b in pairs])
    low = Content(n_runs=content.n_runs).values(len(pairs)).tolist()
    return plots.aggregates({**rows, "low": low}, **look)


def _dots(content: Content, **look: Any) -> Figure:
    rows = content.rows(value="drmse", measure=content.measures, scheme=("raw", "N", "U"), pair=("a, b", "a, c"))
    drmse = np.array(rows["drmse"])
    return plots.drmse({**rows, "low": (drmse - 0.1).tolist(), "high": (drmse + 0.1).tolist()}, **look)


def _references(content: Content, **look: Any) -> Figure:
    sizes = [n for n in (2, 5, 10, 20, 50, 100) if n <= content.n_runs] or [1]
    rows = content.rows(value="median", measure=content.measures, size=sizes)
    return plots.references({**rows, "p5": rows["median"], "tau_raw": [0.7] * len(rows["size"])}, **look)


def _reliability(content: Content, **look: Any) -> Figure:
    rows = content.rows(value="value", measure=content.measures, scheme=("raw", "N", "U"), at=(5, 10, 25, 50, 100))
    value, n = np.array(rows["value"]), len(rows["value"])
    ends = {"low": (value - 0.1).tolist(), "high": (value + 0.1).tolist()}
    return plots.reliability({**rows, **ends, "quantity": ["erho2"] * n}, **look)


def _plan(content: Content, **look: Any) -> Figure:
    levels: dict[str, Any] = {"measure": content.measures[:3], "spread": (0.1, 0.2)}
    levels |= {"test": ("t",), "power": (0.8,), "alpha": (0.05,)}
    return plots.plan(content.rows(value="difference", **levels, n=(10, 25, 50, 100, 1000)), **look)


def _marked(content: Content) -> list[int]:
    """Return two neighbours and another run to mark, of many."""
    return [i for i in (1, 2, 30) if i < len(content.runs) - 1]


def _forest(content: Content, **look: Any) -> Figure:
    values = content.table("map").values[:, :, 0]
    difference = values[1:, 0] - values[0, 0]
    ends = difference - 0.1, difference + 0.2
    marked = [i - 1 for i in _marked(content)]
    told = {"baseline": content.runs[0], "measure": "map", "marked": marked}
    return plots.forest(content.runs[1:], difference, *ends, difference / 0.2, **told, **look)


def _topic_scatter(content: Content, **look: Any) -> Figure:
    table = content.table("map", "P_10")
    names = (content.runs[0], content.runs[-1])
    a, b = table.values[0], table.values[-1]
    return plots.topic_scatter(a, b, table.topics, measures=table.measures, systems=names, **look)


def _tukey(content: Content, **look: Any) -> Figure:
    mean = content.values(len(content.runs))
    letters = [chr(97 + i // 8) + chr(97 + i // 8 + 1) for i in range(len(mean))]
    told = {"measure": "map", "interval": "tukey", "groups": letters, "marked": _marked(content)}
    return plots.means(content.runs, mean, mean - 0.1, mean + 0.1, **told, topics="50 topics", **look)


KINDS: dict[str, Callable[..., Figure]] = {
    "heatmap": lambda c, **look: plots.heatmap(_panels(c, "N"), **look),
    "means": _means,
    "scores": lambda c, **look: plots.scores(_panels(c, "NUZ", "map", "P_10"), **look),
    "scatter": _scatter,
    "scatter of topics": _topic_scatter,
    "forest": _forest,
    "reliability": _reliability,
    "plan": _plan,
    "groups of means": _tukey,
    "heatmap, marked": lambda c, **look: plots.heatmap(_panels(c, "N"), marked=_marked(c), **look),
    "topics, marked": lambda c, **look: plots.topics(
        c.table("map"), _panels(c, "N", "map"), marked=_marked(c), **look),
    "scores, marked": lambda c, **look: plots.scores(_panels(c, "N", "map"), marked=_marked(c), **look),
    "mapping": _mapping,
    "topics": lambda c, **look: plots.topics(c.table("map"), _panels(c, "NUE", "map"), **look),
    "compare": _compare,
    "weights": _weights,
    "depth": lambda c, **look: plots.depth(
        c.rows(value="power", pool_depth=(5, 10, 20, 50, 100), depth=(5, 10, 20, 50, 100, 1000), measure=c.measures,
               form=("raw", "expanded")), **look),
    "power": lambda c, **look: plots.power(
        c.rows(value="power", measure=c.measures, scheme=("raw", "N", "U"), alpha=(0.001, 0.01, 0.1)), **look),
    "power at one level": lambda c, **look: plots.power(
        c.rows(value="power", measure=c.measures, scheme=("raw", "N", "U"), alpha=(0.05,)), **look),
    "tau": lambda c, **look: plots.tau(
        _trials(c, "value", experiment=("between",), coefficient=("tau_b", "tau_ap_b", "r")), **look),
    "split": lambda c, **look: plots.split(_trials(c, "tau"), **look),
    "split over epsilon": lambda c, **look: plots.split(
        c.rows(value="tau", measure=c.measures, aggregate=("egm", "agm"), epsilon=10.0 ** np.arange(-6, 3)),
        **look),
    "aggregates": _aggregates,
    "power by one scheme": lambda c, **look: plots.power(
        c.rows(value="power", measure=c.measures, scheme=("N",), test=("student",), alpha=(0.001, 0.01, 0.1)),
        **look),
    "drmse": _dots,
    "references": _references,
}  # fmt: skip


def draw(kind: str, content: str, size: str) -> Figure:
    """Draw one cell of the matrix."""
    return KINDS[kind](CONTENTS[content], size=size, title=None)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, known in (("kind", tuple(KINDS)), ("content", tuple(CONTENTS)), ("size", SIZES)):
        parser.add_argument(f"--{name}", action="append", choices=known)
    parser.add_argument("--save", type=Path, help="Folder for the pictures, as png of 100 dpi.")
    parser.add_argument("--refused", action="store_true", help="List the pictures that are refused.")
    return parser.parse_args()


def main() -> int:
    """Draw the matrix and list its faults."""
    options = _parse()
    chosen = [options.kind or KINDS, options.content or CONTENTS, options.size or SIZES]
    counts = {"drawn": 0, "refused": 0, "at fault": 0}
    begin = time.perf_counter()
    for cell in product(*chosen):
        found = _examine(*cell, options, counts)
        counts["at fault"] += bool(found)
        if found:
            print(", ".join(cell), f"({len(found)}): ", "; ".join(found[:3]), flush=True)
    print(", ".join(f"{n} {what}" for what, n in counts.items()), f"in {time.perf_counter() - begin:.0f} s")
    return int(counts["at fault"] > 0)


def _examine(kind: str, content: str, size: str, options: argparse.Namespace, counts: dict[str, int]) -> list[str]:
    """Draw one cell, and return its faults."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            figure = draw(kind, content, size)
            found = faults(figure)
        except InputError as error:
            counts["refused"] += 1
            if options.refused:
                print(f"{kind}, {content}, {size}: refused: {error}", flush=True)
            return []
        except Exception:
            return [f"crash: {traceback.format_exc(limit=-2)}"]
        if options.save:
            options.save.mkdir(parents=True, exist_ok=True)
            name = f"{kind}-{content}-{size}.png".replace(" ", "_")
            plots.save_figure(figure, options.save / name, dpi=100)
    counts["drawn"] += 1
    return found + sorted({f"warning: {str(warning.message)[:60]}" for warning in said})


if __name__ == "__main__":
    sys.exit(main())

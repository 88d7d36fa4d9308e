"""`stdeval meta reliability`: how surely the topics separate the systems, by generalizability theory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain

from stdeval import notices
from stdeval.cli.declarations import PROBABILITY, WholeRange
from stdeval.cli.experiments import Experiment, experiment_command
from stdeval.cli.options import interval_option, option
from stdeval.errors import warn
from stdeval.formats.listing import Cell, Field, Listing
from stdeval.meta import planning
from stdeval.meta.planning import EFFECTS, FROM_ERHO2, FROM_PHI


@experiment_command("reliability", "-m map --topics 100 --target 0.9 qrels.gz references/*.run.gz")
@option("--topics N... sizes", "Reliability with N topics; repeatable.  [default: all]", WholeRange(min=1))
@option("--target LEVEL... targets", "Topics needed for LEVEL; repeatable.", PROBABILITY, default=(0.95,))
@interval_option("Confidence of the intervals.", default=0.95)
def command(experiment: Experiment, sizes: tuple[int, ...], targets: tuple[float, ...], confidence: float) -> None:
    """Reliability: how surely the topics tell the systems apart, and how many topics it takes."""
    tables, unknown = experiment.tables(), planning.Estimate(math.nan, math.nan, math.nan)
    negative: list[str] = []
    components, coefficients, needed, cells = (list[Sequence[Cell]]() for _ in range(4))
    for measure, scheme, scores in tables.cells():
        parts = planning.variance_components(scores)
        negative += [f"{effect} ({measure} {scheme})" for effect in parts.negative]
        columns = {"mean_square": parts.mean_squares, "variance": parts.variances, "share": parts.shares}
        by_effect = {name: column.tolist() for name, column in columns.items()}
        rows = zip(EFFECTS, parts.df.tolist(), *by_effect.values(), strict=True)
        components += [(measure, scheme, *row) for row in rows]
        for name, values in by_effect.items():
            of_effect = zip(EFFECTS, values, strict=True)
            cells += [(measure, scheme, f"{name}_{effect}", "", value, "", "") for effect, value in of_effect]
        relative = planning.relative_signal(parts, confidence)
        absolute = planning.absolute_signal(parts, confidence) if scheme == "raw" else unknown
        for n in dict.fromkeys(sizes or [len(tables.topics)]):
            row = []
            for name, signal, exponents in (("erho2", relative, FROM_ERHO2), ("phi", absolute, FROM_PHI)):
                found = planning.coefficient(signal, n)
                expected = {other: planning.expected(other, found) for other in exponents}
                row += [*found, *(estimate.value for estimate in expected.values())]
                cells += [(measure, scheme, each, n, *known) for each, known in {name: found, **expected}.items()]
            coefficients.append((measure, scheme, n, *row))
        for target in dict.fromkeys(targets):
            topics = [planning.topics_needed(signal, target) for signal in (relative, absolute)]
            needed.append((measure, scheme, target, *chain(*topics)))
            named = zip(("topics_erho2", "topics_phi"), topics, strict=True)
            cells += [(measure, scheme, name, target, *estimate) for name, estimate in named]
    warn(notices.negative_variances(negative))
    text = [
        _listing(("effect", "df", Field("mean_square", ".5g"), Field("variance", ".5g"), "share"), components),
        _listing(("n", "erho2", "low", "high", *FROM_ERHO2, "phi", "low", "high", *FROM_PHI), coefficients),
        _listing((Field("target", "g"), "topics_erho2", "low", "high", "topics_phi", "low", "high"), needed),
    ]
    # Exact formats have every quantity in a row of its own: at is the number of topics, or the target.
    listing = _listing(("quantity", "at", "value", "low", "high"), cells)
    title = f"reliability, {100 * confidence:g}% intervals"
    experiment.write(title, tables, listing, {"confidence": confidence}, text=text)


def _listing(columns: Iterable[Field | str], rows: Sequence[Sequence[Cell]]) -> Listing:
    """Return a listing whose first two columns are measure and scheme."""
    names = ("measure", "scheme", *columns)
    return Listing([name if isinstance(name, Field) else Field(name) for name in names], rows)

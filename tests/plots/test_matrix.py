"""Every kind of picture with every content, each in one of the sizes: no two texts overlap or leave the picture."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

from stdeval.errors import InputError
from tests.plots.matrix import CONTENTS, KINDS, SIZES, draw
from tests.plots.text_boxes import faults


def pairwise_choice() -> list[tuple[str, str, str]]:
    """Return every pair of a kind and a content, so with sizes in turn also every pair with a size."""
    return [
        (kind, content, SIZES[(i + j) % len(SIZES)])
        for i, kind in enumerate(KINDS)
        for j, content in enumerate(CONTENTS)
    ]


def test_the_choice_has_every_pair():
    chosen = pairwise_choice()
    assert {(kind, size) for kind, _, size in chosen} == {(kind, size) for kind in KINDS for size in SIZES}
    assert {(content, size) for _, content, size in chosen} == {(c, size) for c in CONTENTS for size in SIZES}


@pytest.mark.parametrize(("kind", "content", "size"), pairwise_choice())
def test_texts_do_not_overlap(kind, content, size):
    try:
        figure = draw(kind, content, size)
    except InputError as error:
        assert content == "all missing" or "too small for the picture" in str(error)
    else:
        assert faults(figure) == []

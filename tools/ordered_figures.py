"""The pictures of docs/ordered_boosting.md.

`python -m tools.ordered_figures` draws them, `--check` compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

from tools.compare import write_or_check
from tools.svg import Picture

FOLDER = Path("docs/images")

#: Eight rows in an artificial order: category and target.
ROWS = (
    ("Oslo", 1),
    ("Rome", 0),
    ("Oslo", 0),
    ("Oslo", 1),
    ("Rome", 1),
    ("Oslo", 1),
    ("Rome", 1),
    ("Oslo", 0),
)
PRIOR = 0.5
PRIOR_WEIGHT = 1


def own_target() -> Picture:
    """Why a training row looks better than a new one."""
    picture = Picture("A training row's target flows into the model that judges it", 214)
    for top, name, look in ((20, "a training row", "pale-a"), (124, "a new row", "pale-b")):
        picture.labelled(16, top, 130, 40, name, look)
        picture.labelled(206, top, 106, 40, "the model", "empty")
        picture.arrow([(146, top + 20), (204, top + 20)])
        picture.labelled(372, top, 132, 40, "gradient", look)
        picture.arrow([(312, top + 20), (370, top + 20)])
    picture.text(16, 86, "its target is in here", "small quiet")
    picture.arrow([(146, 82), (240, 86), (256, 64)])
    picture.text(504, 86, "too small: it knows the answer", "small quiet end")
    picture.text(504, 190, "as large as the error really is", "small quiet end")
    return picture


def statistics() -> Picture:
    """Each row's statistic, from rows of the same city before it."""
    picture = Picture(
        "Ordered target statistics of eight rows, with the rows each looks back to", 352
    )
    for x, head in ((28, "row"), (86, "city"), (164, "target")):
        picture.text(x, 28, head, "small quiet")
    picture.text(264, 28, "earlier rows of the city", "small quiet")
    picture.text(504, 28, "statistic", "small quiet end")
    for place, (city, target) in enumerate(ROWS):
        y = 40 + place * 38
        earlier = [row for row in range(place) if ROWS[row][0] == city]
        total = sum(ROWS[row][1] for row in earlier)
        value = (total + PRIOR_WEIGHT * PRIOR) / (len(earlier) + PRIOR_WEIGHT)
        look = "pale-a" if city == "Oslo" else "pale-b"
        picture.text(40, y + 20, str(place + 1), "middle")
        picture.labelled(72, y, 66, 30, city, look)
        picture.labelled(164, y, 40, 30, str(target), "empty")
        for step, row in enumerate(earlier):
            picture.labelled(264 + step * 34, y, 30, 30, str(row + 1), look, "small")
        if not earlier:
            picture.text(264, y + 20, "none: the prior", "small quiet")
        picture.text(504, y + 20, f"{value:.3g}", "end strong")
    return picture


def one_model_per_row() -> Picture:
    """The idea: model i learns from the first i rows, and judges row i + 1."""
    picture = Picture(
        "One model for each row: a triangle of rows that models have learned from", 262
    )
    n = 7
    for row in range(n):
        picture.text(153 + row * 50, 28, f"row {row + 1}", "small quiet middle")
    for model in range(1, n):
        y = 40 + (model - 1) * 34
        picture.text(16, y + 20, f"model {model}", "")
        for row in range(n):
            x = 130 + row * 50
            if row < model:
                picture.labelled(x, y, 46, 28, "learn", "pale-b", "small")
            elif row == model:
                picture.labelled(x, y, 46, 28, "judge", "a", "small on")
            else:
                picture.box(x, y, 46, 28, "empty")
    return picture


def segments() -> Picture:
    """The same with few models: bodies that double."""
    picture = Picture("Bodies of rows that double, each with a tail that its model judges", 224)
    left, step = 110, 49
    bounds = (1, 2, 4, 8)
    picture.text(16, 28, "rows", "small quiet")
    for row in range(8):
        picture.text(left + row * step + step / 2 - 2, 28, str(row + 1), "small quiet middle")
    for place, (body, tail) in enumerate(pairwise(bounds)):
        y = 42 + place * 44
        picture.text(16, y + 23, f"model {place + 1}", "")
        picture.labelled(left, y, body * step - 4, 34, "body", "pale-b", "small")
        width = (tail - body) * step - 4
        picture.labelled(left + body * step, y, width, 34, "tail", "a", "small on")
    picture.text(16, 196, "learns from its body, judges its tail:", "small quiet")
    picture.text(16, 214, "three models do for eight rows, twenty for a million", "small quiet")
    return picture


def score() -> Picture:
    """How a question is judged: values of the body, gradients of the tail."""
    picture = Picture(
        "A question is good if the body's leaf values point along the tail's gradients", 300
    )
    picture.labelled(176, 14, 168, 36, "price > 20 ?", "empty", "strong")
    for x, name, body, tail in ((24, "no", -2, -3), (280, "yes", 3, 2)):
        middle = x + 108
        picture.arrow([(260, 50), (middle, 82)])
        picture.text((260 + middle) / 2 + (14 if name == "yes" else -14), 64, name, "small middle")
        picture.box(x, 86, 216, 132, "empty")
        picture.text(middle, 108, "leaf", "small quiet middle")
        picture.text(x + 12, 142, "value, from the body", "small")
        picture.text(x + 12, 192, "gradients of the tail", "small")
        for y, number, look in ((124, body, "b"), (174, tail, "a")):
            width = 16 * abs(number)
            sign = "+" if number > 0 else "−"
            picture.labelled(x + 204 - width, y, width, 26, sign, look, "on")
    picture.text(260, 250, "same directions in both leaves: a good question", "middle")
    picture.text(260, 276, "score = cosine of values and gradients", "small quiet middle")
    return picture


def orderings() -> Picture:
    """What the orderings are for."""
    picture = Picture(
        "Several orderings: one of them chooses each tree, another fills its leaves", 250
    )
    looks = ("empty", "pale-b", "pale-b", "pale-b")
    numbers = ((3, 1, 4, 2, 6, 5), (5, 2, 6, 1, 3, 4), (1, 6, 2, 4, 5, 3), (4, 3, 5, 6, 2, 1))
    for place, (look, order) in enumerate(zip(looks, numbers, strict=True)):
        y = 18 + place * 42
        picture.text(16, y + 22, "σ" + "₀₁₂₃"[place], "strong")
        for step, row in enumerate(order):
            picture.labelled(52 + step * 36, y, 32, 32, str(row), look, "small")
    picture.labelled(340, 18, 164, 32, "fills the leaves", "empty", "small")
    picture.arrow([(270, 34), (336, 34)])
    picture.labelled(340, 102, 164, 32, "one chooses the tree", "pale-b", "small")
    for y in (76, 118, 160):
        picture.arrow([(270, y), (305, y), (336, 118)] if y != 118 else [(270, y), (336, 118)])
    picture.text(
        16, 216, "each tree: one of σ₁, σ₂, σ₃ at random, for its statistics", "small quiet"
    )
    picture.text(
        16, 236, "and its gradients alike; so neither contains a row's own target", "small quiet"
    )
    return picture


PICTURES: dict[str, Callable[[], Picture]] = {
    "ordered_own_target": own_target,
    "ordered_statistics": statistics,
    "ordered_triangle": one_model_per_row,
    "ordered_segments": segments,
    "ordered_score": score,
    "ordered_orderings": orderings,
}


def svg(name: str) -> str:
    """The picture of this name."""
    return PICTURES[name]().svg()


if __name__ == "__main__":
    for name in PICTURES:
        path, make = FOLDER / f"{name}.svg", partial(svg, name)
        write_or_check("tools.ordered_figures", __doc__, path, make, remedy="make docs")

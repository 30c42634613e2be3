"""Why the model predicts what it predicts: SHAP values of some rows.

All figures of this section are drawn from the same arrays, which the page holds once: what each
column adds to the prediction of each of some rows, and the values of these rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.report.document import (
    Block,
    Figure,
    Paragraph,
    Section,
    code,
    listed,
    name,
    section,
    strong,
)
from ocelotboost.report.figures import count, packed, percent, rounded
from ocelotboost.report.scores import row_losses
from ocelotboost.report.subject import CategoricalColumn, Floats, Subject

_MOST_ROWS = 1500
_MOST_COLUMNS = 30
_MOST_NUMBERS = 400_000  # SHAP values on a page
_MOST_PAIRS = 8
_ROWS_OF_A_KIND = 25  # best, worst, borderline
_MOST_CELLS = 4_000_000  # of interactions, while they are computed


@dataclass(frozen=True, eq=False)
class Explained:
    """SHAP values of the rows of a page.

    rows         positions among the given rows, ascending
    kinds        positions among ``rows`` of the best, the worst, ...
    values       float64 (n, n_columns, n_outputs)
    base         float64 (n_outputs,)
    importances  float64 (n_columns,) mean sizes of the values, over all outputs
    order        columns by importance
    pairs        strongest interactions: (column, column, mean size)
    """

    rows: NDArray[np.intp]
    kinds: dict[str, list[int]]
    values: Floats
    base: Floats
    importances: Floats
    order: list[int]
    pairs: list[tuple[int, int, float]]

    @property
    def shares(self) -> Floats:
        total = self.importances.sum()
        return self.importances / total if total > 0 else self.importances


def explain(subject: Subject) -> Explained:
    n_outputs, n_columns = subject.model.forest.n_outputs, len(subject.rows.columns)
    shown = min(n_columns, _MOST_COLUMNS) + 1
    rows, kinds = _chosen_rows(subject, max(100, _MOST_NUMBERS // (shown * n_outputs)))
    explanation = subject.explain(rows, False)
    values = explanation.values.reshape(len(rows), n_columns, n_outputs)
    typical = kinds["random"]  # the best and the worst are no typical rows
    importances = np.abs(values[typical]).mean(axis=0).sum(axis=1)
    order = np.argsort(-importances, kind="stable").tolist()
    base = explanation.base_values.reshape(len(rows), n_outputs)[0]
    pairs = _pairs(subject, rows[typical], n_outputs)
    return Explained(rows, kinds, values, base, importances, order, pairs)


def _chosen_rows(subject: Subject, most: int) -> tuple[NDArray[np.intp], dict[str, list[int]]]:
    """Rows worth a look, and others at random; and which are which."""
    n_rows = subject.n_rows
    losses = row_losses(subject)
    by_loss = np.argsort(losses, kind="stable")
    middle = (
        np.argsort(_margins(subject), kind="stable")
        if subject.task != "numbers"
        else by_loss[np.argsort(np.abs(np.arange(n_rows) - n_rows // 2), kind="stable")]
    )
    drawn = np.random.default_rng(0).permutation(n_rows)
    n_drawn = max(1, min(n_rows, most, _MOST_ROWS) - 3 * _ROWS_OF_A_KIND)
    kinds = {
        "best": by_loss[:_ROWS_OF_A_KIND],
        "worst": by_loss[::-1][:_ROWS_OF_A_KIND],
        "typical" if subject.task == "numbers" else "borderline": middle[:_ROWS_OF_A_KIND],
        "random": drawn[:n_drawn] if n_rows > n_drawn + 3 * _ROWS_OF_A_KIND else drawn,
    }
    rows = np.unique(np.concatenate(list(kinds.values())))
    places = {kind: np.searchsorted(rows, own).tolist() for kind, own in kinds.items()}
    return rows, places


def _margins(subject: Subject) -> Floats:
    """By how much the likeliest class leads."""
    ranked = np.sort(subject.response, axis=1)
    margins: Floats = ranked[:, -1] - ranked[:, -2]
    return margins


def _pairs(
    subject: Subject, rows: NDArray[np.intp], n_outputs: int
) -> list[tuple[int, int, float]]:
    n_columns = len(subject.rows.columns)
    n_rows = _MOST_CELLS // (n_columns * n_columns * n_outputs)
    if n_columns < 2 or n_rows < 20 or subject.model.forest.n_trees == 0:
        return []
    own = subject.explain(rows[: min(n_rows, 400)], True).values
    size = np.abs(own.reshape(-1, n_columns, n_columns, n_outputs)).mean(axis=0).sum(axis=2)
    first, second = np.triu_indices(n_columns, 1)
    strengths = size[first, second] + size[second, first]
    strongest = np.argsort(-strengths, kind="stable")[:_MOST_PAIRS]
    return [
        (int(first[place]), int(second[place]), float(strengths[place]))
        for place in strongest.tolist()
        if strengths[place] > 0
    ]


# ---- the section -----------------------------------------------------------------------------


def explained_section(subject: Subject, explained: Explained) -> Section:
    return section("why", "Why", "What drives predictions", _blocks(subject, explained))


def _blocks(subject: Subject, explained: Explained) -> Iterator[Block]:
    yield Paragraph(_story(subject, explained))
    names = [column.name for column in subject.rows.columns]
    shares = explained.shares
    top = explained.order[:3]
    yield Figure(
        "importances",
        "Importance",
        {},
        "Mean size of what columns add: "
        + ", ".join(f"{name(names[place])} {percent(float(shares[place]))}" for place in top)
        + ".",
    )
    yield Figure(
        "beeswarm",
        "Every row, column by column",
        {},
        "Each point is a row: what the column adds to its prediction, coloured by its value.",
    )
    yield Figure(
        "dependence",
        "Dependence",
        {},
        "What a column adds, by its value.",
        True,
    )
    if explained.pairs:
        yield Figure(
            "interactions",
            "Strongest interactions",
            {},
            "Pairs of columns that act together: "
            + "; ".join(
                f"{name(names[first])} and {name(names[second])}"
                for first, second, _ in explained.pairs[:3]
            )
            + ".",
            True,
        )
    yield Figure(
        "waterfall",
        "One row, explained",
        {},
        "From the mean prediction to the prediction of one row, column by column.",
        True,
    )


def _story(subject: Subject, explained: Explained) -> str:
    names = [code(subject.rows.columns[place].name) for place in explained.order]
    shares = explained.shares[explained.order]
    if not shares.any():
        return "No column changes the prediction."
    n_most = int(np.searchsorted(np.cumsum(shares), 0.8)) + 1
    idle = [own for own, share in zip(names, shares, strict=True) if share == 0]
    text = (
        f"{names[0]} matters most: it makes up {strong(percent(float(shares[0])))} of what all "
        "columns add to or take from predictions. "
    )
    if n_most > 1:
        text += f"{count(n_most, 'column')} make up four fifths: {listed(names[:n_most], most=8)}. "
    if idle:
        verb = "is" if len(idle) == 1 else "are"
        text += f"{listed(idle)} {verb} not used at all. "
    return text + (
        f"Figures are SHAP values of {count(len(explained.rows), 'row')}, as parts of the "
        f"raw prediction ({subject.unit}): those of a row and the mean sum to its prediction."
    )


def shared_data(subject: Subject, explained: Explained) -> dict[str, Any]:
    """What all figures of the section are drawn from."""
    shown = explained.order[:_MOST_COLUMNS]
    rest = explained.order[_MOST_COLUMNS:]
    values = explained.values[:, shown]
    if rest:
        values = np.concatenate(
            [values, explained.values[:, rest].sum(axis=1, keepdims=True)], axis=1
        )
    scale = float(np.abs(values).max()) or 1.0
    place = {column: number for number, column in enumerate(shown)}
    return {
        "columns": [_column(subject, own, explained.rows) for own in shown],
        "rest": len(rest),
        "importances": rounded(explained.importances[shown]),
        "share": rounded(explained.shares[shown]),
        "values": packed(np.rint(values / scale * 32767).astype(np.int16)),
        "scale": scale / 32767,
        "base": rounded(explained.base, 5),
        "rows": explained.rows.tolist(),
        "n": subject.n_rows,
        "kinds": explained.kinds,
        "outputs": subject.labels if explained.values.shape[2] > 1 else [""],
        "link": subject.loss.link.name,
        "unit": subject.unit,
        "truth": _truth(subject, explained.rows),
        "predicted": _predicted(subject, explained.rows),
        "classes": subject.labels,
        "pairs": [
            [place[first], place[second], float(f"{strength:.4g}")]
            for first, second, strength in explained.pairs
            if first in place and second in place
        ],
    }


def _column(subject: Subject, place: int, rows: NDArray[np.intp]) -> dict[str, Any]:
    column = subject.rows.columns[place]
    if not isinstance(column, CategoricalColumn):
        values = column.values[rows]
        if column.kind is None:
            return {"name": column.name, "numbers": packed(values.astype(np.float32))}
        return {"name": column.name, "numbers": packed(values), "holds": column.kind.what}
    used, codes = np.unique(column.codes[rows], return_inverse=True)
    by_count = np.argsort(-np.bincount(codes), kind="stable")
    rank = np.argsort(by_count, kind="stable")
    return {
        "name": column.name,
        "codes": packed(rank[codes].astype(np.uint16)),
        "texts": [name(text) for text in column.texts(used[by_count])],
    }


def _truth(subject: Subject, rows: NDArray[np.intp]) -> list[Any]:
    if subject.task == "numbers":
        return rounded(subject.rows.target[rows], 6)
    return [int(own) for own in subject.rows.target[rows]]


def _predicted(subject: Subject, rows: NDArray[np.intp]) -> list[Any]:
    """Numbers, or of each row the probabilities of the classes that have an output."""
    if subject.task == "numbers":
        return rounded(subject.response[rows], 6)
    if subject.model.forest.n_outputs == 1:
        return rounded(subject.response[rows, 1], 4)
    return [rounded(own, 3) for own in subject.response[rows]]

"""The given rows as they are: types, missing values, cardinalities, duplicates, drift."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.model.training_summary import TrainingSummary, range_shares, row_hashes
from ocelotboost.report.document import (
    Block,
    Cell,
    Figure,
    Paragraph,
    Section,
    Table,
    code,
    listed,
    name,
    section,
    strong,
)
from ocelotboost.report.figures import count, percent, plain, rounded
from ocelotboost.report.subject import CategoricalColumn, Column, Floats, NumberColumn, Subject
from ocelotboost.table.derived import given_columns

_SMALLEST_SHARE = 1e-4
_NOTICEABLE, _STRONG = 0.1, 0.25  # of the population stability index, by convention
_MOST_DRIFTS = 6
_MOST_BARS = 12
_MOST_COLUMNS = 200


@dataclass(frozen=True)
class Drift:
    """How the values of a column differ from those of training.

    index     the population stability index: the sum of (q − p) · log(q / p) over groups of values
    unseen    share of rows whose category training did not have; None: not known, or a number
    texts     of the groups
    training  shares of the groups; missing values are the last
    given     the same of the given rows
    """

    index: float
    unseen: float | None
    texts: list[str]
    training: Floats
    given: Floats


@dataclass(frozen=True)
class Overlap:
    """Equal rows.

    duplicates  share of the given rows that another given row equals
    seen        share that were in training, or as good as known from a sample; None: not known
    """

    duplicates: float
    seen: float | None
    exact: bool


def drifts(subject: Subject, summary: TrainingSummary | None) -> dict[int, Drift]:
    """By position of the column."""
    if summary is None:
        return {}
    return {
        column.position: (
            _category_drift(column, summary, subject)
            if isinstance(column, CategoricalColumn)
            else _number_drift(column, summary)
        )
        for column in subject.rows.columns
    }


def overlap(subject: Subject, summary: TrainingSummary | None) -> Overlap:
    hashes = row_hashes(given_columns(subject.rows.table))
    values, counts = np.unique(hashes, return_counts=True)
    duplicates = float(counts[counts > 1].sum() / len(hashes))
    if summary is None or len(summary.row_hashes) == 0:
        return Overlap(duplicates, None, False)
    # Each sampled row of training stands for several: what is found here is scaled up.
    exact = len(summary.row_hashes) == summary.n_rows
    if exact:
        return Overlap(duplicates, float(np.isin(hashes, summary.row_hashes).mean()), True)
    sampled, times = np.unique(summary.row_hashes, return_counts=True)
    stands_for = np.where(times == 1, summary.n_rows / len(summary.row_hashes), 1.0)
    _, here, there = np.intersect1d(values, sampled, assume_unique=True, return_indices=True)
    found = float((counts[here] * stands_for[there]).sum())
    return Overlap(duplicates, min(1.0, found / len(hashes)), False)


def _number_drift(column: NumberColumn, summary: TrainingSummary) -> Drift:
    edges = summary.edges_of(column.position)
    missing = float(summary.missing[column.position])
    trained = np.append(summary.range_shares_of(column.position) * (1 - missing), missing)
    share = float(column.missing.mean())
    given = np.append(range_shares(column.values, edges) * (1 - share), share)
    texts = [f"≤ {column.text(edge)}" for edge in edges.tolist()]
    texts += [f"> {column.text(float(edges[-1]))}"] if len(edges) else ["all"]
    return Drift(_index(trained, given), None, [*texts, "missing"], trained, given)


def _category_drift(column: CategoricalColumn, summary: TrainingSummary, subject: Subject) -> Drift:
    hashes, shares = summary.categories_of(column.position)
    place = {own: number for number, own in enumerate(hashes.tolist())}
    given = np.zeros(len(hashes) + 1)
    texts = ["others"] * len(given)
    names = column.texts(np.arange(len(column.hashes))) if len(column.hashes) <= 5000 else None
    for code_, (own, rows) in enumerate(
        zip(column.hashes.tolist(), column.counts.tolist(), strict=True)
    ):
        where = place.get(own, len(hashes))
        given[where] += rows
        if where < len(hashes) and names is not None:
            texts[where] = names[code_]
    for where in range(len(hashes)):
        if texts[where] == "others":
            texts[where] = "not in these rows"
    trained = np.append(shares, max(0.0, 1 - shares.sum()))
    given /= max(given.sum(), 1)
    return Drift(_index(trained, given), _unseen(column, summary, subject), texts, trained, given)


def _unseen(column: CategoricalColumn, summary: TrainingSummary, subject: Subject) -> float | None:
    known = summary.known_of(column.position)
    if known is None:
        known = _known_by_a_table(column.position, subject)
    if known is None:
        return None
    strange = ~np.isin(column.hashes, known)
    return float(column.counts[strange].sum() / max(len(column.codes), 1))


def _known_by_a_table(feature: int, subject: Subject) -> NDArray[np.uint64] | None:
    """All categories of the feature, where the model has a statistic of the feature alone."""
    tables = subject.model.forest.statistics
    for table in range(tables.n_tables):
        base = tables.questions_of(table)
        if tables.members_of(table).tolist() == [feature] and base.start == base.stop:
            return tables.keys[tables.entries_of(table)]
    return None


def _index(trained: Floats, given: Floats) -> float:
    p, q = np.maximum(trained, _SMALLEST_SHARE), np.maximum(given, _SMALLEST_SHARE)
    return float(((q - p) * np.log(q / p)).sum())


def noise(drift: Drift, n_given: int, n_training: int) -> float:
    """What the index would be about, were there no drift."""
    groups = int(((drift.training > 0) | (drift.given > 0)).sum())
    return max(groups - 1, 0) * (1 / max(n_given, 1) + 1 / max(n_training, 1))


# ---- the section -----------------------------------------------------------------------------


def data_section(
    subject: Subject, summary: TrainingSummary | None, found: dict[int, Drift], equal: Overlap
) -> Section:
    return section(
        "data", "Data", "The rows it was judged by", _blocks(subject, summary, found, equal)
    )


def _blocks(
    subject: Subject, summary: TrainingSummary | None, found: dict[int, Drift], equal: Overlap
) -> Iterator[Block]:
    yield Paragraph(_story(subject, equal))
    if summary is None:
        yield Paragraph(
            "The model does not know the rows of its training, so drift and unseen categories are "
            f"left out. Give them: {code('model.report(..., X_train=X, y_train=y)')}."
        )
    else:
        yield from _drift_blocks(subject, summary, found)
    yield _table(subject, summary, found)


def _story(subject: Subject, equal: Overlap) -> str:
    columns = subject.rows.columns
    n_categorical = sum(column.categorical for column in columns)
    n_times = sum(isinstance(own, NumberColumn) and own.kind is not None for own in columns)
    times = f", {n_times:,} of dates or times" if n_times else ""
    empty = [column for column in columns if column.missing.any()]
    text = (
        f"{strong(count(subject.n_rows, 'row'))} with {count(len(columns), 'column')}: "
        f"{len(columns) - n_categorical - n_times:,} of numbers, {n_categorical:,} of "
        f"categories{times}. "
    )
    text += (
        f"{len(empty):,} have missing values, most of all "
        f"{code(max(empty, key=lambda column: column.missing.mean()).name)}. "
        if empty
        else "No values are missing. "
    )
    same = equal.duplicates
    return text + (
        f"{percent(same)} of the rows have a twin: another row with the same values."
        if same
        else "No row occurs twice."
    )


def _drift_blocks(
    subject: Subject, summary: TrainingSummary, found: dict[int, Drift]
) -> Iterator[Block]:
    n_known = len(summary.row_hashes)
    above = {
        place: drift.index - noise(drift, subject.n_rows, n_known) for place, drift in found.items()
    }
    moved = sorted((p for p in found if above[p] > _NOTICEABLE), key=lambda p: -above[p])
    names = [code(subject.rows.columns[place].name) for place in moved]
    if moved:
        text = (
            f"Compared with the training rows, {count(len(moved), 'column')} changed: "
            f"{listed(names)}. Where columns drift, the model is asked about rows of a kind that "
            "it knows less well."
        )
        yield Paragraph(text, "bad" if above[moved[0]] > _STRONG else "warning")
    else:
        yield Paragraph("No column differs noticeably from the training rows.", "good")
    unseen = [
        (drift.unseen, code(subject.rows.columns[place].name))
        for place, drift in found.items()
        if drift.unseen
    ]
    if unseen:
        texts = [f"{column} ({percent(share)} of rows)" for share, column in sorted(unseen)[::-1]]
        yield Paragraph(f"Categories that training did not have: {listed(texts)}.")
    shown = moved or sorted(found, key=lambda p: -above[p])[:3]
    yield Figure(
        "drift",
        "Shares in training and in these rows",
        {
            "columns": [
                _bars(subject.rows.columns[place].name, found[place])
                for place in shown[:_MOST_DRIFTS]
            ]
        },
        "Shares of values in the training rows and in the given rows, by column.",
        True,
    )


def _bars(column: str, drift: Drift) -> dict[str, Any]:
    used = np.flatnonzero((drift.training > 0) | (drift.given > 0))
    if len(used) > _MOST_BARS:  # categories: the most frequent, in the order of training
        used = np.sort(used[np.argsort(-(drift.training + drift.given)[used])[:_MOST_BARS]])
    return {
        "name": column,
        "index": plain(drift.index),
        "texts": [name(drift.texts[place]) for place in used],
        "training": rounded(drift.training[used]),
        "given": rounded(drift.given[used]),
    }


def _table(subject: Subject, summary: TrainingSummary | None, found: dict[int, Drift]) -> Table:
    header = ["column", "type", "missing", "distinct", "values"]
    header += ["drift", "unseen"] if summary is not None else []
    rows = []
    for column in subject.rows.columns[:_MOST_COLUMNS]:
        missing = float(column.missing.mean())
        cells: list[str | Cell] = [
            code(column.name),
            _type(column),
            Cell(percent(missing), bar=missing) if missing else "–",
            f"{column.n_distinct:,}",
            _values(column),
        ]
        if summary is not None:
            cells += _drift_cells(found[column.position], subject, summary)
        rows.append(tuple(cells))
    caption = (
        "Drift is the population stability index: below 0.1 little, above 0.25 much."
        if summary is not None
        else ""
    )
    if len(subject.rows.columns) > _MOST_COLUMNS:
        caption += f" The first {_MOST_COLUMNS} of {len(subject.rows.columns):,} columns."
    return Table(tuple(header), tuple(rows), caption.strip(), left=(0, 1, 4))


def _drift_cells(drift: Drift, subject: Subject, summary: TrainingSummary) -> Iterator[str | Cell]:
    above = drift.index - noise(drift, subject.n_rows, len(summary.row_hashes))
    tone = "bad" if above > _STRONG else "warning" if above > _NOTICEABLE else ""
    yield Cell(f"{drift.index:.2f}", tone)
    yield "–" if drift.unseen is None else percent(drift.unseen)


def _type(column: Column) -> str:
    if isinstance(column, CategoricalColumn):
        return "category"
    return "number" if column.kind is None else column.kind.what


def _values(column: Column) -> str:
    if isinstance(column, CategoricalColumn):
        if column.n_distinct == len(column.codes) > 1:
            return "all different"
        top = np.argsort(-column.counts, kind="stable")[:3]
        shares = column.counts[top] / max(len(column.codes), 1)
        texts = [
            f"{name(text)} {percent(share)}"
            for text, share in zip(column.texts(top), shares.tolist(), strict=True)
        ]
        return ", ".join(texts)
    known = column.values[np.isfinite(column.values)]
    if len(known) == 0:
        return "none"
    low, middle, high = np.quantile(known, [0, 0.5, 1]).tolist()
    return f"{column.text(low)} to {column.text(high)}, median {column.text(middle)}"

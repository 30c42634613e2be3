"""Forests with categories by hand, rows for them, and a plain Python predictor to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels.reference.table import hash_text, siphash
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import Indicators, StatisticTables, compact, offsets_of
from ocelotboost.table.columns import DensePart, Table

#: What the categories of all these forests and rows are hashed under.
KEY = np.array([0x0123456789ABCDEF, 0xFEDCBA9876543210], dtype=np.uint64)


def text_hash(text: str | None) -> int:
    """The hash of a category's text; 0 is missing."""
    return 0 if text is None else hash_text(text.encode(), KEY)


def key_of(hashes: list[int]) -> int:
    return hashes[0] if len(hashes) == 1 else int(siphash([*hashes, 0], 8 * len(hashes), KEY))


@dataclass(frozen=True, eq=False)
class Hashed:
    """A column of categories as hashes."""

    hashes: NDArray[np.uint64]

    def row_hashes(self) -> NDArray[np.uint64]:
        return self.hashes


@dataclass(frozen=True, eq=False)
class Rows(Table):
    """A table with categories."""

    categories: Mapping[int, Any] = field(default_factory=dict)


#: Four categories a column; the fourth of each is in no table.
TEXTS = ("Paris", "Nice", None, "unseen")
N_FEATURES = 6
CATEGORICAL = (1, 3, 4)


def rows_of(seed: int, n_rows: int) -> Rows:
    """Six columns, of which 1, 3 and 4 are categories; missing values in all of them."""
    rng = np.random.default_rng(seed)
    parts, categories = [], {}
    for column in range(N_FEATURES):
        if column in CATEGORICAL:
            hashes = np.array([text_hash(text) for text in TEXTS], dtype=np.uint64)
            categories[column] = Hashed(hashes[rng.integers(0, len(TEXTS), size=n_rows)])
        else:
            values = rng.normal(size=(n_rows, 1))
            values[rng.random(n_rows) < 0.2] = np.nan
            parts.append(DensePart(column, values))
    return Rows(n_rows, N_FEATURES, None, tuple(parts), categories, KEY)


def category_forest(
    seed: int, *, n_outputs: int = 1, n_tables: int = 5, n_trees: int = 12, weighted: bool = False
) -> Forest:
    """Trees that ask about numbers, indicators, and statistics of combinations with a base."""
    rng = np.random.default_rng(seed)
    indicators = Indicators(
        np.array([1, 3, 3], dtype=np.uint32),
        np.array([text_hash(t) for t in ("Paris", None, "Nice")], dtype=np.uint64),
        ("Paris", None, "Nice"),
    )
    tables = _random_tables(rng, n_tables, weighted)
    depths = rng.integers(0, 7, size=n_trees).astype(np.uint32)
    numeric = [c for c in range(N_FEATURES) if c not in CATEGORICAL]
    others = list(range(N_FEATURES, N_FEATURES + len(indicators) + tables.n_columns))
    columns = rng.choice([*numeric, *others], size=int(depths.sum())).astype(np.uint32)
    n_leaves = int((1 << depths.astype(np.int64)).sum())
    return Forest(
        split_columns=columns,
        split_borders=np.array([_border(rng, c, len(indicators)) for c in columns.tolist()]),
        tree_depths=depths,
        leaf_values=rng.normal(size=(n_leaves, n_outputs)),
        leaf_weights=rng.integers(1, 9, size=n_leaves).astype(np.float64),
        start_value=rng.normal(size=n_outputs),
        missing_high=rng.random(N_FEATURES) < 0.5,
        categorical=np.isin(np.arange(N_FEATURES), CATEGORICAL),
        indicators=indicators,
        statistics=tables,
        hash_key=KEY,
    )


def _border(rng: np.random.Generator, column: int, n_indicators: int) -> float:
    if column < N_FEATURES:
        return float(rng.choice([np.nan, -0.5, 0.0, 0.7]))
    return 0.5 if column < N_FEATURES + n_indicators else float(rng.integers(0, 15))


def _random_tables(rng: np.random.Generator, n_tables: int, weighted: bool) -> StatisticTables:
    members, questions, keys, counts, sums, names = [], [], [], [], [], []
    for _ in range(n_tables):
        chosen = np.sort(rng.choice(CATEGORICAL, size=rng.integers(1, 4), replace=False))
        base = [
            (c, 0.5 if c >= N_FEATURES else float(rng.choice([np.nan, 0.1])))
            for c in rng.choice([0, 2, 5, 6, 7, 8], size=rng.integers(0, 3)).tolist()
        ]
        values = {
            key_of([*hashes, *([int(rng.integers(0, 1 << len(base)))] if base else [])])
            for hashes in rng.choice(
                np.array([text_hash(text) for text in TEXTS[:3]], dtype=np.uint64),
                size=(20, len(chosen)),
            ).tolist()
        }
        n_targets = int(rng.integers(1, 3))
        members.append(chosen)
        questions.append(base)
        keys.append(np.array(sorted(values), dtype=np.uint64))
        counts.append(rng.integers(0, 40, size=len(values)) * (0.3 if weighted else 1))
        sums.append(counts[-1][:, None] * rng.integers(0, 2, size=(len(values), n_targets)))
        names.append(("mean target", "share of class 'x'")[:n_targets])
    column_tables = rng.integers(0, max(n_tables, 1), size=3 * n_tables)
    targets = [int(rng.integers(-1, len(names[table]))) for table in column_tables]
    lows = rng.uniform(-0.1, 0.3, size=len(targets))
    flat = [question for base in questions for question in base]
    return StatisticTables(
        prior_weight=rng.uniform(0.5, 2.0, size=n_tables),
        member_offsets=offsets_of([len(m) for m in members], np.uint32),
        members=np.concatenate([np.empty(0), *members]).astype(np.uint32),
        question_offsets=offsets_of([len(q) for q in questions], np.uint32),
        question_columns=np.array([column for column, _ in flat], dtype=np.uint32),
        question_borders=np.array([border for _, border in flat], dtype=np.float64),
        entry_offsets=offsets_of([len(k) for k in keys], np.uint64),
        keys=np.concatenate([np.empty(0, np.uint64), *keys]),
        counts=compact(np.concatenate([np.empty(0), *counts])),
        n_targets=np.array([len(n) for n in names], dtype=np.uint32),
        sums=compact(np.concatenate([np.empty(0), *(s.reshape(-1) for s in sums)])),
        target_names=tuple(names),
        column_tables=column_tables.astype(np.uint32),
        column_targets=np.array(targets, dtype=np.int32),
        column_priors=rng.choice([0.0, 0.5, 1.0], size=len(targets)),
        column_lows=lows,
        column_highs=lows + rng.uniform(0.2, 1.0, size=len(targets)),
    )


# A predictor in plain Python, written from the words of the model's documentation


def raw_by_hand(forest: Forest, rows: Rows) -> NDArray[np.float64]:
    """Raw predictions (n_outputs, n)."""
    by_row = [_raw_of_row(forest, rows, row) for row in range(rows.n_rows)]
    return np.array(by_row).reshape(rows.n_rows, forest.n_outputs).T


def _raw_of_row(forest: Forest, rows: Rows, row: int) -> NDArray[np.float64]:
    total = forest.start_value.copy()
    split = first_leaf = 0
    for depth in forest.tree_depths.tolist():
        leaf = 0
        for question in range(split, split + depth):
            column, border = int(forest.split_columns[question]), forest.split_borders[question]
            leaf = 2 * leaf + answer(forest, rows, row, column, float(border))
        total += forest.leaf_values[first_leaf + leaf]
        split, first_leaf = split + depth, first_leaf + (1 << depth)
    return total


def answer(forest: Forest, rows: Rows, row: int, column: int, border: float) -> bool:
    """A question about a row."""
    if column < forest.n_features:
        part = next(part for part in rows.parts if part.first == column)
        value, high = float(part.values()[row, 0]), bool(forest.missing_high[column])
        if np.isnan(border):
            return bool(np.isnan(value)) == high
        return high if np.isnan(value) else value > border
    number = column - forest.n_features
    if number < len(forest.indicators):
        hashes = rows.categories[int(forest.indicators.columns[number])].row_hashes()
        return bool(hashes[row] == forest.indicators.hashes[number])
    return statistic_bin(forest, rows, row, number - len(forest.indicators)) > border


def statistic_bin(forest: Forest, rows: Rows, row: int, column: int) -> int:
    tables = forest.statistics
    table = int(tables.column_tables[column])
    members = [int(rows.categories[c].row_hashes()[row]) for c in tables.members_of(table).tolist()]
    answers = 0
    base = range(tables.question_offsets[table], tables.question_offsets[table + 1])
    for question in base:
        asked, border = tables.question_columns[question], tables.question_borders[question]
        answers = 2 * answers + answer(forest, rows, row, int(asked), float(border))
    key = key_of([*members, *([answers] if base else [])])
    entries = tables.entries_of(table)
    of_key = {k: entry for entry, k in enumerate(tables.keys[entries].tolist())}
    entry = of_key.get(key)
    counts = tables.counts[entries].tolist()
    count = 0 if entry is None else counts[entry]
    prior, target = float(tables.column_priors[column]), int(tables.column_targets[column])
    if target < 0:
        ts = (count + prior) / (max(counts, default=0) + 1)
    else:
        total = 0 if entry is None else tables.sums_of(table)[entry].tolist()[target]
        weight = float(tables.prior_weight[table])
        ts = (total + weight * prior) / (count + weight)
    low, high = float(tables.column_lows[column]), float(tables.column_highs[column])
    x = (ts - low) * (15.0 / (high - low))
    return 0 if x <= 0 else 15 if x >= 15 else int(x)

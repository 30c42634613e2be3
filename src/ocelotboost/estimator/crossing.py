"""Which pairs of number columns are crossed: found by two short trainings on some of the rows.

    first training    the columns as they are         the most important columns of numbers
    second training   with all their crosses, too     the most important crosses

Where there are many rows, the second training goes on from the first, so that crosses have to
explain what the columns alone had left over. Of few rows, that would be noise. Then all columns are
crossed if they are few, and there is no first training.

Sum, difference, product and ratio of a pair are in table/crosses.py. What they give is measured in
docs/quality.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.tree import pack_forest
from ocelotboost.estimator.packing import pack
from ocelotboost.estimator.rows import Division, Rows
from ocelotboost.estimator.seeds import fresh
from ocelotboost.estimator.settings import Recipe, Settings
from ocelotboost.estimator.target import Target
from ocelotboost.estimator.training import Trained, train
from ocelotboost.model.importance import column_importances, feature_importances
from ocelotboost.model.trained import Choice, TrainedModel
from ocelotboost.order.rows_in_order import order
from ocelotboost.quantize.quantized import Quantized, quantize
from ocelotboost.table.columns import SparsePart, Table
from ocelotboost.table.crosses import CROSSES
from ocelotboost.table.derived import derive_more
from ocelotboost.table.formulas import Formula, formula_name
from ocelotboost.table.labelled import LabelledTable, WatchedRows

#: How many columns of numbers are crossed with each other.
_SOURCES = 8

#: A column of fewer bins is a flag, which trees do not need crosses for.
_FEWEST_BINS = 3

#: From here on, the second training goes on from the first.
_MANY_ROWS = 10_000

#: Each of the short trainings may take this share of the time that the user allows.
_SHARE_OF_TIME = 0.1

#: Of the short trainings. With many rows, fewer trees tell as much.
_ROWS, _RATE, _DEPTH, _BORDERS = 20_000, 0.15, 6, 128
_TREES, _TREES_OF_MANY_ROWS = 100, 50


@dataclass(frozen=True)
class Crossed:
    """The rows with crosses, and which they are."""

    division: Division
    choices: dict[str, Choice]


def cross(division: Division, target: Target, settings: Settings) -> Crossed:
    """Derive the crosses that help most. Rows that the first model holds out are not looked at."""
    if not settings.crosses:
        return Crossed(division, {})
    rows = division.rows(0).training
    sample = rows.some(_ROWS / max(rows.n_rows, _ROWS))
    formulas = _best(sample, target, settings)
    reason = f"short trainings on {sample.n_rows:,} rows found them most useful"
    names = [formula_name(own, sample.table.column_name) for own in formulas]
    return Crossed(_with_crosses(division, formulas), {"crosses": Choice(names, reason)})


def possible_sources(table: Table) -> list[int]:
    """Columns of numbers; not those of sparse tables, whose crosses are mostly zero."""
    dense = [part for part in table.parts if not isinstance(part, SparsePart)]
    columns = [part.first + place for part in dense for place in range(part.width)]
    return [column for column in columns if column < table.n_given]


def crosses_of(table: Table) -> slice:
    """The columns that are crosses: the last ones."""
    n_crosses = sum(formula.kind in CROSSES for formula in table.formulas)
    return slice(table.n_columns - n_crosses, table.n_columns)


def _best(sample: LabelledTable, target: Target, settings: Settings) -> list[Formula]:
    few_trees = _for_few_trees(settings, sample.n_rows)
    bin_counts = quantize(sample, few_trees.quantize).quantizer.bin_counts
    sources = [own for own in possible_sources(sample.table) if bin_counts[own] >= _FEWEST_BINS]
    goes_on, before = sample.n_rows >= _MANY_ROWS, None
    if goes_on or len(sources) > _SOURCES:
        before = _model_of(sample, target, settings)
        sources = _greatest(sources, feature_importances(before.forest), _SOURCES)
    candidates = _crosses_of(sources, sample.table)
    if not candidates:
        return []
    wider = replace(sample, table=derive_more(sample.table, candidates))
    quantized, after = _train(wider, target, before if goes_on else None, settings)
    forest = pack_forest(
        after.boosted.trees, quantized.quantizer, after.whole_data, after.start.value
    )
    importances = column_importances(forest)[sample.table.n_columns :]
    return [
        candidates[own] for own in _greatest(range(len(candidates)), importances, settings.crosses)
    ]


def _model_of(sample: LabelledTable, target: Target, settings: Settings) -> TrainedModel:
    """The first training: of the columns as they are."""
    quantized, alone = _train(sample, target, None, settings)
    names, derivation = sample.table.names, sample.table.derivation
    return pack([alone], quantized.quantizer, target, names, derivation, {}, {})


def _greatest(numbers: Iterable[int], by: NDArray[np.float64], most: int) -> list[int]:
    """Those of the greatest importance, the greatest first; none without importance."""
    useful = [own for own in numbers if by[own] > 0]
    return sorted(useful, key=lambda own: (-by[own], own))[:most]


def _crosses_of(sources: Sequence[int], table: Table) -> list[Formula]:
    """All of them. Of two dates, there is the time between them."""
    found = []
    for pair in combinations(sorted(sources), 2):
        n_times = sum(own in table.times for own in pair)
        kinds = {0: tuple(CROSSES), 1: (), 2: ("difference",)}[n_times]
        found += [Formula(kind, pair) for kind in kinds]
    return found


def _train(
    rows: LabelledTable, target: Target, continued: TrainedModel | None, settings: Settings
) -> tuple[Quantized, Trained]:
    """A few trees, of which nobody hears."""
    settings = _for_few_trees(settings, rows.n_rows)
    quantized = quantize(rows, settings.quantize)
    ordered = order(rows, quantized, target, settings.order)
    only = Rows(rows, rows, [])
    trained = train(only, quantized, ordered, target, continued, [], settings.training)
    if trained.boosted.interruption is not None:
        raise trained.boosted.interruption
    return quantized, trained


def _for_few_trees(settings: Settings, n_rows: int) -> Settings:
    statistics = replace(settings.order.statistics, max_combination=1, combine_numbers=False)
    settings = settings.with_recipe(Recipe("Plain", _DEPTH)).of_model(0)  # all columns
    order = replace(settings.order, statistics=statistics)
    given = settings.training.loop
    loop = replace(
        given,
        time_limit=None if given.time_limit is None else _SHARE_OF_TIME * given.time_limit,
        iterations=_TREES if n_rows < _MANY_ROWS else _TREES_OF_MANY_ROWS,
        learning_rate=_RATE,
        early_stopping_rounds=None,
        least_improvement=0.0,
        patience_grows=False,
        rate_grows=False,
    )
    training = replace(
        settings.training,
        loop=loop,
        order=order,
        eval_metric=None,
        replay=False,
        keeps_unseen=False,
        verbose=False,
        snapshot=None,
    )
    quantize = settings.quantize
    quantize = replace(
        quantize, border_count=min(quantize.border_count, _BORDERS), seed=fresh(quantize.seed)
    )
    return replace(settings, order=order, training=training, quantize=quantize)


def _with_crosses(division: Division, formulas: Sequence[Formula]) -> Division:
    def wider(rows: LabelledTable) -> LabelledTable:
        return replace(rows, table=derive_more(rows.table, formulas))

    evals = [WatchedRows(own.name, wider(own.data)) for own in division.evals]
    return replace(division, everything=wider(division.everything), evals=evals)

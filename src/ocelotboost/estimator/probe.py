"""Short trainings of a few of the rows, from which the time of a whole training follows.

The time of a tree has a fixed part and one that grows with the rows. So a few trees are trained on
two samples, with the user's settings, and a straight line goes through the two times:

    time of a tree
      │                              .·´  all rows
      │                        .·´
      │        larger sample ·´
      │  smaller sample ·´
      └──────────────────────────────── rows

Whatever 'auto' decides by the number of rows is decided for all of them beforehand. A sample has as
many parcels as all rows, because leaf sums are made per parcel.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.boosting import Boosted, boost
from ocelotboost.boost.callback import IterationInfo
from ocelotboost.boost.learning_rate import automatic_learning_rate
from ocelotboost.boost.sampling import resolve_sampling
from ocelotboost.estimator.memory_plan import Extent, page_bytes_per_row, segments_of
from ocelotboost.estimator.rows import Rows
from ocelotboost.estimator.seeds import fresh
from ocelotboost.estimator.settings import Settings
from ocelotboost.estimator.target import Target
from ocelotboost.estimator.training import train
from ocelotboost.model.trained import TrainedModel
from ocelotboost.order.rows_in_order import order
from ocelotboost.order.statistic_store import page_capacity
from ocelotboost.quantize.block import BlockLayout
from ocelotboost.quantize.categorical_data import CategoricalData
from ocelotboost.quantize.quantized import Quantized
from ocelotboost.quantize.quantizer import Quantizer
from ocelotboost.table.labelled import WatchedRows

#: The larger sample has about this many numbers, in a number of rows between these two. A category
#: counts like several numbers: statistics are made of it, alone and in combinations.
_SAMPLE_NUMBERS, _NUMBERS_PER_CATEGORY = 12_000_000, 50
_FEWEST_ROWS, _MOST_ROWS = 2_000, 400_000

#: The larger sample has this many times the rows of the smaller.
_TIMES_AS_MANY = 4

#: A probe ends with the first tree after this many seconds, fewer where it has enough trees.
_SECONDS, _FEW_SECONDS, _ENOUGH_TREES = 0.7, 0.2, 24

#: Statistics of categories are made in the first trees, so that they take longer: this share of the
#: trees is not counted as usual ones.
_FIRST_TREES = 1 / 2


@dataclass(frozen=True)
class Probe:
    """What a short training took.

    n_rows            it was trained on
    seconds_before    the first tree; also what the first trees took longer than usual ones
    seconds_per_tree  of usual trees
    counted_per_tree  whatever else was counted, per tree of a whole training
    layout            of its columns in bins
    """

    n_rows: int
    seconds_before: float
    seconds_per_tree: float
    counted_per_tree: tuple[float, ...]
    layout: BlockLayout


@dataclass(frozen=True)
class Probes:
    """One or two of them, the smaller one first."""

    probes: tuple[Probe, ...]

    @property
    def layout(self) -> BlockLayout:
        """Of columns in bins."""
        return self.probes[-1].layout

    def expected(self, cost: Callable[[Probe], float], n_rows: int) -> float:
        """A cost for another number of rows."""
        smallest, largest = self.probes[0], self.probes[-1]
        found = cost(largest)
        if largest.n_rows in (smallest.n_rows, n_rows):
            return found
        growth = (found - cost(smallest)) / (largest.n_rows - smallest.n_rows)
        growth = min(max(growth, 0.0), found / largest.n_rows)  # no part of the cost is negative
        return found + growth * (n_rows - largest.n_rows)

    def expected_of_values(self, cost: Callable[[Probe], float], n_rows: int) -> float:
        """A cost that grows with the distinct values among the rows. More and more of them are
        known: it grows as n^a between the two samples, as n^(a²) up to as many times the rows
        again, and so on."""
        smallest, largest = self.probes[0], self.probes[-1]
        found, before = cost(largest), cost(smallest)
        if smallest is largest or not 0 < before < found:
            return found
        step = largest.n_rows / smallest.n_rows
        slower = min(math.log(found / before) / math.log(step), 1.0)
        exponent, left = slower, n_rows / largest.n_rows
        while left > 1:
            exponent *= slower
            found *= min(left, step) ** exponent
            left /= step
        return found


def sample_sizes(n_rows: int, extent: Extent) -> list[int]:
    """The samples of ``n_rows`` rows: a single one of all where they are few."""
    numbers = extent.n_columns + (_NUMBERS_PER_CATEGORY - 1) * extent.n_categorical
    affordable = min(max(_SAMPLE_NUMBERS // max(numbers, 1), _FEWEST_ROWS), _MOST_ROWS)
    return [n_rows] if n_rows <= affordable else [affordable // _TIMES_AS_MANY, affordable]


def sample_of(rows: Rows, n_rows: int) -> Rows:
    """Fewer rows to train on, and the same share of those to watch."""
    n_all = rows.training.n_rows
    if n_rows == n_all:
        return rows
    share = n_rows / n_all
    training = rows.training.some(share)
    watched = [WatchedRows(own.name, own.data.some(share)) for own in rows.watched]
    return Rows(training, training, watched)


def decided(
    settings: Settings, extent: Extent, weight: NDArray[np.float32] | None, target: Target
) -> Settings:
    """The settings with all that depends on the number of rows decided for all of them."""
    given, loop, loss = settings.order, settings.training.loop, target.loss
    n_rows = extent.n_rows
    if given.statistics.kind == "holdout" and extent.n_categorical:
        n_rows -= n_rows // 2  # the others are history
    segments = segments_of(settings, n_rows, target)
    decided_order = replace(
        given,
        boosting_type="Plain" if segments is None else "Ordered",
        first_body=None if segments is None else segments.edges[0] / n_rows,
    )
    rate = loop.learning_rate
    if rate is None:
        total = float(n_rows) if weight is None else float(weight.sum(dtype=np.float64))
        watches = extent.n_eval_sets > 0
        rate = automatic_learning_rate(loss.name, total, loop.iterations, watches)
    bootstrap = resolve_sampling(
        loop.bootstrap_type, loop.subsample, loop.bagging_temperature, loss.n_outputs, n_rows
    )
    training = replace(
        settings.training,
        order=decided_order,
        loop=replace(loop, learning_rate=rate, bootstrap_type=bootstrap),
    )
    return replace(settings, order=decided_order, training=training)


def probe(
    rows: Rows,
    quantizer: Quantizer,
    target: Target,
    continued: TrainedModel | None,
    settings: Settings,
    share: float,
    counted: Callable[[], tuple[float, ...]] = tuple,
    boosting: Callable[..., Boosted] = boost,
) -> Probe:
    """Train a few trees. The rows are this ``share`` of all, and get the same share of the cache of
    statistics. ``counted`` is asked after each tree."""
    cache_bytes = settings.order.statistics.cache_bytes
    n_rows, table = rows.training.n_rows, rows.training.table
    if share < 1:
        page = page_bytes_per_row(settings, target) * n_rows
        settings = _with_cache(settings, max(round(share * cache_bytes), page))
    settings = _for_few_trees(settings)
    meter = _Meter(counted)
    categories = CategoricalData.of(
        table, tuple(sorted(table.categories)), settings.order.n_threads
    )
    quantized = Quantized(quantizer, categories)
    ordered = order(rows.training, quantized, target, settings.order)
    if ordered.statistics is not None:  # all rows need at least one page
        n_bytes = ordered.statistics.rows.source.columns.n_bytes
        page_capacity(cache_bytes, round(n_rows / share), n_bytes)
    trained = train(
        rows, quantized, ordered, target, continued, [meter], settings.training, boosting
    )
    if trained.boosted.interruption is not None:
        raise trained.boosted.interruption
    return meter.probe(n_rows, ordered.block.layout, settings.training.loop.iterations)


def _with_cache(settings: Settings, n_bytes: int) -> Settings:
    statistics = replace(settings.order.statistics, cache_bytes=n_bytes)
    order = replace(settings.order, statistics=statistics)
    return replace(settings, order=order, training=replace(settings.training, order=order))


def _for_few_trees(settings: Settings) -> Settings:
    """Nothing but time ends a probe, and nobody sees it."""
    training = replace(
        settings.training,
        loop=replace(settings.training.loop, early_stopping_rounds=None, time_limit=None),
        replay=False,
        verbose=False,
        seed=fresh(settings.training.seed),
        snapshot=None,
    )
    return replace(settings, training=training)


class _Meter:
    """A callback that looks at the clock."""

    def __init__(self, counted: Callable[[], tuple[float, ...]]) -> None:
        self._begun = time.perf_counter()
        self._counted = counted
        self._moments: list[tuple[float, ...]] = []  # before the first tree and after each

    def before_iteration(self, info: IterationInfo) -> None:
        if not self._moments:
            self._look()

    def after_iteration(self, info: IterationInfo) -> bool:
        self._look()
        n_trees, seconds = len(self._moments) - 1, time.perf_counter() - self._begun
        limit = _FEW_SECONDS if n_trees >= _ENOUGH_TREES else _SECONDS
        return n_trees > 1 and seconds > limit

    def probe(self, n_rows: int, layout: BlockLayout, n_trees: int) -> Probe:
        """``n_trees``: of a whole training, most of which are usual ones."""
        moments = np.array(self._moments)
        trees: Any = np.diff(moments, axis=0)
        usual = trees[int(np.ceil(len(trees) * _FIRST_TREES)) if len(trees) > 1 else 0 :]
        seconds = float(usual[:, 0].mean())
        longer = trees[: len(trees) - len(usual), 0] - seconds
        extra = max(float(longer.sum()), 0.0)
        counted = trees.sum(axis=0) + (n_trees - len(trees)) * usual.mean(axis=0)
        return Probe(
            n_rows,
            float(moments[0, 0] - self._begun + extra),
            seconds,
            tuple((counted[1:] / n_trees).tolist()),
            layout,
        )

    def _look(self) -> None:
        self._moments.append((time.perf_counter(), *self._counted()))

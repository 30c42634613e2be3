"""The memory that a training needs, counted before it begins, line by line as the stages allocate
it.

With memory_limit, bins and columns are in files (table/cache_directory.py). Memory that is left
over goes to the cache of target statistics, which may have less than ``cache_memory`` without
changing a tree. Without a limit, what would be in files is counted too, for a plan
(estimator/plan.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import comb

from ocelotboost.boost.sampling import resolve_sampling
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.memory_size import in_words
from ocelotboost.estimator.process_memory import process_bytes
from ocelotboost.estimator.rows import Rows
from ocelotboost.estimator.settings import Settings
from ocelotboost.estimator.target import Target
from ocelotboost.grow.scorer import HISTOGRAM_BYTES
from ocelotboost.kernels.contract import N_BINS, packed_layout
from ocelotboost.order.mode import is_ordered
from ocelotboost.order.segments import Segments, divide, first_body_in_rows
from ocelotboost.quantize.block import BlockLayout

#: Scratch memory of the threads, samples for borders, the trees: what does not grow with the rows,
#: at most and usually.
_FIXED_BYTES, _USUAL_FIXED_BYTES = 32 << 20, 6 << 20

#: Where the system does not tell how much the process has: Python with NumPy and Arrow.
_TYPICAL_PROCESS = 192 << 20

#: Codes of combinations that are kept, and those that are joined at a time (order/).
_CODE_BYTES = 96 << 20


@dataclass(frozen=True)
class Need:
    """One line of the plan."""

    what: str
    n_bytes: int


@dataclass(frozen=True)
class Extent:
    """How much there is to train on: all of it, or the part of one worker.

    n_rows         to train on
    n_watched      rows of all eval sets
    n_eval_sets    how many of them there are
    n_columns      of the table
    n_categorical  those of them that hold categories
    weighted       the rows have weights
    """

    n_rows: int
    n_watched: int
    n_eval_sets: int
    n_columns: int
    n_categorical: int
    weighted: bool

    @classmethod
    def of(cls, rows: Rows) -> Extent:
        training = rows.training
        return cls(
            n_rows=training.n_rows,
            n_watched=sum(own.data.n_rows for own in rows.watched),
            n_eval_sets=len(rows.watched),
            n_columns=training.table.n_columns,
            n_categorical=len(training.table.categories),
            weighted=training.weight is not None,
        )


def within_memory(settings: Settings, rows: Rows, target: Target) -> Settings:
    """The settings, with a cache of statistics that leaves the rest of the training its memory.
    Raises ParameterError when memory_limit is too small."""
    limit = settings.read.memory_limit
    if limit is None:
        return settings
    extent = Extent.of(rows)
    needs = [process_need(process_bytes()), *_most_needs(settings, extent, target)]
    smallest_cache = _page_bytes(settings, extent, target) * (1 + extent.n_eval_sets)
    total = sum(need.n_bytes for need in needs) + smallest_cache
    if total > limit:
        if smallest_cache:
            needs.append(Need("one target statistic", smallest_cache))
        raise _too_little(limit, total, needs, extent.n_rows)
    if not smallest_cache:
        return settings
    affordable = (limit - total + smallest_cache) // (1 + extent.n_eval_sets)
    given = settings.order.statistics
    statistics = replace(given, cache_bytes=min(given.cache_bytes, affordable))
    order = replace(settings.order, statistics=statistics)
    return replace(settings, order=order, training=replace(settings.training, order=order))


def _most_needs(settings: Settings, extent: Extent, target: Target) -> list[Need]:
    """Of the models, one after the other: those of the recipe that needs most."""
    recipes = settings.ensemble.recipes
    every = [settings.with_recipe(recipe) for recipe in recipes] or [settings]
    needs = [list(training_needs(own, extent, target, at_most=True)) for own in every]
    return max(needs, key=lambda own: sum(need.n_bytes for need in own))


def process_need(n_bytes: int | None) -> Need:
    """What the process has already; None: the system does not tell."""
    return Need("the process before training", n_bytes or _TYPICAL_PROCESS)


def training_needs(
    settings: Settings, extent: Extent, target: Target, *, at_most: bool
) -> Iterator[Need]:
    """All that is never in files, except the cache of statistics: as much as it can become, or as
    it usually is."""
    n, n_outputs = extent.n_rows, target.loss.n_outputs
    fixed = _FIXED_BYTES if at_most else _USUAL_FIXED_BYTES
    yield Need("scratch memory of the threads", fixed)
    segments = segments_of(settings, n, target)
    # Targets, predictions, gradients and leaves are in files.
    yield Need(f"{n:,} rows sorted by leaf (8 bytes per row)", 8 * n)
    n_gradients = 1 if _has_contrasts(settings, extent, target) else n_outputs
    if segments is not None:
        own = _ordered_bytes(settings, segments, n_outputs, extent.weighted)
        yield Need(f"supporting models of Ordered mode ({own // n} bytes per row)", own)
        if settings.training.loop.body_gradients == "segment":
            n_gradients *= segments.n_segments
    n_chunks, words = packed_layout(n_gradients)
    packed = 8 * n_chunks * words * (2 if extent.n_categorical else 1)
    yield Need(f"packed gradients ({packed} bytes per row)", packed * n)
    drawn = _sampling_bytes(settings, n, n_outputs)
    yield Need(f"the sample of a tree ({drawn} bytes per row)", drawn * n)
    n_eras = 1 if segments is None else segments.n_segments + 1
    n_cells = min(1 << (settings.training.loop.depth - 1), n) * n_eras
    histograms = n_cells * extent.n_columns * N_BINS * 8 * n_chunks * words
    yield Need("histograms", min(histograms, HISTOGRAM_BYTES))
    if extent.n_categorical:
        n_sums = n_cells * n_chunks * words
        yield from _category_needs(settings, extent, target, n_sums, at_most)
    if settings.training.eval_metric is not None:
        yield Need("predictions of all rows, for metrics", 16 * n_outputs * n)
    if settings.training.snapshot is not None:
        n_models = _model_count(settings, extent, segments)
        yield Need("the moment before a tree, for snapshots", 8 * n_models * n_outputs * n)
    if extent.n_watched:
        watched = extent.n_watched
        yield Need(f"eval sets of {watched:,} rows", (16 * n_outputs + 24) * watched)


def file_needs(
    settings: Settings, extent: Extent, target: Target, layout: BlockLayout
) -> Iterator[Need]:
    """What is in files where there is a limit, and otherwise in memory, too."""
    n, n_outputs = extent.n_rows, target.loss.n_outputs
    bins = layout.n_slots + layout.n_bytes_a_row
    yield Need(f"bins, twice ({bins} bytes per row)", bins * n)
    if extent.n_categorical:
        codes = 8 * extent.n_categorical
        yield Need(f"codes of categories ({codes} bytes per row)", codes * n)
    n_models = _model_count(settings, extent, segments_of(settings, n, target))
    per_row = 16 + 8 * extent.weighted + n_outputs * (8 + 12 * n_models)
    yield Need(f"targets, predictions, gradients, leaves ({per_row} bytes per row)", per_row * n)
    if extent.n_watched:
        yield Need("bins of the eval sets", layout.n_slots * extent.n_watched)


def statistic_needs(settings: Settings, extent: Extent, target: Target) -> Iterator[Need]:
    """The cache of statistics, as full as it can become."""
    statistics = settings.order.statistics
    if not extent.n_categorical:
        return
    n_facets = target.n_classes if target.n_classes > 2 else 1
    n_pages = _combination_count(settings, extent) * (settings.order.n_supporting + 1) * n_facets
    page = _page_bytes(settings, extent, target)
    most = min(n_pages * page, max(statistics.cache_bytes // page, 1) * page)
    most += min(n_pages * page // extent.n_rows * extent.n_watched, statistics.cache_bytes)
    yield Need("target statistics, at most", most)


def _combination_count(settings: Settings, extent: Extent) -> int:
    """The most combinations that will be offered to trees."""
    statistics, loop, n_features = (
        settings.order.statistics,
        settings.training.loop,
        extent.n_categorical,
    )
    sizes = range(1, statistics.max_combination + 1)
    offered = n_features * (1 + (loop.depth - 1) * loop.iterations * (len(sizes) > 1))
    if statistics.combine_numbers:
        return offered
    return min(sum(comb(n_features, size) for size in sizes), offered)


def _has_contrasts(settings: Settings, extent: Extent, target: Target) -> bool:
    """Whether two classes choose each tree, for certain: without combinations, all features might
    be one-hot encoded."""
    has_statistics = extent.n_categorical > 0 and settings.order.statistics.max_combination > 1
    return has_statistics and target.n_classes > 2


def _model_count(settings: Settings, extent: Extent, segments: Segments | None) -> int:
    """Models of all rows: M₀, and in Plain mode with categories those that support it."""
    return 1 + (settings.order.n_supporting if segments is None and extent.n_categorical else 0)


def _category_needs(
    settings: Settings, extent: Extent, target: Target, n_sums: int, at_most: bool
) -> Iterator[Need]:
    n, order = extent.n_rows, settings.order
    n_orderings = order.n_supporting + 1
    n_targets = max(target.n_classes - 1, 2)
    per_row = 4 * n_orderings + 4 * n_targets + 8
    yield Need(f"orderings and targets of statistics ({per_row} bytes per row)", per_row * n)
    joined = max(_CODE_BYTES, 4 * n * (order.n_threads + 1))
    if not at_most:
        joined = min(joined, 4 * n * _combination_count(settings, extent))
    yield Need("codes of categories that are combined", joined)
    offered = extent.n_categorical * (2 if target.n_classes > 2 else 1)
    if order.statistics.max_combination > 1:
        offered *= settings.training.loop.depth + 1
    columns = _page_bytes(settings, extent, target) // n
    yield Need(
        "histograms of statistics", min(offered * columns * 32 * 8 * n_sums, HISTOGRAM_BYTES)
    )


def _page_bytes(settings: Settings, extent: Extent, target: Target) -> int:
    """One target statistic of all rows; 0 where there is none."""
    return page_bytes_per_row(settings, target) * extent.n_rows if extent.n_categorical else 0


def page_bytes_per_row(settings: Settings, target: Target) -> int:
    """Of one target statistic, or of one class where there are many: two columns to a byte."""
    n_targets = 1 if target.n_classes > 2 else 2
    return -(-(n_targets * len(settings.order.statistics.priors) + 1) // 2)


def segments_of(settings: Settings, n_rows: int, target: Target) -> Segments | None:
    """Those of Ordered mode; None is Plain."""
    order = settings.order
    if not is_ordered(order.boosting_type, n_rows, target.n_classes):
        return None
    return divide(n_rows, order.segment_growth, first_body_in_rows(order.first_body, n_rows))


def _ordered_bytes(settings: Settings, segments: Segments, n_outputs: int, weighted: bool) -> int:
    """Rows, targets, weights, orderings, predictions and gradients of every ordering."""
    n_slots = segments.n_segments
    if settings.training.loop.body_gradients != "segment":
        n_slots = 1
    n, kept = segments.edges[-1], sum(segments.edges[1:])
    per_row = 4 * (3 + weighted) + 4 * n_outputs * (n_slots + 1) + 8 * n_outputs
    return (settings.order.n_supporting + 1) * (per_row * n + 8 * n_outputs * kept)


def _sampling_bytes(settings: Settings, n_rows: int, n_outputs: int) -> int:
    """Rows of a tree, by parcel and together, their sampling weights, and gaps in the heap."""
    loop = settings.training.loop
    kind = resolve_sampling(
        loop.bootstrap_type, loop.subsample, loop.bagging_temperature, n_outputs, n_rows
    )
    return 12 if kind == "No" else 18


def _too_little(limit: int, total: int, needs: list[Need], n_rows: int) -> ParameterError:
    lines = [f"  {in_words(need.n_bytes):>8}  {need.what}" for need in needs]
    return ParameterError(
        f"memory_limit={in_words(limit)} is too small: training on {n_rows:,} rows needs about "
        f"{in_words(total)} of memory, besides files under cache_dir:\n"
        + "\n".join(lines)
        + "\nRaise memory_limit or train on fewer rows. bootstrap_type='No', "
        "boosting_type='Plain' and a smaller permutation_count need less."
    )

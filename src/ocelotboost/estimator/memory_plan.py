"""memory_limit: what a training needs, counted before it begins.

Bins and columns are in files then (table/cache_directory.py). What stays in the memory of the
process is counted here, line by line, as the stages allocate it. Memory that is left over goes to
the cache of target statistics, which may have less than ``cache_memory`` without changing a tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

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

#: Scratch memory of the threads, samples for borders, the trees: what does not grow with the rows.
_FIXED_BYTES = 32 << 20

#: Where the system does not tell how much the process has: Python with NumPy and Arrow.
_TYPICAL_PROCESS = 192 << 20

#: Codes of combinations that are kept, and those that are joined at a time (order/).
_CODE_BYTES = 96 << 20


@dataclass(frozen=True)
class Need:
    """One line of the plan."""

    what: str
    n_bytes: int


def within_memory(settings: Settings, rows: Rows, target: Target) -> Settings:
    """The settings, with a cache of statistics that leaves the rest of the training its memory.
    Raises ParameterError when memory_limit is too small."""
    limit = settings.read.memory_limit
    if limit is None:
        return settings
    needs = list(_needs(settings, rows, target))
    smallest_cache = _page_bytes(settings, rows, target) * (1 + len(rows.watched))
    total = sum(need.n_bytes for need in needs) + smallest_cache
    if total > limit:
        if smallest_cache:
            needs.append(Need("one target statistic", smallest_cache))
        raise _too_little(limit, total, needs, rows.training.n_rows)
    if not smallest_cache:
        return settings
    affordable = (limit - total + smallest_cache) // (1 + len(rows.watched))
    given = settings.order.statistics
    statistics = replace(given, cache_bytes=min(given.cache_bytes, affordable))
    order = replace(settings.order, statistics=statistics)
    return replace(settings, order=order, training=replace(settings.training, order=order))


def _needs(settings: Settings, rows: Rows, target: Target) -> Iterator[Need]:
    """All that grows with rows or columns, except the cache of statistics."""
    n, n_outputs = rows.training.n_rows, target.loss.n_outputs
    weighted = rows.training.weight is not None
    yield Need("the process before training", process_bytes() or _TYPICAL_PROCESS)
    yield Need("scratch memory of the threads", _FIXED_BYTES)
    n_categorical = len(rows.training.table.categories)
    segments = _segments(settings, n, target)
    n_models = 1
    if segments is None and n_categorical:
        n_models += settings.order.n_supporting
    # Targets, predictions, gradients and leaves are in files.
    yield Need(f"{n:,} rows sorted by leaf (8 bytes per row)", 8 * n)
    n_gradients = n_outputs
    if segments is not None:
        own = _ordered_bytes(settings, segments, n_outputs, weighted)
        yield Need(f"supporting models of Ordered mode ({own // n} bytes per row)", own)
        if settings.training.loop.body_gradients == "segment":
            n_gradients *= segments.n_segments
    n_chunks, words = packed_layout(n_gradients)
    packed = 8 * n_chunks * words * (2 if n_categorical else 1)
    yield Need(f"packed gradients ({packed} bytes per row)", packed * n)
    drawn = _sampling_bytes(settings, n, n_outputs)
    yield Need(f"the sample of a tree ({drawn} bytes per row)", drawn * n)
    n_eras = 1 if segments is None else segments.n_segments + 1
    n_cells = min(1 << (settings.training.loop.depth - 1), n) * n_eras
    histograms = n_cells * rows.training.table.n_columns * N_BINS * 8 * n_chunks * words
    yield Need("histograms", min(histograms, HISTOGRAM_BYTES))
    if n_categorical:
        yield from _category_needs(settings, rows, target, n_cells * n_chunks * words)
    if settings.training.eval_metric is not None:
        yield Need("predictions of all rows, for metrics", 16 * n_outputs * n)
    if settings.training.snapshot is not None:
        yield Need("the moment before a tree, for snapshots", 8 * n_models * n_outputs * n)
    watched = sum(own.data.n_rows for own in rows.watched)
    if watched:
        yield Need(f"eval sets of {watched:,} rows", (16 * n_outputs + 24) * watched)


def _category_needs(settings: Settings, rows: Rows, target: Target, n_sums: int) -> Iterator[Need]:
    n, order = rows.training.n_rows, settings.order
    n_orderings = order.n_supporting + 1
    n_targets = max(target.n_classes - 1, 2)
    per_row = 4 * n_orderings + 4 * n_targets + 8
    yield Need(f"orderings and targets of statistics ({per_row} bytes per row)", per_row * n)
    joined = max(_CODE_BYTES, 4 * n * (order.n_threads + 1))
    yield Need("codes of categories that are combined", joined)
    offered = len(rows.training.table.categories)
    if order.statistics.max_combination > 1:
        offered *= settings.training.loop.depth + 1
    columns = _page_bytes(settings, rows, target) // n
    yield Need(
        "histograms of statistics", min(offered * columns * 32 * 8 * n_sums, HISTOGRAM_BYTES)
    )


def _page_bytes(settings: Settings, rows: Rows, target: Target) -> int:
    """One target statistic of all rows: two columns to a byte."""
    if not rows.training.table.categories:
        return 0
    n_targets = max(target.n_classes - 1, 2)
    n_columns = n_targets * len(settings.order.statistics.priors) + 1
    return -(-n_columns // 2) * rows.training.n_rows


def _segments(settings: Settings, n_rows: int, target: Target) -> Segments | None:
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

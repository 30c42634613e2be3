"""ColumnBlock: the quantized table in the layout that histograms are fastest in.

Up to 64 slots of a row stand side by side, one line of a processor's cache: a panel. Leaves of a
deep tree pick rows from all over the table, and so fetch one line for 64 columns. A slot is one
byte of a row. It holds one field, or several small fields in separate bits of it, so that eight
yes/no columns cost one histogram. A field is one column, or a bundle of sparse columns
(quantize/bundles.py). Histograms are summed for groups of 16, 8 or 4 slots at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import NO_PAGE
from ocelotboost.quantize.bundles import Bundles, StoredBins
from ocelotboost.table.cache_directory import PROCESS_MEMORY, Memory

_SLOT_BITS = 8
_PANEL_SLOTS = 64


class Bins(NamedTuple):
    """Which values of a field are the bins of a column: ``first`` is bin 0. Values of other columns
    of the field stand for the bin ``default``."""

    first: int = 0
    n_bins: int = 256
    default: int = 0

    def question(self, bin: int) -> tuple[int, int]:
        """The question "is the bin greater than ``bin``?" as (low, last): the answer is yes where
        uint8(value - low) > last.

        The values that answer no are consecutive, if the lowest value follows the highest: from the
        column's bin 0 to ``bin`` where the default bin answers yes, otherwise from the end of the
        column around to ``bin``.
        """
        if self.default > bin:
            return self.first, bin
        return self.first + self.n_bins & 255, 256 - self.n_bins + bin


@dataclass(frozen=True)
class BlockLayout:
    """Where each column's bins are. Arrays have one entry per column unless noted otherwise.

    slots          uint32   byte of the row that holds the column's field
    shifts         uint32   lowest bit of the field in that byte
    masks          uint32   2^bits - 1
    firsts         uint32   value of the field that is the column's bin 0
    defaults       uint32   the column's bin where the field has a value of another column
    bin_counts     uint32   bins in use; a column with one bin cannot be split
    group_offsets  uint64   (n_groups,) where row 0 of each group begins
    group_strides  uint32   (n_groups,) slots of the group's panel
    group_widths   uint32   (n_groups,) slots of the group: 4, 8 or 16
    """

    slots: NDArray[np.uint32]
    shifts: NDArray[np.uint32]
    masks: NDArray[np.uint32]
    firsts: NDArray[np.uint32]
    defaults: NDArray[np.uint32]
    bin_counts: NDArray[np.uint32]
    group_offsets: NDArray[np.uint64]
    group_strides: NDArray[np.uint32]
    group_widths: NDArray[np.uint32]

    @property
    def n_slots(self) -> int:
        return int(self.group_widths.sum())

    @property
    def n_bytes_a_row(self) -> int:
        """Slots and padding of all panels."""
        n_panels = -(-self.n_slots // _PANEL_SLOTS)
        return (n_panels - 1) * _PANEL_SLOTS + int(self.group_strides[-1])

    def for_rows(self, n_rows: int) -> BlockLayout:
        """The same for another number of rows: every row has the same bytes."""
        return replace(self, group_offsets=_group_offsets(self.n_slots, n_rows))

    def bins(self, column: int) -> Bins:
        """The values of its field that are the column's bins."""
        return Bins(
            int(self.firsts[column]), int(self.bin_counts[column]), int(self.defaults[column])
        )


@dataclass(frozen=True)
class ColumnSplit:
    """The question "is the bin of this column greater than ``bin``?"."""

    column: int
    bin: int


@dataclass(frozen=True)
class SlottedColumns:
    """The bins of all rows, for a tree's questions, which read one byte per row.

    slots  uint8 (n_slots, n_rows)
    """

    slots: NDArray[np.uint8]
    layout: BlockLayout

    @property
    def n_rows(self) -> int:
        return int(self.slots.shape[1])

    @property
    def n_columns(self) -> int:
        return len(self.layout.slots)

    def bins(self, column: int) -> NDArray[np.uint8]:
        """The bins of one column, (n_rows,)."""
        layout = self.layout
        field: NDArray[np.uint8] = self.slots[layout.slots[column]].copy()
        field >>= np.uint8(layout.shifts[column])
        field &= np.uint8(layout.masks[column])
        field -= np.uint8(layout.firsts[column])
        field[field >= layout.bin_counts[column]] = layout.defaults[column]
        return field

    def append_answers(
        self, splits: Sequence[ColumnSplit], inout_leaves: NDArray[np.uint32], n_threads: int
    ) -> None:
        """The answers of every row to questions about columns, as further digits of its leaf."""
        columns = np.array([split.column for split in splits], dtype=np.intp)
        questions = [self.layout.bins(split.column).question(split.bin) for split in splits]
        lows, bins = np.array(questions, dtype=np.uint8).reshape(-1, 2).T.copy()
        native.assign_leaves(
            self.slots,
            np.empty((0, self.n_rows, 1), dtype=np.uint8),
            np.full(len(splits), NO_PAGE, dtype=np.uint32),
            self.layout.slots[columns],
            self.layout.shifts[columns],
            self.layout.masks[columns],
            lows,
            bins,
            inout_leaves,
            n_threads=n_threads,
        )


@dataclass(frozen=True)
class ColumnBlock(SlottedColumns):
    """The same and, for histograms, the bins of a row side by side.

    panels  uint8, one flat array in the layout's panels: one line per row
    """

    panels: NDArray[np.uint8]

    @classmethod
    def of(
        cls, columns: SlottedColumns, n_threads: int, memory: Memory = PROCESS_MEMORY
    ) -> ColumnBlock:
        panels = fill_panels(columns.slots, columns.layout, n_threads, memory)
        return cls(columns.slots, columns.layout, panels)

    def part(self, rows: slice) -> ColumnBlock:
        """Some rows by themselves."""
        slots = np.ascontiguousarray(self.slots[:, rows])
        own = SlottedColumns(slots, self.layout.for_rows(slots.shape[1]))
        return ColumnBlock.of(own, n_threads=1)


def layout_columns(
    bin_counts: NDArray[np.uint32], n_rows: int, bundles: Bundles | None = None
) -> BlockLayout:
    """Place columns of the given bin counts for ``n_rows`` rows."""
    if bundles is None:
        bundles = Bundles.none(len(bin_counts))
    field_sizes = bundles.field_sizes(bin_counts)
    bits = np.array([max(int(size) - 1, 0).bit_length() for size in field_sizes], dtype=np.uint32)
    slots, shifts, n_slots = _share_slots(bits)
    masks = ((np.uint32(1) << bits) - np.uint32(1)).astype(np.uint32)
    widths, strides, _ = _groups(n_slots)
    return BlockLayout(
        slots=slots[bundles.fields],
        shifts=shifts[bundles.fields],
        masks=masks[bundles.fields],
        firsts=bundles.firsts,
        defaults=bundles.defaults,
        bin_counts=bin_counts.astype(np.uint32),
        group_offsets=_group_offsets(n_slots, n_rows),
        group_strides=strides,
        group_widths=widths,
    )


def fill_fields(stored: StoredBins, layout: BlockLayout, inout_slots: NDArray[np.uint8]) -> None:
    """Bins of sparse columns, into slots (n_slots, n_rows) whose fields for them are zero."""
    for i, column in enumerate(stored.columns):
        if layout.firsts[column] == 0:
            default = stored.defaults[i] << np.uint8(layout.shifts[column])
            inout_slots[layout.slots[column]] |= default
    for i, column in enumerate(stored.columns):
        shift, mask = np.uint8(layout.shifts[column]), np.uint8(layout.masks[column])
        rows, bins = stored.of(i)
        slot = inout_slots[layout.slots[column]]
        others = slot[rows] & ~(mask << shift)
        slot[rows] = others | (bins + np.uint8(layout.firsts[column]) << shift)


def fill_panels(
    slots: NDArray[np.uint8],
    layout: BlockLayout,
    n_threads: int,
    memory: Memory = PROCESS_MEMORY,
) -> NDArray[np.uint8]:
    """The panels of bins that are given slot after slot, (n_slots, n_rows)."""
    n_rows = slots.shape[1]
    panels = memory.zeros((layout.n_bytes_a_row * n_rows,), np.uint8)
    begin = 0
    for first in range(0, layout.n_slots, _PANEL_SLOTS):
        own = slots[first : first + _PANEL_SLOTS]
        stride = _panel_stride(len(own))
        native.fill_panel(own, stride, panels[begin : begin + stride * n_rows], n_threads=n_threads)
        begin += stride * n_rows
    return panels


def _share_slots(bits: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.uint32], int]:
    """Slot and shift of each field: the widest fields first, each where it first fits."""
    slots = np.zeros(len(bits), dtype=np.uint32)
    shifts = np.zeros(len(bits), dtype=np.uint32)
    used: list[int] = []
    first_open = [0] * (_SLOT_BITS + 1)  # no slot before this one has room for that many bits
    for field in np.argsort(-bits.astype(np.int64), kind="stable"):
        need = int(bits[field])
        slot = first_open[need]
        while slot < len(used) and used[slot] + need > _SLOT_BITS:
            slot += 1
        first_open[need] = slot
        if slot == len(used):
            used.append(0)
        slots[field], shifts[field] = slot, used[slot] if need else 0
        used[slot] += need
    return slots, shifts, max(len(used), 1)


def _groups(
    n_slots: int,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64]]:
    """Width and stride of each group, and where it begins: (bytes per row of the panels before it,
    position in its own panel).

    >>> widths, strides, first_bytes = _groups(100)
    >>> widths.tolist(), strides.tolist()
    ([16, 16, 16, 16, 16, 16, 4], [64, 64, 64, 64, 36, 36, 36])
    >>> first_bytes[-1].tolist()
    [64, 32]
    """
    widths: list[int] = []
    strides: list[int] = []
    first_bytes: list[tuple[int, int]] = []
    for panel in range(0, n_slots, _PANEL_SLOTS):
        rest = min(n_slots - panel, _PANEL_SLOTS)
        used = -(-rest // 4) * 4
        stride = _panel_stride(used)
        position = 0
        for width in (16, 8, 4):
            while used - position >= width:
                widths.append(width)
                strides.append(stride)
                first_bytes.append((panel, position))
                position += width
    return (
        np.array(widths, dtype=np.uint32),
        np.array(strides, dtype=np.uint32),
        np.array(first_bytes, dtype=np.uint64),
    )


def _group_offsets(n_slots: int, n_rows: int) -> NDArray[np.uint64]:
    """Where row 0 of each group begins."""
    first_bytes = _groups(n_slots)[2]
    return first_bytes[:, 0] * np.uint64(n_rows) + first_bytes[:, 1]


def _panel_stride(n_slots: int) -> int:
    """Bytes per row. A row that fills a line, or half of one, never lies across two of them."""
    return 32 if n_slots == 28 else 64 if n_slots >= 56 else n_slots

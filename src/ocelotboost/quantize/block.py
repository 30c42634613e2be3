"""ColumnBlock: the quantized table in the layout that histograms are fastest in.

Bytes of 4, 8 or 16 slots of a row stand side by side. A slot is one byte of a row: one column, or
several small columns in separate bits of it, so that eight yes/no columns cost one histogram.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SLOT_BITS = 8


@dataclass(frozen=True)
class BlockLayout:
    """Where each column's bins are. Arrays have one entry a column unless said otherwise.

    slots          uint32   byte of the row that holds the column
    shifts         uint32   lowest bit of the column in that byte
    masks          uint32   2^bits - 1
    bin_counts     uint32   bins in use; a column with one bin cannot be split
    bases          uint64   where row 0 of the column stands in the bins
    strides        uint32   distance from row to row
    group_offsets  uint64   (n_groups,) where each group begins
    group_widths   uint32   (n_groups,) slots side by side: 4, 8 or 16
    """

    slots: NDArray[np.uint32]
    shifts: NDArray[np.uint32]
    masks: NDArray[np.uint32]
    bin_counts: NDArray[np.uint32]
    bases: NDArray[np.uint64]
    strides: NDArray[np.uint32]
    group_offsets: NDArray[np.uint64]
    group_widths: NDArray[np.uint32]

    @property
    def n_slots(self) -> int:
        return int(self.group_widths.sum())


@dataclass(frozen=True)
class ColumnBlock:
    """Bins of all rows (``uint8``, one flat array) and where to find each column in it."""

    bins: NDArray[np.uint8]
    layout: BlockLayout
    n_rows: int

    @property
    def n_columns(self) -> int:
        return len(self.layout.slots)


def layout_columns(bin_counts: NDArray[np.uint32], n_rows: int) -> BlockLayout:
    """Place columns of the given bin counts for ``n_rows`` rows."""
    bits = np.array([max(int(count) - 1, 0).bit_length() for count in bin_counts], dtype=np.uint32)
    slots, shifts, n_slots = _share_slots(bits)
    widths = _group_widths(n_slots)
    group_offsets = np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.uint64) * np.uint64(
        n_rows
    )
    first_slots = np.concatenate([[0], np.cumsum(widths)])
    groups = np.searchsorted(first_slots, slots, side="right") - 1
    return BlockLayout(
        slots=slots,
        shifts=shifts,
        masks=((np.uint32(1) << bits) - np.uint32(1)).astype(np.uint32),
        bin_counts=bin_counts.astype(np.uint32),
        bases=group_offsets[groups] + (slots - first_slots[groups]).astype(np.uint64),
        strides=widths[groups],
        group_offsets=group_offsets,
        group_widths=widths,
    )


def _share_slots(bits: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.uint32], int]:
    """Slot and shift of each column: the widest columns first, each where it first fits."""
    slots = np.zeros(len(bits), dtype=np.uint32)
    shifts = np.zeros(len(bits), dtype=np.uint32)
    used: list[int] = []
    first_open = [0] * (_SLOT_BITS + 1)  # no slot before this one has room for so many bits
    for column in np.argsort(-bits.astype(np.int64), kind="stable"):
        need = int(bits[column])
        slot = first_open[need]
        while slot < len(used) and used[slot] + need > _SLOT_BITS:
            slot += 1
        first_open[need] = slot
        if slot == len(used):
            used.append(0)
        slots[column], shifts[column] = slot, used[slot] if need else 0
        used[slot] += need
    return slots, shifts, max(len(used), 1)


def _group_widths(n_slots: int) -> NDArray[np.uint32]:
    """Groups of 16 slots, and 8 and 4 for the rest.

    >>> _group_widths(45).tolist()
    [16, 16, 8, 8]
    """
    widths = [16] * (n_slots // 16)
    rest = -(-(n_slots % 16) // 4) * 4
    widths += [8] * (rest // 8) if rest < 16 else [16]
    widths += [4] * ((rest % 8) // 4) if rest < 16 else []
    return np.array(widths, dtype=np.uint32)

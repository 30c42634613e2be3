"""Wrong contents are refused: lists always, one number per row when OCELOT_CHECKED is set."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from ocelotboost.kernels import native
from ocelotboost.kernels.contract import NO_HISTOGRAM

ROWS, LEAVES, OUTPUTS = 6, 2, 3


def u32(*values):
    return np.array(values, dtype=np.uint32)


def f32(*shape):
    return np.ones(shape, dtype=np.float32)


def f64(*shape):
    return np.ones(shape, dtype=np.float64)


ALL_ROWS = np.arange(ROWS, dtype=np.uint32)
NO_ROW = u32(0, 1, 2, 3, 4, ROWS)
NO_LEAF = u32(0, 1, 0, 1, 0, LEAVES)
FEW = u32(0, 1, 0, 1, 0, 1)  # leaves, codes


def choose_borders(*, rows=ALL_ROWS):
    native.choose_borders(
        f64(ROWS, 1), rows, None, 0, u32(3), f64(1, 3), u32(0), n_threads=1
    )  # fmt: skip


def quantize(*, border_offsets=(0, 2), shift=0, source=0, target=0, n_borders=2):
    borders = np.arange(n_borders, dtype=np.float64)
    native.quantize(
        f64(ROWS, 1), u32(source), borders, u32(*border_offsets), np.zeros(1, dtype=np.uint8),
        u32(target), u32(shift), np.zeros((1, ROWS), dtype=np.uint8), n_threads=1,
    )  # fmt: skip


def join_codes(*, code=1, base=FEW, member=0, line=0, member_offsets=(0, 2)):
    codes = np.array([FEW, FEW])
    codes[0, 3] = code
    native.join_codes(
        codes, u32(2, 2), base, 2, u32(*member_offsets), u32(member, 1), u32(line),
        np.zeros((1, ROWS), dtype=np.uint32), u32(0), np.zeros(1, dtype=np.uint64), n_threads=1,
    )  # fmt: skip


def target_statistics(
    *, code=1, order=ALL_ROWS, line=0, page=0, weight=1.0, history=0, units=(1.0, 1.0), count=3,
    largest=3, n_entries=2, n_orderings=1, window=0, n_out_rows=ROWS, with_largest=True,
):  # fmt: skip
    codes = FEW[np.newaxis].copy()
    codes[0, 3] = code
    weights = f32(ROWS)
    weights[2] = weight
    native.target_statistics(
        codes, u32(2), u32(line), np.tile(order, (n_orderings, 1)), history, window, f32(1, ROWS),
        weights, np.array(units), np.zeros((n_entries, 2), dtype=np.int64),
        np.array([3, count], dtype=np.int64),
        np.array([largest], dtype=np.int64) if with_largest else None, 1.0, f64(1), np.zeros(1),
        f64(1), True, np.full((1, n_orderings), page, dtype=np.uint32),
        np.zeros((1, n_out_rows, 1), dtype=np.uint8), n_threads=1,
    )  # fmt: skip


def accumulate_statistics(*, rows=ALL_ROWS, page=0, begin=0, end=ROWS, target=0, n_old=0):
    packed = np.zeros((1, ROWS, 1), dtype=np.int64)
    native.accumulate_statistics(
        np.zeros((1, ROWS, 1), dtype=np.uint8), u32(page), n_old, rows, packed, u32(begin),
        u32(end), u32(target), np.ones(1, dtype=np.uint8), packed.copy(),
        np.zeros((1, 1, 1, 1, 32, 1), dtype=np.int64), n_threads=1,
    )  # fmt: skip


def score_statistics(*, rows=ALL_ROWS, page=0, end=ROWS, target=0, small=0, scored=0):
    native.score_statistics(
        np.zeros((1, ROWS, 1), dtype=np.uint8), u32(page), 0, 0, rows,
        np.zeros((1, ROWS, 1), dtype=np.int64), u32(0), u32(end), u32(target),
        np.ones(1, dtype=np.uint8), u32(small), u32(NO_HISTOGRAM), u32(scored)[np.newaxis], 1,
        f64(2), 1.0, 0.0, True, np.zeros((1, ROWS, 1), dtype=np.int64),
        np.zeros((1, 1, 1, 1, 32, 1), dtype=np.int64), f64(1, 2),
        np.zeros((1, 2), dtype=np.uint8), n_threads=1,
    )  # fmt: skip


def total_by_value(*, code=1, rows=ALL_ROWS, units=(1.0, 1.0)):
    codes = FEW.copy()
    codes[3] = code
    totals = np.zeros((2, 2), dtype=np.int64)
    native.total_by_value(codes, f32(1, ROWS), None, np.array(units), rows, totals, u32(0, 0))


def pack_gradients(*, rows=ALL_ROWS, first_row=0):
    packed = np.zeros((1, ROWS, 1), dtype=np.int64)
    dithered = np.zeros(2, dtype=np.uint8)
    native.pack_gradients(
        f32(1, ROWS), None, True, f64(2), dithered, rows, first_row, 0, packed, n_threads=1
    )


def accumulate_histograms(
    *, rows=ALL_ROWS, offset=0, end=ROWS, begin=0, target=0, n_threads=1, n_groups=1
):
    native.accumulate_histograms(
        np.zeros(4 * ROWS, dtype=np.uint8), np.full(n_groups, offset, dtype=np.uint64),
        u32(*[4] * n_groups), u32(*[4] * n_groups), rows, np.zeros((1, ROWS, 1), dtype=np.int64),
        u32(begin), u32(end), u32(target),
        np.zeros((1, 1, 4 * n_groups, 256, 1), dtype=np.int64), n_threads=n_threads,
    )  # fmt: skip


def bundle_columns(*, rows=ALL_ROWS, starts=(0, 2, ROWS), bin_counts=(2, 2)):
    out = np.zeros((2, 2), dtype=np.uint32)
    native.bundle_columns(np.array(starts, dtype=np.uint64), rows, ROWS, u32(*bin_counts), *out)


def score_columns(
    *, slots=(0, 0), shifts=(0, 4), firsts=(0, 0), defaults=(0, 0), bin_counts=(16, 16), small=0,
    scored=0, units=2,
):  # fmt: skip
    native.score_columns(
        np.zeros((1, 1, 1, 256, 1), dtype=np.int64), u32(small), u32(NO_HISTOGRAM),
        u32(scored)[np.newaxis], u32(*slots), u32(*shifts), u32(*firsts), u32(*defaults),
        u32(*bin_counts), np.ones(2, dtype=np.uint8), 1, f64(units), 1.0, 0.0, True, f64(2),
        np.zeros(2, dtype=np.uint8), n_threads=1,
    )  # fmt: skip


def split_leaves(*, rows=ALL_ROWS, offsets=(0, 2, ROWS), position=0, shift=0):
    native.split_leaves(
        np.zeros((ROWS, 1), dtype=np.uint8), position, shift, 255, 0, 0, u32(*offsets), rows.copy(),
        ALL_ROWS.copy(), np.zeros(max(2 * len(offsets) - 1, 1), dtype=np.uint32), n_threads=1,
    )  # fmt: skip


def plan_level(*, offsets=(0, 2, ROWS)):
    out = [np.zeros(max(len(offsets) - 1, 0), dtype=np.uint32) for _ in range(7)]
    native.plan_level(u32(*offsets), 1, None, 0, *out, np.zeros(len(out[0]), dtype=np.uint8))


def assign_leaves(*, page=0xFFFFFFFF, slot=0, shift=0):
    native.assign_leaves(
        np.zeros((1, ROWS), dtype=np.uint8), np.zeros((1, ROWS, 1), dtype=np.uint8), u32(page),
        u32(slot), u32(shift), u32(255), np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.uint8),
        FEW.copy(), n_threads=1,
    )  # fmt: skip


def rows_by_leaf(*, leaves=FEW, n_offsets=LEAVES + 1):
    offsets = np.zeros(n_offsets, dtype=np.uint32)
    native.rows_by_leaf(leaves, ALL_ROWS.copy(), offsets, n_threads=1)


def loss_leaf_sums(*, leaves=FEW, kind=0):
    native.loss_leaf_sums(
        kind, 0.0, f32(ROWS), None, f64(ROWS), leaves, None, f64(LEAVES, 3), n_threads=1
    )


def leaf_values(*, rows=ALL_ROWS, offsets=(0, 2, ROWS), n_threads=1):
    native.leaf_values(
        0, 0.0, f32(ROWS), None, f64(ROWS), rows, u32(*offsets), False, 1.0, 1, f64(LEAVES),
        f64(LEAVES), n_threads=n_threads,
    )  # fmt: skip


def leaf_quantiles(*, rows=ALL_ROWS, offsets=(0, 2, ROWS)):
    n_leaves = max(len(offsets) - 1, 0)
    native.leaf_quantiles(
        0.5, f32(ROWS), None, f64(ROWS), rows, u32(*offsets), f64(n_leaves), f64(n_leaves),
        n_threads=1,
    )  # fmt: skip


def segment_sums(*, rows=ALL_ROWS, leaves=FEW, edges=(2, ROWS)):
    native.segment_sums(
        0, 0.0, f32(ROWS), None, rows, u32(*edges), leaves, f64(ROWS), f64(1, LEAVES, 3),
        n_threads=1,
    )  # fmt: skip


def move_segments(*, rows=ALL_ROWS, leaves=FEW, edges=(2, ROWS)):
    native.move_segments(
        0, 0.0, f32(ROWS), None, rows, u32(*edges), leaves, f64(1, LEAVES), f64(ROWS), f32(ROWS),
        n_threads=1,
    )  # fmt: skip


def classes(last):
    return np.array([0, 1, 2, 0, 1, last], dtype=np.float32)


def softmax_gradients(*, last=0.0):
    native.softmax_gradients(
        classes(last), None, f64(OUTPUTS, ROWS), f32(OUTPUTS, ROWS), n_threads=1
    )  # fmt: skip


def softmax_leaf_sums(*, last=0.0, leaves=FEW):
    native.softmax_leaf_sums(
        classes(last), None, f64(OUTPUTS, ROWS), None, leaves, f64(LEAVES, OUTPUTS),
        f64(LEAVES, OUTPUTS + OUTPUTS**2 + 2), n_threads=1,
    )  # fmt: skip


def class_leaf_sums(*, last=0.0, leaves=FEW, n_threads=1):
    native.class_leaf_sums(
        classes(last), None, f32(OUTPUTS, ROWS), leaves, f64(3, LEAVES, OUTPUTS),
        n_threads=n_threads,
    )  # fmt: skip


def add_leaf_values(*, leaves=FEW):
    native.add_leaf_values(leaves, f64(LEAVES, 1), f64(1, ROWS), n_threads=1)


def predict_trees(*, column=0, depth=1):
    native.predict_trees(
        np.zeros((1, ROWS), dtype=np.uint8), u32(column), np.zeros(1, dtype=np.uint8), u32(depth),
        f64(2, 1), f64(1, ROWS), n_threads=1,
    )  # fmt: skip


def answer_questions(*, column=0, offsets=(0, 1)):
    native.answer_questions(
        np.zeros((1, ROWS), dtype=np.uint8), u32(*offsets), u32(column),
        np.zeros(1, dtype=np.uint8), np.zeros((1, ROWS), dtype=np.uint32), n_threads=1,
    )  # fmt: skip


def match_categories(*, source=0, target=0):
    native.match_categories(
        np.zeros((1, ROWS), dtype=np.uint64), u32(source), np.zeros(1, dtype=np.uint64),
        u32(target), np.zeros((1, ROWS), dtype=np.uint8), n_threads=1,
    )  # fmt: skip


# What is wrong in each, and what the message says.
def add_tables(*, line=1, cell=0):
    lines = np.zeros((1, ROWS), dtype=np.uint32)
    lines[0, 2] = line
    native.add_tables(
        lines, f64(2), u32(2), np.array([0, 1], dtype=np.uint64), u32(cell), f64(ROWS, 1, 1),
        n_threads=1,
    )  # fmt: skip


def find_leaves(*, column=0, depth=1):
    native.find_leaves(
        np.zeros((1, ROWS), dtype=np.uint8), u32(column), np.zeros(1, dtype=np.uint8), u32(depth),
        np.zeros((1, ROWS), dtype=np.uint32), n_threads=1,
    )  # fmt: skip


ALWAYS = [
    (add_tables, {"cell": 1}, "cells"),
    (find_leaves, {"column": 1}, "split_columns"),
    (find_leaves, {"depth": 2}, "depths"),
    (quantize, {"border_offsets": (2, 1)}, "border_offsets"),
    (quantize, {"border_offsets": (0, 9)}, "border_offsets"),
    (quantize, {"border_offsets": (0, 256), "n_borders": 256}, "at most 255"),
    (quantize, {"shift": 8}, "shifts"),
    (quantize, {"source": 1}, "sources"),
    (quantize, {"target": 1}, "out_rows"),
    (join_codes, {"base": FEW[1:]}, "base"),
    (join_codes, {"member": 2}, "members"),
    (join_codes, {"line": 1}, "lines"),
    (join_codes, {"member_offsets": (0, 3)}, "member_offsets"),
    (target_statistics, {"line": 1}, "lines"),
    (target_statistics, {"page": 1}, "pages"),
    (target_statistics, {"history": 4}, "history"),
    (target_statistics, {"order": np.append(ALL_ROWS, u32(0))}, "orders"),
    (target_statistics, {"n_out_rows": ROWS + 1}, "out_pages"),
    (target_statistics, {"units": (1.0,)}, "units"),
    (target_statistics, {"units": (1.0, 3.0)}, "units"),
    (target_statistics, {"units": (-1.0, 1.0)}, "units"),
    (target_statistics, {"units": (1.0, np.nan)}, "units"),
    (target_statistics, {"units": (1.0, np.inf)}, "units"),
    (target_statistics, {"n_entries": 3}, "before"),
    (target_statistics, {"n_orderings": 2}, "before"),
    (target_statistics, {"window": 1}, "before"),
    (target_statistics, {"with_largest": False}, "counts, largest"),
    (target_statistics, {"largest": -1}, "largest"),
    (accumulate_statistics, {"page": 1}, "pages"),
    (accumulate_statistics, {"n_old": 2}, "n_old"),
    (accumulate_statistics, {"end": ROWS + 1}, "begin, end"),
    (accumulate_statistics, {"begin": 3, "end": 2}, "begin, end"),
    (accumulate_statistics, {"target": 1}, "target"),
    (score_statistics, {"page": 1}, "pages"),
    (score_statistics, {"end": ROWS + 1}, "begin, end"),
    (score_statistics, {"target": 1}, "target"),
    (score_statistics, {"small": 1}, "small"),
    (score_statistics, {"scored": 1}, "scored"),
    (total_by_value, {"code": 2}, "codes"),
    (total_by_value, {"rows": NO_ROW}, "rows"),
    (total_by_value, {"units": (1.0, 0.7)}, "units"),
    (pack_gradients, {"rows": NO_ROW}, "rows"),
    (pack_gradients, {"rows": None, "first_row": 1}, "first_row"),
    (bundle_columns, {"starts": (0, 4, 2)}, "starts"),
    (bundle_columns, {"starts": (0, 2, ROWS + 1)}, "starts"),
    (bundle_columns, {"starts": ()}, "starts"),
    (bundle_columns, {"bin_counts": (2, 257)}, "bin_counts"),
    (accumulate_histograms, {"offset": 1}, "bins"),
    (accumulate_histograms, {"offset": 2**64 - 8}, "bins"),
    (accumulate_histograms, {"end": ROWS + 1}, "segments"),
    (accumulate_histograms, {"begin": 3, "end": 2}, "segments"),
    (accumulate_histograms, {"target": 1}, "target"),
    (accumulate_histograms, {"n_threads": 0}, "n_threads"),
    (accumulate_histograms, {"n_threads": -1}, "n_threads"),
    (accumulate_histograms, {"n_threads": 2**31 - 1}, "n_threads"),
    (score_columns, {"shifts": (0, 0)}, "shifts"),
    (score_columns, {"shifts": (0, 5)}, "shifts"),
    (score_columns, {"shifts": (0, 40)}, "shifts"),
    (score_columns, {"shifts": (0, 0), "firsts": (0, 15)}, "firsts"),
    (score_columns, {"shifts": (0, 0), "firsts": (0, 241)}, "firsts"),
    (score_columns, {"shifts": (0, 0), "firsts": (0, 2**32 - 1)}, "firsts"),
    (score_columns, {"shifts": (0, 0), "firsts": (0, 16), "defaults": (0, 16)}, "defaults"),
    (score_columns, {"bin_counts": (16, 257)}, "bin_counts"),
    (score_columns, {"slots": (0, 1)}, "slots"),
    (score_columns, {"small": 1}, "small"),
    (score_columns, {"scored": 1}, "scored"),
    (score_columns, {"units": 0}, "units"),
    (split_leaves, {"offsets": (0, 4, 2)}, "leaf_offsets"),
    (split_leaves, {"offsets": (0, 2, ROWS + 1)}, "leaf_offsets"),
    (split_leaves, {"offsets": ()}, "leaf_offsets"),
    (split_leaves, {"position": 1}, "position"),
    (split_leaves, {"shift": 32}, "shift"),
    (plan_level, {"offsets": (0, 4, 2)}, "offsets"),
    (plan_level, {"offsets": ()}, "offsets"),
    (assign_leaves, {"slot": 1}, "split_slots"),
    (assign_leaves, {"page": 1}, "split_pages"),
    (assign_leaves, {"shift": 32}, "shifts"),
    (rows_by_leaf, {"n_offsets": 0}, "out_offsets"),
    (loss_leaf_sums, {"kind": 99}, "kind"),
    (leaf_values, {"offsets": (0, 5, 2)}, "leaf_offsets"),
    (leaf_values, {"offsets": (0, 2, ROWS + 1)}, "leaf_offsets"),
    (leaf_values, {"n_threads": 0}, "n_threads"),
    (leaf_quantiles, {"offsets": (0, 5, 2)}, "leaf_offsets"),
    (leaf_quantiles, {"offsets": ()}, "leaf_offsets"),
    (class_leaf_sums, {"n_threads": 0}, "n_threads"),
    (segment_sums, {"rows": NO_ROW}, "rows"),
    (move_segments, {"rows": NO_ROW}, "rows"),
    (segment_sums, {"edges": ()}, "edges"),
    (move_segments, {"edges": ()}, "edges"),
    (segment_sums, {"edges": (ROWS + 1, ROWS)}, "edges"),
    (move_segments, {"edges": (ROWS + 1, ROWS)}, "edges"),
    (predict_trees, {"column": 1}, "split_columns"),
    (predict_trees, {"depth": 2}, "depths"),
    (answer_questions, {"column": 1}, "columns"),
    (answer_questions, {"offsets": (0, 2)}, "offsets"),
    (match_categories, {"source": 1}, "sources"),
    (match_categories, {"target": 1}, "out_rows"),
]
WHEN_CHECKED = [
    (choose_borders, {"rows": NO_ROW}, "rows"),
    (bundle_columns, {"rows": NO_ROW}, "rows"),
    (join_codes, {"code": 2}, "codes"),
    (join_codes, {"base": FEW + np.uint32(1)}, "base"),
    (target_statistics, {"code": 2}, "codes"),
    (target_statistics, {"order": NO_ROW}, "orders"),
    (target_statistics, {"weight": -1.0}, "weights"),
    (target_statistics, {"weight": np.nan}, "weights"),
    (target_statistics, {"count": -1}, "counts"),
    (accumulate_statistics, {"rows": NO_ROW}, "rows"),
    (score_statistics, {"rows": NO_ROW}, "rows"),
    (accumulate_histograms, {"rows": NO_ROW}, "rows"),
    (split_leaves, {"rows": NO_ROW}, "inout_rows"),
    (rows_by_leaf, {"leaves": NO_LEAF}, "leaves"),
    (loss_leaf_sums, {"leaves": NO_LEAF}, "leaves"),
    (leaf_values, {"rows": NO_ROW}, "rows"),
    (leaf_quantiles, {"rows": NO_ROW}, "rows"),
    (segment_sums, {"leaves": NO_LEAF}, "leaves"),
    (move_segments, {"leaves": NO_LEAF}, "leaves"),
    (softmax_gradients, {"last": 3.0}, "targets"),
    (softmax_gradients, {"last": -1.0}, "targets"),
    (softmax_gradients, {"last": 0.5}, "targets"),
    (softmax_gradients, {"last": np.nan}, "targets"),
    (softmax_leaf_sums, {"last": 1e30}, "targets"),
    (softmax_leaf_sums, {"leaves": NO_LEAF}, "leaves"),
    (class_leaf_sums, {"last": 3.0}, "targets"),
    (class_leaf_sums, {"leaves": NO_LEAF}, "leaves"),
    (add_leaf_values, {"leaves": NO_LEAF}, "leaves"),
    (add_tables, {"line": 2}, "lines"),
]


def name(case):
    kernel, wrong, _ = case
    return f"{kernel.__name__}: {', '.join(wrong)}"


@pytest.mark.parametrize("case", ALWAYS + WHEN_CHECKED, ids=name)
def test_wrong_contents_are_refused(case):
    kernel, wrong, message = case
    kernel()  # right as it is
    with pytest.raises(ValueError, match=message):
        kernel(**wrong)


def test_nothing_to_sum_is_no_mistake():
    accumulate_histograms(n_groups=0)


UNCHECKED = """
from tests.kernels.test_contents import ALWAYS

for kernel, wrong, message in ALWAYS:
    try:
        kernel(**wrong)
    except ValueError as error:
        assert message in str(error), (kernel, wrong, error)
    else:
        raise AssertionError((kernel, wrong))
"""


@pytest.mark.parametrize("setting", [None, "", "0"])
def test_lists_are_checked_for_users_too(setting):
    environment = {key: value for key, value in os.environ.items() if key != "OCELOT_CHECKED"}
    if setting is not None:
        environment["OCELOT_CHECKED"] = setting
    process = subprocess.run(
        [sys.executable, "-c", UNCHECKED], env=environment, capture_output=True, text=True
    )
    assert (process.returncode, process.stderr) == (0, "")

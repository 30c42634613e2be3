# Written by `make stub` from the compiled module.
"""Loops over rows. Stateless: arrays in, arrays out."""

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

@overload
def hash_texts(
    offsets: NDArray[np.int32],
    bytes: NDArray[np.uint8],
    valid: NDArray[np.bool_] | None,
    key: NDArray[np.uint64],
    out_hashes: NDArray[np.uint64],
    *,
    n_threads: int,
) -> None: ...
@overload
def hash_texts(
    offsets: NDArray[np.int64],
    bytes: NDArray[np.uint8],
    valid: NDArray[np.bool_] | None,
    key: NDArray[np.uint64],
    out_hashes: NDArray[np.uint64],
    *,
    n_threads: int,
) -> None: ...
def hash_text_views(
    views: NDArray[np.uint8],
    buffers: Sequence[NDArray[np.uint8]],
    valid: NDArray[np.bool_] | None,
    key: NDArray[np.uint64],
    out_hashes: NDArray[np.uint64],
    *,
    n_threads: int,
) -> None: ...
@overload
def hash_integers(
    values: NDArray[np.int64],
    key: NDArray[np.uint64],
    out_hashes: NDArray[np.uint64],
    *,
    n_threads: int,
) -> None: ...
@overload
def hash_integers(
    values: NDArray[np.uint64],
    key: NDArray[np.uint64],
    out_hashes: NDArray[np.uint64],
    *,
    n_threads: int,
) -> None: ...
def encode_hashes(
    hashes: NDArray[np.uint64],
    out_codes: NDArray[np.uint32],
    out_values: NDArray[np.uint64],
    *,
    n_threads: int,
) -> int: ...
def numbering_steps(hashes: NDArray[np.uint64]) -> int: ...
@overload
def count_missing(
    values: NDArray[np.float32], out_counts: NDArray[np.uint64], *, n_threads: int
) -> None: ...
@overload
def count_missing(
    values: NDArray[np.float64], out_counts: NDArray[np.uint64], *, n_threads: int
) -> None: ...
@overload
def choose_borders(
    values: NDArray[np.float32],
    rows: NDArray[np.uint32],
    weights: NDArray[np.float32] | None,
    rule: int,
    max_borders: NDArray[np.uint32],
    out_borders: NDArray[np.float64],
    out_counts: NDArray[np.uint32],
    *,
    n_threads: int,
) -> None: ...
@overload
def choose_borders(
    values: NDArray[np.float64],
    rows: NDArray[np.uint32],
    weights: NDArray[np.float32] | None,
    rule: int,
    max_borders: NDArray[np.uint32],
    out_borders: NDArray[np.float64],
    out_counts: NDArray[np.uint32],
    *,
    n_threads: int,
) -> None: ...
@overload
def quantize(
    values: NDArray[np.float32],
    sources: NDArray[np.uint32],
    borders: NDArray[np.float64],
    border_offsets: NDArray[np.uint32],
    missing: NDArray[np.uint8],
    out_rows: NDArray[np.uint32],
    shifts: NDArray[np.uint32],
    inout_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None: ...
@overload
def quantize(
    values: NDArray[np.float64],
    sources: NDArray[np.uint32],
    borders: NDArray[np.float64],
    border_offsets: NDArray[np.uint32],
    missing: NDArray[np.uint8],
    out_rows: NDArray[np.uint32],
    shifts: NDArray[np.uint32],
    inout_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None: ...
def bundle_columns(
    starts: NDArray[np.uint64],
    rows: NDArray[np.uint32],
    n_rows: int,
    bin_counts: NDArray[np.uint32],
    out_bundles: NDArray[np.uint32],
    out_firsts: NDArray[np.uint32],
) -> int: ...
def join_codes(
    codes: NDArray[np.uint32],
    value_counts: NDArray[np.uint32],
    base: NDArray[np.uint32] | None,
    n_base_values: int,
    member_offsets: NDArray[np.uint32],
    members: NDArray[np.uint32],
    lines: NDArray[np.uint32],
    out_codes: NDArray[np.uint32],
    out_value_counts: NDArray[np.uint32],
    out_fingerprints: NDArray[np.uint64],
    *,
    n_threads: int,
) -> None: ...
def target_statistics(
    codes: NDArray[np.uint32],
    value_counts: NDArray[np.uint32],
    lines: NDArray[np.uint32],
    orders: NDArray[np.uint32],
    history: int,
    window: int,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    units: NDArray[np.float64],
    before: NDArray[np.int64] | None,
    counts: NDArray[np.int64] | None,
    largest: NDArray[np.int64] | None,
    prior_weight: float,
    priors: NDArray[np.float64],
    lows: NDArray[np.float64],
    highs: NDArray[np.float64],
    frequency: bool,
    pages: NDArray[np.uint32],
    out_pages: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None: ...
def accumulate_statistics(
    statistics: NDArray[np.uint8],
    pages: NDArray[np.uint32],
    n_old: int,
    rows: NDArray[np.uint32],
    packed: NDArray[np.int64],
    begin: NDArray[np.uint32],
    end: NDArray[np.uint32],
    target: NDArray[np.uint32],
    fresh: NDArray[np.uint8],
    scratch: NDArray[np.int64],
    out_histograms: NDArray[np.int64],
    *,
    n_threads: int,
) -> None: ...
def score_statistics(
    statistics: NDArray[np.uint8],
    pages: NDArray[np.uint32],
    n_old: int,
    first_shelf: int,
    rows: NDArray[np.uint32],
    packed: NDArray[np.int64],
    begin: NDArray[np.uint32],
    end: NDArray[np.uint32],
    target: NDArray[np.uint32],
    fresh: NDArray[np.uint8],
    small: NDArray[np.uint32],
    large: NDArray[np.uint32],
    scored: NDArray[np.uint32],
    n_outputs: int,
    units: NDArray[np.float64],
    regularization: float,
    min_weight: float,
    cosine: bool,
    scratch: NDArray[np.int64],
    inout_histograms: NDArray[np.int64],
    out_scores: NDArray[np.float64],
    out_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None: ...
def choose_statistic(
    scores: NDArray[np.float64],
    shelves: NDArray[np.uint32],
    value_counts: NDArray[np.uint32],
    in_model: NDArray[np.uint8],
    noise: NDArray[np.float64] | None,
    before: float,
    model_size_reg: float,
) -> tuple[int, int, float]: ...
def total_by_value(
    codes: NDArray[np.uint32],
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    units: NDArray[np.float64],
    rows: NDArray[np.uint32] | None,
    out_totals: NDArray[np.int64],
    out_rows: NDArray[np.uint32],
) -> None: ...
def order_keys(keys: NDArray[np.uint64], out_order: NDArray[np.uint32]) -> None: ...
def absolute_sums(
    gradients: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    out: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def pack_gradients(
    gradients: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    exact: bool,
    units: NDArray[np.float64],
    dithered: NDArray[np.uint8],
    rows: NDArray[np.uint32] | None,
    first_row: int,
    first_place: int,
    inout_packed: NDArray[np.int64],
    *,
    n_threads: int,
) -> None: ...
def accumulate_histograms(
    bins: NDArray[np.uint8],
    group_offsets: NDArray[np.uint64],
    group_strides: NDArray[np.uint32],
    group_widths: NDArray[np.uint32],
    rows: NDArray[np.uint32],
    packed: NDArray[np.int64],
    begin: NDArray[np.uint32],
    end: NDArray[np.uint32],
    target: NDArray[np.uint32],
    inout_histograms: NDArray[np.int64],
    *,
    n_threads: int,
) -> None: ...
def score_columns(
    inout_histograms: NDArray[np.int64],
    small: NDArray[np.uint32],
    large: NDArray[np.uint32],
    scored: NDArray[np.uint32],
    slots: NDArray[np.uint32],
    shifts: NDArray[np.uint32],
    firsts: NDArray[np.uint32],
    defaults: NDArray[np.uint32],
    bin_counts: NDArray[np.uint32],
    candidates: NDArray[np.uint8],
    n_outputs: int,
    units: NDArray[np.float64],
    regularization: float,
    min_weight: float,
    cosine: bool,
    out_scores: NDArray[np.float64],
    out_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None: ...
def split_leaves(
    bytes: NDArray[np.uint8],
    position: int,
    shift: int,
    mask: int,
    low: int,
    bin: int,
    leaf_offsets: NDArray[np.uint32],
    inout_rows: NDArray[np.uint32],
    scratch: NDArray[np.uint32],
    out_offsets: NDArray[np.uint32],
    *,
    n_threads: int,
) -> None: ...
def plan_level(
    offsets: NDArray[np.uint32],
    n_eras: int,
    parents: NDArray[np.uint32] | None,
    n_used: int,
    out_of_cell: NDArray[np.uint32],
    out_begin: NDArray[np.uint32],
    out_end: NDArray[np.uint32],
    out_histograms: NDArray[np.uint32],
    out_small: NDArray[np.uint32],
    out_large: NDArray[np.uint32],
    out_scored: NDArray[np.uint32],
    out_fresh: NDArray[np.uint8],
) -> tuple[int, int, int]: ...
def assign_leaves(
    slots: NDArray[np.uint8],
    pages: NDArray[np.uint8],
    split_pages: NDArray[np.uint32],
    split_slots: NDArray[np.uint32],
    shifts: NDArray[np.uint32],
    masks: NDArray[np.uint32],
    lows: NDArray[np.uint8],
    split_bins: NDArray[np.uint8],
    inout_leaves: NDArray[np.uint32],
    *,
    n_threads: int,
) -> None: ...
def fill_panel(
    slots: NDArray[np.uint8], stride: int, out_panel: NDArray[np.uint8], *, n_threads: int
) -> None: ...
def rows_by_leaf(
    leaves: NDArray[np.uint32],
    out_rows: NDArray[np.uint32],
    out_offsets: NDArray[np.uint32],
    *,
    n_threads: int,
) -> None: ...
def minimal_variance_weights(
    gradients: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    uniform: NDArray[np.float32],
    regularization: float,
    fraction: float,
    out_weights: NDArray[np.float32],
    *,
    n_threads: int,
) -> None: ...
def loss_gradients(
    kind: int,
    parameter: float,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    raw: NDArray[np.float64],
    out_gradients: NDArray[np.float32],
    *,
    n_threads: int,
) -> float: ...
def softmax_gradients(
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    raw: NDArray[np.float64],
    out_gradients: NDArray[np.float32],
    *,
    n_threads: int,
) -> float: ...
def exponentials(
    values: NDArray[np.float64], out: NDArray[np.float64], *, n_threads: int
) -> None: ...
def logarithms(
    values: NDArray[np.float64], out: NDArray[np.float64], *, n_threads: int
) -> None: ...
def logistics(values: NDArray[np.float64], out: NDArray[np.float64], *, n_threads: int) -> None: ...
def softmax(
    raw: NDArray[np.float64],
    out: NDArray[np.float64],
    out_log_sums: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def loss_leaf_sums(
    kind: int,
    parameter: float,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    raw: NDArray[np.float64],
    leaves: NDArray[np.uint32],
    steps: NDArray[np.float64] | None,
    out: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def leaf_values(
    kind: int,
    parameter: float,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    raw: NDArray[np.float64],
    rows: NDArray[np.uint32],
    leaf_offsets: NDArray[np.uint32],
    newton: bool,
    regularization: float,
    steps: int,
    out_values: NDArray[np.float64],
    out_weights: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def segment_sums(
    kind: int,
    parameter: float,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    rows: NDArray[np.uint32],
    edges: NDArray[np.uint32],
    leaves: NDArray[np.uint32],
    raw: NDArray[np.float64],
    out: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def move_segments(
    kind: int,
    parameter: float,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    rows: NDArray[np.uint32],
    edges: NDArray[np.uint32],
    leaves: NDArray[np.uint32],
    values: NDArray[np.float64],
    inout_raw: NDArray[np.float64],
    out_gradients: NDArray[np.float32],
    *,
    n_threads: int,
) -> float: ...
def softmax_leaf_sums(
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    raw: NDArray[np.float64],
    gradients: NDArray[np.float32] | None,
    leaves: NDArray[np.uint32],
    leaf_steps: NDArray[np.float64],
    out: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def newton_steps(
    gradients: NDArray[np.float64],
    hessians: NDArray[np.float64],
    regularization: float,
    out_steps: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def class_leaf_sums(
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    gradients: NDArray[np.float32],
    leaves: NDArray[np.uint32],
    out: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def class_steps(
    sums: NDArray[np.float64],
    weights: NDArray[np.float64],
    regularization: float,
    out_steps: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def leaf_quantiles(
    alpha: float,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
    raw: NDArray[np.float64],
    rows: NDArray[np.uint32],
    leaf_offsets: NDArray[np.uint32],
    out_values: NDArray[np.float64],
    out_weights: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def add_leaf_values(
    leaves: NDArray[np.uint32],
    leaf_values: NDArray[np.float64],
    inout_raw: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def predict_trees(
    bins: NDArray[np.uint8],
    split_columns: NDArray[np.uint32],
    split_bins: NDArray[np.uint8],
    depths: NDArray[np.uint32],
    leaf_values: NDArray[np.float64],
    inout_raw: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def find_leaves(
    bins: NDArray[np.uint8],
    split_columns: NDArray[np.uint32],
    split_bins: NDArray[np.uint8],
    depths: NDArray[np.uint32],
    out_leaves: NDArray[np.uint32],
    *,
    n_threads: int,
) -> None: ...
def combination_keys(
    hashes: NDArray[np.uint64],
    key: NDArray[np.uint64],
    out_keys: NDArray[np.uint64],
    *,
    n_threads: int,
) -> None: ...
def index_keys(
    keys: NDArray[np.uint64],
    entry_offsets: NDArray[np.uint64],
    bucket_offsets: NDArray[np.uint64],
    out_slot_keys: NDArray[np.uint64],
    out_vacant: NDArray[np.uint64],
    out_n_ascending: NDArray[np.uint64],
    out_slot_entries: NDArray[np.uint32],
    *,
    n_threads: int,
) -> None: ...
def look_up(
    hashes: NDArray[np.uint64],
    key: NDArray[np.uint64],
    member_offsets: NDArray[np.uint32],
    members: NDArray[np.uint32],
    answers: NDArray[np.uint32],
    answer_rows: NDArray[np.int32],
    bucket_offsets: NDArray[np.uint64],
    slot_keys: NDArray[np.uint64],
    vacant: NDArray[np.uint64],
    n_ascending: NDArray[np.uint64],
    column_offsets: NDArray[np.uint32],
    bin_offsets: NDArray[np.uint64],
    slot_bins: NDArray[np.uint8],
    out_rows: NDArray[np.uint32],
    inout_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None: ...
def match_categories(
    hashes: NDArray[np.uint64],
    sources: NDArray[np.uint32],
    categories: NDArray[np.uint64],
    out_rows: NDArray[np.uint32],
    inout_bins: NDArray[np.uint8],
    *,
    n_threads: int,
) -> None: ...
def answer_questions(
    bins: NDArray[np.uint8],
    offsets: NDArray[np.uint32],
    columns: NDArray[np.uint32],
    split_bins: NDArray[np.uint8],
    out_answers: NDArray[np.uint32],
    *,
    n_threads: int,
) -> None: ...
def shapley_tables(
    depths: NDArray[np.uint32],
    level_players: NDArray[np.uint32],
    leaf_values: NDArray[np.float64],
    leaf_weights: NDArray[np.float64],
    player_offsets: NDArray[np.uint32],
    column_offsets: NDArray[np.uint32],
    columns: NDArray[np.uint32],
    n_columns: NDArray[np.uint32],
    asked_offsets: NDArray[np.uint64],
    asked_leaves: NDArray[np.uint32],
    interventional: bool,
    interactions: bool,
    out_tables: NDArray[np.float64],
    out_expected: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def add_tables(
    lines: NDArray[np.uint32],
    tables: NDArray[np.float64],
    n_lines: NDArray[np.uint32],
    cell_offsets: NDArray[np.uint64],
    cells: NDArray[np.uint32],
    inout_sums: NDArray[np.float64],
    *,
    n_threads: int,
) -> None: ...
def take_turns(taking: bool) -> bool: ...

"""A plain NumPy twin of every native function: same name, same arguments, same results.

A twin says what its native function does, in as few words as NumPy allows; tests compare the two on
generated inputs. Nothing here is fast, and nothing in the package calls it.
"""

from __future__ import annotations

from ocelotboost.kernels.reference.explain import add_tables, shapley_tables
from ocelotboost.kernels.reference.grow import (
    absolute_sums,
    accumulate_histograms,
    assign_leaves,
    fill_panel,
    minimal_variance_weights,
    pack_gradients,
    plan_level,
    rows_by_leaf,
    score_columns,
    split_leaves,
)
from ocelotboost.kernels.reference.leaves import (
    add_leaf_values,
    leaf_quantiles,
    leaf_values,
    loss_gradients,
    loss_leaf_sums,
    move_segments,
    segment_sums,
    softmax_gradients,
    softmax_leaf_sums,
)
from ocelotboost.kernels.reference.links import exponentials, logarithms, logistics, softmax
from ocelotboost.kernels.reference.newton import class_leaf_sums, class_steps, newton_steps
from ocelotboost.kernels.reference.order import (
    accumulate_statistics,
    choose_statistic,
    join_codes,
    order_keys,
    score_statistics,
    target_statistics,
    total_by_value,
)
from ocelotboost.kernels.reference.predict import (
    answer_questions,
    combination_keys,
    find_leaves,
    index_keys,
    look_up,
    match_categories,
    predict_trees,
)
from ocelotboost.kernels.reference.quantize import (
    bundle_columns,
    choose_borders,
    count_missing,
    quantize,
)
from ocelotboost.kernels.reference.table import (
    encode_hashes,
    hash_integers,
    hash_text_views,
    hash_texts,
    numbering_steps,
)

__all__ = [
    "absolute_sums",
    "accumulate_histograms",
    "accumulate_statistics",
    "add_leaf_values",
    "add_tables",
    "answer_questions",
    "assign_leaves",
    "bundle_columns",
    "choose_borders",
    "choose_statistic",
    "class_leaf_sums",
    "class_steps",
    "combination_keys",
    "count_missing",
    "encode_hashes",
    "exponentials",
    "fill_panel",
    "find_leaves",
    "hash_integers",
    "hash_text_views",
    "hash_texts",
    "index_keys",
    "join_codes",
    "leaf_quantiles",
    "leaf_values",
    "logarithms",
    "logistics",
    "look_up",
    "loss_gradients",
    "loss_leaf_sums",
    "move_segments",
    "segment_sums",
    "match_categories",
    "minimal_variance_weights",
    "newton_steps",
    "numbering_steps",
    "order_keys",
    "pack_gradients",
    "plan_level",
    "predict_trees",
    "quantize",
    "rows_by_leaf",
    "score_columns",
    "score_statistics",
    "shapley_tables",
    "softmax",
    "softmax_gradients",
    "softmax_leaf_sums",
    "split_leaves",
    "target_statistics",
    "total_by_value",
]

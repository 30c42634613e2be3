"""Anything a user has -> typed columns, and who plays which role.

table_from_input    X, whatever holds it  -> Table of numbers and categories; dates are numbers
match_columns       are these the columns the model was trained on?
regression_target   y -> floats
class_target        y -> classes and codes; encode_labels for further y
row_weights         sample_weight -> float32
"""

from __future__ import annotations

from ocelotboost.table.categories import CategoryColumn, canonical_text, text_hashes
from ocelotboost.table.columns import ZERO_KEY, DensePart, Part, RowsPart, SparsePart, Table
from ocelotboost.table.from_input import table_from_input
from ocelotboost.table.roles import (
    class_target,
    encode_labels,
    match_columns,
    regression_target,
    row_weights,
)
from ocelotboost.table.values import FloatArray

__all__ = [
    "FloatArray",
    "Part",
    "DensePart",
    "SparsePart",
    "RowsPart",
    "CategoryColumn",
    "canonical_text",
    "text_hashes",
    "Table",
    "ZERO_KEY",
    "table_from_input",
    "match_columns",
    "regression_target",
    "class_target",
    "encode_labels",
    "row_weights",
]

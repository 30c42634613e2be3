"""The JSON form of a model: one line per field, tree, table and column.

Numbers of 64 bits are texts of 16 hexadecimal digits, since few readers keep such integers whole.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ModelFileError
from ocelotboost.model.check_categories import LARGEST_DEPTH
from ocelotboost.model.file_arrays import TRAINING, TRAINING_ARRAYS, Arrays, Fields, forest_of
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import FREQUENCY, compact, offsets_of

#: What the JSON form has in place of arrays.
FOREST_PARTS = (
    "missing_high", "start_value", "categorical", "hash_key", "indicators", "statistic_tables",
    "statistic_columns", "trees",
)  # fmt: skip
_LISTS = ("indicators", "statistic_tables", "statistic_columns", "trees")

_TREE_FIELDS = {"columns", "borders", "leaf_values", "leaf_weights"}
_INDICATOR_FIELDS = {"column", "hash", "text"}
_TABLE_FIELDS = {
    "members", "question_columns", "question_borders", "prior_weight", "targets", "keys", "counts",
    "sums",
}  # fmt: skip
_COLUMN_FIELDS = {"table", "target", "prior", "low", "high"}
# The shortest there are in numbers: {"table":0,"target":0,"prior":0,"low":0,"high":1} and, with
# the weight of its leaf, [0].
_FREE_BRACKETS, _BYTES_OF_AN_OBJECT, _BYTES_OF_A_LIST = 1000, 16, 5
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


# ---- writing ---------------------------------------------------------------------------------


def write_json(fields: Fields, arrays: Arrays) -> bytes:
    """Fields in the given order, then the forest."""
    forest = forest_of(arrays, fields)
    parts = {
        **{
            key: value
            for key, value in fields.items()
            if key not in ("indicator_texts", "target_names")
        },
        "missing_high": forest.missing_high.tolist(),
        "start_value": forest.start_value.tolist(),
        "categorical": forest.categorical.tolist(),
        "hash_key": [f"{word:016x}" for word in forest.hash_key.tolist()],
        "indicators": _indicators_to_json(forest),
        "statistic_tables": _tables_to_json(forest),
        "statistic_columns": _columns_to_json(forest),
        "trees": _trees_to_json(forest),
        **_training_to_json(arrays),
    }
    lines = [f"{json.dumps(key)}: {_lines(key, value)}" for key, value in parts.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("ascii")


def _lines(key: str, value: Any) -> str:
    if key in _LISTS and value:
        return "[\n" + ",\n".join(json.dumps(item, allow_nan=False) for item in value) + "\n]"
    return json.dumps(value, allow_nan=False)


def _indicators_to_json(forest: Forest) -> list[Fields]:
    columns, hashes = forest.indicators.columns.tolist(), forest.indicators.hashes.tolist()
    return [
        {"column": column, "hash": f"{value:016x}", "text": text}
        for column, value, text in zip(columns, hashes, forest.indicators.texts, strict=True)
    ]


def _tables_to_json(forest: Forest) -> list[Fields]:
    tables = forest.statistics
    found = []
    for table in range(tables.n_tables):
        questions, entries = tables.questions_of(table), tables.entries_of(table)
        found.append(
            {
                "members": tables.members_of(table).tolist(),
                "question_columns": tables.question_columns[questions].tolist(),
                "question_borders": floats_to_json(tables.question_borders[questions].tolist()),
                "prior_weight": float(tables.prior_weight[table]),
                "targets": list(tables.target_names[table]),
                "keys": [f"{key:016x}" for key in tables.keys[entries].tolist()],
                "counts": tables.counts[entries].tolist(),
                "sums": tables.sums_of(table).T.tolist(),
            }
        )
    return found


def _columns_to_json(forest: Forest) -> list[Fields]:
    tables = forest.statistics
    return [
        {
            "table": int(tables.column_tables[column]),
            "target": None if target == FREQUENCY else target,
            "prior": float(tables.column_priors[column]),
            "low": float(tables.column_lows[column]),
            "high": float(tables.column_highs[column]),
        }
        for column, target in enumerate(tables.column_targets.tolist())
    ]


def _trees_to_json(forest: Forest) -> list[Fields]:
    splits, leaves = forest.split_offsets().tolist(), forest.leaf_offsets().tolist()
    return [
        {
            "columns": forest.split_columns[splits[t] : splits[t + 1]].tolist(),
            "borders": floats_to_json(forest.split_borders[splits[t] : splits[t + 1]].tolist()),
            "leaf_values": forest.leaf_values[leaves[t] : leaves[t + 1]].tolist(),
            "leaf_weights": forest.leaf_weights[leaves[t] : leaves[t + 1]].tolist(),
        }
        for t in range(forest.n_trees)
    ]


def _training_to_json(arrays: Arrays) -> Fields:
    """Arrays as they are named, if they are there."""
    found = {name: array for name, array in arrays.items() if name in TRAINING_ARRAYS}
    if not found:
        return {}
    return {
        "training": {
            name.removeprefix(TRAINING): [f"{word:016x}" for word in array.tolist()]
            if array.dtype == np.uint64
            else array.tolist()
            for name, array in found.items()
        }
    }


# ---- reading ---------------------------------------------------------------------------------


def read_parts(document: Fields) -> Arrays:
    """Take the forest's parts out of a document whose fields are those of its format."""
    return {
        **_read_trees(document),
        **_read_indicators(document),
        **_read_tables(document.pop("statistic_tables"), document),
        **_read_columns(document.pop("statistic_columns")),
        **_read_training(document),
    }


def _read_trees(document: Fields) -> Arrays:
    trees = document.pop("trees")
    start_value = float_array(document.pop("start_value"))
    for position, tree in enumerate(trees):
        _check_tree(tree, position, len(start_value))
    rows = [row for tree in trees for row in tree["leaf_values"]]
    return {
        "split_columns": _integers([c for tree in trees for c in tree["columns"]], np.uint32),
        "split_borders": float_array([b for tree in trees for b in tree["borders"]]),
        "tree_depths": _integers([len(tree["columns"]) for tree in trees], np.uint32),
        "leaf_values": float_array([v for row in rows for v in row]).reshape(
            len(rows), len(start_value)
        ),
        "leaf_weights": float_array([w for tree in trees for w in tree["leaf_weights"]]),
        "start_value": start_value,
        "missing_high": _flags(document.pop("missing_high")),
    }


def _check_tree(tree: Fields, position: int, n_outputs: int) -> None:
    _check_keys(tree, _TREE_FIELDS, f"tree {position}")
    depth = len(tree["columns"])
    sizes = len(tree["borders"]), len(tree["leaf_values"]), len(tree["leaf_weights"])
    if depth > LARGEST_DEPTH or sizes != (depth, 2**depth, 2**depth):
        raise ModelFileError(
            f"tree {position} has {depth} columns, {sizes[0]} borders, {sizes[1]} leaf values and "
            f"{sizes[2]} leaf weights, which do not fit together. Save the model again."
        )
    if any(len(row) != n_outputs for row in tree["leaf_values"]):
        raise ModelFileError(
            f"tree {position} has leaves without {n_outputs} values. Save the model again."
        )


def _read_indicators(document: Fields) -> Arrays:
    indicators = document.pop("indicators")
    for position, indicator in enumerate(indicators):
        _check_keys(indicator, _INDICATOR_FIELDS, f"indicator {position}")
    document["indicator_texts"] = [indicator["text"] for indicator in indicators]
    return {
        "categorical": _flags(document.pop("categorical")),
        "hash_key": _words(document.pop("hash_key")),
        "indicators.columns": _integers([i["column"] for i in indicators], np.uint32),
        "indicators.hashes": _words([i["hash"] for i in indicators]),
    }


def _read_tables(tables: list[Fields], document: Fields) -> Arrays:
    for position, table in enumerate(tables):
        _check_table(table, position)
    document["target_names"] = [table["targets"] for table in tables]

    def all_of(name: str) -> list[Any]:
        return [value for table in tables for value in table[name]]

    def offsets(name: str, dtype: type[np.integer[Any]]) -> NDArray[Any]:
        return offsets_of([len(table[name]) for table in tables], dtype)

    sums = [float_array([v for own in t["sums"] for v in own]) for t in tables]
    by_entry = [
        own.reshape(len(table["targets"]), len(table["keys"])).T.reshape(-1)
        for own, table in zip(sums, tables, strict=True)
    ]
    named = {
        "prior_weight": float_array([table["prior_weight"] for table in tables]),
        "member_offsets": offsets("members", np.uint32),
        "members": _integers(all_of("members"), np.uint32),
        "question_offsets": offsets("question_columns", np.uint32),
        "question_columns": _integers(all_of("question_columns"), np.uint32),
        "question_borders": float_array(all_of("question_borders")),
        "entry_offsets": offsets("keys", np.uint64),
        "keys": _words(all_of("keys")),
        "counts": compact(float_array(all_of("counts"))),
        "n_targets": _integers([len(table["targets"]) for table in tables], np.uint32),
        "sums": compact(np.concatenate([np.empty(0), *by_entry])),
    }
    return {f"statistics.{name}": array for name, array in named.items()}


def _check_table(table: Fields, position: int) -> None:
    _check_keys(table, _TABLE_FIELDS, f"table {position}")
    n_entries, n_targets = len(table["keys"]), len(exactly(list, table["targets"]))
    if (
        len(table["question_columns"]) != len(table["question_borders"])
        or len(table["counts"]) != n_entries
        or [len(own) for own in table["sums"]] != [n_entries] * n_targets
    ):
        raise ModelFileError(
            f"the parts of table {position} have lengths that do not fit together. Save the model "
            "again."
        )


def _read_columns(columns: list[Fields]) -> Arrays:
    for position, column in enumerate(columns):
        _check_keys(column, _COLUMN_FIELDS, f"statistic column {position}")
    targets = [FREQUENCY if column["target"] is None else column["target"] for column in columns]
    if any(column["target"] == FREQUENCY for column in columns):
        raise ModelFileError("the target of a frequency column is null. Save the model again.")
    return {
        "statistics.column_tables": _integers([column["table"] for column in columns], np.uint32),
        "statistics.column_targets": _integers(targets, np.int32),
        "statistics.column_priors": float_array([column["prior"] for column in columns]),
        "statistics.column_lows": float_array([column["low"] for column in columns]),
        "statistics.column_highs": float_array([column["high"] for column in columns]),
    }


def _read_training(document: Fields) -> Arrays:
    if "training" not in document:
        return {}
    training = document.pop("training")
    _check_keys(training, {name.removeprefix(TRAINING) for name in TRAINING_ARRAYS}, "training")
    return {
        name: _words(own)
        if dtype is np.uint64
        else float_array(own)
        if dtype is np.float64
        else _integers(own, np.uint32)
        for name, dtype in TRAINING_ARRAYS.items()
        for own in [exactly(list, training[name.removeprefix(TRAINING)])]
    }


def _check_keys(item: Fields, expected: set[str], what: str) -> None:
    if item.keys() != expected:
        raise ModelFileError(f"{what} has fields {sorted(item)}. Save the model again.")


# ---- values ----------------------------------------------------------------------------------


def strict_json(data: bytes, most_objects: int | None = None) -> Any:
    """JSON as the standard has it: UTF-8, no NaN or Infinity, no key twice.

    most_objects  more are refused before they are made; None: as a model of this size could have
    """
    if most_objects is None:
        most_objects = _FREE_BRACKETS + len(data) // _BYTES_OF_AN_OBJECT
    _refuse_crowds(data, b"{", most_objects)
    _refuse_crowds(data, b"[", _FREE_BRACKETS + len(data) // _BYTES_OF_A_LIST)

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key occurs twice")
        return found

    return json.loads(data.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse)


def _refuse_crowds(data: bytes, bracket: bytes, most: int) -> None:
    """An empty object or list takes 30 times the memory of its text."""
    if data.count(bracket) > most and _outside_texts(data, bracket) > most:
        raise ValueError(f"there are far more {bracket.decode()} than in a model of this size")


def _outside_texts(data: bytes, bracket: bytes) -> int:
    """How often the bracket occurs, but for those that an odd number of quotes comes before."""
    others = bytes({*range(256)} - {*b'"', *bracket})
    unescaped = data.replace(rb"\\", b"").replace(rb"\"", b"")
    few = unescaped.translate(None, others).replace(b'""', b"")  # no odd number becomes even
    return sum(piece.count(bracket) for piece in few.split(b'"')[::2])


def floats_to_json(values: Iterable[float]) -> list[float | str]:
    """Numbers that are not finite become texts."""
    return [_float_to_json(float(value)) for value in values]


def _float_to_json(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def floats_from_json(values: list[Any]) -> list[float]:
    """What ``floats_to_json`` wrote, and integers."""
    return [_float_from_json(value) for value in values]


def _float_from_json(value: Any) -> float:
    if type(value) is float:
        return value
    return _NOT_FINITE[value] if isinstance(value, str) else float(exactly(int, value))


def float_array(values: list[Any]) -> NDArray[np.float64]:
    """Numbers as float64."""
    return np.array(floats_from_json(values), dtype=np.float64)


def exactly(kind: type, value: Any) -> Any:
    """The value, which must be of this type and no subtype (True is no integer)."""
    if type(value) is not kind:
        raise TypeError(f"{value!r} is not of type {kind.__name__}")
    return value


def _integers(values: list[Any], dtype: type[np.integer[Any]]) -> NDArray[Any]:
    return np.array([exactly(int, value) for value in values], dtype=dtype)


def _flags(values: list[Any]) -> NDArray[np.bool_]:
    return np.array([exactly(bool, value) for value in values], dtype=np.bool_)


def _words(values: list[Any]) -> NDArray[np.uint64]:
    """64 bits each, from 16 hexadecimal digits."""
    if any(len(exactly(str, value)) != 16 for value in values):
        raise ValueError("a hash or key does not have 16 digits")
    digits = "".join(values)
    if not set(digits) <= set("0123456789abcdef"):
        raise ValueError("a hash or key has a digit that is not hexadecimal")
    return np.frombuffer(bytes.fromhex(digits), dtype=">u8").astype(np.uint64)

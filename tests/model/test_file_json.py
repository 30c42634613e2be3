"""The JSON form is what its document says: strict, readable, enough to evaluate a model."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tools.golden_models import with_dates

from ocelotboost.model.file import dumps
from ocelotboost.model.file_arrays import CATEGORY_ARRAYS, CATEGORY_FIELDS, TREE_ARRAYS
from ocelotboost.model.forest import Forest
from ocelotboost.model.statistic_table import STATISTIC_ARRAYS
from ocelotboost.table.date_parts import DATE_PARTS
from tests.model.forests import TEXTS, raw_by_hand, rows_of, text_hash
from tests.model.models import (
    TINY_DATES,
    WITH_CATEGORIES,
    make_category_model,
    make_forest,
    make_model,
)

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "model_format.md"


def test_the_json_form_is_strict_json() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not strict JSON")

    text = dumps(make_model(), "json").decode("ascii")
    document = json.loads(text, parse_constant=refuse)
    assert document["format"] == 3
    assert document["history"]["learn"]["RMSE"][2:5] == ["Infinity", "NaN", "-Infinity"]
    assert "NaN" in document["trees"][0]["borders"]
    assert len(text.splitlines()) == len(document) + 2 + 4 + 1  # fields, braces, trees, bracket


def test_the_json_form_of_categories_is_readable() -> None:
    document = json.loads(dumps(WITH_CATEGORIES, "json"))
    assert document["categorical"] == [False, True, False, True, True, False]
    assert {"column": 1, "hash": f"{text_hash('Paris'):016x}", "text": "Paris"} in document[
        "indicators"
    ]
    tables, columns = document["statistic_tables"], document["statistic_columns"]
    assert {column["table"] for column in columns} == set(range(len(tables)))
    assert any(column["target"] is None for column in columns)
    for table in tables:
        assert all(len(key) == 16 for key in table["keys"])
        assert len(table["sums"]) == len(table["targets"])
        assert all(len(sums) == len(table["keys"]) for sums in table["sums"])


def raw_score_of_the_document() -> Callable[[dict[str, Any], list[Any]], list[float]]:
    """The Python that the document gives, ready to be called."""
    code = DOCUMENT.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    return names["raw_score"]


def predictions(forest: Forest, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The forest's own words in NumPy: what the document's Python must agree with."""
    total = np.tile(forest.start_value, (len(rows), 1))
    splits, leaves = forest.split_offsets(), forest.leaf_offsets()
    for tree in range(forest.n_trees):
        answers = []
        for split in range(splits[tree], splits[tree + 1]):
            column, border = forest.split_columns[split], forest.split_borders[split]
            values = rows[:, column]
            missing, high = np.isnan(values), forest.missing_high[column]
            above = np.where(missing, high, values > border)
            answers.append(missing == high if np.isnan(border) else above)
        for row in range(len(rows)):
            digits = "0" + "".join(str(int(answer[row])) for answer in answers)
            total[row] += forest.leaf_values[leaves[tree] + int(digits, 2)]
    return total


def test_the_python_of_the_document_evaluates_a_model() -> None:
    raw_score = raw_score_of_the_document()
    for seed in range(5):
        forest = make_forest([3, 0, 2, 5, 1, 4], n_outputs=2, seed=seed)
        document = json.loads(dumps(make_model(forest), "json"))
        rows = np.random.default_rng(seed).normal(size=(60, 3))
        rows[::3, 0] = np.nan
        rows[::4, 1] = np.nan
        rows[::7, 2] = np.inf
        rows[1::7, 2] = -np.inf
        rows[5] = np.nan
        rows[6, 0] = forest.split_borders[1]  # equal is "no"
        found = [raw_score(document, row) for row in rows.tolist()]
        np.testing.assert_array_equal(found, predictions(forest, rows))


def test_the_python_of_the_document_evaluates_categories() -> None:
    raw_score = raw_score_of_the_document()
    text_of = {text_hash(text): text for text in TEXTS}
    for seed in range(5):
        model = make_category_model(seed=seed, n_trees=20, weighted=seed % 2 == 0)
        document = json.loads(dumps(model, "json"))
        table = rows_of(seed, 40)
        rows: list[list[Any]] = [[None] * table.n_columns for _ in range(40)]
        for part in table.parts:
            for row, value in enumerate(part.values()[:, 0].tolist()):
                rows[row][part.first] = value
        for column, hashed in table.categories.items():
            for row, value in enumerate(hashed.row_hashes().tolist()):
                rows[row][column] = text_of[value]
        found = [raw_score(document, row) for row in rows]
        np.testing.assert_array_equal(np.transpose(found), raw_by_hand(model.forest, table))


def test_the_python_of_the_document_evaluates_crosses() -> None:
    raw_score = raw_score_of_the_document()
    folder = DOCUMENT.parents[1] / "tests" / "golden"
    known = json.loads((folder / "format_4_crosses_predictions.json").read_text(encoding="utf-8"))
    document = json.loads((folder / "format_4_crosses.json").read_text(encoding="utf-8"))
    columns = list(known["rows"].values())
    columns[0] = [float("nan") if value is None else value for value in columns[0]]
    found = [raw_score(document, list(row))[0] for row in zip(*columns, strict=True)]
    assert found == known["raw"]["crosses"]


def test_the_python_of_the_document_evaluates_views() -> None:
    raw_score = raw_score_of_the_document()
    folder = DOCUMENT.parents[1] / "tests" / "golden"
    known = json.loads((folder / "format_4_views_predictions.json").read_text(encoding="utf-8"))
    document = json.loads((folder / "format_4_views.json").read_text(encoding="utf-8"))
    rows = zip(*known["rows"].values(), strict=True)
    assert [raw_score(document, list(row))[0] for row in rows] == known["raw"]["views"]


def test_the_python_of_the_document_evaluates_dates() -> None:
    raw_score = raw_score_of_the_document()
    folder = DOCUMENT.parents[1] / "tests" / "golden"
    known = json.loads((folder / "format_4_predictions.json").read_text(encoding="utf-8"))
    document = json.loads((folder / "format_4_dates.json").read_text(encoding="utf-8"))
    table = with_dates(known["rows"])
    columns = [[None if pd.isna(v) else v for v in table[name].tolist()] for name in table]
    columns[0] = [float("nan") if value is None else value for value in columns[0]]
    found = [raw_score(document, list(row))[0] for row in zip(*columns, strict=True)]
    assert found == known["raw"]["dates"]


def test_the_document_names_every_field() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    dates = json.loads(dumps(TINY_DATES, "json"))
    of_dates = [*dates, *dates["times"][0], *dates["derived"][0], *DATE_PARTS]
    assert [name for name in of_dates if f"`{name}`" not in text] == []
    document = json.loads(dumps(WITH_CATEGORIES, "json"))
    lists = ("trees", "indicators", "statistic_tables", "statistic_columns")
    fields = [*document, *(name for part in lists for name in document[part][0])]
    fields += [*TREE_ARRAYS, *CATEGORY_ARRAYS, *CATEGORY_FIELDS]
    assert [name for name in fields if f"`{name}`" not in text] == []


def test_the_document_has_every_array_of_the_tables_as_it_is_declared() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for array in STATISTIC_ARRAYS:
        *most, last = [
            f"{np.dtype(dtype).kind.upper()}{np.dtype(dtype).itemsize * 8}"
            for dtype in array.dtypes
        ]
        dtypes = f"{', '.join(most)} or {last}" if most else last
        row = f"| `statistics.{array.name}` | {dtypes} ({array.axis},) | {array.meaning} |"
        assert row in text

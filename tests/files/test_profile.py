"""Columns are what they look like, and what is odd about them is said."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from ocelotboost import InputError
from ocelotboost.files import Roles, profile_columns
from ocelotboost.files.profile import guess_task

RNG = np.random.default_rng(0)
N = 400
Y = RNG.integers(2, size=N)


def odd(values, name="x", **roles):
    table = pa.table({name: values, "y": Y})
    column = profile_columns(table, Roles("y", **roles)).columns[0]
    return " ".join(column.odd)


@pytest.mark.parametrize(
    ("values", "name", "remark"),
    [
        (range(N), "n", "like an id"),
        ([f"order {i}" for i in range(N)], "n", "like an id"),
        ([7] * N, "n", "constant"),
        ([None] * N, "n", "no values"),
        (RNG.integers(10_000, 99_999, N), "n", "look like codes"),
        (RNG.integers(50, size=N), "zip_code", "look like codes"),
        ([20240100 + i % 28 + 1 for i in range(N)], "n", "looks like dates"),
        ([f"{i % 28 + 1:02}/03/2024" for i in range(N)], "n", "looks like dates"),
        ([str(v) for v in RNG.normal(size=N)[: N // 2]] * 2, "n", "numbers stored as text"),
        (["yes" if v else "no" for v in Y], "n", "tells the target"),
        (Y * 2.0 + 1, "n", "tells the target"),
    ],
)
def test_what_looks_odd(values, name, remark):
    assert remark in odd(values, name)


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(size=N),
        RNG.integers(100, size=N),
        RNG.integers(1950, 2020, size=N),
        ["Oslo", "Lyon"] * (N // 2),
    ],
)
def test_what_does_not(values):
    assert odd(values) == ""


def test_what_the_user_says_is_not_questioned():
    codes = RNG.integers(10_000, 99_999, N)
    assert odd(codes, cat=("x",)) == odd(codes, num=("x",)) == ""


def test_types_missing_and_examples():
    table = pa.table(
        {
            "a": pa.array([1.5, float("nan"), None]),
            "b": ["x" * 99, None, "y"],
            "c": pa.array([0, 1, 2], pa.date32()),
            "d": [True, False, None],
            "y": [1, 2, 3],
        }
    )
    found = {c.name: c for c in profile_columns(table, Roles("y", ignore=("d",))).columns}
    assert [found[n].type for n in "abcd"] == ["number", "category", "date", "category"]
    assert [found[n].n_missing for n in "abcd"] == [2, 1, 0, 1]
    assert found["a"].example == "1.5"
    assert len(found["b"].example) == 24
    assert (found["d"].role, found["y"].role) == ("ignored", "target")


def test_many_rows_are_judged_by_some_of_them():
    table = pa.table({"a": np.arange(250_000) % 1000, "y": np.zeros(250_000)})
    profile = profile_columns(table, Roles("y"))
    assert (profile.n_rows, profile.n_looked_at) == (250_000, 100_000)


def test_roles_that_cannot_be():
    with pytest.raises(InputError, match=r"--cat a is not a column.*Did you mean 'ab'"):
        Roles("y", cat=("a",)).check(["ab", "y"])
    with pytest.raises(InputError, match="cannot be the target and ignored"):
        Roles("y", ignore=("y",)).check(["a", "y"])
    with pytest.raises(InputError, match="--cat and by --num"):
        Roles("y", cat=("a",), num=("a",)).check(["a", "y"])


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b"], "classification"),
        ([True, False], "classification"),
        ([0, 1, 1], "classification"),
        ([0.0, 1.0, None], "classification"),
        (list(range(21)), "regression"),
        ([0.5, 1.0], "regression"),
    ],
)
def test_the_task_is_guessed_from_the_target(values, task):
    assert guess_task(pa.chunked_array([values]))[0] == task

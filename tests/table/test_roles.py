"""Columns, targets, labels and weights are what they should be, or the error says what is not."""

from __future__ import annotations

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.estimator_checks import _NotAnArray

from ocelotboost.errors import InputError
from ocelotboost.estimator.centre import centred
from ocelotboost.table import (
    class_target,
    encode_labels,
    match_columns,
    regression_target,
    row_weights,
    table_from_input,
)

NAN, INF = float("nan"), float("inf")

VECTOR_HOLDERS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.asarray,
    "numpy_object": lambda v: np.array(v, dtype=object),
    "strided": lambda v: np.repeat(np.asarray(v), 2)[::2],
    "not_an_array": lambda v: _NotAnArray(np.asarray(v)),
    "pandas": lambda v: pd.Series(v, index=range(5, 5 + len(v))),
    "pandas_nullable": lambda v: pd.Series(v).convert_dtypes(),
    "polars": pl.Series,
    "pyarrow_array": pa.array,
    "pyarrow_chunks": lambda v: pa.chunked_array([v[:1], v[1:]]),
}


# ---- columns ---------------------------------------------------------------------------------


def frame(*names):
    return table_from_input(pd.DataFrame(np.ones((2, len(names))), columns=list(names)))


def test_the_columns_of_the_fit_pass_in_silence():
    match_columns(frame("a", "b"), ("a", "b"), 2, "Model")
    match_columns(table_from_input(np.ones((2, 3))), None, 3, "Model")


def test_another_order_is_an_error_that_says_how_to_reorder():
    message = (
        r"The feature names should match those that were passed during fit\.\n"
        r"Feature names must be in the same order as they were in fit\.\n"
        r".*X\[model\.feature_names_in_\]"
    )
    with pytest.raises(InputError, match=message):
        match_columns(frame("b", "a"), ("a", "b"), 2, "Model")


def test_a_missing_and_an_extra_column_are_both_named():
    message = (
        r"The feature names should match those that were passed during fit\.\n"
        r"Feature names unseen at fit time:\n- z\n"
        r"Feature names seen at fit time, yet now missing:\n- b\nAdd the missing columns"
    )
    with pytest.raises(InputError, match=message):
        match_columns(frame("a", "z"), ("a", "b"), 2, "Model")


def test_an_extra_column_alone_is_named_with_the_way_to_leave_it_out():
    with pytest.raises(InputError, match=r"unseen at fit time:\n- z\nSelect the columns"):
        match_columns(frame("a", "z"), ("a",), 1, "Model")


def test_only_five_of_many_wrong_names_are_listed():
    names = [f"c{i}" for i in range(9)]
    with pytest.raises(InputError, match=r"missing:\n- c1\n- c2\n- c3\n- c4\n- c5\n- \.\.\.\nAdd"):
        match_columns(frame("c0"), tuple(names), 9, "Model")


def test_another_number_of_columns_is_an_error_in_scikit_learns_words():
    message = "X has 1 features, but Model is expecting 4 features as input"
    with pytest.raises(InputError, match=message):
        match_columns(table_from_input(np.ones((2, 1))), None, 4, "Model")


def test_names_on_one_side_only_are_warned_of_as_scikit_learn_does():
    array = table_from_input(np.ones((2, 2)))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Model was fit"):
        match_columns(array, ("a", "b"), 2, "Model")
    with pytest.warns(UserWarning, match="X has feature names, but Model was fitted without"):
        match_columns(frame("a", "b"), None, 2, "Model")
    wrong_count = pytest.raises(InputError, match="X has 2 features, but Model")
    with pytest.warns(UserWarning, match="valid feature names"), wrong_count:
        match_columns(array, ("a", "b", "c"), 3, "Model")


# ---- regression ------------------------------------------------------------------------------


@pytest.mark.parametrize("holder", VECTOR_HOLDERS)
@pytest.mark.parametrize("values", [[1.5, -2.0, 3.0], [1, 2, 3], [True, False, True]], ids=str)
def test_a_regression_target_of_any_holder_becomes_contiguous_float32(holder, values):
    exact = regression_target(VECTOR_HOLDERS[holder](values), 3)
    assert exact.dtype in (np.float32, np.float64)
    target = centred(exact, 0.0)
    assert target.dtype == np.float32
    assert target.flags.c_contiguous
    assert_array_equal(target, np.float32(values))


def test_a_float32_target_is_not_copied():
    y = np.ones(3, dtype=np.float32)
    assert np.shares_memory(centred(regression_target(y, 3), 0.0), y)


@pytest.mark.parametrize(
    "y",
    [np.ones((3, 1)), [[1.0], [1.0], [1.0]], pd.DataFrame({"y": [1, 1, 1]})],
    ids=["numpy", "list", "pandas"],
)
def test_one_column_is_accepted_with_scikit_learns_warning(y):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array"):
        assert_array_equal(regression_target(y, 3), [1, 1, 1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, NAN, 2.0], r"Input y contains NaN\. Row 1 is nan"),
        ([1.0, None, 2.0], r"Input y contains NaN\. Row 1 is nan"),
        (pd.Series([1, 2, None], dtype="Int64"), r"Input y contains NaN\. Row 2"),
        (pl.Series([None, 2, 3]), r"Input y contains NaN\. Row 0"),
        ([1.0, 2.0, INF], "contains infinity or a value too large for.*row 2 is inf"),
        ([-INF, 2.0, NAN], "contains infinity or a value too large for.*row 0 is -inf"),
        ([1.0, 1e39, 2.0], r"contains infinity or a value too large for.*row 1 is 1e\+39"),
        ([1.0, 2.0], r"inconsistent numbers of samples: \[3, 2\]. X has 3 rows and y has 2"),
        (np.ones((3, 2)), r"y should be a 1d array, got an array of shape \(3, 2\)"),
        (5.0, r"y should be a 1d array, got an array of shape \(\)"),
        (["a", "b", "c"], "y holds text .*'a'.*to learn classes, use a classifier"),
        ([1.0, "b", 2.0], r"Row 1 of y is 'b' \(str\)"),
        ([1.0, 1j, 2.0], "Complex data not supported"),
        (np.array(["2024"] * 3, dtype="M8[D]"), "convert it to a number"),
        (np.ma.array([1.0, 2.0, 3.0], mask=[0, 0, 1]), "Row 2 of y is masked"),
        ([[1], [2, 3], [4]], "y cannot be read as an array"),
        (scipy.sparse.csr_array(np.eye(3)), r"y is a sparse matrix.*toarray\(\)"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_bad_regression_target_is_an_error_naming_row_and_value(y, message):
    with pytest.raises(InputError, match=message):
        regression_target(y, 3)


@pytest.mark.parametrize("role", [regression_target, class_target])
def test_no_target_is_an_error_in_scikit_learns_words(role):
    with pytest.raises(InputError, match="requires y to be passed, but the target y is None"):
        role(None, 3)


def test_the_largest_float32_is_a_fine_target():
    largest = float(np.finfo(np.float32).max)
    assert_array_equal(regression_target([largest, -largest], 2), np.float32([largest, -largest]))


# ---- classes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("holder", VECTOR_HOLDERS)
@pytest.mark.parametrize(
    "values",
    [[3, 1, 3, 2], [True, False, True, True], ["b", "a", "b", "ab"], [-1.0, 2.0, -1.0, 0.0]],
    ids=str,
)
def test_labels_of_any_holder_become_sorted_classes_and_codes(holder, values):
    classes, codes = class_target(VECTOR_HOLDERS[holder](values), 4)
    assert classes.tolist() == sorted(set(values))
    assert codes.dtype == np.uint32
    assert classes[codes].tolist() == values


whole_numbers = st.sampled_from(["i1", "u1", "i4", "i8", "u8", "f4", "f8", "f2", "U2", "?"])


@given(
    data=st.data(),
    dtype=whole_numbers,
    n_rows=st.integers(2, 40),
)
def test_classes_and_codes_are_those_of_np_unique(data, dtype, n_rows):
    kind = np.dtype(dtype).kind
    elements = st.integers(-500, 500) if kind == "f" else hnp.from_dtype(np.dtype(dtype))
    y = data.draw(hnp.arrays(dtype, n_rows, elements=elements))
    expected, inverse = np.unique(y, return_inverse=True)
    if len(expected) == 1:
        with pytest.raises(InputError, match="one class only"):
            class_target(y, n_rows)
        return
    classes, codes = class_target(y, n_rows)
    assert classes.dtype == y.dtype
    assert_array_equal(classes, expected)
    assert_array_equal(codes, inverse)


def test_objects_that_are_all_numbers_of_one_kind_are_labels_of_that_kind():
    classes, codes = class_target(np.array([2, 1, 2], dtype=object), 3)
    assert (classes.dtype.kind, classes.tolist(), codes.tolist()) == ("i", [1, 2], [1, 0, 1])
    classes, _ = class_target(np.array([True, np.False_], dtype=object), 2)
    assert (classes.dtype.kind, classes.tolist()) == ("b", [False, True])


def test_extreme_integers_are_labels_too():
    y = np.array([np.iinfo(np.int64).max, np.iinfo(np.int64).min, 0])
    classes, codes = class_target(y, 3)
    assert_array_equal(classes[codes], y)
    big = np.array([2**64 - 1, 2**64 - 3], dtype=np.uint64)
    classes, codes = class_target(big, 2)
    assert_array_equal(classes[codes], big)


@pytest.mark.parametrize("label", [7, "spam", True, 1.0])
def test_one_class_only_is_an_error_naming_the_class(label):
    with pytest.raises(InputError, match=f"one class only, {label!r}, in all 3 rows"):
        class_target([label] * 3, 3)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, 0.5, 1.0], "Unknown label type: continuous. Row 1 of y is 0.5.*use a regressor"),
        (np.array([0, 0.5, 1], dtype=object), "Unknown label type: continuous. Row 1"),
        ([0.0, NAN, 1.0], r"Input y contains NaN\. Row 1 is nan"),
        ([0.0, 1.0, INF], "Input y contains infinity.*row 2 is inf"),
        (["a", None, "b"], r"Input y contains NaN\. Row 1 is None"),
        (["a", NAN, "b"], r"Input y contains NaN\. Row 1 is nan"),
        (pd.Series(["a", "b", None]), r"Input y contains NaN\. Row 2 is (nan|None)"),
        (pd.Series([0, 1, None], dtype="Int64"), r"Input y contains NaN\. Row 2"),
        (pd.Series([True, False, None], dtype="boolean"), r"Input y contains NaN\. Row 2 is <NA>"),
        (pl.Series(["a", None, "b"]), r"Input y contains NaN\. Row 1 is None"),
        (["a", 1, "b"], r"Unknown label type: y holds 'a' \(str, row 0\), 1 \(int, row 1\)"),
        (np.array([Decimal(1), Decimal(2), Decimal(1)]), r"Unknown label type.*Decimal"),
        (np.array([b"a", b"b", b"a"]), "Unknown label type: y has dtype |S1"),
        (np.array([1, 2, 3], dtype="m8[s]"), "Unknown label type: y has dtype timedelta"),
        (np.array([np.timedelta64(1, "s"), 2, 3], dtype=object), "Unknown label type.*timedelta"),
        ([0, 1j, 1], "Complex data not supported"),
        ([0, 1], r"inconsistent numbers of samples: \[3, 2\]"),
        (np.eye(3, dtype=int), r"y should be a 1d array, got an array of shape \(3, 3\)"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_bad_labels_are_an_error_naming_row_and_value(y, message):
    with pytest.raises(InputError, match=message):
        class_target(y, 3)


def test_one_column_of_labels_is_accepted_with_a_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        classes, codes = class_target(np.array([["b"], ["a"]]), 2)
    assert classes[codes].tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("classes", "y", "expected"),
    [
        (np.array([1, 3]), [3, 3, 1], [1, 1, 0]),
        (np.array([1, 3]), [3.0, 1.0], [1, 0]),
        (np.array([False, True]), [1, 0], [1, 0]),
        (np.array(["a", "bb"]), pd.Series(["bb", "a"]), [1, 0]),
        (np.array(["a", "bb"], dtype=object), ["bb"], [1]),
        (np.array(["a", "b"]), pl.Series(["b"], dtype=pl.Categorical), [1]),
        (np.array([1, 3]), [], []),
    ],
    ids=str,
)
def test_further_labels_are_encoded_as_in_the_fit(classes, y, expected):
    codes = encode_labels(y, classes)
    assert codes.dtype == np.uint32
    assert codes.tolist() == expected


@pytest.mark.parametrize(
    ("classes", "y", "message"),
    [
        (np.array(["a", "b"]), ["a", "c"], r"Row 1 of y is 'c', a class.*\(it has 'a', 'b'\)"),
        (np.array([1, 2]), ["1", "2"], "Row 0 of y is '1'"),
        (np.arange(9), [0, 9], r"Row 1 of y is 9.*it has 0, 1, 2, 3, 4, \.\.\."),
        (np.array([1, 2]), [1.0, NAN], "Row 1 is nan"),
    ],
    ids=str,
)
def test_a_label_unseen_in_the_fit_is_an_error_naming_it(classes, y, message):
    with pytest.raises(InputError, match=message):
        encode_labels(y, classes)


def test_further_labels_are_counted_when_the_number_of_rows_is_given():
    with pytest.raises(InputError, match=r"\[3, 2\]. X has 3 rows and eval_set\[0\] has 2"):
        encode_labels([1, 2], np.array([1, 2]), n_rows=3, argument="eval_set[0]")


# ---- weights ---------------------------------------------------------------------------------


@pytest.mark.parametrize("holder", VECTOR_HOLDERS)
def test_weights_of_any_holder_become_contiguous_float32(holder):
    weights = row_weights(VECTOR_HOLDERS[holder]([0.0, 2.5, 1.0]), 3)
    assert weights is not None
    assert weights.dtype == np.float32
    assert weights.flags.c_contiguous
    assert_array_equal(weights, [0, 2.5, 1])


def test_no_weights_stay_none():
    assert row_weights(None, 3) is None


@pytest.mark.parametrize("weight", [2, 2.0, np.float32(2), np.array(2)], ids=repr)
def test_a_single_weight_is_every_rows_weight(weight):
    assert_array_equal(row_weights(weight, 3), [2, 2, 2])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -0.5, 1.0], "Row 1 of sample_weight is -0.5: a weight must be finite and not neg"),
        ([1.0, 1.0, NAN], "Row 2 of sample_weight is nan"),
        ([INF, 1.0, 1.0], "Row 0 of sample_weight is inf"),
        ([1.0, 1e39, 1.0], r"Row 1 of sample_weight is 1e\+39"),
        (-1.0, "Row 0 of sample_weight is -1.0"),
        ([1.0, None, 1.0], "Row 1 of sample_weight is nan"),
        ([1.0] * 6, r"sample_weight has shape \(6,\), but X has 3 rows.*shape \(3,\)"),
        (np.ones((3, 2)), r"sample_weight has shape \(3, 2\), but X has 3 rows"),
        (np.ones((3, 1)), r"sample_weight has shape \(3, 1\), but X has 3 rows"),
        ([0, 0, 0], "All weights in sample_weight are zero"),
        ([1e-60, 0, 0], "All weights in sample_weight are zero"),
        (0, "All weights in sample_weight are zero"),
        (["a", "b", "c"], "sample_weight holds text .*pass one number for each row"),
        ("balanced", "sample_weight holds text .*'balanced'.*pass one number for each row"),
        ([1.0, {}, 1.0], r"Row 1 of sample_weight is \{\} \(dict\)"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_bad_weights_are_an_error_naming_row_and_value(weights, message):
    with pytest.raises(InputError, match=message):
        row_weights(weights, 3)


def test_the_users_arrays_are_never_written_to():
    y, weights = np.array([3.0, 1.0]), np.array([1.0, 2.0])
    for array in (y, weights):
        array.setflags(write=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        regression_target(y, 2)
        class_target(y, 2)
        row_weights(weights, 2)

"""Spoilt files, even with a right checksum, are refused or safe to predict with."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import warnings
from typing import Any

import numpy as np
import pytest

from ocelotboost.errors import ModelFileError
from ocelotboost.estimator.load import estimator_of
from ocelotboost.model import file as model_file
from ocelotboost.model.check_model import validate
from ocelotboost.model.file import dumps, loads
from ocelotboost.model.file_arrays import arrays_of
from ocelotboost.model.file_json import write_json
from ocelotboost.model.trained import TrainedModel
from ocelotboost.predict.predictor import make_predictor
from tests.model.forests import N_FEATURES, rows_of
from tests.model.models import FORMS, TINY, TINY_CATEGORIES, TINY_DATES, assert_same

TINY_MODELS = {"numbers": TINY, "categories": TINY_CATEGORIES, "dates": TINY_DATES}


def mutate(data: bytes, random: np.random.Generator) -> bytes:
    changed = bytearray(data)
    kind = random.integers(0, 6)
    for _ in range(int(random.integers(1, 4))):
        place = int(random.integers(0, len(changed)))
        if kind == 0:
            changed[place] ^= 1 << int(random.integers(0, 8))
        elif kind == 1:
            changed[place] = int(random.integers(0, 256))
        elif kind == 2:
            changed[place:place] = random.bytes(int(random.integers(1, 9)))
        elif kind == 3:
            del changed[place : place + int(random.integers(1, 9))]
        elif kind == 4:
            token = random.choice([b"0", b"1", b" ", b"-", b"e9", b'"', b"[", b"}", b",", b"null"])
            changed[place:place] = bytes(token)
        else:
            return bytes(changed[:place])
    return bytes(changed)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TINY_MODELS)
def test_thousands_of_mutated_files_are_refused_or_the_same_model(form: str, kind: str) -> None:
    tiny = TINY_MODELS[kind]
    data = dumps(tiny, form)
    random = np.random.default_rng(2024)
    refused = 0
    for _ in range(5000):
        mutated = mutate(data, random)
        try:
            found = loads(mutated)
        except ModelFileError:
            refused += 1
        else:
            assert_same(found, tiny)
    assert refused > 4000  # the mutations bite


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TINY_MODELS)
def test_every_single_flipped_bit_is_refused_or_harmless(form: str, kind: str) -> None:
    tiny = TINY_MODELS[kind]
    data = dumps(tiny, form)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << (place % 8)
        try:
            found = loads(bytes(changed))
        except ModelFileError:
            continue
        assert_same(found, tiny)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", TINY_MODELS)
def test_every_truncation_is_refused(form: str, kind: str) -> None:
    data = dumps(TINY_MODELS[kind], form)
    data = data.rstrip(b"\n") if form == "json" else data
    for length in range(len(data)):
        with pytest.raises(ModelFileError):
            loads(data[:length])


JUNK: list[Any] = [
    None, True, -1, 10**400, 1.5, "", "NaN", [], [1], [[]], {}, {"a": 1}, {"dtype": "U9"},
    {"dtype": "int8", "values": [1, 1]}, {"dtype": "int8", "values": [1, 10**30]},
    {"dtype": "bool", "values": [0, 1]}, {"dtype": "object", "values": [[1], None]},
    {"dtype": "float64", "values": ["x", 1]}, {"a": {"b": "c"}}, {"a": {"b": [None]}},
]  # fmt: skip


def test_junk_with_a_right_checksum_is_refused_or_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file made on purpose can have any checksum: the content must be checked all the same."""
    monkeypatch.setattr(model_file, "checksum", lambda fields, arrays: fields["sha256"])
    original = dumps_unsigned(TINY)
    for field in original:
        for junk in JUNK:
            accept_only_valid({**original, field: junk})
    for field, own in original.items():
        for name in own if isinstance(own, dict) else ():
            for junk in JUNK:
                accept_only_valid({**original, field: {**own, name: junk}})
                accept_only_valid({**original, field: {**own, str(junk): own[name]}})
    for field in ("feature_names", "dropped_parameters", "kind", "loss"):
        for junk in ("ab", "a", ["a", "a"], ["a", 1], "Quantile:alpha=7", "custom:x", "MultiClass"):
            accept_only_valid({**original, field: junk})
    for name in ("priors", "cat_features", "class_weights", "nan_mode", "random_state", "n_jobs"):
        for junk in [
            *JUNK,
            {"pairs": 3},
            {"pairs": [1]},
            {"pairs": [[[], 1]]},
            {"pairs": [[1, 2]]},
        ]:
            accept_only_valid({**original, "parameters": {name: junk}})
    for field in original["trees"][0]:
        for junk in JUNK:
            trees = [{**original["trees"][0], field: junk}, original["trees"][1]]
            accept_only_valid({**original, "trees": trees})
            content = original["trees"][0][field]
            trees[0] = {**original["trees"][0], field: [junk, *content[1:]]}
            accept_only_valid({**original, "trees": trees})
    for junk in JUNK:
        accept_only_valid({**original, "trees": [junk]})


def test_junk_in_categories_is_refused_or_safe_to_predict_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model_file, "checksum", lambda fields, arrays: fields["sha256"])
    original = dumps_unsigned(TINY_CATEGORIES)
    junk_numbers = [0, 1, 2, 5, 6, 9, 2**32, 1e-310, 1e308, -0.5, "ff" * 8, "FF" * 8, "0" * 15]
    for part in ("categorical", "indicators", "statistic_tables", "statistic_columns"):
        first, rest = original[part][0], original[part][1:]
        for junk in [*JUNK, *junk_numbers]:
            accept_only_valid({**original, part: junk})
            accept_only_valid({**original, part: [junk, *rest]})
            for field in first if isinstance(first, dict) else ():
                accept_only_valid({**original, part: [{**first, field: junk}, *rest]})
                if isinstance(first[field], list):
                    content = [junk, *first[field][1:]]
                    accept_only_valid({**original, part: [{**first, field: content}, *rest]})


def dumps_unsigned(model: TrainedModel) -> dict[str, Any]:
    document = {"sha256": "", **json.loads(_without_checksum(model))}
    assert_same(loads(json.dumps(document).encode()), model)
    return document


def _without_checksum(model: TrainedModel) -> bytes:
    return write_json(model_file._fields_of(model), arrays_of(model.forest))


def accept_only_valid(document: dict[str, Any]) -> None:
    """Refused, or safe: prediction trusts what was accepted."""
    with contextlib.suppress(ModelFileError), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about users' own losses
        model = loads(json.dumps(document).encode())
        validate(model)
        estimator = estimator_of(model, "junk")
        assert estimator.n_iter_ == model.forest.n_trees
        estimator.describe("all")
        if model.n_features == N_FEATURES:
            raw = make_predictor(model.forest).raw(rows_of(0, 5), 1)
            assert raw.shape == (1, 5)
            assert np.isfinite(raw).all()
        for form in FORMS:
            assert_same(
                loads(dumps(model, form)), dataclasses.replace(model, forest=model.forest.pruned())
            )

"""Models in files: written whole or not at all, checked when read, never executed.

Two forms hold the same (docs/model_format.md has every field):

    .ocelot   safetensors: the forest's arrays, and one JSON text with the rest
    .json     the same as strict JSON, one line per tree, for people and other languages

Reading goes bytes -> (fields, arrays) -> checksum -> TrainedModel -> validate, whichever the form.
"""

from __future__ import annotations

import dataclasses
import errno
import functools
import hashlib
import importlib.metadata
import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.errors import ModelFileError, ParameterError
from ocelotboost.model.check_model import validate
from ocelotboost.model.file_arrays import (
    CATEGORY_FIELDS,
    RESTORE,
    Arrays,
    Fields,
    arrays_of,
    category_fields_of,
    forest_of,
    listed,
    training_arrays_of,
    training_of,
)
from ocelotboost.model.file_derivation import derivation_fields, derivation_of
from ocelotboost.model.file_json import (
    FOREST_PARTS,
    exactly,
    float_array,
    floats_from_json,
    floats_to_json,
    read_parts,
    strict_json,
    write_json,
)
from ocelotboost.model.file_safetensors import (
    is_safetensors,
    read_safetensors,
    write_safetensors,
)
from ocelotboost.model.file_writing import write_file
from ocelotboost.model.plain_values import plain_parameters
from ocelotboost.model.trained import NUMBER_LABELS, Choice, Resolved, TrainedModel

#: Of models without dates and derived columns, which an older version can read, and of others.
FORMAT, DERIVED_FORMAT = 3, 4

_BEGINNING = 80  # bytes that tell what a file is
_MOST_LABEL_CHARACTERS = 1 << 26  # every label of an array takes as much as the longest

FilePath = str | os.PathLike[str]

_FIELDS = (
    "format", "ocelotboost", "sha256", "kind", "loss", "feature_names", "classes",
    "parameters", "dropped_parameters", "resolved", "history", "best_iteration", "watched",
    "n_init_trees", "choices",
)  # fmt: skip
_DERIVED_FIELDS = ("times", "derived")
_SIGNS_OF_DAMAGE = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip
_FOREIGN = (
    (b"\x80", "a Python pickle"),
    (b"\x89PNG", "a PNG image"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"CBM1", "a CatBoost model"),
    (b"tree\n", "a LightGBM model"),
)


def save_model(model: TrainedModel, path: FilePath, format: str = "auto") -> None:
    """Write a model; a file that was there before survives unless the new one is complete.

    format  "json", "safetensors", or "auto": JSON when the path ends in .json, else safetensors
    """
    name = os.fsdecode(path)
    if format == "auto":
        format = "json" if name.lower().endswith(".json") else "safetensors"
    write_file(name, dumps(model, format))


def load_trained(path: FilePath) -> TrainedModel:
    """Read a model in either form; the content decides which form it is, not the name."""
    name = os.fsdecode(path)
    if os.path.isdir(name):
        raise ModelFileError(f"Cannot load {name!r}: it is a folder. Give a model file in it.")
    try:
        with open(name, "rb") as file:
            beginning = file.read(_BEGINNING)
            rest = file.read() if _is_ours(beginning) else b""
    except FileNotFoundError:
        problem = "There is no model file here; check the path"
        raise FileNotFoundError(errno.ENOENT, problem, name) from None
    return _decode(beginning + rest, repr(name))


def dumps(model: TrainedModel, format: str = "safetensors") -> bytes:
    """A model as bytes, "safetensors" or "json"; equal models give equal bytes.

    What no tree uses is left out.
    """
    if format not in ("safetensors", "json"):
        raise ParameterError(
            f"format is {format!r}; a model is saved as 'safetensors' or 'json' "
            "('auto' decides by the file's name)."
        )
    try:
        validate(model)
    except ModelFileError as problem:
        raise ModelFileError(f"Cannot save the model: {problem}.") from problem
    model = dataclasses.replace(model, forest=model.forest.pruned())
    fields = _fields_of(model)
    arrays = {**arrays_of(model.forest), **training_arrays_of(model.training)}
    fields["sha256"] = checksum(fields, arrays)
    return write_json(fields, arrays) if format == "json" else write_safetensors(fields, arrays)


def loads(data: bytes) -> TrainedModel:
    """The model that ``dumps`` made these bytes of."""
    return _decode(bytes(data), "these bytes")


def _decode(data: bytes, source: str) -> TrainedModel:
    try:
        fields, arrays = _parse(data)
        if checksum(fields, arrays) != fields["sha256"]:
            raise ModelFileError(f"the content does not match its checksum. {RESTORE}")
        return _model_of(fields, arrays)
    except ModelFileError as problem:
        raise ModelFileError(f"Cannot load {source}: {problem}") from problem
    except _SIGNS_OF_DAMAGE as problem:
        found = f"{type(problem).__name__}: {str(problem)[:200]}"
        text = f"Cannot load {source}: it is damaged ({found}). {RESTORE}"
        raise ModelFileError(text) from problem


def _parse(data: bytes) -> tuple[Fields, Arrays]:
    if is_safetensors(data):
        return read_safetensors(data, _check_safetensors_fields)
    if _is_json(data):
        return _read_json(data)
    if not data:
        raise ModelFileError(f"it is empty. {RESTORE}")
    likely = [what for beginning, what in _FOREIGN if data.startswith(beginning)]
    looks = f" and looks like {likely[0]}" if likely else ""
    raise ModelFileError(
        f"it is not a model of Ocelot: it begins with {data[:8]!r}{looks}. "
        "Give a file that save_model wrote."
    )


def _is_json(data: bytes) -> bool:
    return data[:_BEGINNING].lstrip()[:1] == b"{"


def _is_ours(beginning: bytes) -> bool:
    return is_safetensors(beginning) or _is_json(beginning)


def _check_safetensors_fields(fields: Any) -> None:
    _check_fields(fields, CATEGORY_FIELDS, "a safetensors file")


def _check_fields(fields: Any, own: Iterable[str], form: str, optional: Iterable[str] = ()) -> None:
    """Is it ours, can this version read it, and are all fields there and no others?

    own  the fields of this form alone
    """
    if not isinstance(fields, dict) or not {"ocelotboost", "format"} <= fields.keys():
        raise ModelFileError(
            f"it is {form}, but not a model of Ocelot: the fields 'ocelotboost' and 'format' are "
            "missing. Give a file that save_model wrote."
        )
    number = fields["format"]
    if type(number) is not int or number < 1:
        raise ModelFileError(f"its format is {number!r}, not a number from 1. {RESTORE}")
    if number > DERIVED_FORMAT:
        raise ModelFileError(
            f"it has format {number}, written by ocelotboost {fields['ocelotboost']}, but this "
            f"version reads formats up to {DERIVED_FORMAT}. Update with: pip install --upgrade "
            "ocelot-boost"
        )
    if number < FORMAT:
        raise ModelFileError(
            f"it has format {number}, which only versions before the first release wrote. This "
            "version does not read it; train the model again."
        )
    derived = _DERIVED_FIELDS if number == DERIVED_FORMAT else ()
    wrong = (fields.keys() - {*optional}) ^ {*_FIELDS, *derived, *own}
    if wrong:
        raise ModelFileError(f"these fields are missing or unknown: {listed(wrong)}. {RESTORE}")


def _fields_of(model: TrainedModel) -> Fields:
    parameters, dropped = plain_parameters(model.parameters)
    derivation = model.forest.derivation
    return {
        "format": DERIVED_FORMAT if derivation else FORMAT,
        "ocelotboost": version(),
        "sha256": "",
        "kind": model.kind,
        "loss": model.loss,
        "feature_names": None if model.feature_names is None else list(model.feature_names),
        "classes": None if model.classes is None else _labels_to_json(model.classes),
        "parameters": parameters,
        "dropped_parameters": sorted({*model.dropped_parameters, *dropped}),
        "resolved": dataclasses.asdict(model.resolved),
        "history": {
            data_set: {metric: floats_to_json(values) for metric, values in metrics.items()}
            for data_set, metrics in model.history.items()
        },
        "best_iteration": model.best_iteration,
        "watched": None if model.watched is None else list(model.watched),
        "n_init_trees": model.n_init_trees,
        "choices": {name: dataclasses.asdict(own) for name, own in model.choices.items()},
        **category_fields_of(model.forest),
        **(derivation_fields(derivation) if derivation else {}),
    }


def _model_of(fields: Fields, arrays: Arrays) -> TrainedModel:
    names, classes = fields["feature_names"], fields["classes"]
    strange = plain_parameters(exactly(dict, fields["parameters"]))[1]
    if strange:
        raise ValueError(f"parameters that no model has: {listed(strange)}")
    model = TrainedModel(
        forest=dataclasses.replace(forest_of(arrays, fields), derivation=derivation_of(fields)),
        kind=fields["kind"],
        loss=fields["loss"],
        feature_names=None if names is None else tuple(exactly(list, names)),
        classes=None if classes is None else _labels_from_json(classes),
        parameters=fields["parameters"],
        resolved=Resolved(**fields["resolved"]),
        history={
            data_set: {
                metric: floats_from_json(exactly(list, values))
                for metric, values in metrics.items()
            }
            for data_set, metrics in fields["history"].items()
        },
        best_iteration=fields["best_iteration"],
        watched=None if fields["watched"] is None else tuple(fields["watched"]),
        n_init_trees=fields["n_init_trees"],
        dropped_parameters=tuple(exactly(list, fields["dropped_parameters"])),
        choices={name: Choice(**own) for name, own in exactly(dict, fields["choices"]).items()},
        training=training_of(arrays),
    )
    try:
        validate(model)
    except ModelFileError as problem:
        raise ModelFileError(f"{problem}. {RESTORE}") from problem
    return model


def checksum(fields: Fields, arrays: Arrays) -> str:
    """sha256 of all fields but itself, as JSON with sorted keys and no spaces, then all arrays."""
    signed = {key: value for key, value in fields.items() if key != "sha256"}
    text = json.dumps(signed, sort_keys=True, separators=(",", ":"), allow_nan=False)
    digest = hashlib.sha256(text.encode("ascii"))
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\n{name} {array.dtype.name} {list(array.shape)}\n".encode())
        digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    return digest.hexdigest()


@functools.cache
def version() -> str:
    try:
        return importlib.metadata.version("ocelot-boost")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _read_json(data: bytes) -> tuple[Fields, Arrays]:
    try:
        document = strict_json(data)
    except ValueError as problem:
        raise ModelFileError(
            f"it begins like JSON but is not, or is cut short ({problem}). {RESTORE}"
        ) from problem
    _check_fields(document, FOREST_PARTS, "JSON", optional=("training",))
    arrays = read_parts(document)
    return document, arrays


def _labels_to_json(classes: NDArray[Any]) -> dict[str, Any]:
    dtype = "str" if classes.dtype.kind in "UT" else classes.dtype.name
    values = classes.tolist()
    return {"dtype": dtype, "values": floats_to_json(values) if "float" in dtype else values}


def _labels_from_json(classes: dict[str, Any]) -> NDArray[Any]:
    if classes.keys() != {"dtype", "values"}:
        raise ValueError(f"classes have the fields {sorted(classes)}")
    dtype, values = classes["dtype"], exactly(list, classes["values"])
    if dtype == "str":
        longest = max((len(exactly(str, label)) for label in values), default=0)
        if longest * len(values) > _MOST_LABEL_CHARACTERS:
            raise ValueError(f"{len(values)} class labels of up to {longest} characters")
        return np.array(values, dtype=np.str_)
    if dtype == "object":
        labels = np.empty(len(values), dtype=object)
        labels[:] = values
        return labels
    if dtype not in NUMBER_LABELS:
        raise TypeError(f"class labels of dtype {dtype!r}")
    if "float" in dtype:
        return float_array(values).astype(dtype)
    kind = bool if dtype == "bool" else int
    return np.array([exactly(kind, label) for label in values], dtype=dtype)

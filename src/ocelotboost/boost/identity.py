"""What a training is begun with: digests of the data, and parameters. A snapshot goes on only where
both are the same; otherwise the model would be neither the one nor the other."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocelotboost.boost.evaluation import EvalSet
from ocelotboost.boost.training_set import TrainingSet
from ocelotboost.errors import SnapshotError
from ocelotboost.loss.base import Floats
from ocelotboost.quantize.quantizer import Quantizer

#: Compared by themselves.
_MAY_DIFFER = ("iterations", "learning_rate")

_START_ANEW = "or remove the file to start anew."


@dataclass(frozen=True)
class Identity:
    """Of one training.

    counts      rows and columns
    data        by what it is, as a message calls it: a digest
    parameters  resolved, as JSON holds them; those of a run are left out
    """

    counts: dict[str, int]
    data: dict[str, str]
    parameters: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"counts": self.counts, "data": self.data, "parameters": self.parameters}


def identify(
    training: TrainingSet,
    eval_sets: Sequence[EvalSet],
    quantizer: Quantizer,
    names: Sequence[str] | None,
    start: Floats,
    more_of_target: Any,
    parameters: Mapping[str, Any],
) -> Identity:
    """``names`` are those of the columns; ``start`` the raw predictions that training begins with.
    ``more_of_target`` is what the encoded target does not tell of the user's, as its labels."""
    n_features = len(quantizer.categorical)
    statistics = training.statistics
    source = None if statistics is None else statistics.source
    target: list[Any] = [training.target, repr(more_of_target)]
    weight: list[Any] = [training.weight]
    times: list[Any] = [training.orderings]
    if source is not None:
        target.append(source.targets.values)
        weight.append(source.weight)
        times.append(source.orderings)
    return Identity(
        counts={"rows": training.block.n_rows, "columns": n_features},
        data={
            "the names of the columns of X": _digest(repr(names)),
            **_columns(training, quantizer, names),
            "y": _digest(*target),
            "sample_weight": _digest(*weight),
            "the order or times of the rows": _digest(*times),
            "init_model, or the start value": _digest(start),
            **{f"the eval set {own.name!r}": _digest(*_parts(own)) for own in eval_sets},
        },
        parameters=dict(parameters),
    )


def _columns(
    training: TrainingSet, quantizer: Quantizer, names: Sequence[str] | None
) -> dict[str, str]:
    """A digest for each column of X: its bins and borders, or its categories."""
    n_features = len(quantizer.categorical)
    parts: list[list[Any]] = [[bool(c)] for c in quantizer.categorical]
    owners = [*range(n_features), *quantizer.indicators.columns.tolist()]
    for column, owner in enumerate(owners):
        bins = training.block.bins(column)
        parts[owner] += [bins, quantizer.borders[column], quantizer.missing[column : column + 1]]
    if training.statistics is not None:
        data = training.statistics.source.data
        for line, feature in enumerate(data.features):
            parts[feature] += [data.codes[line], data.hashes[line]]
    titles = [repr(name) for name in names] if names is not None else map(str, range(n_features))
    return {
        f"the column {title} of X": _digest(*own) for title, own in zip(titles, parts, strict=True)
    }


def _parts(own: EvalSet) -> list[Any]:
    return [own.binned.slots, own.target, own.weight, own.raw, *own.row_hashes.values()]


def _digest(*parts: NDArray[Any] | str | bool | None) -> str:
    found = hashlib.blake2b(digest_size=12)
    for part in parts:
        if isinstance(part, np.ndarray):
            found.update(f"{part.dtype.name} {part.shape}\n".encode())
            found.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
        else:
            found.update(f"{part}\n".encode())
    return found.hexdigest()


# ---- comparison ------------------------------------------------------------------------------


def check_identity(stored: dict[str, Any], given: Identity, n_trees: int, path: str) -> None:
    """Raise SnapshotError for the first thing that differs. More ``iterations`` are allowed, and
    so are fewer as long as they are not less than the snapshot's trees."""
    try:
        _check_counts(stored["counts"], given.counts)
        _check_parameters(stored["parameters"], given.parameters, n_trees)
        _check_data(stored["data"], given.data)
        _check_rate(stored["parameters"], given.parameters)
    except SnapshotError as problem:
        raise SnapshotError(f"Cannot go on from the snapshot {path!r}: {problem}") from None


def _check_counts(stored: Mapping[str, int], given: Mapping[str, int]) -> None:
    for what, count in given.items():
        if stored[what] != count:
            raise SnapshotError(
                f"it is of a training with {stored[what]} {what}, and X has {count}. Give the "
                f"same data, {_START_ANEW}"
            )


def _check_parameters(stored: Mapping[str, Any], given: Mapping[str, Any], n_trees: int) -> None:
    if given["iterations"] < n_trees:
        raise SnapshotError(
            f"it has {n_trees} trees already, and iterations={given['iterations']} asks for fewer. "
            f"Give at least {n_trees}, {_START_ANEW}"
        )
    for name in dict.fromkeys([*given, *stored]):
        if name not in _MAY_DIFFER and stored.get(name) != given.get(name):
            raise SnapshotError(
                f"it is of a training with {name}={stored.get(name)!r}, and now it is "
                f"{given.get(name)!r}. Give the same parameters, {_START_ANEW}"
            )


def _check_data(stored: Mapping[str, str], given: Mapping[str, str]) -> None:
    for what in [*given, *stored]:
        if stored.get(what) != given.get(what):
            known = f"{what} is not what it was when the training began"
            if what not in stored:
                known = f"the training was begun without {what}"
            elif what not in given:
                known = f"the training was begun with {what}, which is missing now"
            raise SnapshotError(f"{known}. Give the same data, {_START_ANEW}")


def _check_rate(stored: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Both are resolved. All that they can still depend on is the number of iterations."""
    before, now = stored["learning_rate"], given["learning_rate"]
    if before == now:
        return
    if stored["iterations"] != given["iterations"]:
        raise SnapshotError(
            f"it is of a training with iterations={stored['iterations']}, and now they are "
            f"{given['iterations']}, from which the automatic learning rate follows: it was "
            f"{before:g} and would be {now:g}. Give learning_rate={before!r}, {_START_ANEW}"
        )
    raise SnapshotError(
        f"it is of a training with learning_rate={before!r}, and now it is {now!r}. Give the same "
        f"parameters, {_START_ANEW}"
    )

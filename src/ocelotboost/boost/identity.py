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
from ocelotboost.boost.training_set import Digests, HeldRows, TrainingSet
from ocelotboost.errors import SnapshotError
from ocelotboost.order.statistic_rows import StatisticRows
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
    start: Sequence[Any],
    more_of_target: Any,
    parameters: Mapping[str, Any],
) -> Identity:
    """``names`` are those of the columns; ``start`` tells what training begins with.
    ``more_of_target`` is what the encoded target does not tell of the user's, as its labels."""
    held = training.holder.digests()
    return Identity(
        counts={"rows": training.n_rows, "columns": len(quantizer.categorical)},
        data={
            "the names of the columns of X": digest(repr(names)),
            **_columns(held, quantizer, names),
            "y": digest(training.target, repr(more_of_target), *_told(held, "targets")),
            "sample_weight": digest(training.weight, *_told(held, "weights")),
            "the order or times of the rows": digest(training.orderings, *_told(held, "times")),
            "init_model, or the start value": digest(*start),
            **{f"the eval set {own.name!r}": digest(*_parts(own)) for own in eval_sets},
        },
        parameters=dict(parameters),
    )


def held_digests(rows: HeldRows) -> list[Digests]:
    """Of each parcel, and of the rows that are history only."""
    found = [_digests_of(rows, places) for places in rows.parcels.slices]
    if rows.statistics is not None:
        source = rows.statistics.source
        history = slice(rows.n_rows, source.data.n_rows)
        found.append(
            {**_of_statistics(rows.statistics, history), "times": digest(*source.orderings)}
        )
    return found


def _digests_of(rows: HeldRows, places: slice) -> Digests:
    bins = {f"column {c}": digest(rows.block.bins(c)[places]) for c in range(rows.block.n_columns)}
    own = {} if rows.statistics is None else _of_statistics(rows.statistics, places)
    return {**bins, **own}


def _of_statistics(statistics: StatisticRows, places: slice) -> Digests:
    source = statistics.source
    data = source.data
    categories = {
        f"category {feature}": digest(hashes.take(codes[places]))
        for feature, hashes, codes in zip(data.features, data.hashes, data.codes, strict=True)
    }
    weight = None if source.weight is None else source.weight[places]
    targets = digest(source.targets.values[:, places])
    return {**categories, "targets": targets, "weights": digest(weight)}


def _told(held: Sequence[Digests], what: str) -> list[str]:
    """What all parcels say of something, in their order."""
    return [own[what] for own in held if what in own]


def _columns(
    held: Sequence[Digests], quantizer: Quantizer, names: Sequence[str] | None
) -> dict[str, str]:
    """A digest for each column of X: its bins and borders, or its categories."""
    n_features = len(quantizer.categorical)
    parts: list[list[Any]] = [[bool(c)] for c in quantizer.categorical]
    owners = [*range(n_features), *quantizer.indicators.columns.tolist()]
    for column, owner in enumerate(owners):
        parts[owner] += _told(held, f"column {column}")
        parts[owner] += [quantizer.borders[column], quantizer.missing[column : column + 1]]
    for feature, own in enumerate(parts):
        own += _told(held, f"category {feature}")
    titles = [repr(name) for name in names or ()]
    titles += [str(position) for position in range(len(titles), n_features)]  # derived ones too
    return {
        f"the column {title} of X": digest(*own) for title, own in zip(titles, parts, strict=True)
    }


def _parts(own: EvalSet) -> list[Any]:
    return [own.binned.slots, own.target, own.weight, own.raw, *own.row_hashes.values()]


def digest(*parts: NDArray[Any] | str | bool | None) -> str:
    """Of arrays and texts."""
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

"""The file of a snapshot: safetensors, as a model file is, so that reading it executes nothing.

splits        int32 (n_splits, 2): feature, by its position in the list of features, and bin; tree
              after tree
depths        int32 (n_trees,) splits of each tree
leaf_values   float64 (n_leaves of all trees, n_outputs)
leaf_weights  float64 (n_leaves of all trees,)
history       float64 (n_curves, n_trees)
raw.…         float64: raw predictions, by name
moves.…       splits, depths and leaf values of what was added to all models, where their raw
              predictions are elsewhere (docs/scale.md)
text          JSON, in the metadata: all else, as the features that trees ask about
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from ocelotboost.boost.state import Moment, Moves
from ocelotboost.boost.tree import GrownTree
from ocelotboost.errors import SnapshotError
from ocelotboost.model.file import checksum, version
from ocelotboost.order.feature import Feature, Split, feature_from_json

FORMAT = 2

_TEXT = "ocelotboost"
_RAW = "raw."
_START_ANEW = "Remove the file, or give another name, to start anew."
_SIGNS_OF_DAMAGE = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
    safetensors.SafetensorError,
)  # fmt: skip

Arrays = dict[str, NDArray[Any]]
Curves = dict[tuple[str, str], list[float]]


@dataclass(frozen=True)
class Stored:
    """A training between two trees, as a file holds it.

    identity  what the training was begun with, as JSON (boost/identity.py)
    entropy   what its seeds were drawn from
    moment    with copies of the raw predictions
    curves    the history, by names of data set and metric
    stopped   a callback has ended it
    moves     what the trees have added, where it has to be added again
    """

    identity: dict[str, Any]
    entropy: int
    moment: Moment
    trees: list[GrownTree]
    curves: Curves
    stopped: bool
    n_outputs: int
    moves: list[Moves]


def to_bytes(stored: Stored) -> bytes:
    features = _features_of([*stored.trees, *stored.moves])
    moment = stored.moment
    fields = {
        "snapshot": FORMAT,
        "ocelotboost": version(),
        "sha256": "",
        "identity": stored.identity,
        "entropy": stored.entropy,
        "generators": moment.generators,
        "seconds": moment.seconds,
        "stopped": stored.stopped,
        "curves": [list(names) for names in stored.curves],
        "features": [feature.to_json() for feature in features],
        "n_outputs": stored.n_outputs,
        "moves": [[list(own.shape) for own in moves.values] for moves in stored.moves],
    }
    arrays = {
        **_tree_arrays(stored.trees, features, stored.n_outputs),
        **_move_arrays(stored.moves, features),
        "history": np.array(list(stored.curves.values()), dtype=np.float64),
        **{_RAW + name: raw for name, raw in moment.raw.items()},
    }
    fields["sha256"] = checksum(fields, arrays)
    return safetensors.numpy.save(arrays, metadata={_TEXT: json.dumps(fields)})


def from_bytes(data: bytes, path: str) -> Stored:
    """The training that ``to_bytes`` was given."""
    try:
        fields, arrays = _parse(data)
        if checksum(fields, arrays) != fields["sha256"]:
            raise SnapshotError(f"its content does not match its checksum. {_START_ANEW}")
        return _stored(fields, arrays)
    except SnapshotError as problem:
        raise SnapshotError(f"Cannot go on from the snapshot {path!r}: {problem}") from None
    except _SIGNS_OF_DAMAGE as problem:
        found = f"{type(problem).__name__}: {str(problem)[:200]}"
        raise SnapshotError(
            f"Cannot go on from the snapshot {path!r}: it is damaged or not a snapshot ({found}). "
            + _START_ANEW
        ) from problem


def _parse(data: bytes) -> tuple[dict[str, Any], Arrays]:
    end = 8 + int.from_bytes(data[:8], "little")
    if data[8:9] != b"{" or end > len(data):
        raise SnapshotError(f"it is cut short, or not a snapshot. {_START_ANEW}")
    metadata = json.loads(data[8:end]).get("__metadata__", {})
    fields = json.loads(metadata.get(_TEXT, "{}"))
    if "snapshot" not in fields:
        what = "a model" if "format" in fields else "a safetensors file of something else"
        raise SnapshotError(f"it is {what}. Give another name for the snapshot.")
    if (fields["snapshot"], fields["ocelotboost"]) != (FORMAT, version()):
        raise SnapshotError(
            f"it was written by ocelotboost {fields['ocelotboost']}, and this is {version()}, "
            f"which may train other trees. Go on with that version. {_START_ANEW}"
        )
    return fields, safetensors.numpy.load(data)


def _stored(fields: dict[str, Any], arrays: Arrays) -> Stored:
    features = [feature_from_json(*feature) for feature in fields["features"]]
    trees = _trees(arrays, features)
    raw = {n.removeprefix(_RAW): array for n, array in arrays.items() if n.startswith(_RAW)}
    names = [(data, metric) for data, metric in fields["curves"]]
    return Stored(
        identity=fields["identity"],
        entropy=fields["entropy"],
        moment=Moment(len(trees), fields["generators"], raw, fields["seconds"]),
        trees=trees,
        curves=dict(zip(names, arrays["history"].tolist(), strict=True)),
        stopped=fields["stopped"],
        n_outputs=fields["n_outputs"],
        moves=_moves(arrays, fields["moves"], features),
    )


# ---- trees -----------------------------------------------------------------------------------


def _features_of(trees: Sequence[GrownTree | Moves]) -> dict[Feature, int]:
    """Those that the trees ask about, and their positions in the file's list of them."""
    used = dict.fromkeys(split.feature for tree in trees for split in tree.splits)
    return {feature: position for position, feature in enumerate(used)}


def _move_arrays(moves: Sequence[Moves], features: dict[Feature, int]) -> Arrays:
    splits = [(features[split.feature], split.bin) for own in moves for split in own.splits]
    flat = [values.reshape(-1) for own in moves for values in own.values]
    return {
        "moves.splits": np.array(splits, dtype=np.int32).reshape(-1, 2),
        "moves.depths": np.array([len(own.splits) for own in moves], dtype=np.int32),
        "moves.values": np.concatenate([np.empty(0), *flat]),
    }


def _moves(arrays: Arrays, shapes: list[list[list[int]]], features: list[Feature]) -> list[Moves]:
    found, begin, first = [], 0, 0
    for depth, of_tree in zip(arrays["moves.depths"].tolist(), shapes, strict=True):
        splits = arrays["moves.splits"][first : first + depth].tolist()
        first += depth
        values = []
        for shape in of_tree:
            end = begin + math.prod(shape)
            values.append(arrays["moves.values"][begin:end].reshape(shape))
            begin = end
        found.append(Moves([Split(features[f], bin) for f, bin in splits], values))
    return found


def _tree_arrays(trees: list[GrownTree], features: dict[Feature, int], n_outputs: int) -> Arrays:
    splits = [(features[split.feature], split.bin) for tree in trees for split in tree.splits]
    return {
        "splits": np.array(splits, dtype=np.int32).reshape(-1, 2),
        "depths": np.array([len(tree.splits) for tree in trees], dtype=np.int32),
        "leaf_values": np.concatenate(
            [np.empty((0, n_outputs)), *(tree.leaf_values for tree in trees)]
        ),
        "leaf_weights": np.concatenate([np.empty(0), *(tree.leaf_weights for tree in trees)]),
    }


def _trees(arrays: Arrays, features: list[Feature]) -> list[GrownTree]:
    depths = arrays["depths"]
    first_leaves = np.cumsum(1 << depths)[:-1]
    return [
        GrownTree([Split(features[f], bin) for f, bin in splits.tolist()], values, weights)
        for splits, values, weights in zip(
            np.split(arrays["splits"], np.cumsum(depths)[:-1]),
            np.split(arrays["leaf_values"], first_leaves),
            np.split(arrays["leaf_weights"], first_leaves),
            strict=True,
        )
    ][: len(depths)]  # of no trees, one piece is left

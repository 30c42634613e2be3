"""The options of ``train`` in a small TOML file, which ``--save-config`` writes and ``--config``
reads. What is given on the command line comes first.

    target = "price"
    cat = ["zip"]

    [parameters]
    depth = 6
"""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ocelotboost.cli.parameters import ELSEWHERE, parameters, value_of
from ocelotboost.errors import InputError
from ocelotboost.model.file_writing import write_file

#: Keys outside [parameters], with the types of their values.
KEYS: dict[str, type] = {
    "target": str,
    "task": str,
    "cat": list,
    "num": list,
    "ignore": list,
    "weight": str,
    "group": str,
    "time": str,
    "eval": list,
    "holdout": float,
}


def read_config(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options and training parameters."""
    found = _parsed(path)
    given = found.pop("parameters", {})
    if not isinstance(given, dict):
        raise InputError(f"{path}: write [parameters] as a section of its own.")
    for key, value in found.items():
        if key not in KEYS:
            raise InputError(f"{path}: there is no option {key!r}.{_hint(key, KEYS)}")
        wanted = KEYS[key]
        fits = isinstance(value, (int, float) if wanted is float else wanted)
        if not fits:
            words = {str: "a text", list: "a list", float: "a number"}
            raise InputError(f"{path}: {key} = {value!r} is not possible; give {words[wanted]}.")
    declared = {n: own for n, own in parameters().items() if n not in ELSEWHERE}
    for key in given:
        if key not in declared:
            raise InputError(f"{path}: there is no parameter {key!r}.{_hint(key, declared)}")
    return found, {key: value_of(declared[key], value) for key, value in given.items()}


def _parsed(path: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    file = Path(path)
    if not file.is_file():
        raise InputError(f"There is no file {path!r}; `ocelot train --save-config` writes one.")
    try:
        found: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from error
    return found


def _hint(key: str, known: Mapping[str, Any]) -> str:
    from ocelotboost.estimator.hints import did_you_mean

    aliases = {name: getattr(own, "aliases", ()) for name, own in known.items()}
    meant = did_you_mean(key, aliases) or difflib.get_close_matches(key, known, n=1)
    return f" Did you mean {meant[0]!r}?" if meant else f" There are {', '.join(known)}."


def write_config(path: str, options: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """What ``read_config`` reads as the same."""
    lines = ["# Options of `ocelot train`; read by --config.", ""]
    lines += [f"{key} = {_toml(options[key])}" for key in KEYS if options.get(key)]
    lines += ["", "[parameters]"]
    lines += [f"{key} = {_toml(value)}" for key, value in given.items() if value is not None]
    write_file(path, ("\n".join(lines) + "\n").encode())


def _toml(value: Any) -> str:
    """Texts in JSON are texts in TOML, and so are numbers and lists."""
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(str(key))} = {_toml(own)}" for key, own in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)

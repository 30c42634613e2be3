"""CatBoost's column descriptions: a file that says what each column of another file is.

    0<tab>Label
    1<tab>Categ<tab>city
    3<tab>Auxiliary

Columns that it does not mention are numbers. The file that it is about has no header, unless
somebody says so.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from ocelotboost.errors import InputError

#: What CatBoost calls it, in small letters -> the role here.
_ROLES = {
    "label": "target",
    "target": "target",
    "num": "number",
    "categ": "category",
    "auxiliary": "ignored",
    "sampleid": "ignored",
    "docid": "ignored",
    "weight": "weight",
    "groupid": "group",
    "queryid": "group",
    "timestamp": "time",
}
_NOT_HERE = ("text", "numvector", "baseline", "groupweight", "subgroupid", "position", "graph")


@dataclass(frozen=True)
class ColumnDescription:
    """roles  by position of the column: "target", "number", "category", "ignored", "weight",
           "group" or "time"
    names  by position, where the file has names
    """

    roles: dict[int, str]
    names: dict[int, str]

    def names_of(self, found: tuple[str, ...] | None, n_columns: int) -> tuple[str, ...]:
        """Names of all columns: those of the description, else of the file, else their numbers."""
        last = max(self.roles, default=-1)
        if last >= n_columns:
            raise InputError(
                f"The column description has a column {last}, but the file has {n_columns} "
                "columns, counted from 0."
            )
        return tuple(
            self.names.get(place, found[place] if found else self._unnamed(place))
            for place in range(n_columns)
        )

    def _unnamed(self, place: int) -> str:
        return "target" if self.roles.get(place) == "target" else f"column_{place}"

    def columns(self, role: str, names: tuple[str, ...]) -> list[str]:
        """The columns that have this role, by name."""
        return [names[place] for place in sorted(self.roles) if self.roles[place] == role]


def read_column_description(path: str) -> ColumnDescription:
    """Read the file, or say which line of it is wrong."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"There is no column description {path!r}.")
    roles: dict[int, str] = {}
    names: dict[int, str] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        where, cells = f"{path}, line {number}", line.rstrip("\n").split("\t")
        place = _place(cells[0], where)
        if place in roles:
            raise InputError(f"{where}: column {place} was described before.")
        roles[place] = _role(cells[1].strip() if len(cells) > 1 else "", where)
        if len(cells) > 2 and cells[2].strip():
            names[place] = cells[2].strip()
    for role in ("target", "weight", "group", "time"):
        if list(roles.values()).count(role) > 1:
            raise InputError(f"{path} has two columns for the {role}: keep one.")
    return ColumnDescription(roles, names)


def _place(text: str, where: str) -> int:
    try:
        place = int(text)
    except ValueError:
        place = -1
    if place < 0:
        raise InputError(
            f"{where}: {text!r} is not the number of a column, counted from 0. A line is: number, "
            "tab, type, and perhaps tab and name."
        )
    return place


def _role(text: str, where: str) -> str:
    role = _ROLES.get(text.lower())
    if role is not None:
        return role
    if text.lower() in _NOT_HERE:
        raise InputError(
            f"{where}: columns of type {text} are not supported; write Auxiliary to ignore it."
        )
    known = ["Label", "Num", "Categ", "Auxiliary", "SampleId", "Weight", "GroupId", "Timestamp"]
    close = difflib.get_close_matches(text, known, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Types are {', '.join(known)}."
    raise InputError(f"{where}: there is no type {text!r}. {hint}")

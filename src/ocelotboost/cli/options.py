"""Options that several commands have: files, columns, formats."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Annotated, Any

import typer

from ocelotboost.cli.signatures import with_options
from ocelotboost.files.formats import KINDS
from ocelotboost.files.reading import FileOptions

FILES, COLUMNS = "Files", "Columns"


def complete_kind(incomplete: str) -> list[str]:
    return [kind for kind in KINDS if kind.startswith(incomplete)]


Data = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DATA]...",
        help="Files or patterns: CSV, TSV, Parquet, Arrow, JSON lines, libsvm; .gz and .zst too. "
        "None, or -, is stdin.",
        show_default=False,
    ),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model that `train` has saved.")]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", metavar="COLUMN", help="The column to predict.", rich_help_panel=COLUMNS
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The column with weights of rows.", rich_help_panel=COLUMNS
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--n-jobs", metavar="INTEGER", help="Threads; all cores where nothing is said."),
]


def names_in(given: list[str] | None) -> tuple[str, ...]:
    """Columns that were named one by one or with commas between them, in their order."""
    pieces = [piece.strip() for one in given or () for piece in one.split(",")]
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


_FILE_OPTIONS: dict[str, tuple[Any, Any]] = {
    "format": (
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help=f"What the files are, where their endings do not say it: {', '.join(KINDS)}.",
            autocompletion=complete_kind,
            rich_help_panel=FILES,
        ),
    ),
    "delimiter": (
        str | None,
        typer.Option(metavar="CHARACTER", help="Of CSV; found by itself.", rich_help_panel=FILES),
    ),
    "header": (
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Does the first line of a CSV file name the columns? Yes, unless --cd is given.",
            show_default=False,
            rich_help_panel=FILES,
        ),
    ),
    "encoding": (
        str | None,
        typer.Option(
            metavar="NAME", help="Of CSV, such as latin-1; UTF-8 by default.", rich_help_panel=FILES
        ),
    ),
    "missing": (
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Means a missing value in CSV, in addition to empty cells, NA, NaN, NULL.",
            rich_help_panel=FILES,
        ),
    ),
    "cd": (
        str | None,
        typer.Option(
            "--cd", metavar="FILE", help="CatBoost's column description.", rich_help_panel=FILES
        ),
    ),
}


@dataclasses.dataclass(frozen=True)
class Files:
    """Which files, and how to read them.

    paths   none is stdin
    cd      the path of a column description, or None
    """

    paths: tuple[str, ...]
    options: FileOptions
    cd: str | None

    @property
    def named(self) -> str:
        """For messages."""
        return "stdin" if self.paths == ("-",) else ", ".join(self.paths)


def with_files(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command that takes ``files`` gets the options about them; its ``data`` are the paths."""

    def run(*args: Any, **given: Any) -> Any:
        own = {name: given.pop(name) for name in _FILE_OPTIONS}
        header = own["header"] if own["header"] is not None else own["cd"] is None
        options = FileOptions(
            kind=own["format"],
            delimiter=own["delimiter"],
            header=header,
            encoding=own["encoding"] or "utf8",
            missing=tuple(own["missing"] or ()),
        )
        files = Files(tuple(given.pop("data") or ["-"]), options, own["cd"])
        return function(*args, files=files, **given)

    added = {name: (Annotated[kind, own], None) for name, (kind, own) in _FILE_OPTIONS.items()}
    return with_options(function, run, "files", added, first={"data": (Data, None)})

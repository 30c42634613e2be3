"""The page of the command line, from the commands themselves.

`python -m tools.command_page` writes it, `--check` compares it.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ocelotboost.cli.app import COMMANDS, load
from ocelotboost.cli.asked import TRAINING_OPTIONS
from ocelotboost.cli.errors import CODES
from ocelotboost.cli.parameters import ELSEWHERE, parameters
from tools.compare import write_or_check

PAGE = Path("docs/command_line.md")

INTRODUCTION = """\
# The command line

`pip install 'ocelot-boost[files]'` brings the command `ocelot`; `[files]` is for reading files by
pyarrow. Without it, `ocelot demo` works, and models can be described and converted.

```
ocelot train sales.csv --target price --holdout 0.2 -o price.ocelot
ocelot predict price.ocelot new.csv > predictions.csv
ocelot evaluate price.ocelot test.csv
ocelot report price.ocelot test.csv -o report.html
```

`ocelot COMMAND --help` shows all options of a command. `ocelot --install-completion` completes
commands, options and their values in bash, zsh and fish.

## Files

| ending | format |
|---|---|
| `.csv` | with `,` `;` `\\|` or tabs, whichever the first line has most of; `--delimiter` |
| `.tsv`, `.tab` | with tabs |
| `.parquet`, `.pq` | Parquet; directories with hive partitions, too |
| `.arrow`, `.feather`, `.ipc` | Arrow files |
| `.jsonl`, `.ndjson`, `.json` | one JSON object per line |
| `.libsvm`, `.svm`, `.svmlight` | sparse rows; the target is in the file, and `qid` is the group |

- `.gz` or `.zst` may follow the ending of text formats. `--format` says what a file is where its
  ending does not.
- Several files, or a pattern in quotes such as `'sales-*.csv.gz'`, are one table.
- No file, or `-`, is stdin, whose first bytes tell the format. `predict` and `explain` work in
  batches of rows, so that memory does not grow: `ocelot predict m.ocelot < in.csv > out.csv`.
- `--cd` reads a column description of CatBoost: its names and types, and which column is the
  target, weight, group or time. The table then has tabs and no header, unless you say otherwise.
- With `--memory-limit`, `train` reads Parquet and Arrow files in batches ([scale](scale.md)).

## Columns

`train`, `cv` and `tune` first show what each column is: its role, type, distinct and missing
values, an example, and what looks odd. Codes that are stored as numbers, dates that are not
written as 2024-01-31, ids, constants and columns that tell the target are pointed out. Nothing is
changed by it.

- Texts are categories. `--cat` makes a category of any column and reads it as it is written, so
  that `007` is not `7`. `--num` makes numbers of texts. `--ignore` leaves columns out.
- Empty cells, `NA`, `NaN`, `NULL` and the like are missing; `--missing '?'` adds another text.
- `true` and `false` of CSV are texts, other ones than the `True` and `False` of Parquet.
- Dates and times such as `2024-01-31` or `2024-01-31 10:00:00` are read as such.
- Options take several columns: `--cat zip,brand` or `--cat zip --cat brand`.
- Texts as a target, or at most 20 distinct whole numbers, make a classification; `--task` decides
  otherwise.
- `--group` is for `--holdout`, `cv` and `tune`: no group is on both sides. In plain training it is
  left out of the features, and nothing else.
- `--time` sorts the rows. None learns from later ones, and the last are held out.
- `--save-config` writes all of this to a TOML file, and `--config` reads it. What the command line
  says comes first.

```
target = "price"
cat = ["zip", "brand"]
ignore = ["order_id"]

[parameters]
depth = 6
```

## Output

Results go to stdout; notes and progress bars of files go to stderr. Where stdout is no terminal,
training prints lines instead of a bar. `--quiet` shows results only. `--json` prints one object
and nothing else, and an error as `{"error": ..., "code": ...}`. `--debug` shows where an error
happened.

Ctrl-C during `train` saves the trees so far; during `tune` the best parameters so far are used.
"""


def page() -> str:
    """The text of the page."""
    sections = [INTRODUCTION, *_codes(), "\n## Commands\n", *_summary()]
    for name in COMMANDS:
        sections += _command(name)
    return "\n".join([*sections, ""])


def _codes() -> Iterator[str]:
    yield from ("| exit code | |", "|---|---|")
    yield from (f"| {code} | {text} |" for code, text in CODES.items())


def _summary() -> Iterator[str]:
    yield from ("| command | |", "|---|---|")
    yield from (f"| [`{name}`](#ocelot-{name}) | {own.text} |" for name, own in COMMANDS.items())


def _command(name: str) -> Iterator[str]:
    command = load(name)
    trains = any(p.name == "learning_rate" for p in command.params)
    elsewhere = {*_SHARED, *(parameters() if trains else ())}
    elsewhere |= {*TRAINING_OPTIONS} if trains and name != "train" else set()
    own = [p for p in command.params if p.name not in elsewhere]
    arguments = [p for p in own if p.param_type_name == "argument"]
    words = " ".join(p.metavar or str(p.name).upper() for p in arguments)
    yield f"\n### `ocelot {name}`\n"
    yield f"```\nocelot {name} {words}".rstrip() + " [OPTIONS]\n```\n"
    yield from _prose(inspect.cleandoc(command.help or ""))
    options = [p for p in own if p.param_type_name == "option"]
    if options:
        yield "| option | meaning |\n|---|---|"
        yield from (f"| {_names(p)} | {_plain(p.help)}{_default(p)} |" for p in options)
    if trains:
        columns = (
            ""
            if name == "train"
            else "the options of `train` from `--target` to `--drop-missing`, and "
        )
        without = ", ".join(f"`{one}`" for one in ELSEWHERE)
        yield "\n" + _wrapped(
            f"Also {columns}all [parameters](parameters.md) of training, such as "
            f"`--learning-rate 0.05`, except for {without}. `ocelot params` searches them."
        )


#: Options of all commands, which the page describes once.
_SHARED = (
    "quiet",
    "as_json",
    "debug",
    "format",
    "delimiter",
    "header",
    "encoding",
    "missing",
    "cd",
)


def _prose(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield _wrapped(" ".join(paragraph.split())) + "\n"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def _names(option: Any) -> str:
    value = f" {option.metavar}" if option.metavar and not option.is_flag else ""
    return ", ".join(f"`{name}{value}`" for name in option.opts)


def _plain(text: str | None) -> str:
    """Without rich's markup, and safe in a table."""
    return re.sub(r"\[/?(dim|bold)\]", "", text or "").replace("|", "\\|")


def _default(option: Any) -> str:
    default = option.default
    if default in (None, False, ()) or callable(default) or "default" in (option.help or ""):
        return ""
    return f" (default: `{default}`)"


if __name__ == "__main__":
    write_or_check("tools.command_page", __doc__, PAGE, page, remedy="make docs")

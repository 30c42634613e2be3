"""The catalogue of errors: messages of its examples, and a list of all messages in the code.

`python -m tools.error_page` writes them, `--check` compares them. The rest of the page stays.
"""

from __future__ import annotations

import ast
import contextlib
import os
import tempfile
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path

from tools.compare import write_or_check
from tools.markdown import Block, blocks, run
from tools.markers import between

PAGE = Path("docs/errors.md")
_ROOT = Path(__file__).resolve().parents[1]
_PACKAGE = _ROOT / "src" / "ocelotboost"
_ERRORS = ("InputError", "ParameterError", "ModelFileError", "SnapshotError", "ClusterError")
_OPEN = "…"
_FEWEST_LETTERS = 20


def page() -> str:
    """The text of the page that is there, with its messages made again."""
    text = (_ROOT / PAGE).read_text(encoding="utf-8")
    return between(_with_messages(text), "messages", "make docs", _all_messages(), PAGE)


def _with_messages(text: str) -> str:
    """The block after each one that raises an error has its message."""
    found = blocks(text)
    raising = [place for place, block in enumerate(found) if block.raises is not None]
    with _empty_folder(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        messages = run(found, _ROOT / PAGE, str(PAGE))
    for place, message in reversed(list(zip(raising, messages, strict=True))):
        shown = _message_block(found, place)
        text = text[: shown.begin] + _wrapped(message) + "\n" + text[shown.end :]
    return text


def _message_block(found: list[Block], place: int) -> Block:
    after = found[place + 1] if place + 1 < len(found) else None
    line = found[place].line
    assert after is not None, f"{PAGE}:{line}: a ```text block has to follow."
    assert after.language == "text", f"{PAGE}:{line}: a ```text block has to follow."
    return after


@contextlib.contextmanager
def _empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _wrapped(message: str) -> str:
    return "\n".join(
        textwrap.fill(line, 96, break_long_words=False, break_on_hyphens=False)
        for line in message.splitlines()
    )


# ---- all messages ------------------------------------------------------------------------


def _all_messages() -> list[str]:
    rows = ["| error | message | file |", "|---|---|---|"]
    for error in _ERRORS:
        for message, file in _messages(error):
            cell = message.replace("`", "'").replace("|", "\\|")
            rows.append(f"| `{error}` | `{cell}` | {file} |")
    return rows


def _messages(error: str) -> list[tuple[str, str]]:
    """Texts that errors of this class are made with, in alphabetical order, and their files."""
    found: dict[str, str] = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(module):
            if _makes(node, error):
                text = " ".join(_template(node.args[0], module).split())  # type: ignore[attr-defined]
                if sum(map(str.isalpha, text)) >= _FEWEST_LETTERS:
                    found.setdefault(text, str(path.relative_to(_PACKAGE)))
    return sorted(found.items(), key=lambda item: item[0].lstrip(_OPEN + " ").lower())


def _makes(node: ast.AST, error: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == error
        and len(node.args) == 1
    )


def _template(node: ast.expr, module: ast.Module) -> str:
    """The text of an expression, with an ellipsis for what is only known when it runs.

    >>> code = ast.parse('f"{name} is {value!r}; " + "give a number."', mode="eval").body
    >>> _template(code, ast.Module([], []))
    '… is …; give a number.'
    """
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_template(part, module) for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _template(left, module) + _template(right, module)
        case ast.Name(id=name) | ast.FormattedValue(value=ast.Name(id=name)):
            return _constant(name, module)
        case ast.Call(func=ast.Name(id=name)):
            return _returned(name, module)
    return _OPEN


def _constant(name: str, module: ast.Module) -> str:
    """The text that a module gives to a name."""
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                return _template(value, module)
    return _OPEN


def _returned(name: str, module: ast.Module) -> str:
    """The text that a function of the module returns at its end."""
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == name:
            last = statement.body[-1]
            if isinstance(last, ast.Return) and last.value is not None:
                return _template(last.value, module)
    return _OPEN


if __name__ == "__main__":
    write_or_check("tools.error_page", __doc__, PAGE, page, remedy="make docs")

"""The code blocks of Markdown pages, and how they run.

```python                      runs, in one namespace with the blocks before it
```python raises=InputError    has to raise this error; a ```text block after it is its message
```python needs=lightgbm       runs where this package is installed
```sh                          runs as commands in the same folder; an error ends them
```                            output and whatever else is only to be read
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

_BLOCK = re.compile(
    r"^```(?P<language>\w*)(?: raises=(?P<raises>\w+))?(?: needs=(?P<needs>\w+))?\n"
    r"(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A block of code.

    raises      the error that it has to raise, or None
    needs       the package that it needs, or None
    begin, end  where its code is in the text of the page
    line        the line that its code begins in
    """

    language: str
    raises: str | None
    needs: str | None
    code: str
    begin: int
    end: int
    line: int

    @property
    def runs(self) -> bool:
        return self.language in ("python", "sh")


def blocks(text: str) -> list[Block]:
    """All blocks of a page.

    >>> (block,) = blocks("Hi\\n```python raises=KeyError\\n{}[1]\\n```\\n")
    >>> block.language, block.raises, block.line
    ('python', 'KeyError', 3)
    """
    return [
        Block(
            **found.groupdict(),
            begin=found.start("code"),
            end=found.end("code"),
            line=text.count("\n", 0, found.start("code")) + 1,
        )
        for found in _BLOCK.finditer(text)
    ]


def run(found: Iterable[Block], page: Path, name: str) -> list[str]:
    """Run the blocks one after the other in the current folder, as a reader would.

    Returns the messages of the errors that were asked for, one per raising block.
    """
    namespace: dict[str, object] = {"__name__": name}
    messages = []
    for block in found:
        if block.needs is not None and importlib.util.find_spec(block.needs) is None:
            continue
        if block.language == "sh":
            _run_commands(block, name)
        elif block.raises is not None:
            messages.append(_run_raising(block, page, namespace))
        elif block.language == "python":
            exec(_compiled(block, page), namespace)
    return messages


def _compiled(block: Block, page: Path) -> CodeType:
    """Moved down to the line of the block, for the sake of tracebacks."""
    return compile("\n" * (block.line - 1) + block.code, page, "exec")


def _run_raising(block: Block, page: Path, namespace: dict[str, object]) -> str:
    try:
        exec(_compiled(block, page), namespace)
    except Exception as error:
        if block.raises not in [kind.__name__ for kind in type(error).__mro__]:
            raise
        return f"{block.raises}: {error}"
    raise AssertionError(f"{page}:{block.line}: {block.raises} was not raised.")


def _run_commands(block: Block, name: str) -> None:
    """With the commands that are installed next to this Python first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.code],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    output = f"{done.stdout}\n{done.stderr}"
    assert done.returncode == 0, f"{name}:{block.line} ends with {done.returncode}:\n{output}"

"""The stub of the native module: `python -m tools.native_stub` writes it, `--check` compares it.

nanobind reads names and types from the compiled module. Its notes on shape and memory order are
left out: what remains is what a type checker can use, `NDArray[np.float32]`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from nanobind.stubgen import StubGen

from tools.compare import write_or_check

STUB = Path("src/ocelotboost/kernels/_native.pyi")
MODULE = "ocelotboost.kernels._native"
HEADER = "# Written by `make stub` from the compiled module.\n"

_ANNOTATED = re.compile(r"Annotated\[(NDArray\[[^]]*\]), dict\([^()]*(?:\([^()]*\)[^()]*)*\)\]")


def stub() -> str:
    """The text of the stub, for the module as it is installed."""
    module = import_module(MODULE)
    generator = StubGen(module, quiet=True)
    generator.put(module)
    text = _ANNOTATED.sub(r"\1", generator.get())
    text = re.sub(r"Annotated, |, Annotated\b", "", text)
    text = text.replace("import numpy\n", "import numpy as np\n").replace("numpy.", "np.")
    text = text.replace("from np.typing", "from numpy.typing")
    return _formatted(HEADER + text)


def _formatted(text: str) -> str:
    command = ["ruff", "format", "--stdin-filename", str(STUB), "-"]
    done = subprocess.run(
        [sys.executable, "-m", *command], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    write_or_check("tools.native_stub", __doc__, STUB, stub, remedy="make stub")

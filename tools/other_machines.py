"""Tests of the references as on other machines: `python -m tools.other_machines [for pytest]`.

BLAS and NumPy choose among kernels when they are loaded, by the processor, and these differ in
last digits. OPENBLAS_CORETYPE and NPY_DISABLE_CPU_FEATURES make them choose those of an older one.
What this processor does not have is not asked for, so there are fewer machines to imitate on some.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from typing import Any

import numpy as np

TESTS = [
    "tests/paper",
    "tests/kernels",
    "tests/golden",
    "tests/boost/test_reference.py",
    "tests/boost/test_ordered_reference.py",
    "tests/boost/test_supported_reference.py",
]


def machines() -> list[dict[str, str]]:
    """Environment variables of each machine: from the oldest to this one's full width."""
    numpy_core: Any = import_module("numpy._core._multiarray_umath")
    has: dict[str, bool] = numpy_core.__cpu_features__
    optional = [feature for feature in numpy_core.__cpu_dispatch__ if has.get(feature)]
    wide = [feature for feature in optional if "512" in feature or feature == "X86_V4"]
    if not has.get("SSE2"):
        return [_environment(None, optional)]
    found = [_environment("Prescott", optional)]
    if has.get("AVX2"):
        found.append(_environment("Haswell", wide))
    if has.get("AVX512_SKX") or has.get("X86_V4"):
        found.append(_environment("SkylakeX", []))
    return found


def _environment(blas: str | None, without: list[str]) -> dict[str, str]:
    variables = {"OPENBLAS_CORETYPE": blas, "NPY_DISABLE_CPU_FEATURES": " ".join(without)}
    return {name: value for name, value in variables.items() if value}


def main() -> None:
    arguments = sys.argv[1:] or ["-n", "auto", "--maxprocesses=4"]
    for variables in machines():
        print(*(f"{name}='{value}'" for name, value in variables.items()), flush=True)
        environment = {**os.environ, "HYPOTHESIS_PROFILE": "quick", **variables}
        command = [sys.executable, "-m", "pytest", *arguments, *TESTS]
        if subprocess.run(command, env=environment).returncode:
            sys.exit(f"A reference depends on the processor: {variables}, NumPy {np.__version__}")


if __name__ == "__main__":
    main()

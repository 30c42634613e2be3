"""Peak memory of one training: `python -m benchmarks.memory LIBRARY` prints megabytes.

Counted is how far the resident memory of the process rises above where it stood after import,
data generation and a warm-up fit. So the features as NumPy array are not counted, and all that
the library makes of them is.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.case import Case
from benchmarks.cases import BY_NAME
from benchmarks.folder import PROJECT
from benchmarks.peers import NAMES, Library, load

STATUS = Path("/proc/self/status")


def peak_megabytes_in_new_process(case_name: str, library_name: str, scale: float) -> float:
    """Run this module for one library and read what it prints."""
    command = [sys.executable, "-m", "benchmarks.memory", library_name]
    command += ["--case", case_name, "--scale", str(scale)]
    printed = subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
    return float(printed.stdout.split()[-1])


def peak_megabytes(case: Case, library: Library, scale: float) -> float:
    """Rise of resident memory over one fit in this process."""
    data = case.make_data(scale)
    library.warm_up(data.take(slice(1000)), case.settings)
    _return_free_memory()
    _forget_peak()
    before = _resident_kilobytes("VmRSS")
    model = library.fit(data, case.settings, case.scaled_trees(scale))
    peak = _resident_kilobytes("VmHWM")
    del model
    return (peak - before) / 1024


def _resident_kilobytes(field: str) -> int:
    """VmRSS is resident now, VmHWM its peak; without /proc both are the process's peak so far."""
    if STATUS.exists():
        lines = STATUS.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(field))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


def _return_free_memory() -> None:
    """Give freed heap pages back, lest a fit reuse those of data generation uncounted."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _forget_peak() -> None:
    """Let Linux count the peak from now on; where it refuses, the peak is that of all time."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError as error:
        print(f"the peak of data generation is counted too: {error}", file=sys.stderr)


def main() -> None:
    """Print the megabytes of one library."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory")
    parser.add_argument("library", choices=NAMES)
    parser.add_argument("--case", default="memory_1m_28", choices=BY_NAME)
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    case = BY_NAME[options.case]
    if not case.admits(options.library, asked=True):
        parser.error(f"{case.name} is about {', '.join(case.libraries)}")
    library = load([options.library], required=True)[options.library]
    print(f"{peak_megabytes(case, library, options.scale):.1f}")


if __name__ == "__main__":
    main()

"""A training under a real limit of memory: run as a program by test_memory_limit.py.

First it asks how much memory is needed, by a limit that is too small, and then trains under a limit
that the system enforces. It prints the limit, the most memory that it had, and a digest of the
model, as JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
import resource
import sys
import threading
import time
import warnings
from typing import Any

import ocelotboost
from ocelotboost.errors import ParameterError
from ocelotboost.estimator.process_memory import process_bytes


def _data_bytes() -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmData"))


def _refusal(make: Any, path: str, parameters: dict[str, Any], limit: int) -> str:
    try:
        make(**parameters, memory_limit=limit).fit(path, "target")
    except ParameterError as error:
        return str(error)
    raise AssertionError(f"{limit} should be too little")


def main() -> None:
    path, kind, parameters = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    make = getattr(ocelotboost, kind)
    too_little = (process_bytes() or 0) + (45 << 20)  # enough to read, and not to train
    found = re.search(r"needs about ([\d.]+)([MG])B", _refusal(make, path, parameters, too_little))
    assert found is not None
    limit = int(float(found[1]) * {"M": 10**6, "G": 10**9}[found[2]] * 1.02)
    most, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.is_set():
            most[0] = max(most[0], process_bytes() or 0)
            time.sleep(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    # The system counts memory that was asked for and never used, too: only growth is limited.
    used = process_bytes() or 0
    grown = _data_bytes() + limit - used
    resource.setrlimit(resource.RLIMIT_DATA, (grown, grown))
    model = make(**parameters, memory_limit=limit).fit(path, "target")
    ended.set()
    watcher.join()
    digest = hashlib.sha256(model.forest_.leaf_values.tobytes()).hexdigest()
    print(json.dumps({"limit": limit, "most": most[0], "digest": digest}))


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()

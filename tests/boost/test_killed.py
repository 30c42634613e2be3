"""A training that was killed, wherever it was, goes on to the same model."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from tests.boost.killed_training import KILLS_OF_A_TRAINING, TRAININGS

ROOT = Path(__file__).parents[2]


def test_killed_at_twenty_random_moments_the_model_is_the_same(tmp_path):
    seed = random.randrange(1 << 30)
    ran = subprocess.run(
        [sys.executable, "-m", "tests.boost.killed_training", str(tmp_path), str(seed)],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"seed {seed}\n{ran.stdout}\n{ran.stderr}"
    assert ran.stdout.count("killed") == KILLS_OF_A_TRAINING * len(TRAININGS) == 20
    assert ran.stdout.count("snapshot there") >= len(TRAININGS), ran.stdout
    for number, name in enumerate(TRAININGS):
        whole, killed = (tmp_path / f"{number}.{kind}.ocelot" for kind in ("whole", "killed"))
        assert whole.read_bytes() == killed.read_bytes(), f"{name}, seed {seed}"
    left = {path.name for path in tmp_path.iterdir() if path.suffix not in (".ocelot", ".snapshot")}
    assert not left, "unfinished files of killed processes"

"""A table, a model of it, and the command itself."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ocelotboost.cli import main
from ocelotboost.files import TableWriter

COMMAND = str(Path(sysconfig.get_path("scripts")) / "ocelot")


def run(*arguments, given=None, folder=None):
    """Run the installed command as a process of its own."""
    return subprocess.run(
        [COMMAND, *map(str, arguments)], input=given, capture_output=True, cwd=folder, check=False
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """sales.csv and .parquet with 600 rows, new.csv without the target, and a model."""
    folder = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(0)
    n = 600
    size = rng.normal(size=n)
    city = rng.choice(["Oslo", "Lyon", "Kyiv"], n)
    table = pa.table(
        {
            "id": np.arange(n),
            "city": pa.array(city, mask=rng.random(n) < 0.1),
            "zip": [f"{code:05}" for code in rng.integers(1, 30, n)],
            "size": pa.array(size, mask=rng.random(n) < 0.1),
            "shop": rng.integers(20, size=n),
            "count": rng.integers(1, 4, n),
            "price": size + (city == "Oslo") + 0.1 * rng.normal(size=n),
            "sold": np.where(size + (city == "Oslo") > 0, "yes", "no"),
        }
    )
    write(folder / "sales.csv", table)
    write(folder / "sales.parquet", table)
    write(folder / "new.csv", table.drop_columns(["price", "sold"]))
    options = ["--ignore", "price,id,count", "--cat", "zip", "--iterations", "20", "-q"]
    train = ["train", str(folder / "sales.csv"), "-t", "sold", "-o", str(folder / "sold.ocelot")]
    assert main([*train, *options]) == 0
    return folder


def write(path, table):
    with TableWriter(str(path)) as writer:
        writer.write(table)


@pytest.fixture
def here(folder, monkeypatch, tmp_path):
    """Commands that are run in this process find the files here, and write to ``tmp_path``."""
    monkeypatch.chdir(folder)
    return tmp_path

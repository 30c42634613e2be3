"""Each library of frames works without the others."""

from __future__ import annotations

import subprocess
import sys

import pytest

WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {absent!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import {present} as library
from ocelotboost.table import ZERO_KEY, table_from_input, text_hashes
X = {make}
table = table_from_input(X)
for position, column in table.categories.items():
    expected = text_hashes(["a", None, "long enough text"], ZERO_KEY)
    assert column.row_hashes().tolist() == expected.tolist()
    assert column.texts([2, 1]) == ["long enough text", None]
print(sorted(table.categories))
"""
VALUES = '["a", None, "long enough text"]'


@pytest.mark.parametrize(
    ("present", "absent", "make"),
    [
        ("polars", ["pyarrow", "pandas"],
         f"library.DataFrame({{'a': {VALUES}, 'b': library.Series({VALUES},"
         f" dtype=library.Categorical)}})"),
        ("pyarrow", ["polars", "pandas"],
         f"library.table({{'a': {VALUES}, 'b': library.array({VALUES}).dictionary_encode()}})"),
        ("pandas", ["polars", "pyarrow"],
         f"library.DataFrame({{'a': {VALUES}, 'b': library.Categorical({VALUES})}})"),
    ],
    ids=["polars", "pyarrow", "pandas"],
)  # fmt: skip
def test_one_library_needs_no_other(present, absent, make):
    code = WITHOUT.format(present=present, absent=absent, make=make)
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "[0, 1]"

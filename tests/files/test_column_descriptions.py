"""CatBoost's column descriptions are read, or their wrong line is named."""

from __future__ import annotations

import pytest

from ocelotboost import InputError
from ocelotboost.files import read_column_description


@pytest.fixture
def described(tmp_path):
    def described(text):
        (tmp_path / "a.cd").write_text(text)
        return read_column_description(str(tmp_path / "a.cd"))

    return described


def test_roles_and_names(described):
    found = described("0\tLabel\n1\tCateg\tcity\n\n4\tAuxiliary\n5\tQueryId\n")
    names = found.names_of(None, 6)
    assert names == ("target", "city", "column_2", "column_3", "column_4", "column_5")
    assert found.columns("category", names) == ["city"]
    assert found.columns("target", names) == ["target"]
    assert found.columns("group", names) == ["column_5"]
    assert found.names_of(tuple("abcdef"), 6) == ("a", "city", "c", "d", "e", "f")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\tLabel\n", "line 1: 'x' is not the number of a column"),
        ("0\tLabel\n1\tCategory\n", "line 2: there is no type 'Category'. Did you mean Categ"),
        ("0\tLabel\n0\tNum\n", "line 2: column 0 was described before"),
        ("0\tLabel\n1\tLabel\n", "two columns for the target"),
        ("0\tText\n", "not supported; write Auxiliary"),
    ],
)
def test_wrong_lines_are_named(described, text, message):
    with pytest.raises(InputError, match=message):
        described(text)


def test_more_columns_than_the_file_has(described):
    with pytest.raises(InputError, match="column 7, but the file has 3"):
        described("7\tNum\n").names_of(None, 3)
    with pytest.raises(InputError, match="There is no column description"):
        read_column_description("nowhere.cd")

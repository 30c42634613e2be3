"""libsvm files are sparse matrices with a target."""

from __future__ import annotations

import gzip

import pytest

from ocelotboost import InputError
from ocelotboost.files.sparse import read_libsvm


def test_rows_targets_and_groups(tmp_path):
    first, second = tmp_path / "a.svm", tmp_path / "b.svm.gz"
    first.write_text("1 qid:1 1:0.5 3:2\n0 qid:1 2:1\n")
    second.write_bytes(gzip.compress(b"1 qid:2 3:4\n"))
    found = read_libsvm([str(first), str(second)])
    assert found.X.toarray().tolist() == [[0.5, 0, 2], [0, 1, 0], [0, 0, 4]]
    assert found.target.tolist() == [1, 0, 1]
    assert found.groups.tolist() == [1, 1, 2]
    assert read_libsvm([str(first)], 10).X.shape == (2, 10)


def test_what_is_wrong_is_named(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 one:2\n")
    with pytest.raises(InputError, match="cannot be read as libsvm"):
        read_libsvm([str(path)])

"""Hashes and codes of categories: native equals twin."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ocelotboost.kernels import native, reference
from ocelotboost.kernels.reference.table import hash_text, siphash, text_words
from ocelotboost.table import ZERO_KEY
from tests.kernels.strategies import SEEDS, THREADS
from tests.model.forests import KEY

TEXTS = st.lists(st.none() | st.text(max_size=30) | st.text("ab\0é🐆", max_size=20), max_size=40)
INTEGERS = {np.int64: (-(2**63), 2**63 - 1), np.uint64: (0, 2**64 - 1)}


def joined(texts, dtype):
    encoded = [(text or "").encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(dtype)
    return offsets, np.frombuffer(b"".join(encoded), dtype=np.uint8)


def validity(texts):
    return np.array([text is not None for text in texts], dtype=np.bool_)


def hashes_of(kernels, name, n, *arguments, n_threads=1):
    hashes = np.full(n, 7, dtype=np.uint64)
    getattr(kernels, name)(*arguments, KEY, hashes, n_threads=n_threads)
    return hashes


@given(TEXTS, st.sampled_from([np.int32, np.int64]), st.booleans(), THREADS)
def test_hashes_of_texts_equal_the_twin(texts, dtype, with_valid, n_threads):
    valid = validity(texts) if with_valid else None
    arguments = ("hash_texts", len(texts), *joined(texts, dtype), valid)
    found = hashes_of(native, *arguments, n_threads=n_threads)
    assert_array_equal(found, hashes_of(reference, *arguments))


@given(TEXTS, st.integers(1, 3), THREADS)
def test_hashes_of_text_views_equal_the_twin_and_those_of_texts(texts, n_buffers, n_threads):
    views = np.zeros((len(texts), 16), dtype=np.uint8)
    buffers = [b"xyz"] * n_buffers
    for i, text in enumerate(texts):
        encoded = (text or "").encode()
        views[i, :4] = np.frombuffer(np.int32(len(encoded)).tobytes(), dtype=np.uint8)
        if len(encoded) <= 12:
            views[i, 4 : 4 + len(encoded)] = np.frombuffer(encoded, dtype=np.uint8)
        else:
            buffer = i % n_buffers
            place = np.array([buffer, len(buffers[buffer])], dtype=np.int32)
            views[i, 8:] = np.frombuffer(place.tobytes(), dtype=np.uint8)
            buffers[buffer] += encoded
        if text is None:
            views[i] = 255  # what a missing element's view holds is undefined
    arrays = [np.frombuffer(buffer, dtype=np.uint8) for buffer in buffers]
    arguments = ("hash_text_views", len(texts), views, arrays, validity(texts))
    found = hashes_of(native, *arguments, n_threads=n_threads)
    assert_array_equal(found, hashes_of(reference, *arguments))
    offsets, bytes_ = joined(texts, np.int32)
    assert_array_equal(
        found, hashes_of(native, "hash_texts", len(texts), offsets, bytes_, validity(texts))
    )


@pytest.mark.parametrize("dtype", INTEGERS)
@given(data=st.data(), n_threads=THREADS)
def test_hashes_of_integers_equal_the_twin_and_those_of_their_digits(dtype, data, n_threads):
    low, high = INTEGERS[dtype]
    powers = [10**k for k in range(19) if 10**k <= high]
    edges = [low, high, 0, *powers, *(power - 1 for power in powers)]
    elements = st.integers(low, high) | st.integers(0, 20_000_000) | st.sampled_from(edges)
    values = np.array(data.draw(st.lists(elements, max_size=40)), dtype=dtype)
    found = hashes_of(native, "hash_integers", len(values), values, n_threads=n_threads)
    assert_array_equal(found, hashes_of(reference, "hash_integers", len(values), values))
    assert found.tolist() == [hash_text(str(value).encode(), KEY) for value in values.tolist()]


def encoded(kernels, hashes, n_threads=1):
    codes = np.zeros(len(hashes), dtype=np.uint32)
    values = np.zeros(len(hashes), dtype=np.uint64)
    n_values = kernels.encode_hashes(hashes, codes, values, n_threads=n_threads)
    return codes, values[:n_values]


@st.composite
def hashes(draw):
    """Few and many distinct values, spread evenly or not, with missing among them."""
    n = draw(st.sampled_from([0, 1, 2, 17, 400, 33_000, 70_000]))
    n_values = draw(st.sampled_from([1, 2, 5, 300, 20_000, 65_000]))
    rng = np.random.default_rng(draw(SEEDS))
    kind = draw(st.sampled_from(["even", "small", "large", "same low bits"]))
    values = rng.integers(0, 2**64, size=n_values, dtype=np.uint64)
    if kind == "small":
        values = np.arange(n_values, dtype=np.uint64)
    if kind == "large":
        values = np.uint64(2**64 - 1) - np.arange(n_values, dtype=np.uint64)
    if kind == "same low bits":
        values = values << np.uint64(16)
    if draw(st.booleans()):
        values[0] = 0
    return rng.choice(values, size=n)


@given(hashes(), THREADS)
def test_codes_equal_the_twin_for_any_number_of_threads(hashes, n_threads):
    codes, values = encoded(native, hashes, n_threads)
    expected_codes, expected_values = encoded(reference, hashes)
    assert_array_equal(values, expected_values)
    assert_array_equal(codes, expected_codes)


def test_a_million_distinct_hashes():
    values = np.sort(np.random.default_rng(1).integers(1, 2**64, size=1_000_000, dtype=np.uint64))
    order = np.random.default_rng(2).permutation(len(values))
    codes, found = encoded(native, values[order], n_threads=2)
    assert_array_equal(found, values)
    assert_array_equal(codes, order)


def test_the_published_hashes():
    # Aumasson and Bernstein's own, of the bytes 0, 1, 2 ... with two and four rounds.
    key = np.frombuffer(bytes(range(16)), dtype="<u8").astype(np.uint64)
    published = {
        0: "310e0edd47db6f72",
        1: "fd67dc93c539f874",
        2: "5a4fa9d909806c0d",
        7: "37d1018bf50002ab",
        8: "6224939a79f5f593",
        15: "e545be4961ca29a1",
    }
    for size, expected in published.items():
        found = siphash(text_words(bytes(range(size))), size, key, 2, 4)
        assert int(found).to_bytes(8, "little").hex() == expected


def twin(text, *rounds):
    """The hash of a text under a key of zeros."""
    own = text.encode()
    return int(siphash(text_words(own), len(own), ZERO_KEY, *rounds))


def test_with_a_key_of_zeros_it_is_the_hash_of_python_itself():
    """Python 3.10 takes more rounds: there the twin shows it, which the kernel is equal to."""
    rounds = {"siphash13": (1, 3), "siphash24": (2, 4)}[sys.hash_info.algorithm]
    texts = ["a", "Paris", "12345678", "日本語のテキスト", "x" * 300]
    program = "import sys; print(*(hash(text.encode()) for text in sys.argv[1:]))"
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    arguments = [sys.executable, "-c", program, *texts]
    shown = subprocess.run(arguments, env=environment, capture_output=True, check=True).stdout
    expected = [int(number) % 2**64 for number in shown.split()]
    found = np.zeros(len(texts), dtype=np.uint64)
    native.hash_texts(*joined(texts, np.int32), None, ZERO_KEY, found, n_threads=1)
    assert found.tolist() == [twin(text, 1, 3) for text in texts]
    assert [twin(text, *rounds) for text in texts] == expected


def test_known_hashes_stay_what_they_are():
    # Models on disk hold hashes: these numbers never change.
    texts = (b"", b"1", b"Paris", "日本語のテキスト".encode())
    assert [hash_text(text, KEY) for text in texts] == [
        17632717219538413841,
        12031742213794623752,
        14837658019986790680,
        4724837874023253891,
    ]


@pytest.mark.parametrize("shift", [0, 4, 8, 12, 16, 32, 44])
def test_numbering_takes_few_steps_even_for_hashes_that_were_made_to_share_bits(shift):
    hashes = np.random.default_rng(0).permutation(20_000).astype(np.uint64) << np.uint64(shift)
    steps = native.numbering_steps(np.tile(hashes, 3))
    assert steps == reference.numbering_steps(np.tile(hashes, 3))
    assert steps <= 6 * 60_000 + 128 * 1000


def test_texts_that_share_bits_under_a_known_key_are_numbered_in_few_steps():
    # Who knows the key can still search for such texts: these share the lowest 12 bits.
    numbers = np.arange(4_000_000)
    hashes = hashes_of(native, "hash_integers", len(numbers), numbers, n_threads=2)
    chosen = hashes[hashes % 4096 == 7]
    assert len(chosen) > 900
    assert native.numbering_steps(np.tile(chosen, 10)) < 20 * 10 * len(chosen)
    codes, values = encoded(native, chosen)
    assert_array_equal(values[codes], chosen)


def test_arrow_offsets_of_a_slice_need_not_begin_at_zero():
    array = pa.array(["junk", "a", "bc"])[1:]
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int32)[1:4]
    texts = np.frombuffer(array.buffers()[2], dtype=np.uint8)
    found = hashes_of(native, "hash_texts", 2, offsets, texts, None)
    assert found.tolist() == [hash_text(b"a", KEY), hash_text(b"bc", KEY)]


def test_wrong_shapes_and_dtypes_are_refused():
    out, no_bytes = np.zeros(2, dtype=np.uint64), np.zeros(0, dtype=np.uint8)
    with pytest.raises(ValueError, match="one more than out_hashes"):
        native.hash_texts(np.zeros(2, dtype=np.int32), no_bytes, None, KEY, out, n_threads=1)
    offsets = np.array([0, 1, 2], dtype=np.int32)
    with pytest.raises(ValueError, match="not inside bytes"):
        native.hash_texts(offsets, no_bytes, None, KEY, out, n_threads=1)
    valid = np.ones(3, dtype=np.bool_)
    with pytest.raises(ValueError, match="valid"):
        native.hash_texts(np.zeros(3, dtype=np.int32), no_bytes, valid, KEY, out, n_threads=1)
    with pytest.raises(ValueError, match="16 bytes"):
        native.hash_text_views(np.zeros((2, 8), dtype=np.uint8), [], None, KEY, out, n_threads=1)
    with pytest.raises(TypeError):
        native.hash_integers(np.zeros(2, dtype=np.int32), KEY, out, n_threads=1)
    with pytest.raises(ValueError, match="two words"):
        native.hash_texts(np.zeros(3, dtype=np.int32), no_bytes, None, KEY[:1], out, n_threads=1)
    with pytest.raises(ValueError, match="one per hash"):
        native.encode_hashes(out, np.zeros(1, dtype=np.uint32), out.copy(), n_threads=1)

"""What is made of nothing, or laid out anew: sequences, pieces, random streams."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.ops.sequence import fill_sequence
from dml_vk.random import Generator
from dml_vk.testing import philox_words
from tests.large.test_rounds import modules_of
from tests.real_dtypes import DTYPES

KEY = 0x1234567890ABCDEF


def test_every_kernel_of_generators(beyond):
    def check(n):
        for dtype in DTYPES.values():
            if dtype.kind != "b":
                step = 0 if dtype.itemsize == 1 else 1
                first = 3 if dtype.itemsize < 4 else -3 if dtype.kind != "u" else 5
                for count in (n, n + 5):
                    made = sequence(count, dtype, first, step)
                    kind = np.dtype(dtype.numpy_name)
                    with np.errstate(all="ignore"):
                        expected = (first + step * np.arange(count)).astype(kind)
                    assert np.array_equal(made, expected)
        streams(n)

    beyond.reach(check, [2**k for k in range(12, 23)], modules_of("made") - FILLS)


FILLS = {m for m in modules_of("made") if m.startswith("fill")}  # which copies go with


def sequence(count, dtype, first, step):
    out = dml_vk.empty(count, dtype=dtype)
    fill_sequence("it", out, dtype, first, step)
    return out.numpy()


def streams(n):
    """A stream is the same in one piece as in many, which other tests compare with references."""
    for draw in (
        lambda g, count: g.bits(count),
        lambda g, count: g.bits(count, dtype="uint64"),
        *(
            lambda g, count, kind=kind: g.random(count, dtype=kind)
            for kind in ("float16", "float32", "float64")
        ),
        *(
            lambda g, count, kind=kind: g.normal(count, dtype=kind)
            for kind in ("float16", "float32")
        ),
        *(
            lambda g, count, kind=kind: g.uniform(-1, 3, count, dtype=kind)
            for kind in ("float16", "float32")
        ),
        *(
            lambda g, count, kind=kind: g.integers(0, 101, count, dtype=kind)
            for kind in ("int8", "uint16", "int32", "int64")
        ),
        lambda g, count: g.integers(0, 2**62 + 1, count),
        lambda g, count: g.integers(0, 2**31 + 1, count),
    ):
        whole = draw(Generator(key=KEY), n).numpy()
        parts, generator = [], Generator(key=KEY)
        for count in [n // 8] * 8:
            parts.append(draw(generator, count).numpy())
        assert np.array_equal(whole, np.concatenate(parts))


def test_a_stream_of_2_gib():
    n = 2**29 - 1024
    words = Generator(key=KEY).bits(n)
    for start in (0, 2**24, 2**28 + 4, n - 64):
        expected = philox_words(KEY, start // 4, 64)
        assert np.array_equal(words[start : start + 64].numpy(), expected)
    assert abs(dml_vk.mean(dml_vk.astype(words, "float32")).item() / 2**31 - 1) < 1e-4


@pytest.mark.parametrize(
    "name",
    ["int32", "float32", "uint8", "int64", pytest.param("float64", marks=pytest.mark.product)],
)
def test_sequences_of_2_gib(name):
    """What a dtype cannot hold is what exact arithmetic makes of it, modulo or rounded."""
    dtype = DTYPES[name]
    n = (2**31 - 4096) // dtype.itemsize
    if name == "uint8":
        x = dml_vk.full(n, 7, dtype=dtype)
        expected = lambda at: 7  # noqa: E731
    else:
        x = dml_vk.arange(n, dtype=dtype)
        expected = lambda at: np.array(at).astype(name).item()  # noqa: E731
    for at in (0, 1, 2**24 + 1, 2**27 + 3, n // 2 + 1, n - 1):
        if at < n:
            assert x[at].item() == expected(at)
    if name == "int32":
        assert dml_vk.sum(x).item() == n * (n - 1) // 2
        assert dml_vk.max(x).item() == n - 1


def test_linspace_is_exact_at_both_ends():
    n = 2**28 + 1
    x = dml_vk.linspace(0.0, 2.0**28, n)
    for at in (0, 2**24 - 1, 2**24 + 2, 2**27, n - 1):
        assert x[at].item() == np.float32(at)


def test_pieces_beyond_2_to_the_24():
    n = 2**24 + 3
    x = dml_vk.arange(n, dtype="int32")
    host = np.arange(n, dtype=np.int32)
    assert np.array_equal(dml_vk.roll(x, 5).numpy(), np.roll(host, 5))
    assert np.array_equal(dml_vk.repeat(x, 3).numpy(), np.repeat(host, 3))
    counts = host % 3
    assert np.array_equal(dml_vk.repeat(x, dml_vk.asarray(counts)).numpy(), np.repeat(host, counts))
    assert np.array_equal(dml_vk.tile(x, 2).numpy(), np.tile(host, 2))
    assert np.array_equal(dml_vk.flip(x).numpy(), host[::-1])
    assert np.array_equal(dml_vk.concat([x, x[:7]]).numpy(), np.concatenate([host, host[:7]]))
    assert np.array_equal(dml_vk.pad(x, (2, 3)).numpy(), np.pad(host, (2, 3)))
    assert np.array_equal(dml_vk.diff(x, n=2).numpy(), np.diff(host, n=2))
    square = dml_vk.reshape(x[: 4096**2], (4096, 4096))
    assert np.array_equal(dml_vk.tril(square).numpy(), np.tril(host[: 4096**2].reshape(4096, -1)))
    assert dml_vk.sum(dml_vk.eye(5000)).item() == 5000


def test_permutations_of_many():
    n = 2**24 + 9
    found = Generator(key=KEY).permutation(n).numpy()
    assert np.array_equal(np.sort(found), np.arange(n))

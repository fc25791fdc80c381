"""The Philox reference against Random123's known answers, other libraries, and the plain rule."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest
import randomgen

from dml_vk.commands import plain_philox
from dml_vk.errors import DTypeError
from dml_vk.testing import philox_after, philox_uniform, philox_words
from tests.hexadecimal import number, words

DATA = Path(__file__).parents[2] / "data"
KNOWN = json.loads((DATA / "philox_kat.json").read_text())
OTHERS = json.loads((DATA / "philox_streams.json").read_text())
STREAMS = KNOWN["streams"]["rows"]
LONG_STREAMS = KNOWN["long_streams"]["rows"]
PI = 0x03707344_13198A2E_85A308D3_243F6A88
PI_KEY = 0x299F31D0_A4093822


def state(text):
    """(key, counter) of DirectML's six words."""
    return number(text) >> 128, number(text) % 2**128


def plain_words(key, counter, n, rounds=10):
    """The paper's recipe, one word at a time."""
    blocks = plain_philox.blocks(key, counter, rounds)
    return list(itertools.islice(itertools.chain.from_iterable(blocks), n))


@pytest.mark.parametrize("row", KNOWN["blocks"]["rows"], ids=lambda row: row["words"])
def test_known_answers(row):
    key, counter, rounds = number(row["key"]), number(row["counter"]), row["rounds"]
    assert philox_words(key, counter, 4, rounds).tolist() == words(row["words"])
    assert plain_words(key, counter, 4, rounds) == words(row["words"])


@pytest.mark.parametrize("row", STREAMS, ids=lambda row: row["name"])
def test_streams(row):
    key, counter = state(row["state"])
    assert philox_words(key, counter, row["n"]).tolist() == words(row["words"])
    assert plain_words(key, counter, row["n"]) == words(row["words"])


@pytest.mark.parametrize("row", LONG_STREAMS, ids=lambda row: row["name"])
def test_long_streams(row):
    found = philox_words(*state(row["state"]), row["n"])
    assert found.dtype == np.uint32
    assert found[-4:].tolist() == words(row["last"])
    bits = found.astype("<u4").tobytes()
    assert hashlib.sha256(bits).hexdigest() == row["sha256_little_endian"]


@pytest.mark.parametrize("row", STREAMS + LONG_STREAMS, ids=lambda row: row["name"])
def test_the_counter_moves_on_by_whole_blocks(row):
    key, counter = state(row["state"])
    assert (key, philox_after(counter, row["n"])) == state(row["after"])


# Every number of words that carry, from both sides of the carry.
EDGES = [2**bits - back for bits in (32, 64, 96, 128) for back in (1, 2, 7)]


@pytest.mark.parametrize("counter", [0, 1, PI, *EDGES])
def test_randomgen_and_the_plain_rule_agree(counter):
    rng = random.Random(counter)
    for n in (0, 1, 3, 4, 5, 61):
        key = rng.getrandbits(64)
        found = philox_words(key, counter, n).tolist()
        assert found == plain_words(key, counter, n)
        # It steps its counter before the first block.
        other = randomgen.Philox(number=4, width=32, key=key, counter=(counter - 1) % 2**128)
        assert found == other.random_raw(n).tolist()


def test_a_stream_goes_on_where_its_counter_stands():
    whole = philox_words(PI_KEY, 2**128 - 3, 40)
    rest = philox_words(PI_KEY, philox_after(2**128 - 3, 16), 24)
    assert whole[16:].tolist() == rest.tolist()


def test_c_plus_plus_26():
    known = KNOWN["cpp26"]
    key, counter = state(known["state"])
    assert key == known["key"] == 20111115
    word = philox_words(key, counter, known["index"] + 1)[-1]
    assert word == int(known["word"], 16) == known["value"] == 1955073260


def test_directmls_own_example_subtracts_where_it_says_it_adds():
    known = KNOWN["directml"]
    before, blocks = int(known["counter"], 16), known["blocks"]
    n = int(np.prod(known["output_sizes"]))
    assert -(-n // 4) == blocks
    assert philox_after(before, n) == int(known["after"], 16) == number(known["after_words"])
    assert int(known["printed"], 16) == before - blocks


def test_curand_lays_its_blocks_out_in_65536_streams():
    known = OTHERS["curand"]
    key = number(known["key"])

    def element(i):
        block, word = divmod(i, 4)
        counter = block // 65536 | block % 65536 << 64
        return int(philox_words(key, counter, 4)[word])

    assert [element(i) for i in range(16)] == words(known["words"])
    for i, word in known["elements"].items():
        assert element(int(i)) == int(word, 16)


def test_tensorflow_has_the_same_words_and_other_floats():
    known = OTHERS["tensorflow"]
    found = philox_words(number(known["key"]), number(known["counter"]), 6)
    assert found.tolist() == words(known["words"])
    single = (found & 0x7FFFFF | 0x3F800000).view(np.float32) - np.float32(1)
    assert single.view(np.uint32).tolist() == words(known["float32_bits"])
    half = (found & 0x3FF | 0x3C00).astype(np.uint16).view(np.float16) - np.float16(1)
    assert half.view(np.uint16).tolist() == words(known["float16_bits"])
    # Box-Muller on pairs of words, in single precision.
    u = np.maximum(single, np.float32(1e-7)).astype(np.float64)
    angle, radius = 2 * np.pi * single[1::2].astype(np.float64), np.sqrt(-2 * np.log(u[::2]))
    normal = np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1).reshape(-1)
    np.testing.assert_allclose(normal, known["normal_float32"], rtol=1e-5)


def test_jax_takes_the_key_for_half_of_the_counter():
    known = OTHERS["jax"]
    key_and_low = number(known["state"])
    key, low = key_and_low % 2**64, key_and_low >> 64
    assert philox_words(key, low | key << 64, 8).tolist() == words(known["words"])


def test_mkl_seeds_the_key_and_starts_at_0():
    known = OTHERS["mkl"]
    assert philox_words(int(known["seed"], 16), 0, 12).tolist() == words(known["words"])


EXTREMES = np.array([0, 1, 0x1FFFFF, 0x200000, 0xFF, 0x100, 0x80000000, 0xFFFFFFFF], np.uint32)


def test_uniform_floats_keep_the_highest_bits():
    drawn = np.concatenate([EXTREMES, philox_words(PI_KEY, PI, 1001)])
    half, single = philox_uniform(drawn, "float16"), philox_uniform(drawn, "float32")
    assert half.dtype == np.float16
    assert single.dtype == np.float32
    for word, h, s in zip(drawn.tolist(), half.tolist(), single.tolist()):
        assert h == (word >> 21) / 2**11 < 1
        assert s == (word >> 8) / 2**24 < 1
    assert half.max() == 1 - 2**-11
    assert single.max() == 1 - 2**-24
    assert single[5] == 2**-24


def test_eight_byte_types_take_two_words_low_one_first():
    drawn = np.concatenate([EXTREMES, philox_words(PI_KEY, PI, 1001)])
    whole, double = philox_uniform(drawn, "uint64"), philox_uniform(drawn, "float64")
    assert (whole.dtype, double.dtype) == (np.uint64, np.float64)
    assert whole.size == double.size == drawn.size // 2
    pairs = zip(drawn[::2].tolist(), drawn[1::2].tolist(), whole.tolist(), double.tolist())
    for low, high, w, d in pairs:
        assert w == low + 2**32 * high
        assert d == (w >> 11) / 2**53 < 1
    assert philox_uniform(np.full(2, 2**32 - 1, np.uint32), "float64").tolist() == [1 - 2**-53]


def test_words_are_uniform_uint32_already():
    assert philox_uniform(EXTREMES, "uint32") is EXTREMES


@pytest.mark.parametrize("name", ["int32", "uint16", "bool_"])
def test_other_types_are_refused(name):
    with pytest.raises(DTypeError, match=f"philox_uniform: dtype must be .*; got dtype='{name}'"):
        philox_uniform(EXTREMES, name)


def test_what_does_not_fit_its_words_is_refused():
    for counter in (-1, 2**128):
        with pytest.raises(ValueError, match=r"philox_words: counter must be from 0 to 2\*\*128"):
            philox_words(0, counter, 1)
        with pytest.raises(ValueError, match=r"philox_after: counter must be .*; got counter="):
            philox_after(counter, 1)
    for key in (-1, 2**64):
        with pytest.raises(ValueError, match=r"philox_words: key must be from 0 to 2\*\*64 - 1"):
            philox_words(key, 0, 1)

"""Streams of other libraries, as they were recorded, from generators of ours: docs/random.md."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import float16, float32
from dml_vk.random import Generator
from tests.hexadecimal import number, words

STREAMS = json.loads((Path(__file__).parents[2] / "data" / "philox_streams.json").read_text())


def generator(known) -> Generator:
    return Generator(key=number(known["key"]), counter=number(known["counter"]))


def test_every_stream_says_where_it_is_from():
    for name, known in STREAMS.items():
        assert name == "about" or (known["source"] and known["mapping"] and known["words"])


def test_tensorflow():
    known = STREAMS["tensorflow"]
    drawn = generator(known).bits(6)
    assert drawn.tolist() == words(known["words"])
    # Its floats take the low bits of words.
    for dtype, digits, recorded in ((float32, 23, "float32_bits"), (float16, 10, "float16_bits")):
        low = dml_vk.bitwise_and(drawn, 2**digits - 1)
        floats = dml_vk.multiply(dml_vk.astype(low, dtype), 2.0**-digits).numpy()
        assert floats.view(f"uint{8 * dtype.itemsize}").tolist() == words(known[recorded])
    low = dml_vk.multiply(dml_vk.astype(dml_vk.bitwise_and(drawn, 0x7FFFFF), float32), 2.0**-23)
    first, second = (low.over(low.layout.slice(0, start, None, 2)) for start in (0, 1))
    radius = dml_vk.sqrt(dml_vk.multiply(dml_vk.log(dml_vk.maximum(first, 1e-7)), -2.0))
    angle = dml_vk.multiply(second, 2 * np.pi)
    pairs = [dml_vk.multiply(radius, turn(angle)).numpy() for turn in (dml_vk.sin, dml_vk.cos)]
    np.testing.assert_allclose(np.stack(pairs, 1).reshape(-1), known["normal_float32"], rtol=2e-6)


def test_tensorflow_makes_key_and_counter_of_a_seed():
    known = STREAMS["tensorflow"]["seed_12_34"]
    key, upper = (
        Generator(key=0x02461E29_3EC8F720, counter=12 | 34 << 64).bits(2, "uint64").tolist()
    )
    assert (key, upper << 64) == (number(known["key"]), number(known["counter"]))


def test_mkl():
    known = STREAMS["mkl"]
    assert Generator(key=number(known["seed"])).bits(12).tolist() == words(known["words"])


def test_randomgen():
    known = STREAMS["randomgen"]
    made = generator(known)
    made.advance(1)
    assert made.bits(8).tolist() == words(known["words"])
    made.advance(-2)
    assert made.random(5).numpy().view(np.uint32).tolist() == words(known["float32_bits"])


def test_jax():
    known = STREAMS["jax"]
    state = number(known["state"])
    key, counter = state % 2**64, state >> 64
    drawn = Generator(key=key, counter=counter | key << 64).bits(8)
    assert drawn.tolist() == words(known["words"])


@pytest.mark.parametrize("lap", [0, 1])
def test_curand(lap):
    known = STREAMS["curand"]
    elements = {**dict(enumerate(words(known["words"])))}
    elements |= {int(i): int(word, 16) for i, word in known["elements"].items()}
    mine = {i: word for i, word in elements.items() if i // 2**18 == lap}
    assert len(mine) > 2
    for i, word in mine.items():
        # 65536 streams side by side, their numbers in the upper half of the counter.
        stream = Generator(key=number(known["key"]), counter=i // 4 % 65536 << 64)
        stream.advance(lap)
        assert stream.bits(4).tolist()[i % 4] == word

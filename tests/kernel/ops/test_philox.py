"""Philox on the device against known answers and the reference: any layout, any counter."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import float16, float32, float64, uint32, uint64
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.kernels.plan.indexed import plan_indexed
from dml_vk.kernels.registry import KERNELS
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.philox import advance_state, fill_philox
from dml_vk.random import Generator
from dml_vk.testing import philox_after, philox_uniform, philox_words
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.hexadecimal import number, words
from tests.kernel.memory import (
    MARGIN,
    assert_complete,
    bits,
    check_writes,
    memory_for,
    telling,
    used_by,
)
from tests.kernel.ops.test_fill import FEW, LONG, QUAD, SIZES, WAYS, packed
from tests.layouts import AWKWARD

KNOWN = json.loads((Path(__file__).parents[2] / "data" / "philox_kat.json").read_text())
STREAMS = KNOWN["streams"]["rows"]
LONG_STREAMS = KNOWN["long_streams"]["rows"]
DTYPES = (uint32, uint64, float16, float32, float64)
KEY, COUNTER = 0x299F31D0_A4093822, 0x03707344_13198A2E_85A308D3_243F6A88
# Counters of which every number of words carries soon, and one that wraps.
EDGES = [2**places - back for places in (32, 64, 96, 128) for back in (1, 2, 50)]


def state_words(key: int, counter: int) -> tuple[int, ...]:
    return tuple((key << 128 | counter) >> 32 * k & 0xFFFFFFFF for k in range(6))


def generator(state: str) -> Generator:
    return Generator(key=number(state) >> 128, counter=number(state) % 2**128)


def state_tensor(key: int, counter: int, stride: int = 1):
    """The state on the device, in every stride-th word, the rest random."""
    memory, layout = memory_for(Layout((6,), (stride,)), 4)
    memory[layout.offset : layout.offset + 6 * stride : stride] = state_words(key, counter)
    return dml_vk.asarray(memory).over(layout)


def expected(dtype, n: int, counter: int = COUNTER) -> np.ndarray:
    return philox_uniform(philox_words(KEY, counter, n * (2 if dtype.itemsize == 8 else 1)), dtype)


def check_philox(layout: Layout, dtype, counter: int = COUNTER, *, on_device: bool = False) -> None:
    """By a state that is told, or by one that lies on the device."""
    values = bits(expected(dtype, layout.numel, counter=counter)).reshape(layout.sizes)
    told = state_words(KEY, counter)
    state = state_tensor(KEY, counter, 3) if on_device else told
    check_writes(lambda x: fill_philox("philox", x, dtype, state), layout, dtype.itemsize, values)


def plan_of(dtype, layout, *, on_device=False):
    """None where there are none: other operations draw these."""
    form = layout.sizes, layout.strides, dtype.itemsize, layout.offset + MARGIN
    told = {"sources": (4,), "constants": (("FROM_BUFFER", int(on_device)),)}
    return plan_indexed("philox", dtype.name, *form, dml_vk.device().profile, **told)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_variant(dtype):
    ways = telling(WAYS.values(), lambda way: plan_of(dtype, way))
    for way in ways if dtype in (uint32, float16, float64) else tier.some(ways, 3):
        check_philox(way, dtype)
    for way in tier.some(FEW, 2):
        check_philox(WAYS[way], dtype, on_device=True)


# No two elements of a stream are the same one, so its source has no stride of 0.
NEVER = {
    (module, "STEPS", 0)
    for kernel in KERNELS.values()
    if kernel.name.startswith("philox")
    for module in kernel.modules
}


def test_the_cases_cover_every_kernel_and_every_value_of_its_constants():
    plans = []
    for dtype in DTYPES:
        made = [plan_of(dtype, layout) for layout in WAYS.values()]
        made += [plan_of(dtype, WAYS[way], on_device=True) for way in FEW]
        plans += [plan for plan in made if plan]
    used = used_by(plans)
    for name in ("philox_words", "philox_packed"):
        assert_complete(used, KERNELS[name], NEVER)
    # The third kernel has nothing that prunes it; test_operators.py and the tests below run it.
    assert [k for k in KERNELS if k.startswith("philox")] == [
        "philox_words",
        "philox_packed",
        "philox_advance",
    ]
    assert KERNELS["philox_advance"].spec == ("LOCAL_SIZE",)


@tier.parametrize(
    "layout dtype", [a for a in AWKWARD if not a.overlaps], [uint32, float16, float64]
)
def test_awkward_layouts(layout, dtype):
    check_philox(layout, dtype, on_device=dtype is uint32)


@tier.examples(80)
@given(st.data(), SIZES | LONG, st.sampled_from(DTYPES), st.sampled_from(EDGES))
def test_any_layout(data, sizes, dtype, counter):
    layout = data.draw(layouts(sizes=sizes))
    assume(not layout.overlaps)
    event(f"carries: {philox_after(counter, layout.numel) < counter}")
    check_philox(layout, dtype, counter, on_device=True)


@pytest.mark.parametrize("counter", EDGES, ids=hex)
def test_counters_carry_through_all_words_and_wrap(counter):
    for dtype, on_device, offset in tier.crossed(DTYPES, (False, True), (0, QUAD)):
        check_philox(packed((301,), offset=offset), dtype, counter, on_device=on_device)


@pytest.mark.parametrize("row", STREAMS, ids=lambda row: row["name"])
def test_known_streams(row):
    made = generator(row["state"])
    assert list(made.state) == words(row["state"])
    found = made.bits(row["n"])
    assert found.dtype is uint32
    assert found.tolist() == words(row["words"])
    assert list(made.state) == words(row["after"])


@pytest.mark.parametrize("row", LONG_STREAMS, ids=lambda row: row["name"])
def test_known_long_streams(row):
    made = generator(row["state"])
    found = made.bits(row["n"]).numpy()
    assert found[-4:].tolist() == words(row["last"])
    assert hashlib.sha256(found.astype("<u4").tobytes()).hexdigest() == row["sha256_little_endian"]
    assert list(made.state) == words(row["after"])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_large_outputs_take_several_groups_and_all_their_elements(dtype):
    sizes = (3, 37, 101, 17)
    for layout in (packed(sizes), packed(sizes, channels_last)):
        check_philox(layout, dtype)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 7, 31, 127, 1009, 65537])
def test_sizes_of_nothing_one_and_primes(n):
    for dtype in DTYPES:
        check_philox(packed((n,)), dtype)


@tier.parametrize("counter blocks", [0, COUNTER, *EDGES], [0, 1, 2**31, 2**32 - 1])
def test_the_state_moves_on_where_it_lies_and_elsewhere(counter, blocks):
    after = np.array(state_words(KEY, (counter + blocks) % 2**128), np.uint32)
    for layout in (Layout((6,)), Layout((6,), (3,)), Layout((6,), (-2,), 10)):
        source = state_tensor(KEY, counter, 3)
        check_writes(lambda x, s=source: advance_state(s, x, blocks), layout, 4, after)
    # In place, and shifted, and spread out over the words that it is read from.
    for layout in (
        Layout((6,)),
        Layout((6,), offset=2),
        Layout((6,), (-1,), 5),
        Layout((6,), (2,)),
    ):
        memory = np.arange(100, 112, dtype=np.uint32)
        memory[:6] = state_words(KEY, counter)
        x = dml_vk.asarray(memory)
        advance_state(x.over(Layout((6,))), x.over(layout), blocks)
        memory[layout.offsets()] = after
        assert x.tolist() == memory.tolist()


def test_a_generator_makes_bits_and_floats_and_counts_blocks():
    made = Generator(key=KEY, counter=COUNTER)
    at = COUNTER
    for draw, dtype, n in (
        (made.bits, uint32, 9),
        (made.bits, uint64, 9),
        (made.random, float32, 7),
        (made.random, float16, 1),
        (made.random, float64, 3),
        (made.bits, uint32, 0),
    ):
        found = draw(n, dtype)
        assert found.dtype is dtype
        assert np.array_equal(found.numpy(), expected(dtype, n, counter=at))
        at += -(-n * (2 if dtype.itemsize == 8 else 1) // 4)
        assert made.counter == at
    assert made.state == state_words(KEY, at)
    assert (made.bits(1).dtype, made.random(1).dtype) == (uint32, float32)
    assert made.random(()).shape == ()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_value_at_an_index_does_not_depend_on_the_layout(dtype):
    shape = (2, 3, 5, 7)
    found = {}
    for memory_format in (dml_vk.contiguous_format, channels_last):
        made = Generator(3)
        draw = made.bits if dtype.kind == "u" else made.random
        x = draw(shape, dtype, memory_format=memory_format)
        assert x.memory_format is memory_format
        assert x.layout == Layout.packed(shape, memory_format)
        found[memory_format] = x.numpy()
        assert made.counter == (105 if dtype.itemsize == 8 else 53)
    rows, pixels = found.values()
    assert np.array_equal(rows, pixels)
    assert len(np.unique(rows)) > 100


def test_seeds_are_hashed_as_documented():
    for seed in (0, 1, -1, 42, 2**64, -(2**200), np.int8(7), 2**20000):
        digest = hashlib.sha256(format(int(seed), "x").encode()).digest()
        assert Generator(seed).key == int.from_bytes(digest[:8], "little")
    # As `printf 2a | sha256sum` begins.
    digest = "b2239ae33d9bc561"
    assert Generator(42).key == int.from_bytes(bytes.fromhex(digest), "little")
    assert len({Generator().key for _ in range(9)}) == 9
    assert Generator(5).counter == 0


def test_generators_skip_and_go_back():
    made = Generator(key=KEY, counter=2**128 - 1)
    first = made.bits(8).tolist()
    assert made.counter == 1
    made.advance(-2)
    assert made.counter == 2**128 - 1
    assert made.bits(8).tolist() == first
    made.counter = 0
    assert made.bits(4).tolist() == first[4:]
    made.advance(2**128 + 5)
    assert made.counter == 6
    assert repr(Generator(key=255, counter=16)) == "Generator(key=0xff, counter=0x10)"


def test_wrong_arguments_of_generators():
    for wrong in ({"key": -1}, {"key": 2**64}, {"counter": -1}, {"counter": 2**128}):
        (name,) = wrong
        with pytest.raises(
            ValueError, match=f"Generator: {name} must be from 0 to 2.*; got {name}="
        ):
            Generator(**wrong)
    for wrong in ({"key": 1.0}, {"counter": "1"}, {"seed": 0.5}):
        with pytest.raises(LayoutError, match=r"Generator: \w+ must be an integer; got"):
            Generator(**wrong)
    with pytest.raises(ValueError, match="seed and key must not both be given; got seed=1, key=2"):
        Generator(1, key=2)
    made = Generator(key=KEY)
    with pytest.raises(ValueError, match="Generator: counter must be from 0"):
        made.counter = 2**128
    with pytest.raises(AttributeError):
        made.key = 5
    for call in (
        lambda: made.bits(3, float32),
        lambda: made.bits(3, "int32"),
        lambda: made.random(3, uint32),
        lambda: made.random((2, -1)),
        lambda: made.random((2, 2), memory_format=channels_last),
        lambda: made.bits((2**40,)),
        lambda: made.advance(0.5),
    ):
        with pytest.raises((DTypeError, LayoutError, MemoryError)):
            call()
        assert made.counter == 0


def test_threads_never_draw_the_same_blocks():
    made, drawn = Generator(key=KEY), []

    def draw():
        for _ in range(50):
            drawn.append(made.bits(8))

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made.counter == 800
    found = {tuple(x.tolist()) for x in drawn}
    assert found == {
        tuple(row) for row in expected(uint32, 3200, counter=0).reshape(-1, 8).tolist()
    }

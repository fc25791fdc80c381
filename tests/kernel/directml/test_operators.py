"""DirectML's operators on buffers: known streams, states in place, order, strides, padding."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dml_vk
from dml_vk import directml
from dml_vk.directml import (
    Buffer,
    BufferTensorDesc,
    DataType,
    ElementWiseIdentity,
    FillValueConstant,
    FillValueSequence,
    RandomGenerator,
)
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import Layout
from dml_vk.testing import philox_words, sequence
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits, elements

KNOWN = json.loads((Path(__file__).parents[2] / "data" / "philox_kat.json").read_text())
STREAMS = KNOWN["streams"]["rows"]
WHOLE_BYTES = [one for one in DataType if one.bits >= 8]
FLOATS = [one for one in WHOLE_BYTES if one.name.startswith("FLOAT")]
U32 = DataType.UINT32
STATE = BufferTensorDesc(U32, (1, 1, 1, 6))


def words(text):
    return np.array([int(word, 16) for word in text.split()], np.uint32)


def holding(data, nbytes=None, offset=0) -> Buffer:
    """A buffer with these bytes at an offset, and random ones around them."""
    data = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
    memory = chance().integers(0, 256, nbytes or data.size, np.uint8)
    memory[offset : offset + data.size] = data
    buffer = Buffer(memory.size)
    buffer.write(memory)
    return buffer


def check_output(operator, buffers, expected) -> None:
    """A call writes these elements, and no padding, gap or byte after the output.

    Among the buffers, `...` stands for the one that is made for the output.
    """
    desc, expected = operator.output, bits(np.asarray(expected))
    size = expected.itemsize
    nbytes = -(-desc.total_tensor_size_in_bytes // size) * size + 24
    memory = chance().integers(0, 256, nbytes, np.uint8)
    made = holding(memory)
    operator(*[made if buffer is ... else buffer for buffer in buffers])
    elements(memory.view(expected.dtype), desc.layout)[...] = expected.reshape(desc.sizes)
    np.testing.assert_array_equal(made.read(), memory)


@pytest.mark.parametrize("row", STREAMS, ids=lambda row: row["name"])
def test_known_streams_and_states(row):
    output = BufferTensorDesc(U32, (row["n"],))
    for rank in (1, 4, 8):
        state = BufferTensorDesc(U32, (1,) * (rank - 1) + (6,))
        given, after = holding(words(row["state"])), Buffer(24)
        expected = words(row["words"])
        check_output(RandomGenerator(state, output), (given, ...), expected)
        check_output(RandomGenerator(state, output, state), (given, ..., after), expected)
        assert given.read("uint32").tolist() == words(row["state"]).tolist()
        assert after.read("uint32").tolist() == words(row["after"]).tolist()


@pytest.mark.parametrize("row", STREAMS, ids=lambda row: row["name"])
def test_the_output_state_may_overwrite_the_input_state(row):
    """Under any two strides: the output is made of the state as it was."""
    output = BufferTensorDesc(U32, (1, row["n"]))
    for read, write in ((1, 1), (2, 1), (1, 2), (2, 3), (3, 2)):
        source = BufferTensorDesc(U32, (1, 6), (6, read))
        target = BufferTensorDesc(U32, (1, 6), (7, write))
        memory = chance().integers(0, 2**32, 16, np.uint32)
        memory[: 6 * read : read] = words(row["state"])
        both = holding(memory)
        operator = RandomGenerator(source, output, target)
        check_output(operator, (both, ..., both), words(row["words"]))
        memory[: 6 * write : write] = words(row["after"])
        assert both.read(U32).tolist() == memory.tolist()


@pytest.mark.parametrize("row", KNOWN["long_streams"]["rows"], ids=lambda row: row["name"])
def test_known_long_streams(row):
    output = BufferTensorDesc(U32, (row["n"],))
    state, out = holding(words(row["state"])), Buffer(output.total_tensor_size_in_bytes)
    RandomGenerator(STATE, output, STATE)(state, out, state)
    found = out.read("uint32").astype("<u4").tobytes()
    assert hashlib.sha256(found).hexdigest() == row["sha256_little_endian"]
    assert state.read("uint32").tolist() == words(row["after"]).tolist()


def test_directmls_own_example():
    known = KNOWN["directml"]
    sizes = tuple(known["output_sizes"])
    output = BufferTensorDesc(U32, sizes)
    counter = int(known["counter"], 16)
    before = np.array([counter >> 32 * k & 0xFFFFFFFF for k in range(4)] + [0, 0], np.uint32)
    state, out = holding(before), Buffer(output.total_tensor_size_in_bytes)
    RandomGenerator(STATE, output, STATE)(state, out, state)
    assert state.read(U32)[:4].tolist() == words(known["after_words"])[:4].tolist()
    expected = philox_words(0, counter, math.prod(sizes))
    np.testing.assert_array_equal(out.read(U32), expected)


def test_a_thousand_chained_calls_run_in_order():
    """Each reads the state that the one before it wrote, into an output that all of them write."""
    n, rounds = 5, 1000
    output = BufferTensorDesc(U32, (n,))
    state, out = holding(words(STREAMS[-1]["state"])), Buffer(4 * n)
    draw, keep = RandomGenerator(STATE, output, STATE), ElementWiseIdentity(output, output)
    rows = [Buffer(4 * n) for _ in range(rounds)]
    for row in rows:
        draw(state, out, state)
        keep(out, row)
    blocks = -(-n // 4)
    key, counter = 2**64 - 1, 1
    expected = philox_words(key, counter, 4 * blocks * rounds).reshape(rounds, -1)[:, :n]
    found = np.stack([row.read(U32) for row in rows])
    np.testing.assert_array_equal(found, expected)
    assert state.read(U32)[:4].tolist() == [counter + blocks * rounds, 0, 0, 0]


def test_buffers_may_go_while_their_work_is_pending():
    output = BufferTensorDesc(U32, (1000,))
    fill, keep = FillValueSequence(output, U32, 3, 7), ElementWiseIdentity(output, output)
    out = Buffer(4000)
    for _ in range(20):
        passing = Buffer(4000)
        fill(passing)
        keep(passing, out)
        del passing
        FillValueConstant(output, U32, 0)(Buffer(4000))
    assert out.read(U32).tolist() == sequence(3, 7, 1000, "uint32").tolist()


@st.composite
def descs(draw, data_type, sizes, output):
    layout = draw(layouts(sizes=sizes))
    strides = tuple(abs(stride) for stride in layout.strides)
    assume(not (output and Layout(sizes, strides).overlaps))
    return BufferTensorDesc(data_type, sizes, strides)


SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=8).map(tuple)


@tier.examples(100)
@given(st.data(), SIZES, st.sampled_from(WHOLE_BYTES))
def test_identity_takes_any_strides(data, sizes, data_type):
    assume(math.prod(sizes) <= 2000)
    source = data.draw(descs(data_type, sizes, False))
    target = data.draw(descs(data_type, sizes, True))
    size = data_type.bits // 8
    memory = chance().integers(
        0, 256, source.total_tensor_size_in_bytes // size * size + size, np.uint8
    )
    memory = memory.view(f"u{size}")
    given = elements(memory, source.layout)
    operator, buffer = ElementWiseIdentity(source, target), holding(memory)
    check_output(operator, (buffer, ...), given)
    # In place, as if through a temporary.
    both = np.zeros(max(memory.size, target.total_tensor_size_in_bytes // size + 1), memory.dtype)
    both[: memory.size] = memory
    buffer = holding(both)
    operator(buffer, buffer)
    elements(both, target.layout)[...] = given
    np.testing.assert_array_equal(buffer.read(), both.view(np.uint8))


@tier.examples(50)
@given(st.data(), SIZES)
def test_random_bits_take_any_strides(data, sizes):
    assume(math.prod(sizes) <= 2000)
    output = data.draw(descs(U32, sizes, True))
    state = holding(words(STREAMS[4]["state"]))
    expected = philox_words(
        0x299F31D0_A4093822, 0x03707344_13198A2E_85A308D3_243F6A88, math.prod(sizes)
    )
    check_output(RandomGenerator(STATE, output), (state, ...), expected)


# Packed, padded rows, columns, and more dims than one launch takes.
FORMS = [
    ((2, 3, 5), None),
    ((2, 3, 5), (40, 7, 1)),
    ((2, 3, 5), (1, 2, 6)),
    ((2,) * 8, tuple(3**k for k in range(8))),
]


@pytest.mark.parametrize("data_type", WHOLE_BYTES, ids=lambda one: one.name)
def test_fills_of_every_type(data_type):
    name = data_type.name.lower()
    values = [0.1, -0.0, math.inf, math.nan, 65504.0] if data_type in FLOATS else [0, 1, 113]
    if data_type not in FLOATS:
        values += [int(np.iinfo(name).min), int(np.iinfo(name).max)]
    terms = [(0.1, -0.3), (1.0, math.inf)] if data_type in FLOATS else [(100, -7), (values[-1], 1)]
    fills, sequences = [tier.crossed(FORMS, each) for each in (values, terms)]
    for (sizes, strides), value in fills:
        output = BufferTensorDesc(data_type, sizes, strides)
        fill = FillValueConstant(output, data_type, value)
        check_output(fill, (...,), np.full(sizes, value, name))
    for (sizes, strides), (start, delta) in sequences:
        output = BufferTensorDesc(data_type, sizes, strides)
        fill = FillValueSequence(output, data_type, start, delta)
        # Start and delta are of the output's type already: rounded before the sum is.
        rounded = (fill.value_start, fill.value_delta)
        check_output(fill, (...,), sequence(*rounded, math.prod(sizes), name))


def test_wrong_calls_run_nothing():
    state, out = holding(words(STREAMS[2]["state"])), holding(np.arange(5, dtype=np.uint32))
    output = BufferTensorDesc(U32, (5,))
    for call in (
        lambda: RandomGenerator(STATE, output, STATE)(state, out),
        lambda: RandomGenerator(STATE, output)(state, out, state),
        lambda: RandomGenerator(STATE, output)(state, state),
        lambda: RandomGenerator(STATE, output)(out, state),
        lambda: ElementWiseIdentity(output, output)(out, np.zeros(5, np.uint32)),
        lambda: FillValueConstant(BufferTensorDesc(U32, (6,)), U32, 7)(out),
        lambda: FillValueSequence(output, U32, 7, 7)(),
    ):
        with pytest.raises(LayoutError, match=r"^\w+: .*; got \w+"):
            call()
    assert state.read(U32).tolist() == words(STREAMS[2]["state"]).tolist()
    assert out.read(U32).tolist() == [0, 1, 2, 3, 4]


def test_buffers_hold_bytes():
    buffer = Buffer(24)
    assert (buffer.nbytes, buffer.device) == (24, dml_vk.default_device())
    assert repr(buffer) == f"Buffer(24, device={buffer.device.name!r})"
    expected = np.arange(100, 124, dtype=np.uint8)
    buffer.write(expected)
    grid = np.arange(12, dtype=np.uint16).reshape(3, 4)
    for data, offset, seen in (
        (b"abc", 1, b"abc"),
        (bytearray(b"xyz"), 21, b"xyz"),
        (memoryview(b"0123456789")[::-3], 5, b"9630"),
        (memoryview(grid), 0, grid.tobytes()),
        (np.float32(1.5), 3, np.float32(1.5).tobytes()),
        (grid.T[::-1, 1:], 7, grid.T[::-1, 1:].tobytes()),
        (np.array([1, 2], ">i4"), 9, b"\0\0\0\1\0\0\0\2"),
        (np.array(7, np.int64), 16, b"\7" + bytes(7)),
        (b"", 24, b""),
        (np.zeros((0, 3)), 5, b""),
    ):
        buffer.write(data, offset)
        expected[offset : offset + len(seen)] = np.frombuffer(seen, np.uint8)
        found = buffer.read()
        assert found.dtype == np.uint8
        assert found.tolist() == expected.tolist()
    for dtype in ("int16", np.float64, dml_vk.uint32, DataType.INT64, bool, "bool_"):
        found = buffer.read(dtype)
        assert found.nbytes == 24
        assert found.tobytes() == expected.tobytes()
    assert buffer.read(DataType.FLOAT16).dtype == np.float16
    found = buffer.read()
    found[:] = 0
    assert buffer.read().tolist() == expected.tolist()


def test_wrong_reads_and_writes_change_nothing():
    buffer = holding(np.arange(10, dtype=np.uint8))
    for data, offset in ((b"12345678901", 0), (b"1", 10), (b"", 11), (b"1", -1), (b"1", 2**70)):
        with pytest.raises(
            LayoutError, match=r"Buffer.write: offset and data must lie within 10 byt"
        ):
            buffer.write(data, offset)
    with pytest.raises(
        LayoutError, match=r"Buffer.write: offset must be an integer; got offset=1.0"
    ):
        buffer.write(b"1", 1.0)
    for data in (None, 3, "text", [1, 2], np.array([object()])):
        with pytest.raises(
            DTypeError, match=r"Buffer.write: data must be bytes or an array of numb"
        ):
            buffer.write(data)
    with pytest.raises(
        LayoutError, match=r"Buffer.read: the size of dtype must divide 10 bytes evenly; got"
    ):
        buffer.read("float32")
    for dtype in ("longdouble", DataType.UINT4):
        with pytest.raises(DTypeError, match=r"Buffer.read: dtype must be one of bool_, int8"):
            buffer.read(dtype)
    assert buffer.read().tolist() == list(range(10))
    for nbytes in (0, -1, -(2**70)):
        with pytest.raises(LayoutError, match="Buffer: nbytes must be at least 1; got nbytes="):
            Buffer(nbytes)
    for nbytes in (1.0, "8", None, b"bytes"):
        with pytest.raises(LayoutError, match="Buffer: nbytes must be an integer; got nbytes="):
            Buffer(nbytes)
    with pytest.raises(MemoryError, match="Buffer: a tensor can span at most"):
        Buffer(2**40)


def test_what_needs_numpy_comes_when_asked_for():
    assert directml.Buffer is Buffer
    assert "Buffer" in dir(directml)
    with pytest.raises(AttributeError, match="has no attribute 'buffers'"):
        _ = directml.buffers

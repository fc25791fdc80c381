"""Operators on strided tensors: what they write, and that they write nothing else."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from dml_vk.directml import Buffer, BufferTensorDesc, DataType
from tests.chance import chance
from tests.kernel.memory import bits, elements

ALL = [one for one in DataType if one.bits >= 8]
NUMBERS = [one for one in ALL if one is not DataType.FLOAT64]
INDEXES = [DataType.INT64, DataType.INT32, DataType.UINT64, DataType.UINT32]
SUMMED = [DataType.FLOAT32, DataType.FLOAT16, *INDEXES]


def kind_of(data_type):
    return np.dtype(data_type.name.lower())


def type_of(array):
    return DataType[array.dtype.name.upper()]


class Given(NamedTuple):
    """A tensor: its descriptor, the memory that it lies in, and its elements as NumPy sees them."""

    desc: BufferTensorDesc
    memory: np.ndarray
    array: np.ndarray

    def buffer(self, nbytes=0):
        buffer = Buffer(max(nbytes, self.memory.nbytes))
        buffer.write(self.memory)
        return buffer


RANKS = st.integers(1, 8)


def sizes_of(rank=RANKS, most=4, elements=600):
    """Sizes of a tensor that is not too large."""
    lists = rank.flatmap(lambda n: st.lists(st.integers(1, most), min_size=n, max_size=n))
    return lists.map(tuple).filter(lambda sizes: math.prod(sizes) <= elements)


@st.composite
def strides_of(draw, sizes, zeros=False):
    """None, or strides in any order with gaps; with `zeros` some dims may be broadcast."""
    if draw(st.booleans()):
        return None
    strides, step = [0] * len(sizes), 1
    for dim in draw(st.permutations(range(len(sizes)))):
        strides[dim] = step
        step *= sizes[dim] * draw(st.sampled_from([1, 1, 2])) + draw(st.sampled_from([0, 0, 3]))
    if zeros:
        strides = [0 if draw(st.integers(0, 4)) == 0 else stride for stride in strides]
    return tuple(strides)


def memory_for(desc):
    """Random bits, a few more than the tensor needs."""
    kind = kind_of(desc.data_type)
    count = desc.total_tensor_size_in_bytes // kind.itemsize + 6
    return chance().integers(0, 256, count * kind.itemsize, np.uint8).view(kind)


def source(draw, values, zeros=False):
    """A tensor with these elements; broadcast ones are then some of them."""
    desc = BufferTensorDesc(type_of(values), values.shape, draw(strides_of(values.shape, zeros)))
    memory = memory_for(desc)
    array = elements(memory, desc.layout)
    if 0 in desc.layout.strides:
        for index in np.ndindex(values.shape):
            array[index] = values[index]
    else:
        array[...] = values
    return Given(desc, memory, array.copy())


def random_bits(data_type, sizes):
    return (
        chance()
        .integers(0, 256, (*sizes, data_type.bits // 8), np.uint8)
        .view(kind_of(data_type))[..., 0]
    )


def target(draw, data_type, sizes):
    return BufferTensorDesc(data_type, sizes, draw(strides_of(sizes)))


def check(operator, given, expected, close=None):
    """A call writes these elements to the outputs: to others, and in place of each of the inputs.

    `given` has the inputs, None for those that are left out. Where `expected` is masked, nothing is
    written. `close(found, expected)` compares numbers that need not be equal.
    """
    outputs = list(operator._bindings.values())[len(given) :]
    run(operator, given, outputs, expected, close, {})
    for number, one in enumerate(given):
        if one is not None:
            run(operator, given, outputs, expected, close, {number % len(outputs): number})


def run(operator, given, outputs, expected, close, shared):
    """`shared` says which output shares a buffer with which input."""
    buffers = [one and one.buffer() for one in given]
    befores, targets = [], []
    for number, desc in enumerate(outputs):
        before = memory_for(desc).view(np.uint8)
        if number in shared:
            memory = given[shared[number]].memory.view(np.uint8)
            room = -(-max(before.size, memory.size) // 8) * 8
            before = np.resize(before, room)
            before[: memory.size] = memory
            buffers[shared[number]] = Buffer(room)
            buffers[shared[number]].write(before)
            targets.append(buffers[shared[number]])
        else:
            targets.append(Buffer(before.size))
            targets[-1].write(before)
        befores.append(before)
    operator(*buffers, *targets)
    for desc, before, buffer, wanted in zip(outputs, befores, targets, expected):
        after, kind = buffer.read(), kind_of(desc.data_type)
        room = before.size // kind.itemsize * kind.itemsize
        found = elements(after[:room].view(kind), desc.layout)
        own = elements(before[:room].view(kind), desc.layout)
        if np.ma.isMA(wanted):
            wanted = np.where(np.ma.getmaskarray(wanted), own, wanted.data)
        assert wanted.dtype == kind, (operator, wanted.dtype)
        assert wanted.shape == desc.sizes, (operator, wanted.shape)
        if close is None:
            same = bits(np.ascontiguousarray(found)) == bits(np.ascontiguousarray(wanted))
            assert same.all(), (operator, shared, found[~same][:5], wanted[~same][:5])
        else:
            close(found.copy(), wanted)
        own[...] = found
        np.testing.assert_array_equal(after, before, err_msg=repr(operator))

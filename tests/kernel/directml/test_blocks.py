"""DirectML's quantization by blocks beside its formula, with elements of 4 and 8 bits."""

from __future__ import annotations

import itertools

import numpy as np

from dml_vk.directml import (
    Buffer,
    BufferTensorDesc,
    DataType,
    Dequantize,
    QuantizationType,
    Quantize,
)
from tests import tier
from tests.kernel.directml.running import F16, F32, dtype_of

I4, U4, I8, U8 = [DataType[name] for name in ("INT4", "UINT4", "INT8", "UINT8")]
LIMITS = {I4: (-8, 7), U4: (0, 15), I8: (-128, 127), U8: (0, 255)}
EDGE = 8  # bytes after a tensor
# The sizes of a tensor and of its scale.
BLOCKS = [
    ((6, 10), (6, 2)),
    ((6, 10), (1, 10)),
    ((6, 10), (3, 1)),
    ((3, 4, 6), (3, 2, 3)),
    ((7,), (1,)),
    ((1, 1, 5, 1), (1, 1, 5, 1)),
]
STRIDED = ("packed", "gaps", "reversed")


def desc(data_type, sizes, form="packed"):
    strides = None
    if form == "gaps":
        strides = tuple(int(np.prod([n + 1 for n in sizes[k + 1 :]])) for k in range(len(sizes)))
    elif form == "reversed":
        strides = tuple(int(np.prod(sizes[:k])) for k in range(len(sizes)))
    return BufferTensorDesc(data_type, sizes, strides)


def places(own):
    """The element of memory at which each element of a tensor lies."""
    ranges = [range(size) for size in own.sizes]
    found = [own.layout.offset_of(index) for index in itertools.product(*ranges)]
    return np.reshape(found, own.sizes)


def encoded(memory, own, values):
    """Put values into a copy of these bytes, by halves of bytes where they have 4 bits."""
    if own.data_type.bits == 8 or own.data_type in (F32, F16):
        kind = dtype_of(own.data_type)
        whole = memory[: memory.size // kind.itemsize * kind.itemsize].copy().view(kind)
        whole[places(own)] = values
        return np.concatenate([whole.view(np.uint8), memory[whole.nbytes :]])
    halves = np.stack([memory & 15, memory >> 4], -1).reshape(-1)
    halves[places(own)] = np.asarray(values).astype(np.int64) & 15
    low, high = halves.reshape(-1, 2).T
    return (low | high << 4).astype(np.uint8)


def decoded(memory, own):
    if own.data_type.bits != 4:
        kind = dtype_of(own.data_type)
        return memory[: memory.size // kind.itemsize * kind.itemsize].view(kind)[places(own)]
    halves = np.stack([memory & 15, memory >> 4], -1).reshape(-1).astype(np.int64)
    values = halves[places(own)]
    return values if own.data_type is U4 else (values ^ 8) - 8


def run(operator, arrays):
    """Call with buffers of these arrays; return the output, beside which nothing may change."""
    descs = [*operator._bindings.values()]
    buffers, memories = [], []
    for own, values in zip(descs, [*arrays, None]):
        nbytes = own.total_tensor_size_in_bytes + EDGE
        memory = np.random.default_rng(nbytes).integers(0, 256, nbytes, np.uint8)
        memory = memory if values is None else encoded(memory, own, values)
        buffers.append(Buffer(nbytes))
        buffers[-1].write(memory)
        memories.append(memory)
    operator(*buffers)
    found = buffers[-1].read()
    output = decoded(found, descs[-1])
    np.testing.assert_array_equal(
        encoded(found, descs[-1], decoded(memories[-1], descs[-1])), memories[-1]
    )
    return output


def spread(x, sizes):
    """Numbers of blocks for each element."""
    for dim, (size, count) in enumerate(zip(sizes, x.shape)):
        x = np.repeat(x, size // count, dim)
    return x


@tier.parametrize(
    "wide kind sizes form has_point", [F32, F16], [*LIMITS], BLOCKS, STRIDED, [True, False]
)
def test_blocks_there_and_back(wide, kind, sizes, form, has_point):
    whole, few = sizes
    low, high = LIMITS[kind]
    random = np.random.default_rng(len(whole))
    scale = random.choice([0.25, 0.5, 1, 2], few).astype(dtype_of(wide))
    # Quarters: exact in float16, halves among them, and beyond the limits.
    x = random.integers(4 * low - 40, 4 * high + 40, whole).astype(np.float64) / 4
    x = (x * spread(scale, whole)).astype(dtype_of(wide))
    point = random.integers(max(low, -3), 4, few)
    tensors, arrays = [desc(wide, few, form)], [x, scale]
    way = QuantizationType.SCALE
    if has_point:
        tensors, arrays = [*tensors, desc(kind, few, form)], [*arrays, point]
        way = QuantizationType.SCALE_ZERO_POINT
    operator = Quantize(
        desc(wide, whole, form), tensors, desc(kind, whole, form), quantization_type=way
    )
    zero = spread(point, whole) if has_point else 0
    steps = x.astype(np.float64) / spread(scale, whole)
    expected = np.clip(np.round(steps) + zero, low, high)
    found = run(operator, arrays)
    np.testing.assert_array_equal(found, expected)
    back = Dequantize(
        desc(kind, whole, form), tensors, desc(wide, whole, form), quantization_type=way
    )
    exact = (expected - zero) * spread(scale, whole)
    np.testing.assert_array_equal(run(back, [expected, *arrays[1:]]), exact.astype(dtype_of(wide)))


def test_the_first_element_is_the_low_half_of_its_byte():
    operator = Quantize(
        desc(F32, (5,)),
        [desc(F32, (1,))],
        desc(U4, (5,)),
        quantization_type=QuantizationType.SCALE,
    )
    buffers = [Buffer(20), Buffer(4), Buffer(4)]
    buffers[0].write(np.arange(1, 6, dtype=np.float32))
    buffers[1].write(np.ones(1, np.float32))
    buffers[2].write(np.uint8([0, 0, 0xF0, 0xAA]))
    operator(*buffers)
    assert buffers[2].read().tolist() == [0x21, 0x43, 0xF5, 0xAA]

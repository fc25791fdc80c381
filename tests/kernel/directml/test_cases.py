"""DirectML's elementwise operators where they are peculiar: bounds, halves, bits, aliases."""

from __future__ import annotations

import numpy as np
import pytest

from dml_vk.directml import (
    ActivationIdentity,
    ActivationRelu,
    Buffer,
    BufferTensorDesc,
    Cast,
    DataType,
    ElementWiseAdd,
    ElementWiseBitCount,
    ElementWiseBitNot,
    ElementWiseClip,
    ElementWiseClip1,
    ElementWiseClipGrad,
    ElementWiseClipGrad1,
    ElementWiseDivide,
    ElementWiseIdentity,
    ElementWiseIf,
    ElementWiseIsInfinity,
    ElementWiseMean,
    ElementWisePow,
    ElementWiseRound,
    ElementWiseThreshold,
    IsInfinityMode,
    RoundingMode,
    ScaleBias,
)
from tests import tier
from tests.kernel.memory import elements


def answer(operator, *arrays):
    """What a call makes of these arrays, which are packed."""
    buffers = []
    for array in arrays:
        buffers.append(Buffer(-(-array.nbytes // 4) * 4))
        buffers[-1].write(array)
    desc = getattr(operator, operator._tensors[-1])
    out = Buffer(desc.total_tensor_size_in_bytes)
    operator(*buffers, out)
    return out.read(desc.data_type)[: desc.element_count].tolist()


def desc(data_type, count):
    return BufferTensorDesc(data_type, (count,))


F32, U8, U32, I8, I32 = (DataType[name] for name in ("FLOAT32", "UINT8", "UINT32", "INT8", "INT32"))
U64, I64 = DataType.UINT64, DataType.INT64


def test_rounding_as_directmls_page_has_it_and_next_to_halves():
    x = [-2.5, -1.75, -1.5, -1.25, 0, 1.25, 1.5, 1.75, 2.5]
    tensor = desc(F32, 9)
    for mode, rounded in {
        RoundingMode.HALVES_TO_NEAREST_EVEN: [-2, -2, -2, -1, 0, 1, 2, 2, 2],
        RoundingMode.TOWARD_ZERO: [-2, -1, -1, -1, 0, 1, 1, 1, 2],
        RoundingMode.TOWARD_INFINITY: [-3, -2, -2, -1, 0, 1, 2, 2, 3],
    }.items():
        assert answer(ElementWiseRound(tensor, tensor, mode), np.float32(x)) == rounded
    hard = [0.49999997, 0.5, 1.4999999, 4194303.5, 4194304.5, 8388607.5, 8388609, np.inf]
    away = [0, 1, 1, 4194304, 4194305, 8388608, 8388609, np.inf]
    tensor = desc(F32, 8)
    operator = ElementWiseRound(tensor, tensor, RoundingMode.TOWARD_INFINITY)
    assert answer(operator, np.float32(hard)) == away
    assert answer(operator, -np.float32(hard)) == [-x for x in away]


def test_infinities_of_either_sign_or_one():
    x, tensor, flags = np.float32([np.inf, -np.inf, np.nan, 0]), desc(F32, 4), desc(U8, 4)
    assert answer(ElementWiseIsInfinity(tensor, flags), x) == [1, 1, 0, 0]
    for mode, found in (
        (IsInfinityMode.POSITIVE, [1, 0, 0, 0]),
        (IsInfinityMode.NEGATIVE, [0, 1, 0, 0]),
    ):
        assert answer(ElementWiseIsInfinity(tensor, flags, mode), x) == found


def test_examples_of_directmls_pages():
    bytes4, words4 = desc(U8, 4), desc(U32, 4)
    assert answer(ElementWiseBitNot(bytes4, bytes4), np.uint8([0, 128, 42, 255])) == [
        *(255, 127, 213, 0)
    ]
    assert answer(ElementWiseBitCount(words4, words4), np.uint32([0, 123, 456, 789])) == [
        *(0, 6, 4, 5)
    ]
    condition, a, b = np.uint8([1, 0, 1, 1]), np.uint32([1, 2, 3, 4]), np.uint32([9, 8, 7, 6])
    chosen = ElementWiseIf(bytes4, words4, words4, words4)
    assert answer(chosen, condition, a, b) == [1, 8, 3, 4]


def test_bits_are_counted_as_they_lie():
    cases = (
        (DataType.INT64, np.int64([-1, 1, -(2**63)]), [64, 1, 1]),
        (DataType.FLOAT64, np.float64([-0.0, 1, np.inf]), [1, 10, 11]),
        (DataType.INT8, np.int8([-1, -128, 127]), [8, 1, 7]),
        (DataType.FLOAT16, np.float16([1, -1, 0]), [4, 5, 0]),
    )
    for (data_type, array, counts), out in tier.crossed(cases, (U8, U32)):
        assert answer(ElementWiseBitCount(desc(data_type, 3), desc(out, 3)), array) == counts


def test_integers_are_divided_and_averaged_towards_zero():
    a, b, tensor = np.int32([7, -7, 7, 5]), np.int32([2, 2, -2, 0]), desc(I32, 4)
    assert answer(ElementWiseDivide(tensor, tensor, tensor), a, b) == [3, -3, -3, 0]
    assert answer(ElementWiseMean(tensor, tensor, tensor), a, b) == [4, -2, 2, 2]
    most = np.int32([2**31 - 1, -(2**31), 2**31 - 1, -1])
    assert answer(ElementWiseMean(tensor, tensor, tensor), most, most) == most.tolist()
    others = np.int32([2**31 - 2, 1 - 2**31, -(2**31), 0])
    assert answer(ElementWiseMean(tensor, tensor, tensor), most, others) == [
        *(2**31 - 2, 1 - 2**31, 0, 0)
    ]
    large, tensor = np.uint32([2**32 - 1, 2**32 - 1]), desc(U32, 2)
    assert answer(ElementWiseMean(tensor, tensor, tensor), large, np.uint32([1, 2**32 - 2])) == [
        *(2**31, 2**32 - 2)
    ]


def test_bounds_of_integers():
    x, tensor = np.int32([-(2**31), -1, 0, 1, 2**31 - 1]), desc(I32, 5)
    clip = ElementWiseClip(tensor, tensor, min=-3e38, max=3e38)
    assert answer(clip, x) == x.tolist()
    clip = ElementWiseClip(tensor, tensor, min=-0.5, max=1.5)
    assert answer(clip, x) == [0, 0, 0, 1, 1]
    # Where they cross, min has the last word.
    clip = ElementWiseClip(tensor, tensor, min=5, max=3)
    assert answer(clip, x) == [5] * 5
    floats = desc(F32, 5)
    clip = ElementWiseClip(floats, floats, min=5, max=3)
    assert answer(clip, x.astype(np.float32)) == [5] * 5
    threshold = ElementWiseThreshold(tensor, tensor, min=0.5)
    assert answer(threshold, x) == [0, 0, 0, 1, 2**31 - 1]
    large, tensor = np.int64([2**63 - 1, 2**53 + 1, 0, -(2**63)]), desc(I64, 4)
    clip = ElementWiseClip1(tensor, tensor, min_max_data_type=I64, min=-(2**53) - 1, max=2**62 + 1)
    assert answer(clip, large) == [2**62 + 1, 2**53 + 1, 0, -(2**53) - 1]


SOME_TYPES = tier.some([U8, I8, U32, I32, U64, I64], 3)


@pytest.mark.parametrize("data_type", SOME_TYPES, ids=lambda one: one.name)
def test_gradients_between_bounds_that_no_integer_may_reach(data_type):
    info, tensor = np.iinfo(data_type.name.lower()), desc(data_type, 6)
    x = np.array([info.min, info.min + 1, 3, 4, info.max - 1, info.max], info.dtype)
    gradient = np.arange(10, 16, dtype=info.dtype)
    for low, high in ((-3e38, 3e38), (-3e38, 3.5), (3.5, 3e38), (2.5, 3.5), (2.0, 3.0), (4, 3)):
        operator = ElementWiseClipGrad(tensor, tensor, tensor, min=low, max=high)
        between = [low < int(each) < high for each in x]
        assert answer(operator, x, gradient) == np.where(between, gradient, 0).tolist()
    bounds = {"min": int(info.min), "max": int(info.max), "min_max_data_type": data_type}
    operator = ElementWiseClipGrad1(tensor, tensor, tensor, **bounds)
    assert answer(operator, x, gradient) == [0, 11, 12, 13, 14, 0]


def test_gradients_of_floats_are_cut_by_bounds_of_float32():
    x = np.float16([0.1, np.nextafter(np.float16(0.1), np.float16(1)), np.nan, np.inf, 2])
    tensor = desc(DataType.FLOAT16, 5)
    operator = ElementWiseClipGrad(tensor, tensor, tensor, min=0.1, max=np.inf)
    assert answer(operator, x, np.ones(5, np.float16)) == [0, 1, 0, 0, 1]


def test_powers_of_mixed_types():
    for base, exponent, expected in (
        (np.int8([2, -3, 7]), np.uint32([3, 3, 40]), [8, -27, 7**40 % 256 - 256]),
        (np.uint32([2, 3, 10]), np.int8([5, -1, 3]), [32, 0, 1000]),
        (np.int16([9, 2, -8]), np.float32([0.5, 100, 3]), [3, 32767, -512]),
        (np.float32([0.5, -2, 9]), np.int32([-2, 3, 0]), [4, -8, 1]),
    ):
        data_types = [DataType[array.dtype.name.upper()] for array in (base, exponent)]
        operator = ElementWisePow(*[desc(one, 3) for one in (*data_types, data_types[0])])
        expected = np.array(expected).astype(base.dtype).tolist()
        assert answer(operator, base, exponent) == expected


def test_outputs_may_be_inputs():
    """In place, over either input, and in another order, as if through a temporary."""
    x = np.arange(24, dtype=np.float32)
    tensor = BufferTensorDesc(F32, (4, 6))
    turned = BufferTensorDesc(F32, (4, 6), (1, 4))
    grid = x.reshape(4, 6)
    for a, b, out in ((tensor, tensor, tensor), (tensor, turned, tensor), (turned, tensor, turned)):
        for place in (0, 1):
            buffers = [Buffer(96), Buffer(96)]
            for buffer in buffers:
                buffer.write(x)
            ElementWiseAdd(a, b, out)(*buffers, buffers[place])
            seen = [grid if each is tensor else x.reshape(6, 4).T for each in (a, b)]
            found = buffers[place].read(F32)
            assert elements(found, out.layout).tolist() == (seen[0] + seen[1]).tolist()
    both = Buffer(96)
    both.write(-x)
    ActivationRelu(tensor, tensor)(both, both)
    assert not both.read(F32).any()
    both.write(x)
    ElementWiseIdentity(tensor, turned, ScaleBias(2, 1))(both, both)
    assert both.read(F32).tolist() == (2 * grid.T.reshape(-1) + 1).tolist()
    ActivationIdentity(turned, tensor)(both, both)
    assert both.read(F32).tolist() == (2 * x + 1).tolist()
    # Of another size, over memory that is still to be read.
    both.write(x)
    Cast(tensor, BufferTensorDesc(DataType.FLOAT16, (4, 6)))(both, both)
    assert both.read(DataType.FLOAT16)[:24].tolist() == x.tolist()

"""DirectML's elementwise operators against NumPy: every class, its types, strides and padding."""

from __future__ import annotations

import zlib
from dataclasses import fields

import numpy as np
import pytest

from dml_vk import directml
from dml_vk.directml import (
    ActivationShrink,
    Buffer,
    BufferTensorDesc,
    Cast,
    DataType,
    ElementWiseAdd1,
    ElementWiseClip1,
    ElementWiseIf,
    ElementWiseMean,
    ElementWisePow,
    ScaleBias,
)
from dml_vk.directml.activations import FusibleActivation
from dml_vk.directml.elementwise import FLOATS, ElementWise, ScaledUnary
from dml_vk.kernels.operators import OPERATORS
from dml_vk.testing.elementwise import cast, reference, ulps_apart
from tests import tier
from tests.kernel.memory import elements

CLASSES = [
    one
    for one in (getattr(directml, name) for name in directml.__all__)
    if isinstance(one, type) and issubclass(one, ElementWise)
]
SIZES = (2, 3, 4, 5)
# Packed, with the channels innermost, padded, a value for each channel, and a row repeated.
SOURCES = (None, (60, 1, 15, 3), (100, 32, 7, 1), (0, 1, 0, 0), (0, 0, 0, 1))
TARGETS = (None, (60, 1, 15, 3), (100, 32, 7, 1), (1, 2, 6, 24))
SCALE_BIAS = ScaleBias(0.7, -0.3)
# What has no default, or says more than it.
ATTRIBUTES = {
    "ElementWiseClip": {"min": -2.5, "max": 3.5},
    "ElementWiseClip1": {"min": 1, "max": 3},
    "ElementWiseClipGrad": {"min": 0.5, "max": 6.5},
    "ElementWiseClipGrad1": {"min": 1, "max": 6},
    "ElementWiseConstantPow": {"exponent": 3.0},
    "ElementWiseThreshold": {"min": 1.5},
    "ActivationShrink": {"bias": 1.5, "threshold": 2.5},
}
# How references are called where the operator is not one of the table, or one of several.
NAMES = {
    "ElementWiseIsInfinity": "isinf",
    "ElementWiseRound": "round",
    "ElementWiseThreshold": "maximum",
    "ElementWiseConstantPow": "pow",
}
DESCRIPTORS = {
    descriptor.replace("_", "").lower(): [
        op for op in OPERATORS.values() if descriptor in op.directml
    ]
    for operator in OPERATORS.values()
    for descriptor in operator.directml
}


def dtype(data_type):
    return np.dtype(data_type.name.lower())


def some(cls):
    """A type of floats, and where there are others an integer of at most 32 bits and one of 64."""
    types = cls._types
    floats = [one for one in types if one in FLOATS]
    wide = [one for one in types if one.bits == 64]
    narrow = [one for one in types if one not in floats + wide]
    return [choose(group, cls.__name__) for group in (floats, narrow, wide) if group]


def values(data_type, count, seed):
    """Numbers of usual sizes, and some special ones."""
    random, kind = np.random.default_rng([seed, data_type.value]), dtype(data_type)
    if kind.kind == "f":
        made = (random.normal(size=count) * 4).astype(kind)
        special = [0.0, -0.0, 0.5, -1.0, 2.5, np.inf, -np.inf, np.nan]
    else:
        info = np.iinfo(kind)
        made = random.integers(max(-20, info.min), 21, count, kind)
        special = [0, 1, info.min, info.max, info.max - 1]
    made[random.permutation(count)[: len(special)]] = special
    return made


def choose(options, *key):
    return options[zlib.crc32(repr(key).encode()) % len(options)]


class Case:
    """An operator, what its inputs hold, and the memory that its output lies in."""

    def __init__(self, cls, types, **attributes):
        *inputs, output = cls._tensors
        self.arrays, self.buffers, descs = [], [], []
        for k, name in enumerate(inputs):
            desc = BufferTensorDesc(
                types[name], SIZES, choose(SOURCES, cls.__name__, types[name], k)
            )
            size = types[name].bits // 8
            memory = values(types[name], desc.total_tensor_size_in_bytes // size + 8, k)
            descs.append(desc)
            self.arrays.append(elements(memory, desc.layout))
            self.buffers.append(Buffer(memory.nbytes))
            self.buffers[-1].write(memory)
        strides = choose(TARGETS, cls.__name__, types[output])
        self.output = BufferTensorDesc(types[output], SIZES, strides)
        self.operator = cls(*descs, self.output, **attributes)

    def check(self, expected, ulp=0.0):
        """A call writes these elements, and no padding, gap or byte after the output."""
        kind, span = dtype(self.output.data_type), self.output.total_tensor_size_in_bytes
        random = np.random.default_rng(span)
        before = random.integers(0, 256, span + 24, np.uint8)
        buffer = Buffer(before.size)
        buffer.write(before)
        self.operator(*self.buffers, buffer)
        after = buffer.read()
        room = before.size // kind.itemsize * kind.itemsize
        found = elements(after[:room].view(kind), self.output.layout)
        check_close(self.operator, found, expected, ulp)
        elements(before[:room].view(kind), self.output.layout)[...] = found
        np.testing.assert_array_equal(after, before)


def check_close(operator, found, expected, ulp):
    assert found.dtype == expected.dtype
    if found.dtype.kind == "f":
        # Within an error of float32, what is rounded to float16 may lie on the other side.
        allowed = min(ulp, 1) if found.dtype == np.float16 else ulp
        wrong = ~(
            ulps_apart(np.ascontiguousarray(found), np.ascontiguousarray(expected)) <= allowed
        )
    else:
        wrong = found != expected
    assert not wrong.any(), (operator, found[wrong][:5], expected[wrong][:5])


def types_of(cls, data_type):
    """Every tensor's type, where those that have none of their own have this."""
    own = {name: choose(allowed, cls, data_type) for name, allowed in cls._own_types.items()}
    return {name: own.get(name, data_type) for name in cls._tensors}


def attributes_of(cls, data_type):
    told = dict(ATTRIBUTES.get(cls.__name__, {}))
    if "min_max_data_type" in {one.name for one in fields(cls)}:
        told["min_max_data_type"] = data_type
    return told


def named(cls, kind):
    """The operator of the table that answers for a class in this type."""
    if cls.__name__ in NAMES:
        return OPERATORS[NAMES[cls.__name__]]
    found = DESCRIPTORS[cls.__name__.lower()]
    letter = {"float16": "h", "float32": "s", "float64": "d"}.get(kind.name, kind.kind)
    return next((operator for operator in found if letter in operator.dtypes), found[0])


def whole_shrink(x, bias, threshold):
    return cast(reference("shrink", x.astype(np.float32), bias=bias, threshold=threshold), x.dtype)


def whole_mean(a, b):
    total = a.astype(np.int64) + b.astype(np.int64)
    return (np.sign(total) * (np.abs(total) // 2)).astype(a.dtype)


def clipped(x, low, high):
    if x.dtype.kind == "f":
        return reference("clip", x, min=low, max=high)
    return cast(np.maximum(low, np.minimum(x.astype(np.float64), high)), x.dtype)


def expected_of(cls, arrays, attributes, result):
    """By NumPy, in the type of the output."""
    x, name = arrays[0], cls.__name__
    attributes = {key: value for key, value in attributes.items() if not key.endswith("_type")}
    operator = named(cls, x.dtype)
    if "Bit" in name and "Shift" not in name:
        arrays = [array.view(f"u{array.itemsize}") for array in arrays]
        return reference(operator.name, *arrays).astype(f"u{result.itemsize}").view(result)
    if cls is Cast:
        return cast(x, result)
    if cls is ElementWiseIf:
        return np.where(x != 0, *arrays[1:])
    if name.startswith("ElementWiseClip") and "Grad" not in name:
        return clipped(x, *attributes.values())
    if "ClipGrad" in name:
        low, high = attributes.values()
        return np.where((x > low) & (x < high), arrays[1], result.type(0))
    if name in ("ElementWiseThreshold", "ElementWiseConstantPow"):
        (number,) = attributes.values()
        if x.dtype.kind == "f":
            return reference(operator.name, x, np.asarray(number, x.dtype))
        return np.maximum(x, x.dtype.type(number))
    if x.dtype.kind != "f" and cls is ActivationShrink:
        return whole_shrink(x, **attributes)
    if x.dtype.kind != "f" and cls is ElementWiseMean:
        return whole_mean(*arrays)
    if cls is ElementWisePow and arrays[1].dtype != x.dtype:
        return mixed_power(*arrays)
    with np.errstate(all="ignore"):
        return reference(operator.name, *arrays, **attributes).astype(result)


def mixed_power(x, exponent):
    if exponent.dtype.kind == "f" or x.dtype.kind == "f":
        made = reference("pow", x.astype(np.float32), exponent.astype(np.float32))
        return cast(made, x.dtype)
    wide = np.int32 if exponent.dtype.kind == "i" else np.uint32
    return reference("pow", x.astype(wide), exponent.astype(wide)).astype(x.dtype)


def cases():
    """With --all each class in each of its groups of types, else in one of them by turns."""
    for turn, cls in enumerate(CLASSES):
        types = some(cls)
        one = types[turn % len(types)]
        for data_type in types:
            marks = () if data_type is one else pytest.mark.product
            yield pytest.param(cls, data_type, marks=marks, id=f"{cls.__name__}-{data_type.name}")


@pytest.mark.parametrize(("cls", "data_type"), [*cases()])
def test_every_operator_in_its_types(cls, data_type):
    types, attributes = types_of(cls, data_type), attributes_of(cls, data_type)
    case = Case(cls, types, **attributes)
    result = dtype(case.output.data_type)
    expected = expected_of(cls, case.arrays, attributes, result)
    case.check(expected, named(cls, dtype(data_type)).ulp)


SCALED = [cls for cls in CLASSES if issubclass(cls, ScaledUnary)] + [ElementWisePow]


@pytest.mark.parametrize("cls", tier.some(SCALED, 9), ids=lambda cls: cls.__name__)
def test_scale_and_bias_come_before_and_float16_is_rounded_once(cls):
    data_type = DataType.FLOAT16
    types, attributes = dict.fromkeys(cls._tensors, data_type), attributes_of(cls, data_type)
    case = Case(cls, types, scale_bias=SCALE_BIAS, **attributes)
    with np.errstate(all="ignore"):
        scaled = case.arrays[0].astype(np.float32) * np.float32(0.7) + np.float32(-0.3)
    arrays = [scaled, *[array.astype(np.float32) for array in case.arrays[1:]]]
    if cls is ElementWiseClip1:  # Its bounds are float16 already.
        attributes = {"min": 1, "max": 3}
    made = expected_of(cls, arrays, attributes, np.dtype(np.float32))
    with np.errstate(over="ignore"):
        case.check(made.astype(np.float16), named(cls, made.dtype).ulp)


FUSIBLE = [cls for cls in CLASSES if issubclass(cls, FusibleActivation)]


@pytest.mark.parametrize("cls", tier.some(FUSIBLE, 9), ids=lambda cls: cls.__name__)
def test_activations_of_a_sum(cls):
    data_type = choose(FLOATS, cls.__name__)
    numbers = {name: 1.25 + k for k, name in enumerate(cls.number_names())}
    types = dict.fromkeys(ElementWiseAdd1._tensors, data_type)
    case = Case(ElementWiseAdd1, types, fused_activation=cls.fused(**numbers))
    with np.errstate(all="ignore"):
        total = np.add(*[array.astype(np.float32) for array in case.arrays])
        made = expected_of(cls, [total], numbers, np.dtype(np.float32))
        case.check(made.astype(dtype(data_type)), named(cls, made.dtype).ulp)

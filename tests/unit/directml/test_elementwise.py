"""DirectML's elementwise operators: all that there are, and what their descriptors must say."""

from __future__ import annotations

import dataclasses
import math
import pickle
import re

import pytest

from dml_vk import directml
from dml_vk.directml import (
    ActivationElu,
    ActivationLinear,
    ActivationRelu,
    ActivationShrink,
    ActivationSwish,
    ActivationTanh,
    BufferTensorDesc,
    Cast,
    DataType,
    ElementWiseAbs,
    ElementWiseAdd,
    ElementWiseAdd1,
    ElementWiseBitCount,
    ElementWiseClip,
    ElementWiseClip1,
    ElementWiseClipGrad,
    ElementWiseClipGrad1,
    ElementWiseConstantPow,
    ElementWiseExp,
    ElementWiseIdentity,
    ElementWiseIf,
    ElementWiseIsInfinity,
    ElementWiseIsNaN,
    ElementWisePow,
    ElementWiseRound,
    ElementWiseThreshold,
    IsInfinityMode,
    RoundingMode,
    ScaleBias,
    TensorFlags,
)
from dml_vk.directml.activations import FusibleActivation
from dml_vk.directml.elementwise import ElementWise, ScaledUnary
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.kernels.operators import OPERATORS
from tests.each import each

CLASSES = {
    name: one
    for name, one in ((name, getattr(directml, name)) for name in directml.__all__)
    if isinstance(one, type) and issubclass(one, ElementWise)
}
F16, F32, I32, I64 = DataType.FLOAT16, DataType.FLOAT32, DataType.INT32, DataType.INT64
U8, U32 = DataType.UINT8, DataType.UINT32
WHOLE_BYTES = [one for one in DataType if one.bits >= 8]
NEEDED = {
    "ElementWiseClip": {"min": 0, "max": 1},
    "ElementWiseClipGrad": {"min": 0, "max": 1},
    "ElementWiseConstantPow": {"exponent": 2},
    "ElementWiseThreshold": {"min": 0},
}


def desc(data_type=F32, sizes=(2, 3), strides=None, **more):
    return BufferTensorDesc(data_type, sizes, strides, **more)


def descs(cls, leading=None, **others):
    """A descriptor for every tensor, of types that the operator takes, but for these."""
    leading = leading or cls._types[0]
    made = {name: desc(cls._own_types.get(name, (leading,))[0]) for name in cls._tensors}
    return made | others


def attributes(cls, leading=None):
    made = dict(NEEDED.get(cls.__name__.rstrip("1"), {}))
    if "min_max_data_type" in {one.name for one in dataclasses.fields(cls)}:
        made["min_max_data_type"] = leading or cls._types[0]
    return made


def make(cls, leading=None, **others):
    return cls(**descs(cls, leading, **others), **attributes(cls, leading))


every = each("cls", CLASSES.values())


def test_there_is_a_class_for_every_descriptor_and_no_other():
    named = {name for operator in OPERATORS.values() for name in operator.directml}
    assert sorted(name.lower() for name in CLASSES) == sorted(
        name.replace("_", "").lower() for name in named
    )


@every
def test_each_class_is_named_like_its_operator(cls):
    named = OPERATORS[cls._of].directml
    assert cls.__name__.lower() in {name.replace("_", "").lower() for name in named}


@every
def test_numbers_are_left_out_as_the_table_has_it(cls):
    fields = {one.name: one.default for one in dataclasses.fields(cls)}
    if cls.__name__.startswith("Activation"):
        assert {name: fields[name] for name in cls.number_names()} == dict(
            OPERATORS[cls._of].parameters
        )
    else:
        assert all(fields[name] is dataclasses.MISSING for name in cls.number_names())


@every
def test_data_types_are_directmls(cls):
    for data_type in WHOLE_BYTES:
        if data_type in cls._types:
            made = make(cls, data_type)
            assert getattr(made, cls._tensors[-1]).sizes == (2, 3)
            continue
        leading = next(name for name in cls._tensors if name not in cls._own_types)
        must = rf"^{cls.__name__}: {leading} must have a data type among \w+"
        with pytest.raises(DTypeError, match=rf"{must}.*; got data_type='{data_type.name}'$"):
            make(cls, data_type)


@every
def test_other_types_of_other_tensors_are_refused(cls):
    leading = next(name for name in cls._tensors if name not in cls._own_types)
    for name in cls._tensors:
        if name == leading:
            continue
        allowed = cls._own_types.get(name, cls._types[:1])
        what = f"the data type of {leading}, {cls._types[0].name}"
        if name in cls._own_types:
            what = f"a data type among {', '.join(one.name for one in allowed)}"
            if len(allowed) == 1:
                what = f"the data type {allowed[0].name}"
        for data_type in WHOLE_BYTES:
            if data_type in allowed:
                assert getattr(make(cls, **{name: desc(data_type)}), name).data_type is data_type
                continue
            must = f"{cls.__name__}: {name} must have {what}; got data_type='{data_type.name}'"
            with pytest.raises(DTypeError, match=f"^{re.escape(must)}$"):
                make(cls, **{name: desc(data_type)})


@every
def test_sizes_are_the_same_and_only_strides_repeat(cls):
    first, *others, output = cls._tensors
    for name in (*others, output):
        own = getattr(make(cls), name).data_type
        for sizes in ((1, 3), (3,), (3, 2), (1, 2, 3)):
            must = f"{cls.__name__}: {name} must have the sizes of {first}, (2, 3); got sizes="
            with pytest.raises(LayoutError, match=f"^{re.escape(must)}"):
                make(cls, **{name: desc(own, sizes)})
    for name in (first, *others):
        own = getattr(make(cls), name).data_type
        for strides in ((0, 1), (1, 0), (0, 0), (9, 2)):
            assert getattr(make(cls, **{name: desc(own, strides=strides)}), name).strides == strides
    own = getattr(make(cls), output).data_type
    with pytest.raises(LayoutError, match=f"{cls.__name__}: {output} has overlapping elements"):
        make(cls, **{output: desc(own, strides=(0, 1))})


@every
def test_tensors_are_descriptors_and_not_owned(cls):
    for name in cls._tensors:
        own = getattr(make(cls), name).data_type
        for given in (None, (2, 3), "FLOAT32"):
            must = f"{cls.__name__}: {name} must be a BufferTensorDesc; got {name}="
            with pytest.raises(LayoutError, match=must):
                make(cls, **{name: given})
        with pytest.raises(LayoutError, match=f"{cls.__name__}: {name} cannot be OWNED_BY_DML"):
            make(cls, **{name: desc(own, flags=TensorFlags.OWNED_BY_DML)})
        with pytest.raises(DTypeError, match=f"{cls.__name__}: {name} cannot have a 4-bit type"):
            make(cls, **{name: desc(DataType.UINT4)})


@every
def test_operators_are_values(cls):
    one, same = make(cls), make(cls)
    output = cls._tensors[-1]
    other = make(cls, **{output: desc(getattr(one, output).data_type, strides=(9, 2))})
    assert one == same != other
    assert hash(one) == hash(same)
    assert pickle.loads(pickle.dumps(one)) == one
    assert repr(one).startswith(
        f"{cls.__name__}({cls._tensors[0]}={one._data_type.name} (2, 3), "
        if cls is not ElementWiseIf
        else "ElementWiseIf(condition=UINT8 "
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(one, output, None)


def test_operators_of_the_same_tensors_differ():
    assert ElementWiseAbs(desc(), desc()) != ElementWiseExp(desc(), desc())
    assert ActivationElu(desc(), desc(), 2) != ActivationElu(desc(), desc())
    assert ActivationElu(desc(), desc(), 1) == ActivationElu(desc(), desc())
    assert ElementWiseRound(desc(), desc()) != ElementWiseRound(
        desc(), desc(), RoundingMode.TOWARD_ZERO
    )


SCALED = [cls for cls in CLASSES.values() if issubclass(cls, ScaledUnary)] + [ElementWisePow]


def test_scale_bias_exists_where_directml_has_it():
    have = {
        name
        for name, cls in CLASSES.items()
        if "scale_bias" in {one.name for one in dataclasses.fields(cls)}
    }
    assert have == {cls.__name__ for cls in SCALED}
    assert len(have) == 26


@pytest.mark.parametrize("cls", SCALED, ids=lambda cls: cls.__name__)
def test_scale_bias_is_for_floats(cls):
    for data_type in cls._types:
        given = {**descs(cls, data_type), **attributes(cls, data_type)}
        if data_type in (F16, F32):
            assert cls(**given, scale_bias=ScaleBias(2, 1)).scale_bias == ScaleBias(2, 1)
        else:
            must = rf"{cls.__name__}: scale_bias needs FLOAT32 or FLOAT16.*='{data_type.name}'"
            with pytest.raises(DTypeError, match=must):
                cls(**given, scale_bias=ScaleBias(2, 1))
        for wrong in ((2, 1), 2.0, "scale", ScaleBias):
            with pytest.raises(LayoutError, match="scale_bias must be a ScaleBias or None; got sc"):
                cls(**given, scale_bias=wrong)


NUMBERS = [(cls, name) for cls in CLASSES.values() for name in cls.number_names()]


@pytest.mark.parametrize(("cls", "name"), NUMBERS, ids=lambda one: getattr(one, "__name__", one))
def test_numbers_are_float32_or_of_the_tensors_type(cls, name):
    given = {**descs(cls), **attributes(cls)}
    made = cls(**given | {name: 0.1})
    assert getattr(made, name) == 0.10000000149011612
    assert getattr(cls(**given | {name: -math.inf}), name) == -math.inf
    assert math.isnan(getattr(cls(**given | {name: math.nan}), name))
    for wrong in (1e39, "1", None, 1j, [1.0]):
        must = f"{cls.__name__}: {name} must be a number that FLOAT32 can hold; got {name}="
        with pytest.raises(DTypeError, match=must):
            cls(**given | {name: wrong})


def test_bounds_of_their_own_type():
    for cls in (ElementWiseClip1, ElementWiseClipGrad1):
        for data_type in cls._types:
            tensors = descs(cls, data_type)
            made = cls(**tensors, min_max_data_type=data_type, min=1, max=2)
            assert (made.min, made.max, made.min_max_data_type) == (1, 2, data_type)
            for other in (*DataType, data_type.name, None):
                if other is not data_type:
                    must = f"must be the data type of {cls._tensors[-1]}, {data_type.name}"
                    with pytest.raises(
                        DTypeError, match=f"{cls.__name__}: min_max_data_type {must}; got"
                    ):
                        cls(**tensors, min_max_data_type=other, min=1, max=2)
        for wrong in (-1, 256, 0.5, math.inf):
            for bounds in ({"min": wrong, "max": 2}, {"min": 1, "max": wrong}):
                with pytest.raises(DTypeError, match="must be a number that UINT8 can hold; got m"):
                    cls(**descs(cls, U8), min_max_data_type=U8, **bounds)
    large = {"min_max_data_type": I64, "min": -(2**63), "max": 2**63 - 1}
    assert ElementWiseClip1(desc(I64), desc(I64), **large).max == 2**63 - 1


def test_bounds_as_floats_go_with_integers_but_for_nan():
    tensor = desc(I32)
    for call in (
        lambda number: ElementWiseClip(tensor, tensor, min=0, max=number),
        lambda number: ElementWiseClipGrad(tensor, tensor, tensor, min=0, max=number),
        lambda number: ElementWiseThreshold(tensor, tensor, min=number),
        lambda number: ActivationShrink(tensor, tensor, threshold=number),
    ):
        for number in (0.5, -math.inf, 3e38):
            assert call(number)
        must = r"^\w+: (min|max|threshold) must not be NaN where input has integers; got \w+=nan$"
        with pytest.raises(DTypeError, match=must):
            call(math.nan)


def test_modes_are_directmls_and_members():
    assert [(one.name, one.value) for one in RoundingMode] == [
        *(("HALVES_TO_NEAREST_EVEN", 0), ("TOWARD_ZERO", 1), ("TOWARD_INFINITY", 2))
    ]
    assert [(one.name, one.value) for one in IsInfinityMode] == [
        *(("EITHER", 0), ("POSITIVE", 1), ("NEGATIVE", 2))
    ]
    for wrong in (0, "TOWARD_ZERO", None, IsInfinityMode.EITHER, RoundingMode):
        with pytest.raises(
            LayoutError, match="ElementWiseRound: rounding_mode must be of Rounding"
        ):
            ElementWiseRound(desc(), desc(), wrong)
    with pytest.raises(
        LayoutError, match="ElementWiseIsInfinity: infinity_mode must be of IsInfin"
    ):
        ElementWiseIsInfinity(desc(), desc(U8), RoundingMode.TOWARD_ZERO)


def test_activations_that_directml_fuses():
    fused = {name for name, cls in CLASSES.items() if issubclass(cls, FusibleActivation)}
    assert len(fused) == 17
    assert not hasattr(ActivationSwish, "fused")
    assert repr(ActivationLinear.fused(beta=2)) == "ActivationLinear.fused(alpha=1.0, beta=2.0)"
    assert repr(ActivationTanh.fused()) == "ActivationTanh.fused()"
    assert ActivationElu.fused(alpha=0.1) == ActivationElu.fused(alpha=0.10000000149011612)
    assert ActivationElu.fused() != ActivationElu.fused(alpha=2)
    assert pickle.loads(pickle.dumps(ActivationElu.fused())) == ActivationElu.fused()
    with pytest.raises(
        LayoutError, match=r"ActivationElu.fused: numbers must be among alpha; got be"
    ):
        ActivationElu.fused(beta=1)
    with pytest.raises(
        LayoutError, match=r"ActivationRelu.fused: no numbers are allowed; got alpha=1"
    ):
        ActivationRelu.fused(alpha=1)
    with pytest.raises(
        DTypeError, match=r"ActivationElu.fused: alpha must be a number that FLOAT32"
    ):
        ActivationElu.fused(alpha="1")


def test_what_is_fused_is_no_operator():
    tensors = desc(), desc(), desc()
    made = ElementWiseAdd1(*tensors, ActivationElu.fused(alpha=2))
    assert repr(made).endswith("fused_activation=ActivationElu.fused(alpha=2.0))")
    for wrong in (ActivationElu(desc(), desc()), ActivationElu, "ELU", 1, ActivationRelu.fused):
        must = "ElementWiseAdd1: fused_activation must be None or the result of"
        with pytest.raises(LayoutError, match=must):
            ElementWiseAdd1(*tensors, wrong)


def test_scale_bias_holds_float32():
    assert ScaleBias(0.1, 2) == ScaleBias(0.10000000149011612, 2.0)
    for scale, bias in ((1e39, 0), (0, "1"), (None, 0)):
        with pytest.raises(
            DTypeError, match=r"ScaleBias: (scale|bias) must be a number that FLOAT32"
        ):
            ScaleBias(scale, bias)


def test_attributes_after_scale_bias_are_named():
    made = ElementWiseConstantPow(desc(), desc(), ScaleBias(1, 2), exponent=3)
    assert repr(made) == (
        "ElementWiseConstantPow(input=FLOAT32 (2, 3), output=FLOAT32 (2, 3), "
        "scale_bias=ScaleBias(scale=1.0, bias=2.0), exponent=3.0)"
    )
    with pytest.raises(TypeError):
        ElementWiseConstantPow(desc(), desc(), None, 3)


def test_results_that_are_truths_counts_or_casts_have_types_of_their_own():
    assert ElementWiseIsNaN(desc(), desc(U8)).output.data_type is U8
    assert ElementWiseBitCount(desc(DataType.FLOAT64), desc(U32)).output.data_type is U32
    assert Cast(desc(DataType.FLOAT64), desc(U8)).output.data_type is U8
    assert ElementWisePow(desc(I32), desc(F16), desc(I32)).exponent.data_type is F16
    with pytest.raises(
        DTypeError, match="ElementWiseAdd: b must have the data type of a, FLOAT32; "
    ):
        ElementWiseAdd(desc(), desc(F16), desc())
    assert ElementWiseIdentity(desc(I64), desc(I64)).scale_bias is None

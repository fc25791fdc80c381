"""DirectML operators: what their descriptors must say, and what they can be bound to."""

from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest

from dml_vk.buffer import Buffer
from dml_vk.directml import (
    ElementWiseIdentity,
    FillValueConstant,
    FillValueSequence,
    RandomGenerator,
    RandomGeneratorType,
)
from dml_vk.directml.descriptors import BufferTensorDesc, DataType, TensorFlags
from dml_vk.errors import DeviceError, DTypeError, LayoutError

F16, F32, F64 = DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64
U8, U32, I8, I32 = DataType.UINT8, DataType.UINT32, DataType.INT8, DataType.INT32
WHOLE_BYTES = [one for one in DataType if one.bits >= 8]
STATE = BufferTensorDesc(U32, (1, 1, 1, 6))
OUTPUT = BufferTensorDesc(U32, (3, 3, 20, 7219))


def desc(data_type=U32, sizes=(2, 3), strides=None, **more):
    return BufferTensorDesc(data_type, sizes, strides, **more)


# Every operator over tensors of one data type and sizes.
MAKERS = {
    "RandomGenerator": lambda output: RandomGenerator(STATE, output),
    "ElementWiseIdentity": lambda output: ElementWiseIdentity(desc(output.data_type), output),
    "FillValueConstant": lambda output: FillValueConstant(output, output.data_type, 1),
    "FillValueSequence": lambda output: FillValueSequence(output, output.data_type, 1, 2),
}


@pytest.mark.parametrize("name", MAKERS)
def test_rules_for_the_output_of_every_operator(name):
    make = MAKERS[name]
    assert make(desc(strides=(5, 1))).output.strides == (5, 1)
    assert make(desc(strides=(1, 2))).output.strides == (1, 2)
    for strides in ((0, 1), (3, 0), (1, 1), (2, 1)):
        with pytest.raises(LayoutError, match=f"{name}: output has overlapping elements; got"):
            make(desc(strides=strides))
    for four_bits in (DataType.UINT4, DataType.INT4):
        with pytest.raises(DTypeError, match=rf"{name}: (in|out)put cannot have a 4-bit type"):
            make(desc(four_bits))
    with pytest.raises(LayoutError, match=f"{name}: output cannot be OWNED_BY_DML.*flags='OWN"):
        make(desc(flags=TensorFlags.OWNED_BY_DML))


@pytest.mark.parametrize("given", [None, (2, 3), "UINT32", BufferTensorDesc])
def test_tensors_must_be_descriptors(given):
    calls = {
        "RandomGenerator: input_state": lambda: RandomGenerator(given, OUTPUT),
        "RandomGenerator: output": lambda: RandomGenerator(STATE, given),
        "ElementWiseIdentity: input": lambda: ElementWiseIdentity(given, OUTPUT),
        "ElementWiseIdentity: output": lambda: ElementWiseIdentity(OUTPUT, given),
        "FillValueConstant: output": lambda: FillValueConstant(given, U32, 1),
        "FillValueSequence: output": lambda: FillValueSequence(given, U32, 1, 2),
    }
    for tensor, call in calls.items():
        with pytest.raises(LayoutError, match=f"{tensor} must be a BufferTensorDesc; got"):
            call()
    if given is not None:
        with pytest.raises(LayoutError, match="output_state must be a BufferTensorDesc; got outpu"):
            RandomGenerator(STATE, OUTPUT, given)


@pytest.mark.parametrize("rank", range(1, 9))
def test_a_state_is_six_words_of_any_rank(rank):
    state = desc(sizes=(1,) * (rank - 1) + (6,))
    made = RandomGenerator(state, desc(sizes=(7,)), state)
    assert made.input_state is made.output_state is state
    assert made.type is RandomGeneratorType.PHILOX_4X32_10
    for last in (5, 7, 1):
        with pytest.raises(LayoutError, match=r"RandomGenerator: input_state must have sizes \(1"):
            RandomGenerator(desc(sizes=(1,) * (rank - 1) + (last,)), OUTPUT)
    other = desc(sizes=(1,) * (rank % 8) + (6,))
    with pytest.raises(LayoutError, match="output_state must have the sizes of input_state"):
        RandomGenerator(state, OUTPUT, other)


def test_other_states_types_and_generators_are_refused():
    for sizes in ((6, 1), (2, 6), (1, 6, 1), (2, 3)):
        with pytest.raises(LayoutError, match=r"input_state must have sizes .* after any number"):
            RandomGenerator(desc(sizes=sizes), OUTPUT)
    for data_type in WHOLE_BYTES:
        if data_type is not U32:
            wrong = desc(data_type, (1, 1, 1, 6))
            for name, given in {
                "input_state": (wrong, OUTPUT),
                "output": (STATE, wrong),
                "output_state": (STATE, OUTPUT, wrong),
            }.items():
                must = f"RandomGenerator: {name} must have the data type UINT32; got data_type="
                with pytest.raises(DTypeError, match=must):
                    RandomGenerator(*given)
    for generator in (0, "PHILOX_4X32_10", None, RandomGeneratorType):
        with pytest.raises(LayoutError, match=r"type must be RandomGeneratorType\.PHILOX_4X32_10"):
            RandomGenerator(STATE, OUTPUT, type=generator)


def test_states_may_be_strided_but_not_written_twice():
    strided = desc(sizes=(1, 1, 1, 6), strides=(0, 0, 0, 2))
    assert RandomGenerator(strided, OUTPUT, strided).output_state.total_tensor_size_in_bytes == 44
    one_word = desc(sizes=(1, 1, 1, 6), strides=(0, 0, 0, 0))
    assert RandomGenerator(one_word, OUTPUT).input_state is one_word
    with pytest.raises(LayoutError, match="output_state has overlapping elements"):
        RandomGenerator(STATE, OUTPUT, one_word)


@pytest.mark.parametrize("data_type", WHOLE_BYTES, ids=lambda one: one.name)
def test_identity_takes_every_type_and_any_strides(data_type):
    source = desc(data_type, (2, 3, 4, 5), (0, 1, 15, 3))
    made = ElementWiseIdentity(source, desc(data_type, (2, 3, 4, 5), (240, 1, 60, 12)))
    assert made.input is source
    for other in WHOLE_BYTES:
        if other is not data_type:
            must = f"output must have the data type of input, {data_type.name}; got data_type="
            with pytest.raises(DTypeError, match=f"ElementWiseIdentity: {must}'{other.name}'"):
                ElementWiseIdentity(source, desc(other, (2, 3, 4, 5)))
    for sizes in ((2, 3, 5, 4), (1, 2, 3, 4, 5), (120,)):
        with pytest.raises(LayoutError, match="ElementWiseIdentity: output must have the sizes of"):
            ElementWiseIdentity(source, desc(data_type, sizes))


@pytest.mark.parametrize("data_type", WHOLE_BYTES, ids=lambda one: one.name)
def test_value_types_are_those_of_the_output(data_type):
    assert FillValueConstant(desc(data_type), data_type, 3).value == 3
    made = FillValueSequence(desc(data_type), data_type, 3, 4)
    assert (made.value_start, made.value_delta) == (3, 4)
    for other in (*DataType, data_type.value, data_type.name, None):
        if other is not data_type:
            must = f"value_data_type must be the data type of output, {data_type.name}; got val"
            with pytest.raises(DTypeError, match=f"FillValueConstant: {must}"):
                FillValueConstant(desc(data_type), other, 1)
            with pytest.raises(DTypeError, match=f"FillValueSequence: {must}"):
                FillValueSequence(desc(data_type), other, 1, 1)


INTEGERS = [one for one in WHOLE_BYTES if "INT" in one.name]


@pytest.mark.parametrize("data_type", INTEGERS, ids=lambda one: one.name)
def test_integers_must_fit_their_type(data_type):
    limits = np.iinfo(data_type.name.lower())
    low, high = int(limits.min), int(limits.max)
    signed_low = -(2 ** (data_type.bits - 1))
    fill = desc(data_type)
    for value in (low, high, np.int8(7), np.uint8(7), True):
        held = FillValueConstant(fill, data_type, value).value
        assert held == value
        assert type(held) is int
    made = FillValueSequence(fill, data_type, high, signed_low)
    assert (made.value_start, made.value_delta) == (high, signed_low)
    must = f"must be a number that {data_type.name} can hold; got"
    for value in (low - 1, high + 1, 1.0, 0.5, math.nan, "1", None, 1j, [1], np.ones(2)):
        with pytest.raises(DTypeError, match=f"FillValueConstant: value {must} value="):
            FillValueConstant(fill, data_type, value)
        with pytest.raises(DTypeError, match=f"FillValueSequence: value_start {must} value_start="):
            FillValueSequence(fill, data_type, value, 0)
    for value in (signed_low - 1, high + 1, 1.0, "1"):
        with pytest.raises(DTypeError, match=f"FillValueSequence: value_delta {must} value_delta="):
            FillValueSequence(fill, data_type, 0, value)


@pytest.mark.parametrize("data_type", [F16, F32, F64], ids=lambda one: one.name)
def test_floats_are_rounded_to_their_type(data_type):
    kind = np.dtype(data_type.name.lower()).type
    fill = desc(data_type)
    for value in (0.1, -1 / 3, 1e-7, 5e-324, -0.0, 65504, 7, math.inf, -math.inf, kind(0.3)):
        held = FillValueConstant(fill, data_type, value).value
        assert type(held) is float
        assert held == float(kind(value))
        assert math.copysign(1, held) == math.copysign(1, value)
    assert math.isnan(FillValueConstant(fill, data_type, math.nan).value)
    made = FillValueSequence(fill, data_type, 0.1, -0.1)
    assert made.value_start == -made.value_delta == float(kind(0.1))
    too_much = {F16: 65520.0, F32: 3.4028236e38, F64: 10**309}[data_type]
    must = f"value must be a number that {data_type.name} can hold; got value="
    for value in (too_much, -too_much, "1", None, 1j, [1.0], b"1", np.ones(2)):
        with pytest.raises(DTypeError, match=f"FillValueConstant: {must}"):
            FillValueConstant(fill, data_type, value)
        with pytest.raises(DTypeError, match=r"FillValueSequence: value_\w+ must be a number that"):
            FillValueSequence(fill, data_type, 1.0, value)


def test_values_that_round_to_the_largest_float_are_accepted():
    assert FillValueConstant(desc(F16), F16, 65519.99).value == 65504
    assert FillValueConstant(desc(F32), F32, 3.4028235e38).value == float(np.finfo(np.float32).max)


def test_operators_are_values():
    for make in MAKERS.values():
        one, same, other = make(desc()), make(desc()), make(desc(strides=(9, 2)))
        assert one == same
        assert hash(one) == hash(same)
        assert one != other
        assert pickle.loads(pickle.dumps(one)) == one
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.output = OUTPUT
    assert MAKERS["FillValueConstant"](desc()) != FillValueConstant(desc(), U32, 2)


def test_operators_say_what_they_are():
    made = RandomGenerator(STATE, desc(strides=(5, 1)))
    assert repr(made) == (
        "RandomGenerator(input_state=UINT32 (1, 1, 1, 6), output=UINT32 (2, 3) by (5, 1), "
        "output_state=None, type=PHILOX_4X32_10)"
    )
    sequence = FillValueSequence(desc(F32), F32, -0.0, math.inf)
    assert repr(sequence) == (
        "FillValueSequence(output=FLOAT32 (2, 3), value_data_type=FLOAT32, value_start=-0.0, "
        "value_delta=inf)"
    )


def test_binding_gives_one_buffer_for_each_tensor():
    state, output, after = Buffer(24), Buffer(24), Buffer(1000)
    assert RandomGenerator(STATE, desc()).bind(state, output) == (state, output, None)
    assert RandomGenerator(STATE, desc()).bind(state, output, None) == (state, output, None)
    with_state = RandomGenerator(STATE, desc(), STATE)
    assert with_state.bind(state, output, after) == (state, output, after)
    assert with_state.bind(state, output, state) == (state, output, state)
    identity = ElementWiseIdentity(desc(), desc(strides=(1, 2)))
    assert identity.bind(state, output) == (state, output)
    assert identity.bind(state, state) == (state, state)
    assert FillValueConstant(desc(), U32, 1).bind(after) == (after,)
    assert FillValueSequence(desc(), U32, 1, 2).bind(after) == (after,)


def test_buffers_of_the_wrong_number_or_kind():
    room = Buffer(2**20)
    with_state = RandomGenerator(STATE, desc(), STATE)
    with pytest.raises(
        LayoutError, match=r"RandomGenerator: at most one buffer can be bound for each of.*=4"
    ):
        with_state.bind(room, Buffer(24), room, room)
    with pytest.raises(LayoutError, match="output_state must be bound to a Buffer; got output_sta"):
        with_state.bind(room, Buffer(24))
    with pytest.raises(LayoutError, match="output_state cannot be bound without a descriptor"):
        RandomGenerator(STATE, desc()).bind(room, Buffer(24), room)
    with pytest.raises(
        LayoutError, match="FillValueSequence: at most one buffer can be bound for each of"
    ):
        FillValueSequence(desc(), U32, 1, 2).bind(room, room)
    for wrong in (None, b"x" * 24, bytearray(24), np.ones(6, np.uint32), 24, [room], "room"):
        with pytest.raises(
            LayoutError, match="FillValueConstant: output must be bound to a Buffer"
        ):
            FillValueConstant(desc(), U32, 1).bind(wrong)
        with pytest.raises(LayoutError, match="ElementWiseIdentity: input must be bound to a Buff"):
            ElementWiseIdentity(desc(), desc()).bind(wrong, room)


def test_buffers_must_hold_the_whole_tensor():
    large = desc(total_tensor_size_in_bytes=100)
    with pytest.raises(LayoutError, match=r"output needs .* at least 24 bytes; got output.nbytes"):
        FillValueConstant(desc(), U32, 1).bind(Buffer(23))
    with pytest.raises(LayoutError, match=r"input needs .* 100 bytes; got input.nbytes=96"):
        ElementWiseIdentity(large, desc()).bind(Buffer(96), Buffer(24))
    with pytest.raises(
        LayoutError, match=r"output needs a buffer of at least 100 bytes; got output.nbytes=96"
    ):
        ElementWiseIdentity(desc(), large).bind(Buffer(24), Buffer(96))
    with pytest.raises(
        LayoutError, match=r"output_state needs a buffer of at least 24 bytes; got output_state.nby"
    ):
        RandomGenerator(STATE, desc(), STATE).bind(Buffer(24), Buffer(24), Buffer(20))


def test_random_bits_may_not_overwrite_a_state():
    one, two = Buffer(1000), Buffer(1000)
    with_state = RandomGenerator(STATE, desc(), STATE)
    for buffers in ((one, one, two), (one, two, two), (one, one, one)):
        with pytest.raises(LayoutError, match="output cannot share a buffer with a state"):
            with_state.bind(*buffers)
    with pytest.raises(LayoutError, match="output cannot share a buffer with a state"):
        RandomGenerator(STATE, desc()).bind(one, one)


def test_buffers_of_two_devices_are_refused(monkeypatch):
    here, there = Buffer(24), Buffer(24)
    monkeypatch.setattr(there, "device", "elsewhere")
    identity = ElementWiseIdentity(desc(), desc(strides=(1, 2)))
    assert identity.bind(there, there) == (there, there)
    must = r"ElementWiseIdentity: operands must be on one device.*; got input=<.*>, output='elsewh"
    with pytest.raises(DeviceError, match=must):
        identity.bind(here, there)
    with pytest.raises(DeviceError, match=r"RandomGenerator: .*, output_state='elsewhere'"):
        RandomGenerator(STATE, desc(), STATE).bind(here, Buffer(24), there)


def test_a_call_checks_as_bind_does():
    with pytest.raises(
        LayoutError, match="FillValueConstant: output needs a buffer of at least 24"
    ):
        FillValueConstant(desc(), U32, 1)(Buffer(20))
    with pytest.raises(LayoutError, match="ElementWiseIdentity: output must be bound to a Buffer"):
        ElementWiseIdentity(desc(), desc())(Buffer(24))

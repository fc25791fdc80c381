"""Calls of operators with descriptors of any layout, which must write nothing beside outputs."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from dml_vk.directml import Buffer, BufferTensorDesc, DataType, TensorPolicy
from dml_vk.directml.descriptors import TensorFlags
from tests import tier
from tests.kernel.memory import bits, elements

F16, F32 = DataType.FLOAT16, DataType.FLOAT32
FLOATS = st.sampled_from([F32, F16])
FORMS = ("packed", "interleaved", "gaps", "reversed")
EDGE = 24  # bytes after a tensor
# Each example takes pipelines of its own.
some = settings(max_examples=25 if tier.is_all() else 3, deadline=None, derandomize=True)


def dtype_of(data_type):
    return np.dtype(data_type.name.lower())


def desc(data_type, sizes, form="packed"):
    """A descriptor in one of these forms; "repeated" has a stride of 0 in each dim."""
    sizes = tuple(sizes)
    strides = None
    if form == "interleaved":
        strides = TensorPolicy.interleaved_channel(data_type, TensorFlags.NONE, sizes).strides
    elif form == "gaps":
        strides = tuple(int(np.prod([n + 2 for n in sizes[k + 1 :]])) for k in range(len(sizes)))
    elif form == "reversed":
        strides = tuple(int(np.prod(sizes[:k])) for k in range(len(sizes)))
    elif form == "repeated":
        strides = (0,) * len(sizes)
    return BufferTensorDesc(data_type, sizes, strides)


def numbers(data_type, sizes, seed=0):
    random, kind = np.random.default_rng([seed, *sizes]), dtype_of(data_type)
    if kind.kind == "f":
        return random.normal(size=sizes).astype(kind)
    low = -100 if kind.kind == "i" else 0
    return random.integers(low, 100, sizes).astype(kind)


def filled(operator, **arrays):
    """Arrays for all inputs: those given, and numbers in the others."""
    found = {}
    for number, name in enumerate(operator._tensors):
        one = getattr(operator, name)
        if one is not None and not operator.is_output(name):
            array = arrays.get(name)
            array = numbers(one.data_type, one.sizes, number) if array is None else array
            repeated = [slice(1) if stride == 0 else slice(None) for stride in one.layout.strides]
            found[name] = np.broadcast_to(array[tuple(repeated)], one.sizes)
    return found


def call(operator, arrays, over=()):
    """What a call writes to each output; `over` has the inputs whose buffers outputs share."""
    shared, buffers, before = dict(over), {}, {}
    descs = {name: getattr(operator, name) for name in operator._tensors}
    for name, one in descs.items():
        if one is None or name in shared:
            continue
        others = [descs[own] for own, other in shared.items() if other == name]
        nbytes = max(each.total_tensor_size_in_bytes for each in (one, *others)) + EDGE
        memory = np.random.default_rng(nbytes).integers(0, 256, nbytes, np.uint8)
        if name in arrays:
            elements(typed(memory, one), one.layout)[...] = arrays[name]
        buffers[name], before[name] = Buffer(nbytes), memory
        buffers[name].write(memory)
    operator(*[one and buffers[shared.get(name, name)] for name, one in descs.items()])
    found = {}
    for name, one in descs.items():
        if one is not None:
            place = shared.get(name, name)
            after = buffers[place].read()
            if operator.is_output(name):
                found[name] = elements(typed(after, one), one.layout)
                bits(elements(typed(before[place], one), one.layout))[...] = bits(found[name])
    for name, memory in before.items():
        np.testing.assert_array_equal(buffers[name].read(), memory, err_msg=name)
    return found


def typed(memory, one):
    kind = dtype_of(one.data_type)
    return memory[: memory.size // kind.itemsize * kind.itemsize].view(kind)


def only(operator, arrays, over=()):
    """The one output."""
    (found,) = call(operator, arrays, over).values()
    return found


def assert_bits(found, expected):
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def assert_close(found, expected, bound):
    """Within a bound of the exact numbers, and a unit in the last place more."""
    exact = np.asarray(expected, np.float64)
    bound = bound + np.spacing(np.abs(exact).astype(found.dtype)).astype(float)
    wrong = ~(np.abs(found - exact) <= bound)
    assert not wrong.any(), (found[wrong][:5], exact[wrong][:5])

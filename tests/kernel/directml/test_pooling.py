"""DirectML's pooling against the references, in any layout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.directml import (
    AveragePooling,
    AveragePooling1,
    AveragePoolingGrad,
    DataType,
    LpPooling,
    LpPooling1,
    MaxPooling,
    MaxPooling1,
    MaxPooling2,
    MaxPoolingGrad,
    MaxUnpooling,
)
from dml_vk.directml.elementwise import NUMBERS, UP_TO_32_BITS
from dml_vk.testing.pooling import max_of, mean_of, positions, power_mean_of
from tests import tier
from tests.kernel.directml.running import (
    F16,
    F32,
    FLOATS,
    FORMS,
    assert_bits,
    call,
    desc,
    dtype_of,
    filled,
    numbers,
    only,
    some,
)

U32, U64 = DataType.UINT32, DataType.UINT64
AVERAGES, NORMS, MAXIMA = (
    (AveragePooling, AveragePooling1),
    (LpPooling, LpPooling1),
    (MaxPooling, MaxPooling1, MaxPooling2),
)


def drawn(data, classes, types, **more):
    """An operator of one of the classes, and the positions of its windows along each dim."""
    cls, rank = data.draw(st.sampled_from(classes)), data.draw(st.integers(2, 3))
    kind, form = data.draw(types), st.sampled_from(FORMS)
    few = st.tuples(*[st.integers(1, 3)] * rank)
    window, strides, dilations = [data.draw(few) for _ in range(3)]
    if cls not in (AveragePooling1, LpPooling1, MaxPooling2):
        dilations = (1,) * rank
    spans = [(width - 1) * apart + 1 for width, apart in zip(window, dilations)]
    start, end = [[data.draw(st.integers(0, span - 1)) for span in spans] for _ in range(2)]
    sizes = [
        data.draw(st.integers(max(1, span - sum(pads)), span + 3))
        for span, *pads in zip(spans, start, end)
    ]
    counts = [
        (size + sum(pads) - span) // step + 1
        for size, span, step, *pads in zip(sizes, spans, strides, start, end)
    ]
    first = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    tensors = [
        desc(kind, (*first, *sizes), data.draw(st.sampled_from([*FORMS, "repeated"]))),
        desc(kind, (*first, *counts), data.draw(form)),
    ]
    if cls in (MaxPooling1, MaxPooling2) and data.draw(st.booleans()):
        indices = data.draw(st.sampled_from([U32, U64]))
        tensors.append(desc(indices, (*first, *counts), data.draw(form)))
    named = {"strides": strides, "window_size": window, "start_padding": start, "end_padding": end}
    if max(dilations) > 1 or (hasattr(cls, "dilations") and cls.__name__[-1] in "12"):
        named |= {"dilations": dilations} if cls is not MaxPooling1 else {}
    rows = [positions(*one) for one in zip(sizes, counts, window, strides, start, dilations)]
    return cls(*tensors, **named, **more), rows


@some
@given(st.data())
def test_means(data):
    operator, rows = drawn(data, AVERAGES, FLOATS, include_padding=data.draw(st.booleans()))
    arrays = filled(operator)
    sizes = operator.input.sizes[2:]
    ends = [size + end for size, end in zip(sizes, operator.end_padding)]
    expected = mean_of(arrays["input"], rows, ends if operator.include_padding else None)
    assert_bits(only(operator, arrays), expected)


@some
@given(st.data())
def test_norms(data):
    p = data.draw(st.sampled_from([1, 2]))
    operator, rows = drawn(data, NORMS, FLOATS, p=p)
    arrays = filled(operator)
    assert_bits(only(operator, arrays), power_mean_of(np.abs(arrays["input"]), rows, p))


def test_an_odd_power_takes_magnitudes():
    operator = LpPooling(desc(F32, (1, 1, 1, 2)), desc(F32, (1, 1, 1, 1)), window_size=(1, 2), p=3)
    found = only(operator, {"input": np.float32([[[[-3, 2]]]])})
    np.testing.assert_allclose(found, 35 ** (1 / 3), rtol=1e-6)


@some
@given(st.data())
def test_maxima_and_where_they_are(data):
    operator, rows = drawn(data, MAXIMA, st.sampled_from(UP_TO_32_BITS))
    arrays = filled(operator)
    x = arrays["input"]
    values, index = max_of(x, rows)
    found = call(operator, arrays)
    assert_bits(found["output"], values)
    if "output_indices" in found:
        first = np.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *[1] * (x.ndim - 2))
        index = index + first * int(np.prod(x.shape[2:]))
        assert_bits(found["output_indices"], index.astype(found["output_indices"].dtype))
        np.testing.assert_array_equal(x.reshape(-1)[index], values)


def test_the_gradient_of_maxima_on_directmls_page():
    x = np.float32([[[[1, 2, 3], [2, 4, 2], [5, 6, 7]]]])
    whole, small = desc(F32, x.shape), desc(F32, (1, 1, 2, 2))
    operator = MaxPoolingGrad(whole, small, whole, window_size=(2, 2))
    found = only(operator, {"input": x, "input_gradient": np.float32([[[[1, 2], [4, 5]]]])})
    assert found.tolist() == [[[[0, 0, 0], [0, 3, 0], [0, 4, 5]]]]


def test_the_gradient_of_means_on_directmls_page():
    operator = AveragePoolingGrad(
        *(desc(F32, (1, 1, 2, 2)), desc(F32, (1, 1, 3, 3))),
        window_size=(2, 2),
        include_padding=False,
    )
    found = only(operator, {"input_gradient": np.float32([[[[1, 2], [3, 4]]]])})
    assert found.tolist() == [[[[0.25, 0.75, 0.5], [1, 2.5, 1.5], [0.75, 1.75, 1]]]]


@pytest.mark.parametrize("form", FORMS)
@tier.parametrize("kind includes rank", [F32, F16], [True, False], [2, 3])
def test_gradients_of_means(kind, form, includes, rank):
    sizes, counts, window = (5, 7, 6)[-rank:], (3, 4, 5)[-rank:], (2, 3, 4)[-rank:]
    strides, start, end = (2, 2, 1)[-rank:], (1, 1, 2)[-rank:], (0, 1, 0)[-rank:]
    operator = AveragePoolingGrad(
        *(desc(kind, (2, 3, *counts), form), desc(kind, (2, 3, *sizes), form)),
        window_size=window,
        strides=strides,
        include_padding=includes,
        start_padding=start,
        end_padding=end,
    )
    arrays = filled(operator)
    gradient = arrays["input_gradient"].astype(np.float64)
    exact = np.zeros((2, 3, *sizes))
    for at in np.ndindex(counts):
        firsts = [number * step - pad for number, step, pad in zip(at, strides, start)]
        inside = exact[(..., *[slice(max(0, a), a + taps) for a, taps in zip(firsts, window)])]
        count = np.prod(window) if includes else np.prod(inside.shape[2:])
        inside += gradient[(..., *at)].reshape(2, 3, *[1] * rank) / count
    error = 1e-6 if kind is F32 else 2e-3
    np.testing.assert_allclose(only(operator, arrays), exact, rtol=error, atol=error)


@tier.parametrize("form kind", FORMS, [F32, F16])
def test_gradients_of_maxima(kind, form):
    sizes, counts = (2, 3, 7, 6), (2, 3, 4, 3)
    start, end, window, strides, dilations = (1, 1), (1, 0), (2, 3), (2, 1), (2, 2)
    rows = [
        positions(*each) for each in zip(sizes[2:], counts[2:], window, strides, start, dilations)
    ]
    whole = desc(kind, sizes, form)
    operator = MaxPoolingGrad(
        *(whole, desc(kind, counts, form), whole),
        window_size=window,
        strides=strides,
        dilations=dilations,
        start_padding=start,
        end_padding=end,
    )
    arrays = filled(operator)
    arrays["input"] = np.round(arrays["input"])  # with ties, of which the first counts
    arrays["input_gradient"] = np.round(arrays["input_gradient"] * 8)  # whose sums are exact
    _, index = max_of(arrays["input"], rows)
    expected = np.zeros((6, 42), dtype_of(kind))
    gradients = arrays["input_gradient"].reshape(6, -1)
    for channel, places in enumerate(index.reshape(6, -1)):
        np.add.at(expected[channel], places, gradients[channel])
    found = only(operator, arrays)
    np.testing.assert_array_equal(found, expected.reshape(sizes))
    over = only(operator, arrays, {"output_gradient": "input"})
    np.testing.assert_array_equal(over, found)


def test_either_output_may_overwrite_the_input():
    x, small = desc(F32, (1, 2, 4, 4)), (1, 2, 2, 2)
    operator = MaxPooling1(
        x, desc(F32, small), desc(U32, small), strides=(2, 2), window_size=(2, 2)
    )
    arrays = filled(operator)
    plain = call(operator, arrays)
    for name in plain:
        found = call(operator, arrays, {name: "input"})
        for one in plain:
            assert_bits(found[one], plain[one])
    for cls, more in ((AveragePooling, {"include_padding": True}), (LpPooling, {"p": 1})):
        own = cls(x, desc(F32, (1, 2, 3, 3)), window_size=(2, 2), **more)
        assert_bits(only(own, arrays, {"output": "input"}), only(own, arrays))


@pytest.mark.parametrize("kind", NUMBERS, ids=lambda one: one.name)
def test_back_to_where_the_maxima_were(kind):
    """Through every form; other indices write nothing, and of equal ones the last counts."""
    sizes, to = (2, 3, 2, 2), (2, 3, 4, 5)
    forms_of = dict(tier.crossed(NUMBERS, enumerate(FORMS)))
    for number, form in enumerate(FORMS) if tier.is_all() else [forms_of[kind]]:
        indices = U64 if number % 2 else U32
        operator = MaxUnpooling(
            desc(kind, sizes, form),
            desc(indices, sizes, FORMS[-number]),
            desc(kind, to, FORMS[number - 1]),
        )
        random = np.random.default_rng(number)
        places = random.choice(120, 24, replace=False).astype(indices.name.lower())
        places[3], places[7], places[11] = 120, np.iinfo(places.dtype).max, places[10]
        x = numbers(kind, sizes)
        expected = np.zeros(120, x.dtype)
        for value, place in zip(x.reshape(-1), places):
            if place < 120:
                expected[place] = value
        found = only(operator, {"input": x, "indices": places.reshape(sizes)})
        assert_bits(found, expected.reshape(to))


def test_unpooling_may_overwrite_its_inputs():
    tensor, places = desc(F16, (1, 1, 4, 4)), desc(U32, (1, 1, 4, 4))
    operator = MaxUnpooling(tensor, places, tensor)
    x = numbers(F16, (1, 1, 4, 4))
    reverse = np.arange(15, -1, -1, dtype=np.uint32).reshape(1, 1, 4, 4)
    for name in ("input", "indices"):
        found = only(operator, {"input": x, "indices": reverse}, {"output": name})
        assert_bits(found, x[:, :, ::-1, ::-1])

"""DirectML's convolutions and matrix products against the references, in any layout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.directml import (
    ActivationIdentity,
    ActivationLeakyRelu,
    ActivationRelu,
    Convolution,
    ConvolutionDirection,
    ConvolutionInteger,
    ConvolutionMode,
    DataType,
    ElementWiseClip,
    Gemm,
    MatrixMultiplyInteger,
    MatrixTransform,
)
from dml_vk.testing import convolutions, products
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
    only,
    some,
)

FORWARD, BACKWARD = ConvolutionDirection
MODES = list(ConvolutionMode)
SMALL = st.sampled_from([DataType.INT8, DataType.UINT8])
form = st.sampled_from(FORMS)
source_form = st.sampled_from([*FORMS, "repeated"])


@st.composite
def a_convolution(draw):
    """A convolution of small tensors, and the sizes that its output has by the formulas."""
    rank, groups = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    batch, inputs, outputs = [draw(st.integers(1, 3)) for _ in range(3)]
    few = st.tuples(*[st.integers(1, 3)] * rank)
    window, strides, dilations = draw(few), draw(few), draw(few)
    start, end = [draw(st.tuples(*[st.integers(0, 2)] * rank)) for _ in range(2)]
    spans = [(width - 1) * apart + 1 for width, apart in zip(window, dilations)]
    spatial = [span + draw(st.integers(0, 3)) for span in spans]
    direction = draw(st.sampled_from([FORWARD, BACKWARD]))
    more = (0,) * rank
    if direction is FORWARD:
        weight = outputs * groups, inputs, *window
        made = [
            (size + sum(pads) - span) // step + 1
            for size, span, step, *pads in zip(spatial, spans, strides, start, end)
        ]
    else:
        weight = inputs * groups, outputs, *window
        more = tuple(draw(st.integers(0, max(each) - 1)) for each in zip(strides, dilations))
        start = end = (0,) * rank if min(spans) < 2 else start
        end = tuple(min(one, 1) for one in end)
        start = tuple(min(one, span - 1) for one, span in zip(start, spans))
        end = tuple(min(one, span - 1 - at) for one, at, span in zip(end, start, spans))
        made = [
            (size - 1) * step + span + extra - sum(pads)
            for size, span, step, extra, *pads in zip(spatial, spans, strides, more, start, end)
        ]
    kind = draw(FLOATS)
    has_bias = draw(st.booleans())
    return Convolution(
        desc(kind, (batch, inputs * groups, *spatial), draw(source_form)),
        desc(kind, weight, draw(source_form)),
        desc(kind, (1, outputs * groups, *[1] * rank), draw(source_form)) if has_bias else None,
        desc(kind, (batch, outputs * groups, *made), draw(form)),
        mode=draw(st.sampled_from(MODES)),
        direction=direction,
        strides=strides,
        dilations=dilations,
        start_padding=start,
        end_padding=end,
        output_padding=more,
        group_count=groups,
    )


def expected_of(operator, arrays):
    weight, bias = arrays["filter"], arrays.get("bias")
    if operator.mode is ConvolutionMode.CONVOLUTION:
        weight = np.flip(weight, range(2, weight.ndim))
    options = {
        "stride": operator.strides,
        "padding": list(zip(operator.start_padding, operator.end_padding)),
        "dilation": operator.dilations,
        "groups": operator.group_count,
    }
    bias = None if bias is None else bias.reshape(-1)
    if operator.direction is FORWARD:
        return convolutions.conv(arrays["input"], weight, bias, **options)
    options["output_padding"] = operator.output_padding
    return convolutions.conv_transpose(arrays["input"], weight, bias, **options)


@some
@given(a_convolution())
def test_convolutions_of_every_mode_and_direction(operator):
    arrays = filled(operator)
    assert_bits(only(operator, arrays), expected_of(operator, arrays))


def test_the_mode_reverses_the_filter_and_the_direction_what_it_does():
    """By hand: an impulse, and a filter that is not symmetric."""
    impulse, filter_ = np.float32([[[0, 1, 0]]]), np.float32([[[1, 2, 3]]])
    row = desc(F32, (1, 1, 3))
    same = {"start_padding": [1], "end_padding": [1]}
    for mode, direction, found in (
        (ConvolutionMode.CROSS_CORRELATION, FORWARD, [3, 2, 1]),
        (ConvolutionMode.CONVOLUTION, FORWARD, [1, 2, 3]),
        (ConvolutionMode.CROSS_CORRELATION, BACKWARD, [1, 2, 3]),
        (ConvolutionMode.CONVOLUTION, BACKWARD, [3, 2, 1]),
    ):
        operator = Convolution(row, row, None, row, mode=mode, direction=direction, **same)
        assert only(operator, {"input": impulse, "filter": filter_}).tolist() == [[found]]


@pytest.mark.parametrize("kind", [F32, F16], ids=lambda one: one.name)
def test_an_activation_comes_before_the_rounding(kind):
    image, weight = desc(kind, (1, 2, 5, 5), "interleaved"), desc(kind, (3, 2, 3, 3))
    bias, out = desc(kind, (1, 3, 1, 1)), desc(kind, (1, 3, 3, 3), "gaps")
    slope = ActivationLeakyRelu.fused(alpha=0.7)
    operator = Convolution(image, weight, bias, out, fused_activation=slope)
    arrays = filled(operator)
    plain = Convolution(*[desc(F32, one.sizes) for one in (image, weight, bias, out)])
    sums = only(plain, {name: array.astype(np.float32) for name, array in arrays.items()})
    expected = np.where(sums < 0, np.float32(0.7) * sums, sums).astype(arrays["input"].dtype)
    assert_bits(only(operator, arrays), expected)
    same = Convolution(image, weight, bias, out, fused_activation=ActivationIdentity.fused())
    assert_bits(only(same, arrays), sums.astype(arrays["input"].dtype))


@pytest.mark.parametrize("kind", [F32, F16], ids=lambda one: one.name)
def test_a_clip_comes_before_the_rounding(kind):
    """Where min is greater than max, min has the last word, as in ElementWiseClip."""
    tensors = {
        Convolution: [(2, 1, 3), (2, 1, 1), None, (2, 2, 3)],
        Gemm: [(2, 3), (3, 4), (2, 4), (2, 4)],
    }
    for cls, sizes in tensors.items():
        for low, high in ((-0.3, 0.7), (0.4, -0.4)):
            clip = ElementWiseClip.fused(min=low, max=high)
            descs, wide = [
                [one and desc(each, one, "gaps") for one in sizes] for each in (kind, F32)
            ]
            operator = cls(*descs, fused_activation=clip)
            arrays = filled(operator)
            exact = {name: array.astype(np.float32) for name, array in arrays.items()}
            sums = np.minimum(only(cls(*wide), exact), np.float32(high))
            expected = np.maximum(sums, np.float32(low)).astype(dtype_of(kind))
            for over in ((), {"output": operator._tensors[0]}):
                assert_bits(only(operator, arrays, over), expected)


def test_a_convolution_may_overwrite_any_of_its_inputs():
    image, weight = desc(F32, (1, 3, 4, 4)), desc(F32, (3, 3, 3, 3))
    same = {"start_padding": (1, 1), "end_padding": (1, 1)}
    for direction in (FORWARD, BACKWARD):
        operator = Convolution(
            *(image, weight, desc(F32, (1, 3, 1, 1)), desc(F32, (1, 3, 4, 4), "reversed")),
            direction=direction,
            **same,
        )
        arrays = filled(operator)
        for name in ("input", "filter", "bias"):
            found = only(operator, arrays, {"output": name})
            assert_bits(found, expected_of(operator, arrays))


@some
@given(st.data())
def test_convolutions_of_integers(data):
    small, rank, groups = data.draw(st.tuples(SMALL, SMALL)), data.draw(st.integers(1, 2)), 2
    few = st.tuples(*[st.integers(1, 3)] * rank)
    window, strides, dilations, start, end = [data.draw(few) for _ in range(5)]
    spans = [(width - 1) * apart + 1 for width, apart in zip(window, dilations)]
    spatial = [span + data.draw(st.integers(0, 2)) for span in spans]
    made = [
        (size + sum(pads) - span) // step + 1
        for size, span, step, *pads in zip(spatial, spans, strides, start, end)
    ]
    each = st.sampled_from([None, (1,), (4,), (1, 4), (1, 4, 1)])
    of_input, of_filter = data.draw(st.sampled_from([None, (1,), (1, 1, 1)])), data.draw(each)
    operator = ConvolutionInteger(
        desc(small[0], (2, 6, *spatial), data.draw(source_form)),
        of_input and desc(small[0], of_input),
        desc(small[1], (4, 3, *window), data.draw(source_form)),
        of_filter and desc(small[1], of_filter),
        desc(DataType.INT32, (2, 4, *made), data.draw(form)),
        strides=strides,
        dilations=dilations,
        start_padding=start,
        end_padding=end,
        group_count=groups,
    )
    arrays = filled(operator)
    wide = {name: array.astype(np.float32) for name, array in arrays.items()}
    x = wide["input"] - wide.get("input_zero_point", np.float32(0)).reshape(-1)[0]
    points = wide.get("filter_zero_point", np.float32([0])).reshape(-1, *[1] * (rank + 1))
    # Sums of so few products of bytes are exact in float32.
    exact = convolutions.conv(
        *(x, wide["filter"] - points),
        stride=strides,
        padding=list(zip(start, end)),
        dilation=dilations,
        groups=groups,
    )
    over = data.draw(st.sampled_from([(), {"output": "input"}, {"output": "filter"}]))
    assert_bits(only(operator, arrays, over), exact.astype(np.int32))


@st.composite
def a_product(draw):
    batches = draw(st.lists(st.integers(1, 3), max_size=2))
    rows, depth, columns = [draw(st.sampled_from([1, 3, 5, 70])) for _ in range(3)]
    kind, transforms = draw(FLOATS), [draw(st.sampled_from(MatrixTransform)) for _ in range(2)]
    a, b = [
        (*batches, *(sizes if transform is MatrixTransform.NONE else sizes[::-1]))
        for sizes, transform in zip(((rows, depth), (depth, columns)), transforms)
    ]
    out = (*batches, rows, columns)
    return Gemm(
        desc(kind, a, draw(source_form)),
        desc(kind, b, draw(source_form)),
        desc(kind, out, draw(source_form)) if draw(st.booleans()) else None,
        desc(kind, out, draw(form)),
        trans_a=transforms[0],
        trans_b=transforms[1],
        alpha=draw(st.sampled_from([1, 0.5, -0.3])),
        beta=draw(st.sampled_from([1, 0, 0.7])),
    )


def product_of(operator, arrays):
    a, b = [
        np.swapaxes(arrays[name], -1, -2)
        if transform is MatrixTransform.TRANSPOSE
        else arrays[name]
        for name, transform in (("a", operator.trans_a), ("b", operator.trans_b))
    ]
    c = arrays.get("c") if operator.beta else None
    return products.gemm(a, b, c, operator.alpha, operator.beta)


@some
@given(a_product())
def test_gemm_in_every_form(operator):
    arrays = filled(operator)
    assert_bits(only(operator, arrays), product_of(operator, arrays))


def test_gemm_with_an_activation_over_its_own_operands():
    square = desc(F32, (2, 6, 6))
    relu = ActivationRelu.fused()
    operator = Gemm(square, square, square, square, alpha=2, fused_activation=relu)
    arrays = filled(operator)
    expected = np.maximum(product_of(operator, arrays), 0)
    for name in "abc":
        assert_bits(only(operator, arrays, {"output": name}), expected)


@some
@given(st.data())
def test_products_of_integers(data):
    first, second = data.draw(SMALL), data.draw(SMALL)
    batches = tuple(data.draw(st.lists(st.integers(1, 3), max_size=2)))
    rows, depth, columns = [data.draw(st.integers(1, 6)) for _ in range(3)]
    ones = (1,) * len(batches)
    points = [
        data.draw(st.sampled_from([None, (*ones, 1, 1), (*ones, *each)]))
        for each in ((rows, 1), (1, columns))
    ]
    operator = MatrixMultiplyInteger(
        desc(first, (*batches, rows, depth), data.draw(source_form)),
        points[0] and desc(first, points[0]),
        desc(second, (*batches, depth, columns), data.draw(source_form)),
        points[1] and desc(second, points[1]),
        desc(DataType.INT32, (*batches, rows, columns), data.draw(form)),
    )
    arrays = filled(operator)
    wide = {name: array.astype(np.int32) for name, array in arrays.items()}
    a, b = wide["a"] - wide.get("a_zero_point", 0), wide["b"] - wide.get("b_zero_point", 0)
    over = data.draw(st.sampled_from([(), {"output": "a"}, {"output": "b"}]))
    assert_bits(only(operator, arrays, over), a @ b)


def test_zero_points_may_be_overwritten():
    byte = DataType.UINT8
    operator = MatrixMultiplyInteger(
        *(desc(byte, (4, 5)), desc(byte, (4, 1)), desc(byte, (5, 3)), desc(byte, (1, 3))),
        desc(DataType.INT32, (4, 3)),
    )
    arrays = filled(operator)
    a, p, b, q = [array.astype(np.int32) for array in arrays.values()]
    for name in ("a_zero_point", "b_zero_point"):
        assert_bits(call(operator, arrays, {"output": name})["output"], (a - p) @ (b - q))

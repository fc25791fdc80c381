"""DirectML's operators on quantized tensors beside exact sums and their formulas."""

from __future__ import annotations

import numpy as np

from dml_vk.directml import (
    DataType,
    DynamicQuantizeLinear,
    ElementWiseQuantizedLinearAdd,
    MatrixMultiplyIntegerToFloat,
    QuantizedLinearAveragePooling,
    QuantizedLinearConvolution,
    QuantizedLinearMatrixMultiply,
)
from tests import tier
from tests.kernel.directml.running import F16, F32, FORMS, call, desc, dtype_of, filled, only

I8, U8, I16, U16, I32, U32 = [
    DataType[name] for name in ("INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32")
]
BYTES = [I8, U8]


def scales(sizes, seed):
    """Numbers of float32 between 1/64 and 1/16."""
    random = np.random.default_rng(seed)
    return random.uniform(1 / 64, 1 / 16, sizes).astype(np.float32)


def points(data_type, sizes, seed):
    low = -9 if data_type in (I8, I16, I32) else 0
    return np.random.default_rng(seed).integers(low, 9, sizes).astype(dtype_of(data_type))


def parameters(operator):
    """Scales that keep most results within 8 bits, and small zero points."""
    arrays = {}
    for seed, name in enumerate(operator._tensors):
        own = getattr(operator, name)
        if own is not None and name.endswith("scale") and not operator.is_output(name):
            arrays[name] = scales(own.sizes, seed) * (16 if name == "output_scale" else 1)
            arrays[name] = arrays[name].astype(dtype_of(own.data_type))
        elif own is not None and name.endswith("zero_point") and not operator.is_output(name):
            arrays[name] = points(own.data_type, own.sizes, seed)
    return arrays


def assert_quantized(found, steps, point, desc):
    """Exact, but where a sum is so near to a half that another rounding may decide."""
    info = np.iinfo(dtype_of(desc.data_type))
    exact = np.clip(np.round(steps) + point, info.min, info.max)
    near = np.abs(steps - np.floor(steps) - 0.5) < 1e-3
    apart = np.abs(found.astype(np.int64) - exact)
    assert found.dtype == info.dtype
    assert (apart[~near] == 0).all()
    assert (apart <= 1).all()
    assert len(np.unique(found)) > 3


def zero_of(arrays, name):
    return arrays[name].astype(np.int64) if name in arrays else 0


@tier.parametrize("kind other out form full", BYTES, BYTES, BYTES, FORMS, [True, False])
def test_sums(kind, other, out, form, full):
    sizes, ones = (2, 3, 5), (1, 1, 1)
    zero = {
        name: desc(data_type, ones) if full else None
        for name, data_type in zip("pqr", (kind, other, out))
    }
    operator = ElementWiseQuantizedLinearAdd(
        *(desc(kind, sizes, form), desc(F32, ones), zero["p"]),
        *(desc(other, sizes), desc(F32, ones), zero["q"]),
        *(desc(F32, ones), zero["r"], desc(out, sizes, form)),
    )
    arrays = filled(operator, **parameters(operator))
    arrays["output_scale"] = np.float32([[[0.0625]]])
    total = sum(
        (arrays[name] - zero_of(arrays, f"{name}_zero_point"))
        * arrays[f"{name}_scale"].astype(np.float64)
        for name in "ab"
    )
    steps = total / arrays["output_scale"].astype(np.float64)
    found = only(operator, arrays)
    assert_quantized(found, steps, zero_of(arrays, "output_zero_point"), operator.output)


@tier.parametrize("kind other out form by_lines full", BYTES, BYTES, BYTES, FORMS, [1, 0], [1, 0])
def test_products(kind, other, out, form, by_lines, full):
    batch, m, k, n = (2, 3), 5, 37, 4
    row, column = ((1, 1, m, 1), (1, 1, 1, n)) if by_lines else ((1, 1, 1, 1),) * 2
    operator = QuantizedLinearMatrixMultiply(
        *(desc(kind, (*batch, m, k), form), desc(F32, row), desc(kind, row) if full else None),
        *(desc(other, (*batch, k, n), form), desc(F32, column)),
        *(desc(other, column) if full else None, desc(F32, row)),
        *(desc(out, row) if full else None, desc(out, (*batch, m, n), form)),
    )
    arrays = filled(operator, **parameters(operator))
    arrays["output_scale"] = arrays["output_scale"] * np.float32(16)
    a, b = [arrays[name] - zero_of(arrays, f"{name}_zero_point") for name in "ab"]
    factor = arrays["a_scale"].astype(np.float64) * arrays["b_scale"] / arrays["output_scale"]
    found = only(operator, arrays)
    steps = (a.astype(np.int64) @ b.astype(np.int64)) * factor
    assert_quantized(found, steps, zero_of(arrays, "output_zero_point"), operator.output)


@tier.parametrize(
    "kind other out form by_channel full groups", *[BYTES] * 3, FORMS, [1, 0], [1, 0], [1, 2]
)
def test_convolutions(kind, other, out, form, by_channel, full, groups):
    one, own = (1, 1, 1, 1), (1, 4, 1, 1) if by_channel else (1, 1, 1, 1)
    operator = QuantizedLinearConvolution(
        *(desc(kind, (2, 6, 7, 5), form), desc(F32, one), desc(kind, one) if full else None),
        *(desc(other, (4, 6 // groups, 3, 2), form), desc(F32, own)),
        *(desc(other, own) if full else None, desc(I32, (1, 4, 1, 1)) if full else None),
        *(desc(F32, one), desc(out, one) if full else None, desc(out, (2, 4, 4, 4), form)),
        strides=(2, 1),
        start_padding=(1, 0),
        end_padding=(1, 0),
        group_count=groups,
    )
    arrays = filled(operator, **parameters(operator))
    arrays["output_scale"] = arrays["output_scale"] * np.float32(16)
    x = arrays["input"] - zero_of(arrays, "input_zero_point")
    own = np.reshape(zero_of(arrays, "filter_zero_point"), (-1, 1, 1, 1))
    w = arrays["filter"] - own
    x = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (1, 1), (0, 0)))
    sums = np.zeros((2, 4, 4, 4), np.int64)
    for c in range(4):
        channels = slice(c // (4 // groups) * (6 // groups), None)
        part = x[:, channels][:, : 6 // groups]
        for i in range(4):
            for j in range(4):
                window = part[:, :, 2 * i : 2 * i + 3, j : j + 2]
                sums[:, c, i, j] = (window * w[c]).sum((1, 2, 3))
    sums = sums + arrays.get("bias", 0)
    factor = arrays["input_scale"].astype(np.float64) * arrays["filter_scale"]
    found = only(operator, arrays)
    steps = sums * factor / arrays["output_scale"]
    assert_quantized(found, steps, zero_of(arrays, "output_zero_point"), operator.output)


@tier.parametrize("kind out form by_channel include full", BYTES, BYTES, FORMS, *[[1, 0]] * 3)
def test_means(kind, out, form, by_channel, include, full):
    own = (1, 3, 1, 1) if by_channel else (1, 1, 1, 1)
    operator = QuantizedLinearAveragePooling(
        *(desc(kind, (2, 3, 6, 5), form), desc(F32, own), desc(kind, own) if full else None),
        *(desc(F32, own), desc(out, own) if full else None, desc(out, (2, 3, 4, 4), form)),
        window_size=(2, 2),
        strides=(2, 1),
        start_padding=(1, 0),
        end_padding=(1, 0),
        include_padding=bool(include),
    )
    arrays = filled(operator, **parameters(operator))
    arrays["output_scale"] = np.full(own, 0.125, np.float32)
    point = zero_of(arrays, "input_zero_point")
    wide = (arrays["input"] - point) * arrays["input_scale"].astype(np.float64)
    padded, inside = [
        np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0))) for x in (wide, np.ones_like(wide))
    ]
    windows, counts = [
        np.lib.stride_tricks.sliding_window_view(x, (2, 2), (2, 3))[:, :, ::2].sum((-2, -1))
        for x in (padded, inside)
    ]
    means = windows / (4 if include else counts)
    found = only(operator, arrays)
    steps = means / 0.125
    assert_quantized(found, steps, zero_of(arrays, "output_zero_point"), operator.output)


KINDS = [I8, U8, I16, U16, I32, U32]


@tier.parametrize("kind out form by_lines full", KINDS, [F32, F16], FORMS, [1, 0], [1, 0])
def test_products_as_floats(kind, out, form, by_lines, full):
    m, k, n = 5, 13, 4
    row, column = ((m, 1), (1, n)) if by_lines else ((1, 1), (1, 1))
    operator = MatrixMultiplyIntegerToFloat(
        *(desc(kind, (m, k), form), desc(out, row), desc(kind, row) if full else None),
        *(desc(kind, (k, n), form), desc(out, column), desc(kind, column) if full else None),
        *(desc(out, (m, n), form) if full else None, desc(out, (m, n), form)),
    )
    arrays = filled(operator, **parameters(operator))
    a, b = [arrays[name].astype(np.int64) - zero_of(arrays, f"{name}_zero_point") for name in "ab"]
    exact = (a @ b) * arrays["a_scale"].astype(np.float64) * arrays["b_scale"]
    exact = exact + arrays.get("bias", 0)
    error = 1e-6 if out is F32 else 1e-3
    np.testing.assert_allclose(only(operator, arrays), exact, rtol=error, atol=error)


def test_products_of_wide_integers_are_exact_before_they_are_rounded():
    one = desc(F32, (1,))
    big = 2**31 - 1
    operator = MatrixMultiplyIntegerToFloat(
        *(desc(I32, (1, 2)), one, None, desc(I32, (2, 1)), one, None, None, desc(F32, (1, 1)))
    )
    arrays = {"a": np.int32([[big, big]]), "b": np.int32([[big], [-big + 1]])}
    arrays |= {name: np.float32([1]) for name in ("a_scale", "b_scale")}
    assert only(operator, arrays) == np.float32(big)


@tier.parametrize("kind out form shift", [F32, F16], BYTES, FORMS, [0, 5, -5])
def test_dynamic_quantization(kind, out, form, shift):
    sizes, ones = (2, 3, 7), (1, 1, 1)
    operator = DynamicQuantizeLinear(
        desc(kind, sizes, form), desc(out, sizes, form), desc(F32, ones), desc(out, ones)
    )
    arrays = filled(operator)
    arrays["input"] = (arrays["input"] + shift).astype(dtype_of(kind))
    found = call(operator, arrays)
    x, info = arrays["input"].astype(np.float64), np.iinfo(dtype_of(out))
    low, high = min(x.min(), 0), max(x.max(), 0)
    scale, point = found["output_scale"].item(), int(found["output_zero_point"].item())
    np.testing.assert_allclose(scale, (high - low) / 255, rtol=1e-6)
    assert abs(info.min - low / scale - point) <= 0.5001
    assert_quantized(found["output"], x / scale, point, operator.output)

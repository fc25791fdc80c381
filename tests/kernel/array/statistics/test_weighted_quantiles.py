"""Quantiles of weighted elements, against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.layout import channels_last
from tests import tier
from tests.chance import chance

SHARES = [0.0, 0.25, 0.4, 0.75, 1.0]


def by_definition(x: np.ndarray, q: float, weights: np.ndarray) -> float:
    """The first of the sorted elements at which the sum of weights is a share of the whole."""
    order = np.argsort(x, kind="stable")
    sums = np.cumsum(weights[order], dtype="float64")
    reached = (sums / sums[-1] >= q) & (sums > 0)
    return x[order][np.argmax(reached)]


@tier.examples(12)
@given(
    dtype=st.sampled_from(["float16", "float32", "float64", "int8", "uint32"]),
    axis=st.sampled_from([None, 1, (3, 0)]),
    kept=st.booleans(),
    of_axes=st.booleans(),
    whole=st.booleans(),
)
def test_elements_count_by_their_weights(dtype, axis, kept, of_axes, whole):
    sizes = (2, 3, 4, 5)
    array = chance().integers(0, 9, sizes).astype(dtype)
    of_axes = of_axes and axis is not None
    shape = tuple(sizes[k] for k in np.atleast_1d(axis)) if of_axes else sizes
    weights = chance().integers(0, 4, shape).astype("int32" if whole else "float32")
    weights.flat[-1] = 1
    weights[..., 0] += 1
    x = dml_vk.asarray(array, memory_format=channels_last)
    heavy = dml_vk.asarray(weights)
    found = dml_vk.quantile(x, SHARES, axis, method="inverted_cdf", keepdims=kept, weights=heavy)
    axes = tuple(range(4)) if axis is None else tuple(np.atleast_1d(axis).tolist())
    if of_axes:
        others = [k for k in range(4) if k not in axes]
        wide = np.expand_dims(weights.transpose(np.argsort(axes)), others)
        weights = np.broadcast_to(wide, sizes)
    left = [size for k, size in enumerate(sizes) if k not in axes]
    rows, rates = (
        np.moveaxis(one, axes, range(len(axes))).reshape(-1, *left) for one in (array, weights)
    )
    expected = np.empty((len(SHARES), *rows.shape[1:]), dtype)
    for k, q in enumerate(SHARES):
        for at in np.ndindex(rows.shape[1:]):
            row = (slice(None), *at)
            expected[(k, *at)] = by_definition(rows[row], q, rates[row])
    assert found.dtype.numpy_name == dtype
    one_each = [1 if k in axes else size for k, size in enumerate(sizes)]
    assert found.shape == (5, *(one_each if kept else left))
    assert np.array_equal(found.numpy().reshape(expected.shape), expected)


def test_nan_and_weights_of_nothing():
    nan = float("nan")
    x = dml_vk.asarray([[3.0, nan, 1.0], [nan, nan, nan], [2.0, 5.0, 4.0]])
    weights = dml_vk.asarray([0.5, 9.0, 0.25])
    given = {"axis": 1, "method": "inverted_cdf", "weights": weights}
    assert np.array_equal(dml_vk.quantile(x, 0.5, **given).numpy(), [nan, nan, 5], equal_nan=True)
    found = dml_vk.nanquantile(x, [0.0, 0.5], **given)
    assert np.array_equal(found.numpy(), [[1, nan, 2], [3, nan, 5]], equal_nan=True)
    out = dml_vk.empty(3)
    assert dml_vk.nanpercentile(x, 50, out=out, **given) is out
    assert dml_vk.percentile(x[2], 100, method="inverted_cdf", weights=[1, 0, 0]).item() == 2
    assert dml_vk.quantile(x[2], 0, method="inverted_cdf", weights=[0, 1, 1]).item() == 4
    # As NumPy would call it: an older one does not know the option.
    options = {"method": "inverted_cdf", "weights": weights}
    found = x.__array_function__(np.quantile, (dml_vk.Tensor,), (x[2], 0.5), options)
    assert found.item() == 5
    assert dml_vk.quantile(x[2], [], method="inverted_cdf", weights=weights).shape == (0,)
    whole = dml_vk.asarray([4, 2])
    assert dml_vk.nanquantile(whole, 0.5, method="inverted_cdf", weights=whole).item() == 4


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"method": "linear"}, RangeError, "method must be inverted_cdf where there are weights"),
        ({"weights": [1.0, -1.0]}, RangeError, "weights must not be negative"),
        ({"weights": [0.0, 0.0]}, RangeError, "weights must be finite, and not all of them 0"),
        ({"weights": [1.0, np.inf]}, RangeError, "weights must be finite, and not all of them 0"),
        ({"weights": [1.0]}, LayoutError, "weights must have the shape of x, or that of x along"),
        ({"weights": [1j, 1]}, DTypeError, "dtype must be one of bool_"),
        ({"weights": 3}, DTypeError, "weights must be a Tensor"),
    ],
)
def test_weights_that_are_refused(given, error, message):
    options = {"method": "inverted_cdf", "weights": [1.0, 2.0], **given}
    with pytest.raises(error, match=f"^quantile: {message}"):
        dml_vk.quantile(dml_vk.asarray([1.0, 2.0]), 0.5, **options)

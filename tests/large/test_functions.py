"""Functions that stand on other kernels: whole numbers, each once, of which all is known."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.operators import OPERATORS
from tests.large.test_orders import shuffled

N = 2**24  # the first whole number that float32 cannot count on from
ROWS = (3, 2**20)
# What tells of dtypes, devices and files, or gives a view: layouts are tested without elements.
WITHOUT_ELEMENTS = """
__array_namespace_info__ Device Tensor atleast_1d atleast_2d atleast_3d broadcast_arrays
broadcast_shapes can_cast checkpoint custom_vjp
compile_glsl conj default_device finfo from_dlpack grad hessian iinfo imag isdtype jacobian jvp load
matrix_transpose moveaxis permute_dims pin real result_type save settings squeeze stop_gradient
unstack value_and_grad vjp
"""

# Views, and what is composed of functions that are met here.
COMPOSED = """
angle apply_along_axis argpartition array_split as_strided bartlett blackman block c_ cbrt choose
compress convolve corrcoef correlate cov cross degrees delete diag diag_indices diag_indices_from
diagflat diagonal digitize dot dsplit ediff1d extract fabs fill_diagonal fix fliplr flipud fmax fmin
frexp gcd geomspace gradient hamming hanning histogram2d histogram_bin_edges hsplit i0 in1d insert
interp intersect1d isin ix_ kaiser kron lcm ldexp lexsort logcumsumexp logspace mgrid modf ogrid
partition piecewise place polyval put put_along_axis putmask r_ radians ravel ravel_multi_index
real_if_close rot90 select setdiff1d setxor1d sinc sliding_window_view sort_complex swapaxes
transpose trapezoid tri tril_indices tril_indices_from trim_zeros triu_indices triu_indices_from
union1d unravel_index unwrap vander vdot vsplit
"""


def test_every_public_function_is_met_here():
    names = {name for name, module in dml_vk._LAZY.items() if module} - {*OPERATORS}
    texts = [path.read_text() for path in Path(__file__).parent.glob("test_*.py")]
    met = {*re.findall(r"\w+", "".join(texts).replace(WITHOUT_ELEMENTS, "").replace(COMPOSED, ""))}
    assert not names - met - {*WITHOUT_ELEMENTS.split(), *COMPOSED.split()}


@pytest.fixture(scope="module")
def once():
    """0 to N - 1 in float32, each once, in no order."""
    return dml_vk.asarray(shuffled(N).astype(np.float32))


def test_extremes_of_many_elements_so_far(once):
    values, places = dml_vk.cummax(once)
    numbers = once.numpy()
    expected = np.maximum.accumulate(numbers)
    assert np.array_equal(values.numpy(), expected)
    assert np.array_equal(numbers[places.numpy()], expected)
    assert dml_vk.cummin(once)[0][-1].item() == 0


def test_quantiles_of_many_elements(once):
    # Half way between two, which float32 has no number for: the even one.
    assert dml_vk.median(once).item() == np.float32((N - 1) / 2)
    assert dml_vk.ptp(once).item() == N - 1
    with_nan = dml_vk.concat([once, dml_vk.full(7, np.nan)])
    assert np.isnan(dml_vk.quantile(with_nan, 0.5).item())
    assert dml_vk.nanquantile(with_nan, [0, 1]).tolist() == [0, N - 1]
    few = dml_vk.asarray(shuffled(2**20).astype(np.float32))
    assert dml_vk.percentile(few, 25, method="lower").item() == (2**20 - 1) // 4
    few[5] = np.nan
    assert dml_vk.nanmedian(few).item() == np.nanmedian(few.numpy())
    assert dml_vk.nanpercentile(few, 0).item() == 0
    rows = dml_vk.reshape(once[: 3 * 2**20], ROWS)
    expected = np.median(rows.numpy(), axis=1)
    assert np.array_equal(dml_vk.median(rows, axis=1).numpy(), expected)


def test_functions_that_leave_nan_out():
    values = np.ones(N + 77, np.float32)
    values[::3] = np.nan
    values[1], values[-1] = -2, 5
    x = dml_vk.asarray(values)
    assert dml_vk.nansum(x).item() == np.nansum(values, dtype=np.float64)
    assert (dml_vk.nanmax(x).item(), dml_vk.nanmin(x).item()) == (5, -2)
    assert (dml_vk.nanargmax(x).item(), dml_vk.nanargmin(x).item()) == (values.size - 1, 1)
    assert dml_vk.nanprod(x).item() == -10
    wide = values.astype(np.float64)
    for name in ("nanmean", "nanvar", "nanstd"):
        found, expected = getattr(dml_vk, name)(x).item(), getattr(np, name)(wide)
        assert found == pytest.approx(expected, rel=2**-20), name
    assert np.array_equal(dml_vk.nancumsum(x[: N // 2]).numpy(), np.nancumsum(values[: N // 2]))
    assert dml_vk.nancumprod(x)[-1].item() == -10
    assert dml_vk.cumulative_prod(dml_vk.nan_to_num(x, nan=1.0))[-1].item() == -10


def test_counts_of_many(once):
    kinds = dml_vk.astype(once, "int32") % 1000
    expected = np.bincount(np.arange(N) % 1000)
    assert np.array_equal(dml_vk.bincount(kinds).numpy(), expected)
    counts, edges = dml_vk.histogram(once, 64, (0, N))
    assert counts.tolist() == [N // 64] * 64
    assert edges.tolist() == [N // 64 * k for k in range(65)]
    few = kinds[: 2**20]  # of sets there are more in test_orders.py
    values, inverse = dml_vk.unique_inverse(few)
    assert np.array_equal(dml_vk.take(values, inverse).numpy(), few.numpy())
    assert dml_vk.unique_counts(few).counts.tolist() == np.bincount(few.numpy()).tolist()
    assert dml_vk.unique_values(few).tolist() == dml_vk.unique(few).tolist() == list(range(1000))
    found, weight = dml_vk.average(once, weights=dml_vk.ones_like(once), returned=True)
    assert found.item() == pytest.approx((N - 1) / 2, rel=2**-23)
    assert weight.item() == N


def test_joins_and_comparisons_of_many_elements():
    host = np.arange(N + 3, dtype=np.int32)
    x = dml_vk.asarray(host)
    for name in ("hstack", "vstack", "dstack", "column_stack", "stack"):
        found = getattr(dml_vk, name)([x, x])
        assert np.array_equal(found.numpy(), getattr(np, name)([host, host])), name
    assert dml_vk.array_equal(x, x.clone())
    assert dml_vk.allclose(x, x + 0)
    x[-1] += 5000
    assert not dml_vk.array_equal(x, dml_vk.asarray(host))
    assert dml_vk.nonzero(~dml_vk.isclose(x, dml_vk.asarray(host)))[0].tolist() == [N + 2]
    for like in ("zeros_like", "empty_like"):
        assert getattr(dml_vk, like)(x).shape == x.shape
    assert dml_vk.sum(dml_vk.zeros_like(x)).item() == 0
    assert dml_vk.sum(dml_vk.full_like(x, 3)).item() == 3 * (N + 3)
    across, down = dml_vk.meshgrid(x[:4099], x[:4099])
    assert np.array_equal(across.numpy() + 2 * down.numpy(), host[:4099] + 2 * host[:4099, None])
    upper = dml_vk.triu(across)
    assert np.array_equal(upper.numpy(), np.triu(np.broadcast_to(host[:4099], (4099, 4099))))
    order = dml_vk.reshape(dml_vk.asarray(shuffled(N)), (4, -1))
    backwards = dml_vk.argsort(dml_vk.reshape(order, -1))
    along = dml_vk.take_along_axis(dml_vk.reshape(order, -1), backwards, axis=0)
    assert np.array_equal(along.numpy(), np.arange(N))


def test_buffers_of_many_words():
    source, target = dml_vk.Buffer(2**28 + 12), dml_vk.Buffer(2**28 + 12)
    source.fill(0x01020304)
    source.write(b"last", 2**28 + 8)
    target.copy_from(source)
    with target.map() as found:
        assert (found[:-4].view(np.uint32) == 0x01020304).all()
        assert bytes(found[-4:]) == b"last"
    assert target.read(8, 2**28 + 4).tolist() == [4, 3, 2, 1, *b"last"]

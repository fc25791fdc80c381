"""Gradients of functions beside finite differences; each public function has a case or a reason."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.operators import OPERATORS
from tests import tier
from tests.kernel.gradients.differences import as_scalar, check, drawn

INDEX = np.array([[2, 0, 2], [1, 1, 0]])
MASK = np.array([[True, False, True], [False, True, True]])


def assigned(x, v):
    y = dml_vk.zeros((3, 4), dtype=x.dtype)
    y[:2, :3] = x
    y[1] = v
    y[2, :3] = x[0] * v[:3]
    return y


def masked(x, v):
    y = dml_vk.zeros((2, 3), dtype=x.dtype)
    y[...] = x
    y[dml_vk.asarray(MASK)] = v[0]
    return y


def scattered(x, v):
    y = dml_vk.zeros((4, 3), dtype=x.dtype)
    y[dml_vk.asarray([0, 2])] = x
    y[dml_vk.asarray([2, 2, 3]), dml_vk.asarray([0, 0, 1])] = v[:3]
    return y


def put(function, *args):
    """Write to fresh memory that has the elements of an operand."""
    *before, x = [a for a in args if not isinstance(a, int)]
    y = dml_vk.zeros(x.shape, dtype=x.dtype)
    y[...] = x
    before = [dml_vk.asarray(a) if isinstance(a, (list, np.ndarray)) else a for a in before]
    function(y, *before, *[a for a in args if isinstance(a, int)])
    return y


# A name with a number after it is another case of the same function. Few shapes have few kernels.
CASES = {
    "add": (lambda x, y: x + y[0] + 2, (2, 3), (2, 3)),
    "astype": (lambda x: dml_vk.astype(x, "complex128"), (2, 3)),
    "where": (lambda x, y: dml_vk.where(dml_vk.asarray(MASK), x, y), (2, 3), (1, 3)),
    "where 2": (lambda x: dml_vk.where(dml_vk.asarray(MASK), x, 2.0), (3,)),
    "clip": (lambda x: dml_vk.clip(x, 0.4, 0.6), (3, 4)),
    "clip 2": (lambda x, low: dml_vk.clip(x, low, 0.8), (3, 4), (4,)),
    "sum": (lambda x: dml_vk.sum(x, axis=(0, 2)), (2, 3, 4)),
    "sum 2": (lambda x: dml_vk.sum(x, axis=1, keepdims=True), (2, 3, 4)),
    "prod": (lambda x: dml_vk.prod(x, axis=(0, 2)), (2, 3, 2)),
    "max": (lambda x: dml_vk.max(x, axis=1), (3, 4)),
    "max 2": (lambda x: dml_vk.max(x, axis=(0, 1), keepdims=True), (3, 4)),
    "min": (lambda x: dml_vk.min(x), (3, 4)),
    "mean": (lambda x: dml_vk.mean(x, axis=0), (3, 4)),
    "var": (lambda x: dml_vk.var(x, axis=1, correction=1), (3, 4)),
    "std": (lambda x: dml_vk.std(x, axis=0, keepdims=True), (3, 4)),
    "ptp": (lambda x: dml_vk.ptp(x, axis=0), (3, 4)),
    "average": (lambda x, w: dml_vk.average(x, axis=0, weights=w), (3, 4), (3,)),
    "cumulative_sum": (lambda x: dml_vk.cumulative_sum(x, axis=1, include_initial=True), (3, 4)),
    "cumulative_prod": (lambda x: dml_vk.cumulative_prod(x, axis=0), (3, 4)),
    "diff": (lambda x: dml_vk.diff(x, n=2, prepend=0.5), (3, 4)),
    "sort": (lambda x: dml_vk.sort(x, axis=0, descending=True), (3, 4)),
    "top_k": (lambda x: dml_vk.top_k(x, 2)[0], (3, 4)),
    "matmul": (dml_vk.matmul, (2, 3, 4), (4, 5)),
    "matmul 2": (dml_vk.matmul, (4,), (2, 4, 5)),
    "matmul 3": (dml_vk.matmul, (3, 4), (4,)),
    "matmul 4": (dml_vk.matmul, (4,), (4,)),
    "vecdot": (lambda x, y: dml_vk.vecdot(x, y, axis=-1), (2, 3), (3,)),
    "tensordot": (lambda x, y: dml_vk.tensordot(x, y, ((0, 2), (1, 0))), (2, 3, 4), (4, 2, 5)),
    "einsum": (lambda x, y: dml_vk.einsum("...ij,jk->...ki", x, y), (2, 3, 4), (4, 5)),
    "einsum 2": (lambda x: dml_vk.einsum("iij->j", x), (3, 3, 2)),
    "einsum 3": (lambda x, y, z: dml_vk.einsum("i,ij,j", x, y, z), (3,), (3, 4), (4,)),
    "einsum 4": (lambda x, y: dml_vk.einsum("ij,kj->i", x, y), (2, 3), (4, 1)),
    "dot": (dml_vk.dot, (2, 3), (3,)),
    "inner": (dml_vk.inner, (2, 3), (4, 3)),
    "vdot": (dml_vk.vdot, (2, 3), (2, 3)),
    "outer": (dml_vk.outer, (2,), (3,)),
    "matrix_transpose": (dml_vk.matrix_transpose, (2, 3)),
    "concat": (lambda x, y: dml_vk.concat([x, y, x], axis=1), (2, 3), (2, 1)),
    "concat 2": (lambda x, y: dml_vk.concat([x, y], axis=None), (2, 3), (2,)),
    "stack": (lambda x, y: dml_vk.stack([x, y, x], axis=1), (2, 3), (2, 3)),
    "hstack": (lambda x, y: dml_vk.hstack([x, y]), (2, 3), (2, 1)),
    "vstack": (lambda x, y: dml_vk.vstack([x, y]), (2, 3), (3,)),
    "dstack": (lambda x, y: dml_vk.dstack([x, y]), (2, 3), (2, 3)),
    "column_stack": (lambda x, y: dml_vk.column_stack([x, y]), (2, 3), (2,)),
    "pad": (lambda x: dml_vk.pad(x, ((1, 2), (0, 1))), (2, 3)),
    "pad 2": (lambda x: dml_vk.pad(x, 1, mode="reflect"), (2, 3)),
    "pad 3": (lambda x: dml_vk.pad(x, 2, mode="edge"), (2, 3)),
    "pad 4": (lambda x: dml_vk.pad(x, 2, mode="wrap"), (2, 3)),
    "roll": (lambda x: dml_vk.roll(x, (1, -1), axis=(0, 1)), (2, 3)),
    "roll 2": (lambda x: dml_vk.roll(x, 2), (2, 3)),
    "repeat": (lambda x: dml_vk.repeat(x, 3, axis=1), (2, 3)),
    "tile": (lambda x: dml_vk.tile(x, (2, 3)), (2, 3)),
    "reshape": (lambda x: x.T.reshape(-1) ** 2, (2, 3)),
    "flip": (lambda x: dml_vk.flip(x, axis=1) * x, (2, 3)),
    "permute_dims": (lambda x: dml_vk.permute_dims(x, (1, 0)) @ x, (2, 3)),
    "broadcast_to": (lambda x: dml_vk.broadcast_to(x, (4, 2, 3)) ** 2, (2, 3)),
    "expand_dims": (lambda x: dml_vk.expand_dims(x, axis=0), (2, 3)),
    "squeeze": (lambda x: dml_vk.squeeze(x, 0), (1, 3)),
    "moveaxis": (lambda x: dml_vk.moveaxis(x, 0, -1), (2, 3, 4)),
    "swapaxes": (lambda x: dml_vk.swapaxes(x, 0, -1), (2, 3, 4)),
    "ravel": (dml_vk.ravel, (2, 3)),
    "rot90": (dml_vk.rot90, (2, 3)),
    "fliplr": (dml_vk.fliplr, (2, 3)),
    "flipud": (dml_vk.flipud, (2, 3)),
    "diag": (dml_vk.diag, (3, 3)),
    "diag 2": (dml_vk.diag, (3,)),
    "diagonal": (lambda x: dml_vk.diagonal(x, 1), (3, 3)),
    "unstack": (lambda x: dml_vk.unstack(x)[1], (3, 3)),
    "split": (lambda x: dml_vk.split(x, 3, axis=1)[2], (2, 3)),
    "sliding_window_view": (lambda x: dml_vk.sliding_window_view(x, 3) ** 2, (6,)),
    "tril": (dml_vk.tril, (3, 3)),
    "triu": (dml_vk.triu, (3, 3)),
    "take": (lambda x: dml_vk.take(x, [2, 0, 2], axis=1), (2, 3)),
    "take 2": (lambda x: dml_vk.take(x.T, [2, 0, 4]), (2, 3)),
    "take 3": (lambda x: dml_vk.take(dml_vk.broadcast_to(x, (2, 4, 3)), [1, 0, 1], axis=1), (3,)),
    "take 4": (lambda x: dml_vk.broadcast_to(x, (2, 3))[dml_vk.asarray([1, 1]), 2], (1, 3)),
    "take 5": (lambda x: dml_vk.take(dml_vk.broadcast_to(x, (2, 3)), [1, 5]), (2, 1)),
    "take_along_axis 2": (
        lambda x: dml_vk.take_along_axis(
            dml_vk.broadcast_to(x, (2, 3)), dml_vk.asarray(INDEX), axis=1
        ),
        (3,),
    ),
    "take_along_axis": (
        lambda x: dml_vk.take_along_axis(x, dml_vk.asarray(INDEX), axis=1),
        (2, 3),
    ),
    "getitem": (lambda x: x[1:, ::-2] * x[0, 1], (3, 4)),
    "getitem 2": (lambda x: x[dml_vk.asarray([2, 0, 2]), :2], (3, 4)),
    "getitem 3": (lambda x: x[dml_vk.asarray(MASK)], (2, 3)),
    "setitem": (assigned, (2, 3), (4,)),
    "setitem 2": (masked, (2, 3), (4,)),
    "real": (dml_vk.real, (2, 3)),
    "copy": (lambda x: x.clone() * x.contiguous(dml_vk.channels_last), (2, 3, 2, 2)),
    "broadcast_arrays": (lambda x, y: dml_vk.broadcast_arrays(x, y)[0], (2, 1), (3,)),
    "atleast_1d": (dml_vk.atleast_1d, ()),
    "atleast_2d": (dml_vk.atleast_2d, (3,)),
    "atleast_3d": (dml_vk.atleast_3d, (3,)),
    "setitem 3": (scattered, (2, 3), (4,)),
    "put": (lambda x, v: put(dml_vk.put, [0, 4, 0], v[:3], x), (2, 3), (4,)),
    "put_along_axis": (
        lambda x, v: put(dml_vk.put_along_axis, INDEX, v[:3], x, 1),
        (2, 3),
        (4,),
    ),
    "fill_diagonal": (lambda x, v: put(dml_vk.fill_diagonal, v[0], x), (3, 3), (4,)),
    "place": (lambda x, v: put(dml_vk.place, MASK, v, x), (2, 3), (4,)),
    "putmask": (lambda x, v: put(dml_vk.putmask, MASK, v, x), (2, 3), (4,)),
    "cummax": (lambda x: dml_vk.cummax(x, axis=1)[0], (3, 4)),
    "cummin": (lambda x: dml_vk.cummin(x, axis=0)[0], (3, 4)),
    "logcumsumexp": (lambda x: dml_vk.logcumsumexp(x, axis=1), (2, 3)),
    "median": (lambda x: dml_vk.median(x, axis=1), (3, 4)),
    "quantile": (lambda x: dml_vk.quantile(x, 0.3), (6,)),
    "percentile": (lambda x: dml_vk.percentile(x, [30, 60], axis=0), (3, 4)),
    "nanmean": (dml_vk.nanmean, (2, 3)),
    "nansum": (dml_vk.nansum, (2, 3)),
    "nanmax": (dml_vk.nanmax, (2, 3)),
    "nanmin": (dml_vk.nanmin, (2, 3)),
    "nanprod": (dml_vk.nanprod, (2, 3)),
    "nanstd": (dml_vk.nanstd, (2, 3)),
    "nanvar": (dml_vk.nanvar, (2, 3)),
    "nanmedian": (dml_vk.nanmedian, (2, 3)),
    "nanquantile": (lambda x: dml_vk.nanquantile(x, 0.3), (6,)),
    "nanpercentile": (lambda x: dml_vk.nanpercentile(x, 30), (6,)),
    "nancumsum": (dml_vk.nancumsum, (6,)),
    "nancumprod": (dml_vk.nancumprod, (6,)),
    "nan_to_num": (dml_vk.nan_to_num, (6,)),
    "cov": (dml_vk.cov, (2, 3)),
    "corrcoef": (dml_vk.corrcoef, (2, 3)),
    "gradient": (dml_vk.gradient, (6,)),
    "trapezoid": (dml_vk.trapezoid, (6,)),
    "ediff1d": (dml_vk.ediff1d, (6,)),
    "interp": (lambda x, f: dml_vk.interp(x, dml_vk.linspace(0, 1, 4), f), (6,), (4,)),
    "convolve": (dml_vk.convolve, (6,), (3,)),
    "correlate": (dml_vk.correlate, (6,), (3,)),
    "kron": (dml_vk.kron, (2, 3), (2, 2)),
    "polyval": (dml_vk.polyval, (3,), (5,)),
    "vander": (dml_vk.vander, (4,)),
    "append": (dml_vk.append, (3,), (2,)),
    "insert": (lambda x: dml_vk.insert(x, 1, 0.5), (6,)),
    "delete": (lambda x: dml_vk.delete(x, 1), (6,)),
    "select": (lambda x: dml_vk.select([x > 0.5], [x * x], 0.0), (6,)),
    "choose": (lambda x, y: dml_vk.choose(dml_vk.asarray([0, 1, 0]), [x, x * y]), (3,), (3,)),
    "piecewise": (lambda x: dml_vk.piecewise(x, [x > 0.5], [dml_vk.exp, dml_vk.sin]), (6,)),
    "compress": (lambda x: dml_vk.compress([True, False, True], x), (6,)),
    "extract": (lambda x: dml_vk.extract(x > 0.5, x), (6,)),
    "unwrap": (dml_vk.unwrap, (6,)),
    "trim_zeros": (dml_vk.trim_zeros, (6,)),
    "block": (lambda x, y: dml_vk.block([[x, y], [y, x]]), (2, 2), (2, 2)),
    "diagflat": (dml_vk.diagflat, (3,)),
    "cross": (lambda x, y: dml_vk.linalg.cross(x, y), (2, 3), (2, 3)),
    "apply_along_axis": (lambda x: dml_vk.apply_along_axis(dml_vk.sum, 0, x), (2, 3)),
    "partition": (lambda x: dml_vk.partition(x, 2), (6,)),
    "meshgrid": (lambda x, y: dml_vk.meshgrid(x, y)[0], (3,), (2,)),
    "bincount": (lambda w: dml_vk.bincount(dml_vk.asarray([0, 1, 1, 2]), weights=w), (4,)),
    "sinc": (dml_vk.sinc, (6,)),
    "i0": (dml_vk.i0, (6,)),
    "cbrt": (dml_vk.cbrt, (6,)),
    "degrees": (dml_vk.degrees, (6,)),
    "radians": (dml_vk.radians, (6,)),
    "fabs": (dml_vk.fabs, (6,)),
    "fmax": (lambda x: dml_vk.fmax(x, 0.5), (6,)),
    "fmin": (lambda x: dml_vk.fmin(x, 0.5), (6,)),
    "ldexp": (lambda x: dml_vk.ldexp(x, 2), (6,)),
    "modf": (lambda x: dml_vk.modf(x)[0], (6,)),
    "array_split": (lambda x: dml_vk.array_split(x, 2)[0], (5,)),
    "hsplit": (lambda x: dml_vk.hsplit(x, 2)[0], (6,)),
    "vsplit": (lambda x: dml_vk.vsplit(x, 2)[1], (4, 2)),
    "dsplit": (lambda x: dml_vk.dsplit(x, 2)[1], (2, 2, 2)),
    "transpose": (lambda x: dml_vk.transpose(x) ** 2, (2, 3)),
    "as_strided": (lambda x: dml_vk.as_strided(x, (3, 3), (1, 2)), (7,)),
    "real_if_close": (dml_vk.real_if_close, (3,)),
    "square": (lambda x: x * x + x * 2 - x, (2, 3)),
}


# Whose gradients are differentiated in turn: the others' are made of the same functions.
SECOND = (
    "where,clip,sum,prod,max,var,std,cumulative_sum,cumulative_prod,sort,matmul,einsum,concat,"
    "pad,pad 2,roll,permute_dims,sliding_window_view,take,take_along_axis,getitem,getitem 2,"
    "setitem,setitem 2,cummax,logcumsumexp,median,nanprod,interp,sinc,i0"
)
AGAIN = tier.plus(SECOND.split(","), CASES.keys() - SECOND.split(","))


@pytest.mark.parametrize("name", CASES)
def test_of_floats(name):
    function, *shapes = CASES[name]
    arrays = [drawn(shape, "f", seed) for seed, shape in enumerate(shapes)]
    check(function, arrays, again=name in AGAIN)


COMPLEX = (
    "add astype where sum prod mean var std matmul vecdot tensordot einsum concat stack reshape "
    "flip getitem setitem real vdot cumulative_sum cumulative_prod pad take roll"
)


@pytest.mark.parametrize("name", tier.some(COMPLEX.split(), 13))
def test_of_complex_numbers(name):
    function, *shapes = CASES[name]
    check(function, [drawn(shape, "c", seed) for seed, shape in enumerate(shapes)])


@tier.parametrize(
    "name mode sizes", ["convolve", "correlate"], ["full", "same", "valid"], [(7, 3), (4, 8)]
)
def test_narrow_floats_have_the_gradients_of_wide_ones(name, mode, sizes):
    """Sequences of float32 and float16 have kernels of their own."""
    arrays = [drawn((size,), "f", seed, -1, 1) for seed, size in enumerate(sizes)]

    def loss(a, v):
        sums = getattr(dml_vk, name)(a, v, mode)
        return dml_vk.sum(sums * dml_vk.arange(sums.size, dtype=sums.dtype))

    gradient = dml_vk.grad(loss, (0, 1))
    expected = gradient(*map(dml_vk.asarray, arrays))
    for dtype, rtol in (("float32", 1e-5), ("float16", 1e-2)):
        own = gradient(*[dml_vk.asarray(array, dtype) for array in arrays])
        for x, wide in zip(own, expected):
            np.testing.assert_allclose(x.numpy(), wide.numpy(), rtol=rtol, atol=10 * rtol)


# Functions whose results are indexes, bools or sizes, or do not vary: nothing flows through them.
CONSTANT = """all any allclose argmax argmin argpartition argsort argwhere array_equal bincount
    count_nonzero digitize equal flatnonzero greater greater_equal in1d isclose isdtype isfinite
    isin isinf isnan isneginf isposinf less less_equal lexsort logical_and logical_not logical_or
    logical_xor nanargmax nanargmin nonzero not_equal searchsorted signbit can_cast finfo iinfo
    result_type broadcast_shapes bitwise_and bitwise_count bitwise_invert bitwise_left_shift
    bitwise_or bitwise_right_shift bitwise_xor gcd lcm diag_indices diag_indices_from ix_
    tril_indices tril_indices_from triu_indices triu_indices_from ravel_multi_index unravel_index
    indices mgrid ogrid around fix round floor ceil trunc heaviside floor_divide trunc_divide
    histogram_bin_edges"""
# What makes tensors of shapes and numbers, or no tensors.
WITHOUT_OPERANDS = """arange empty empty_like eye full full_like linspace logspace geomspace ones
    ones_like zeros zeros_like tri bartlett blackman hamming hanning kaiser asarray from_dlpack pin
    pinned load save device default_device Device devices memory_stats synchronize trace settings
    compile fuse kernel compile_glsl Buffer Tensor grad value_and_grad vjp jvp jacobian hessian
    stop_gradient checkpoint custom_vjp __array_namespace_info__ c_ r_"""
REFUSED = {
    "histogram": lambda x: dml_vk.histogram(x, weights=x)[0],
    "histogram2d": lambda x: dml_vk.histogram2d(x, x, weights=x)[0],
    "frexp": lambda x: dml_vk.frexp(x)[0],
    "unique": dml_vk.unique,
    "unique_all": lambda x: dml_vk.unique_all(x)[0],
    "unique_counts": lambda x: dml_vk.unique_counts(x)[0],
    "unique_inverse": lambda x: dml_vk.unique_inverse(x)[0],
    "unique_values": dml_vk.unique_values,
    "union1d": lambda x: dml_vk.union1d(x, x),
    "intersect1d": lambda x: dml_vk.intersect1d(x, x),
    "setdiff1d": lambda x: dml_vk.setdiff1d(x, dml_vk.zeros(1)),
    "setxor1d": lambda x: dml_vk.setxor1d(x, dml_vk.zeros(1)),
    "take": lambda x: dml_vk.take(dml_vk.as_strided(x, (2, 2), (1, 1)), [0, 1], axis=1),
    "digamma": dml_vk.digamma,
    "nextafter": lambda x: dml_vk.nextafter(x, x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_gradient_says_so(name):
    with pytest.raises(dml_vk.DmlVkError, match="gradient"):
        dml_vk.grad(lambda x: dml_vk.sum(REFUSED[name](x)))(dml_vk.asarray([0.5, 0.25, 2.0]))


def test_every_public_function_has_a_gradient_or_a_reason():
    known = {name.split()[0] for name in CASES} | set(REFUSED) | set(OPERATORS)
    known |= {*CONSTANT.split(), *WITHOUT_OPERANDS.split()}
    # Their parts have cases, and layers a table of their own.
    known |= {"angle", "conj", "imag", "sort_complex", "directml", "fft", "linalg", "nn", "onnx"}
    known |= {"optim", "random", "special"}
    public = set(dml_vk._LAZY)
    assert public - known == set()


COMPILED = (
    "take,take_along_axis,getitem,getitem 2,setitem,setitem 2,setitem 3,sort,top_k,cumulative_prod,"
    "cummax,max,prod,var,std,pad 2,einsum 2,sliding_window_view,where,concat,roll,diff,median,"
    "convolve,correlate"
)


@pytest.mark.parametrize("name", tier.some(COMPILED.split(","), 12))
def test_programs_have_the_bits_of_calls(name):
    function, *shapes = CASES[name]
    operands = [dml_vk.asarray(drawn(s, "f", k), "float32") for k, s in enumerate(shapes)]
    weights = dml_vk.asarray(drawn(function(*operands).shape, "f", 3, -1, 1), "float32")
    gradient = dml_vk.grad(as_scalar(function, weights), tuple(range(len(shapes))))
    pairs = zip(gradient(*operands), dml_vk.compile(gradient)(*operands))
    assert all(a.tobytes() == b.tobytes() for a, b in pairs)

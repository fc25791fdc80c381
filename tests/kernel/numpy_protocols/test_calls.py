"""NumPy's functions on tensors: ours of the same meaning, or errors."""

from __future__ import annotations

import operator
import re
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk import numpy_protocols
from dml_vk.errors import DTypeError
from dml_vk.numpy_protocols.calls import Call
from dml_vk.numpy_protocols.rows import CALLS as OFFERED
from tests import tier
from tests.kernel.answers import check_call

M = np.array([[0.25, -1.5, 3.0], [2.5, 0.75, -0.5]], np.float32)
I = np.array([[3, 1, 2], [3, 5, 4]], np.int32)  # noqa: E741
K = np.array([[1, 0, 2]], np.int64)
C = np.array([[1 + 2j, -1j, 3]], np.complex64)
W = np.array([1.5, -2.0, 0.5], np.float32)
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]], np.float32)
TRUE = np.array([[True, False, True], [True, True, False]])
F32 = {"dtype": np.dtype("float32")}  # of what NumPy computes in float64
N = np.array([[0.5, np.nan, 2.0], [1.5, -2.5, np.inf]], np.float32)
F = np.where(np.isinf(N), np.float32(4), N)
D = M.astype(np.float64)
NEW_NUMPY = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
# NumPy's functions: calls of each, as arguments and options.
CALLS = {
    "all any": ([TRUE, 0], [TRUE, None, None, True], [TRUE, {"where": True}]),
    "amax amin max min": ([M], [M, 1], [M, (0, 1), None, True], [M, {"initial": np._NoValue}]),
    "apply_along_axis": ([lambda row: row[:2] * 2, 1, M], [lambda row: row[0], 0, I]),
    "append": ([M, M], [M, M, 1], [K, 7], [K[0], [7, 8]], [M, np.float32(2)]),
    "mean": ([M], [M, 1], [M, (0, 1), None, None, True], [I, 0, "float32"]),
    "std": ([M], [M, 1], [M, (0, 1), None, None], [I, {"dtype": np.dtype("float32")}]),
    "argmax argmin": ([M], [M, 1], [M, {"axis": 0, "keepdims": True}]),
    "argsort sort": ([M], [M, 0], [M, 1, "mergesort", None], [M, None], [M, {"kind": "stable"}]),
    "argpartition partition": ([W, 1], [M, 1, 0]),
    "argwhere flatnonzero": ([M], [TRUE], [M[:0]]),
    "around round": ([M], [M, 1], [M * 123, -2], [M[0, 1], 1], [I, 2]),
    "array_split": ([K[0], 2], [M, 2, 1], [M, [1], -1], [M, [2, 1], 1], [M[:0], 3]),
    "allclose isclose": ([M, M * 1.01], [M, M, 0.0, 0.0], [N, N, {"equal_nan": True}], [M, 0.25]),
    "array_equal": ([M, M], [M, -M], [M, W], [N, N, True]),
    "atleast_1d atleast_2d atleast_3d": ([M], [W, M]),
    "astype": ([M, np.dtype("int32")],),
    "average": ([M], [M, 1], [M, 1, W * W], [M, 0, None, True], [M, 1, W * W, {"keepdims": True}]),
    "ptp": ([M], [M, 1], [M, 0, None, True]),
    "bincount": ([I[0]], [K[0], W, 5]),
    "histogram": ([M], [M, 3, (-1.0, 2.0)], [W, np.sort(W), None, False, W]),
    "block": ([[[M, M], [M[:, ::-1], M]]], [[W, M[0]]], [M]),
    "broadcast_arrays": ([M, W],),
    "broadcast_to": ([W, (2, 3)],),
    "can_cast": ([I, np.dtype("int64")], [I, np.dtype("float32"), "same_kind"]),
    "clip": ([M, 0.0, 1.0], [M, None, 1.0], *([[M, {"min": 0.5}]] if NEW_NUMPY else [])),
    "column_stack dstack hstack vstack": ([[W, -W]], [[M, M]]),
    "compress": ([TRUE[0], M, 1], [[False, True], M, 0], [[True, False, True, True], M]),
    "concatenate stack": ([[M, M]], [[M, M], 1]),
    "convolve correlate": ([W, M[0]], [W, M[0, :2], "same"], [M[0, :2], W, "valid"], [I[0], K[0]]),
    "copy nonzero ravel transpose": ([I],),
    "fft.fft fft.hfft fft.ifft fft.ihfft fft.irfft fft.rfft": ([D], [D, 4, 0, "ortho"]),
    "fft.fft2 fft.fftn fft.ifft2 fft.ifftn fft.irfft2 fft.irfftn fft.rfft2 fft.rfftn": (
        *([D], [D, (3, 4), (1, 0), "forward"]),
    ),
    "fft.fftshift fft.ifftshift": ([M], [I, 1]),
    "corrcoef": ([M, F32], [M, M[::-1], F32], [M, None, False, F32], [W, F32]),
    "cov": (
        *([M, F32], [M, W[None], F32], [M, None, False, F32], [W, M[0], F32]),
        *([M, None, 1, True, F32], [I, {"ddof": 0, **F32}]),
        *([D, {"fweights": I[0]}], [D, None, True, False, 0, I[0], D[0] ** 2]),
    ),
    "diag_indices_from": ([S],),
    "delete": ([M, 1, 1], [I, [0, -1]], [M, slice(0, 2), -1], [W, 0, 0]),
    "diag": ([M], [M, 1], [W], [W, -1]),
    "diagflat": ([M], [W, -1]),
    "digitize": (
        [M, np.sort(W)],
        [M, np.sort(W), True],
        [M, W[[0, 2, 1]]],
        [M, -np.sort(W), True],
        [M, -np.sort(W)],
    ),
    "dsplit": ([M[None], 3], [M[None], [1]]),
    "ediff1d": ([M], [M, {"to_begin": W, "to_end": W[:1]}]),
    "extract": ([TRUE, M],),
    "fix": ([M],),
    "fliplr flipud": ([M],),
    "gradient": ([D], [D, 0.5, {"axis": 1, "edge_order": 2}], [M, {"axis": 0}]),
    "hsplit": ([M, 3], [W, [1, 2]]),
    "in1d": ([I, I[0]], [I, I[0], False, True]),
    "insert": ([M, 1, 7.0, 1], [M, [0, 2], W[:2, None], 0], [W, 1, M[0]], [M, slice(0, 2), -1]),
    "interp": ([D, np.sort(D[0]), D[1]], [D, D[0], D[1], {"period": 2.5}], [D, D[1], D[0], 0, 9]),
    "intersect1d union1d": ([I, I[0]],),
    "setdiff1d setxor1d": ([I, I[0]], [I[0], K[0], True]),
    "lexsort": ([I], [I, 0]),
    "linspace": (
        *([M, M * 3, 5], [M, W, 3, False], [M, 2.0, 4, True, True], [M, -M, 1], [M, M, 0]),
        *([M, M + 1, 3, {"axis": -1}], [M, M + 9, 3, True, False, np.dtype("int32")]),
    ),
    "lib.stride_tricks.sliding_window_view": ([M, 2, 1], [M, (2, 2)]),
    "ix_": ([[1, 0], K[0]], [TRUE[0], W[:0]]),
    "isin": (
        [I, I[0]],
        [I, I[0], False, True],
        [I, I[:, :0]],
        [M, W, {"assume_unique": True}],
    ),
    "inner": ([M, M], [M, W], [M, W[0]], [W[0], M]),
    "angle": ([M], [C], [C, True]),
    "choose": ([K, [W, -W, 2 * W]], [I, [W, -W], None, "wrap"], [I, [W, -W], None, "clip"]),
    "histogram2d": (
        [D[0], D[1], 2],
        [D[1], D[0], (2, [-2.0, 1.0, 3.0]), [(-2.0, 2.0), None], True],
        [D[0], D[1], 3, None, False, W],
    ),
    "histogram_bin_edges": ([M, 3], [M, 2, (0.0, 1.0)], [D, "auto"]),
    "i0 sinc": ([M], [D]),
    "piecewise": ([M, [M < 0, M > 1], [-1, lambda x: x * 2, 5]], [W, W > 1, [2]]),
    "trim_zeros": (
        [K[0]],
        [np.pad(M, 2)],
        [np.pad(M, 1), "f", 1],
        [np.array([0, 2, 0, 1, 0]), "b"],
    ),
    "unwrap": ([3 * M], [D * 4, 4.0, 0], [I, {"period": 3}], [M[:, :1]]),
    "imag": ([C], [M]),
    "iscomplex iscomplexobj isreal isrealobj": ([M], [C]),
    "kron": ([M, W], [W, M], [M, M], [M, W[0]]),
    "polyval": ([W, M],),
    "ravel_multi_index": ([[K[0], K[0]], (3, 4)],),
    "unravel_index": ([I, (2, 3)],),
    "vander": ([D[0]], [K[0], 2, True]),
    "rollaxis": ([M[None], 2], [M[None], 0, 2], [M[None], 1, 3], [M[None], 2, -3], [M, 0, -1]),
    "rot90": ([M], [M, 2], [M, -1], [M, 4], [M[None], 1, (0, 2)]),
    "select": ([[TRUE, M > 0], [M, -M]], [[M > 1], [M], 0.5]),
    "split": ([M, 3, 1], [M, [1, 2], 1]),
    "trapezoid": ([M], [M, W], [M, None, 0.5, 0], [M, M[::-1]]),
    "vdot": ([W, W], [M, M]),
    "vsplit": ([M, 2],),
    "nan_to_num": ([N], [N, {"nan": 1.5, "posinf": 2.0}], [N, True, 0.0]),
    "nanargmax nanargmin": ([N], [N, 1], [N, {"axis": 0, "keepdims": True}]),
    "nancumprod nancumsum": ([N], [N, 1]),
    "nanmax nanmin": ([N, {"initial": 1.0, "where": TRUE}], [N], [N, 1], [N, (0, 1), None, True]),
    "nanmean nanprod nansum": (
        [N, 1, {"where": TRUE}],
        [N],
        [N, 1, np.dtype("float64")],
        [N, (0, 1), None, None, True],
    ),
    "median": ([M], [M, 1], [M, (0, 1), None, False, True]),
    "nanmedian": ([F], [F, 1], [F, 0, {"keepdims": True}]),
    "nanpercentile percentile": ([D, 30], [D, [20, 75], 1, {"method": "hazen"}]),
    "nanquantile quantile": ([D, 0.3], [D, [0.2, 0.75], 1, None, True, "lower", True]),
    "nanstd nanvar": (
        [F, 1, {"where": TRUE}],
        [F],
        [F, 1],
        [F, 1, None, None, 1],
        [F, {"dtype": np.dtype("float64")}],
    ),
    "ndim shape size": ([M],),
    "count_nonzero": ([TRUE, 1], [TRUE, {"axis": (0, 1), "keepdims": True}]),
    "cross": ([W, M], [W, W]),
    "cumprod cumsum": ([I, 1], [M, 0], [I], [M, None, np.dtype("float32")]),
    "cumulative_prod cumulative_sum": ([I, {"axis": 1, "include_initial": True}],),
    "diagonal trace": ([M], [M, 1], [M, 0, 1, 0]),
    "diff": (
        *([M], [M, 1, 0], [M, {"prepend": M[0, 0], "append": M[:, :1]}]),
        [M, 2, 0, W[0], W[None]],
    ),
    "dot": ([M, W], [M, M.T], [M, W[0]], [M[0, 0], M], [M[None], M.T[None]], [M[None], W]),
    "einsum": (
        ["ij,kj->ik", M, M],
        ["ij,kj->ik", M, M, {"optimize": True, "order": "K", "casting": "same_kind"}],
        ["ij,j", M, W, {"dtype": np.dtype("float64")}],
    ),
    "einsum_path": (["ij,kj->ik", M, M], ["ij,jk,kl", M, S, S, {"optimize": "greedy"}]),
    "empty_like": ([M[:0]], [M, {"shape": (0, 2)}]),
    "ones_like zeros_like": (
        [M],
        [M, np.dtype("int32"), "C", True],
        [M.T, None, "K", False, (2, 1)],
        [M, {"shape": 4, "dtype": np.dtype("int8"), "order": None}],
    ),
    "expand_dims": ([M, 1],),
    "flip": ([M], [M, 0]),
    "full_like": ([M, 2.5], [M, 2.5, np.dtype("float64"), "C", False, (4, 1)]),
    "isneginf isposinf": ([np.array([np.inf, 1.0, -np.inf], np.float32)],),
    "linalg.cholesky linalg.det linalg.inv linalg.eigvalsh linalg.slogdet": ([S],),
    "linalg.eig linalg.eigvals": ([C[:, :1]],),
    "linalg.eigh": ([S[:1, :1]], [S[:1, :1], "L"]),
    "linalg.lstsq": ([S, W, None],),
    "linalg.matrix_power": ([S, 3],),
    "linalg.matrix_rank": ([M], [M, 0.1], [S, {"hermitian": True}]),
    "linalg.pinv": ([M], [M, 0.1], [S, {"hermitian": True}]),
    "linalg.qr": ([S[:1, :1]], [S, "r"], [S[:, :1], {"mode": "complete"}]),
    "linalg.solve": ([S, W],),
    "linalg.svd": ([S[:1, :1]], [S, True, False], [S[:1, :1], {"hermitian": False}]),
    "linalg.svdvals": ([M],),
    "linalg.cross linalg.outer": ([W, M[0]],),
    "linalg.vecdot": ([M, W], [M, M, {"axis": 0}]),
    "linalg.diagonal linalg.trace": ([M, {"offset": 1}],),
    "linalg.matmul": ([M, M.T],),
    "linalg.matrix_norm": ([M], [M, {"keepdims": True}]),
    "linalg.matrix_transpose matrix_transpose": ([M],),
    "linalg.norm": ([M], [W, 1], [M, None, 0], [M, 1, 1, True], [M, "fro"], [M, None, (0, 1)]),
    "linalg.tensorinv": ([S, 1],),
    "linalg.tensorsolve": ([S, W], [S, W, (0,)]),
    "linalg.tensordot": ([M, M, {"axes": ((0,), (0,))}],),
    "linalg.vector_norm": ([M], [M, {"axis": 1, "keepdims": True}]),
    "meshgrid": ([W, W, {"indexing": "ij"}],),
    "moveaxis swapaxes": ([M, 0, 1],),
    "outer": ([W, W],),
    "pad": (
        [M, 1],
        [M, ((0, 1), (2, 0)), "edge"],
        [M, (1, 2), "wrap"],
        [M, 1, {"constant_values": 7}],
        [M, (2, 1), "constant", {"constant_values": (7, 8)}],
        [M, ((0, 1), (2, 3)), {"constant_values": ((5, 6), (7, 8))}],
        [M, 2, "maximum", {"stat_length": 1}],
        [M, 1, "linear_ramp", {"end_values": 3}],
    ),
    "may_share_memory shares_memory": ([M, W],),
    "prod sum": ([I], [I, 1], [I, (0,), None, None, True]),
    "real": ([M],),
    "real_if_close": ([C], [C.real + 1e-9j], [M, 10]),
    "repeat": ([W, 2], [M, 2, 1]),
    "reshape": ([M, -1], [M, (3, 2), "C"]),
    "result_type": ([I, I],),
    "roll": ([M, 1, 1], [M, (1, 1), 1], [M, 1, (0, 0)]),
    "searchsorted": (
        [W[[1, 2, 0]], M, "right"],
        [W[[1, 2, 0]], 0.5],
        [W[[1, 2, 0]], np.float32(1)],
    ),
    "sort_complex": ([I.astype(np.int8)], [D], [C]),
    "squeeze": ([M[None]], [M[:, None], 1]),
    "take": ([M, K[0], 1], [W, K[0]]),
    "take_along_axis": ([M, K, 1],),
    "tensordot": ([M, M, ((1,), (1,))], [M, W, 1]),
    "tile": ([M, (2, 1)],),
    "tril triu": ([M], [M, 1]),
    "tril_indices_from triu_indices_from": ([M], [M, 1]),
    "unique": (
        [I],
        [K[0], True, True, True],
        [I, False, False, True, 0],
        [I, {"equal_nan": False}],
    ),
    "unique_all unique_counts unique_inverse": ([I],),
    "unique_values": ([W[:1]],),
    "unstack": ([M, {"axis": 1}],),
    "var": ([M, 1, None, None, 1], *([[M, {"correction": 1}]] if NEW_NUMPY else [])),
    "where": ([TRUE, M, 0.5], [TRUE]),
}


# Functions that write to their first operand: calls of each.
WRITERS = {
    "fill_diagonal": (
        [M, 7.0],
        [S, W],
        [np.ones((7, 2)), [1, 2, 3], True],
        [np.ones((2, 2, 2)), 5],
    ),
    "place": ([M, M > 0, [7, 8, 9]], [M, TRUE, W[:2]], [M, M > 99, [1]]),
    "put": ([M, [0, -1], [7, 8]], [M, K, 5], [M, [9, -8], W, "wrap"], [M, [9, -8], W, "clip"]),
    "putmask": ([M, M > 0, [7, 8, 9]], [M, TRUE, 3], [W, W > 0, -W]),
}


# What a NumPy has, that which is newer or older has not.
NAMES = {name for names in [*CALLS, *WRITERS, "copyto", "put_along_axis"] for name in names.split()}
HERE = {name for name in NAMES if numpy_protocols.rows._in_numpy(name) is not None}
ASKING = ["array2string", "array_repr", "array_str", "save", "savetxt", "savez", "savez_compressed"]


def test_numpys_functions_are_ours():
    for names, calls in CALLS.items():
        for turn, name in enumerate(names.split()):
            some, is_alone = tier.some(calls, 2), tier.is_all() or " " not in names
            for call in some if is_alone else [some[turn % len(some)]]:
                if name in HERE:
                    check_call(name, call, np)


def test_no_function_is_left_untried():
    here = {*HERE, *ASKING}
    assert {operator.attrgetter(name)(np) for name in here} == set(numpy_protocols.FUNCTIONS)
    assert {call.what for _, call in OFFERED} == {f"numpy.{one}" for one in (*NAMES, *ASKING)}


def test_the_page_names_each_function():
    page = (Path(__file__).parents[3] / "docs" / "protocols.md").read_text()
    named = re.findall(
        r"`([\w.]+)`", page.partition("**Other functions**: ")[2].partition("\n- ")[0]
    )
    assert sorted(set(named)) == named == sorted(NAMES)
    assert all(f"`np.{name}`" in page for name in ASKING)


def test_copyto_writes():
    x = dml_vk.zeros((2, 3))
    np.copyto(x, dml_vk.asarray(W))
    assert x.tolist() == [W.tolist(), W.tolist()]
    np.copyto(x, dml_vk.asarray(M), where=x > W[0])
    assert x.tolist() == np.where(W > W[0], M, [W, W]).tolist()
    np.copyto(x, [1, 2, 3], where=x > W[0])
    assert x.tolist() == np.where(np.where(W > W[0], M, [W, W]) > W[0], [1, 2, 3], W).tolist()
    with pytest.raises(DTypeError, match="copyto: dst must be a Tensor: convert arrays"):
        np.copyto(M.copy(), x)


@pytest.mark.parametrize("name", WRITERS)
def test_functions_that_write(name):
    for first, *rest in WRITERS[name]:
        expected, x = first.copy(), dml_vk.asarray(first)
        getattr(np, name)(expected, *rest)
        given = [dml_vk.asarray(one) if isinstance(one, np.ndarray) else one for one in rest]
        assert getattr(np, name)(x, *given) is None
        assert np.array_equal(x.numpy(), expected)


def test_put_along_axis_writes():
    for axis, index in ((0, K), (1, K[:, :2]), (None, K[0])):
        x, expected = dml_vk.asarray(M), M.copy()
        np.put_along_axis(x, dml_vk.asarray(index % 2), 7.0, axis)
        np.put_along_axis(expected, index % 2, 7.0, axis)
        assert np.array_equal(x, expected)


def test_rounded_numbers_go_where_they_are_asked_for():
    x, out = dml_vk.asarray(M), dml_vk.empty((2, 3))
    assert np.round(x, 1, out=out) is out
    assert np.array_equal(out.numpy(), np.round(M, 1))


def test_too_many_arguments():
    call = Call("f", "a / axis -order * out", dml_vk.sum)
    assert call((dml_vk.asarray(I), 0, None), {}).tolist() == I.sum(0).tolist()
    must = "numpy.f: only a, axis, order may be positional; got arguments=4"
    with pytest.raises(DTypeError, match=must):
        call((1, 2, None, 4), {})

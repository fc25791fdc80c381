"""NumPy's functions on tensors: ours of the same meaning, or errors."""

from __future__ import annotations

import operator
import re
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk import numpy_protocols
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.tensor import Tensor
from tests.kernel.answers import check_call, check_same

M = np.array([[0.25, -1.5, 3.0], [2.5, 0.75, -0.5]], np.float32)
I = np.array([[3, 1, 2], [3, 5, 4]], np.int32)  # noqa: E741
K = np.array([[1, 0, 2]], np.int64)
W = np.array([1.5, -2.0, 0.5], np.float32)
TRUE = np.array([[True, False, True], [True, True, False]])
NEW_NUMPY = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
# NumPy's functions: calls of each, as arguments and options.
CALLS = {
    "all any": ([TRUE, 0], [TRUE, None, None, True]),
    "amax amin max min": ([M], [M, 1], [M, (0, 1), None, True]),
    "mean std": ([M], [M, 1], [M, (0, 1), None, None, True]),
    "argmax argmin": ([M], [M, 1], [M, {"axis": 0, "keepdims": True}]),
    "argsort sort": ([M], [M, 0], [M, 1, None, None]),
    "around round": ([M],),
    "array_equal": ([M, M], [M, -M], [M, W]),
    "astype": ([M, np.dtype("int32")],),
    "broadcast_arrays": ([M, W],),
    "broadcast_to": ([W, (2, 3)],),
    "can_cast": ([I, np.dtype("int64")],),
    "clip": ([M, 0.0, 1.0], [M, None, 1.0], *([[M, {"min": 0.5}]] if NEW_NUMPY else [])),
    "concatenate stack": ([[M, M]], [[M, M], 1]),
    "copy nonzero ravel transpose unique": ([I],),
    "ndim shape size": ([M],),
    "count_nonzero": ([TRUE, 1], [TRUE, {"axis": (0, 1), "keepdims": True}]),
    "cross": ([W, M], [W, W]),
    "cumprod cumsum": ([I, 1], [M, 0]),
    "cumulative_prod cumulative_sum": ([I, {"axis": 1, "include_initial": True}],),
    "diagonal trace": ([M], [M, 1], [M, 0, 1, 0]),
    "diff": ([M], [M, 1, 0]),
    "dot": ([M, W], [M, M.T]),
    "einsum": (["ij,kj->ik", M, M],),
    "empty_like": ([M[:0]],),
    "ones_like zeros_like": ([M], [M, np.dtype("int32")]),
    "expand_dims": ([M, 1],),
    "flip": ([M], [M, 0]),
    "full_like": ([M, 2.5],),
    "isneginf isposinf": ([np.array([np.inf, 1.0, -np.inf], np.float32)],),
    "linalg.cross linalg.outer": ([W, M[0]],),
    "linalg.vecdot": ([M, W], [M, M, {"axis": 0}]),
    "linalg.diagonal linalg.trace": ([M, {"offset": 1}],),
    "linalg.matmul": ([M, M.T],),
    "linalg.matrix_norm": ([M], [M, {"keepdims": True}]),
    "linalg.matrix_transpose matrix_transpose": ([M],),
    "linalg.norm": ([M], [W, 1], [M, None, 0], [M, 1, 1, True], [M, "fro"], [M, None, (0, 1)]),
    "linalg.tensordot": ([M, M, {"axes": ((0,), (0,))}],),
    "linalg.vector_norm": ([M], [M, {"axis": 1, "keepdims": True}]),
    "meshgrid": ([W, W, {"indexing": "ij"}],),
    "moveaxis swapaxes": ([M, 0, 1],),
    "outer": ([W, W],),
    "pad": ([M, 1], [M, ((0, 1), (2, 0)), "edge"], [M, 1, {"constant_values": 7}]),
    "prod sum": ([I], [I, 1], [I, (0,), None, None, True]),
    "real": ([M],),
    "repeat": ([W, 2], [M, 2, 1]),
    "reshape": ([M, -1], [M, (3, 2)]),
    "result_type": ([I, I],),
    "roll": ([M, 1, 1],),
    "searchsorted": ([W[[1, 2, 0]], M, "right"],),
    "squeeze": ([M[None]], [M[:, None], 1]),
    "take": ([M, K[0], 1], [W, K[0]]),
    "take_along_axis": ([M, K, 1],),
    "tensordot": ([M, M, ((1,), (1,))], [M, W, 1]),
    "tile": ([M, (2, 1)],),
    "tril triu": ([M], [M, 1]),
    "unique_all unique_counts unique_inverse": ([I],),
    "unique_values": ([W[:1]],),
    "unstack": ([M, {"axis": 1}],),
    "var": ([M, 1, None, None, 1], *([[M, {"correction": 1}]] if NEW_NUMPY else [])),
    "where": ([TRUE, M, 0.5], [TRUE]),
}


# What came with NumPy 2, and what NumPy 1.26 therefore cannot call.
_NEW = """
astype cumulative_prod cumulative_sum linalg.cross linalg.diagonal linalg.matmul
linalg.matrix_norm linalg.matrix_transpose linalg.outer linalg.tensordot linalg.trace
linalg.vecdot linalg.vector_norm matrix_transpose unique_all unique_counts unique_inverse
unique_values unstack
"""
NAMES = {name for names in [*CALLS, "copyto"] for name in names.split()}
HERE = NAMES if NEW_NUMPY else NAMES - set(_NEW.split())


def test_numpys_functions_are_ours():
    for names, calls in CALLS.items():
        for name in HERE.intersection(names.split()):
            for call in calls:
                check_call(name, call, np)


def test_no_function_is_left_untried():
    assert {operator.attrgetter(name)(np) for name in HERE} == set(numpy_protocols.FUNCTIONS)
    assert {call.what for _, call in numpy_protocols._calls()} == {f"numpy.{one}" for one in NAMES}


def test_the_page_names_each_function():
    page = (Path(__file__).parents[2] / "docs" / "protocols.md").read_text()
    named = re.findall(
        r"`([\w.]+)`", page.partition("**Other functions**: ")[2].partition("\n- ")[0]
    )
    offered = sorted(call.what[6:] for _, call in numpy_protocols._calls())
    assert sorted(set(named)) == named == offered


def test_ufuncs_are_ours_of_the_same_meaning():
    x = dml_vk.asarray(M)
    for function, operands in (
        (np.add, (x, x)),
        (np.subtract, (1, x)),
        (np.multiply, (np.float32(2), x)),
        (np.true_divide, (x, 3.0)),
        (np.arctan2, (x, dml_vk.asarray(W))),
        (np.absolute, (x,)),
        (np.rint, (x,)),
        (np.less, (x, 0.5)),
        (np.matmul, (x, dml_vk.asarray(M.T))),
        *([(np.vecdot, (x, x))] if hasattr(np, "vecdot") else []),
        (np.conjugate, (x,)),
    ):
        arrays = [one.numpy() if isinstance(one, Tensor) else one for one in operands]
        check_same(function.__name__, function(*operands), function(*arrays))
    out = dml_vk.empty((2, 3), memory_format=dml_vk.contiguous_format)
    assert np.add(x, 1.0, out=out) is out
    assert np.add(x, 1.0, out) is out
    assert np.array_equal(out.numpy(), M + 1)
    assert type(np.float32(2) * x) is type(np.float64(2) - x) is Tensor
    for function, ours in numpy_protocols._UFUNCS.items():
        assert isinstance(function, np.ufunc)
        assert callable(getattr(dml_vk, ours))
        assert function.nout == 1


def test_ufuncs_reduce():
    for function in numpy_protocols._REDUCTIONS:
        logical = function.__name__.startswith("logical")
        array = TRUE if logical else I
        x = dml_vk.asarray(array)
        for named in ({}, {"axis": None}, {"axis": 1, "keepdims": True}):
            check_same(function, function.reduce(x, **named), function.reduce(array, **named))
    out = dml_vk.empty((3,), "int64")
    assert np.add.reduce(dml_vk.asarray(I), 0, None, out) is out
    assert out.tolist() == I.sum(0).tolist()


def test_copyto_writes():
    x = dml_vk.zeros((2, 3))
    np.copyto(x, dml_vk.asarray(W))
    assert x.tolist() == [W.tolist(), W.tolist()]
    with pytest.raises(DTypeError, match="copyto: dst must be a Tensor: asarray makes"):
        np.copyto(M.copy(), x)


def test_nothing_is_copied_to_the_host_or_from_it_unasked():
    x = dml_vk.asarray(M)
    asarray = "asarray makes tensors of arrays; got"
    host = r"there must be a function for tensors: np.asarray\(x\) has the same numbers"
    for call, said in (
        (lambda: np.add(x, M), asarray),
        (lambda: M + x, asarray),
        (lambda: x + M, asarray),
        (lambda: operator.iadd(M.copy(), x), asarray),
        (lambda: np.add(M, M, out=x), asarray),
        (lambda: np.add.reduce(M, out=dml_vk.zeros((3,))), asarray),
        (lambda: np.matmul(x, M.T), asarray),
        (lambda: np.concatenate([x, M]), asarray),
        (lambda: np.where(x, M, 0.5), asarray),
        (lambda: np.dot(x, M.T), asarray),
        (lambda: np.array_equal(M, x), asarray),
        (lambda: np.trace([[1]], out=x), asarray),
        (lambda: np.modf(x), f"numpy.modf: {host}"),
        (lambda: np.add.accumulate(x), f"numpy.add.accumulate: {host}"),
        (lambda: np.subtract.reduce(x), f"numpy.subtract.reduce: {host}"),
        (lambda: np.fft.fft(x), f"numpy.fft.*fft: {host}"),
        (lambda: np.linalg.qr(x), f"numpy.linalg.*qr: {host}"),
        (lambda: np.add(x, x, where=TRUE), "numpy.add: its options must be among out; got"),
        (lambda: np.conjugate(x, out=x), "numpy.conjugate: its options must be among"),
        (lambda: np.add.reduce(x, initial=1), "numpy.add.reduce: its options must be among ax"),
        (
            lambda: np.maximum.reduce(x, dtype="int8"),
            "its options must be among axis, keepdims, out; got",
        ),
        (lambda: np.sum(x, where=TRUE), "numpy.sum: its options must be among axis, dtype, ke"),
        (lambda: np.mean(x, dtype="f8"), "numpy.mean: dtype must be left out; got named='dtype'"),
        (
            lambda: np.take(x, x, 0, None, "clip"),
            "numpy.take: arguments by place must be a, indices, axis, out",
        ),
    ):
        with pytest.raises(DTypeError, match=said):
            call()
    for call, said in (
        (lambda: np.dot(x, dml_vk.asarray(1.0)), "dot: b must have one dim or two: tensordot"),
        (lambda: np.linalg.norm(x, 1, (0, 1)), "norm: axis must be one dim, or there must be two"),
    ):
        with pytest.raises(LayoutError, match=said):
            call()


class Other:
    """An array of another library, which knows what to do with tensors."""

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        return "others' ufunc"

    def __array_function__(self, func, types, args, kwargs):
        return "others' function"


def test_other_libraries_have_their_say():
    x = dml_vk.asarray(M)
    assert np.add(x, Other()) == "others' ufunc"
    assert np.add(x, 1.0, out=Other()) == "others' ufunc"
    assert np.concatenate([x, Other()]) == "others' function"

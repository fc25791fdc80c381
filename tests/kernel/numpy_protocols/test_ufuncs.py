"""NumPy's functions of the elements, and SciPy's, on tensors: ours of the same meaning."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.special

import dml_vk
from dml_vk.errors import DTypeError
from dml_vk.numpy_protocols import ufuncs
from dml_vk.tensor.core import Tensor
from tests.chance import chance
from tests.kernel.answers import check_same

M = np.array([[0.25, -1.5, 3.0], [2.5, 0.75, -0.5]], np.float32)
I = np.array([[3, 1, 2], [3, 5, 4]], np.int32)  # noqa: E741
W = np.array([1.5, -2.0, 0.5], np.float32)
TRUE = np.array([[True, False, True], [True, True, False]])


def test_ufuncs_call_our_equivalents():
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
    for one, two in zip(np.divmod(x, 2.0), np.divmod(M, 2.0)):
        check_same("divmod", one, two)
    assert type(np.float32(2) * x) is type(np.float64(2) - x) is Tensor
    for function, ours in ufuncs.UFUNCS.items():
        assert isinstance(function, np.ufunc)
        assert callable(getattr(dml_vk, ours))
        assert function.nout == (2 if ours in ("frexp", "modf") else 1)


def test_ufuncs_reduce():
    for function in ufuncs.REDUCED:
        logical = function.__name__.startswith("logical")
        array = TRUE if logical else I
        x = dml_vk.asarray(array)
        for named in ({}, {"axis": None}, {"axis": 1, "keepdims": True}):
            check_same(function, function.reduce(x, **named), function.reduce(array, **named))
        for initial in (False, True) if logical else (3,):
            named = {"axis": 1, "initial": initial}
            check_same(function, function.reduce(x, **named), function.reduce(array, **named))
    out = dml_vk.empty((3,), "int64")
    assert np.add.reduce(dml_vk.asarray(I), 0, None, out) is out
    assert out.tolist() == I.sum(0).tolist()


def test_ufuncs_compute_in_a_dtype():
    x, y = dml_vk.asarray(I), dml_vk.asarray(W)
    for function, operands, named in (
        (np.add, (x, x), {"dtype": np.dtype("int64")}),
        (np.add, (x, 1), {"dtype": "float64", "casting": "same_kind"}),
        (np.add, (x, y), {"dtype": np.float32}),
        (np.divide, (x, x), {"dtype": np.float32}),
        (np.multiply, (y, 0.5), {"dtype": "float16"}),
        (np.multiply, (y, 3), {"dtype": "int16", "casting": "unsafe"}),
        (np.sqrt, (x,), {"dtype": "f4", "casting": "same_kind"}),
        (np.matmul, (x, y), {"dtype": np.float32}),
        (np.less, (x, 3), {"dtype": bool}),
        (np.isnan, (y,), {"dtype": np.bool_}),
        (np.add, (x, x), {"dtype": "c8"}),
        (np.subtract, (y, y), {"where": True, "order": "K", "subok": False}),
        *([(np.vecdot, (x, x), {"axis": 0})] if hasattr(np, "vecdot") else []),
    ):
        arrays = [one.numpy() if isinstance(one, Tensor) else one for one in operands]
        check_same(function.__name__, function(*operands, **named), function(*arrays, **named))
    for call, said in (
        (
            lambda: np.add(y, y, dtype="int32"),
            "numpy.add: same_kind casting cannot convert the operands to int32: use astype; got o",
        ),
        (
            lambda: np.add(x, x, dtype="i8", casting="no"),
            "no casting cannot convert .* int64: use as",
        ),
        (lambda: np.add(x, x, dtype="i8", casting="kind"), "numpy.add: casting must be one of no"),
        (
            lambda: np.less(x, x, dtype="i8"),
            "numpy.less: dtype must be bool, the dtype of the result",
        ),
        (lambda: np.add(x, x, where=1), "numpy.add: where must be bools"),
    ):
        with pytest.raises(DTypeError, match=said):
            call()


P = np.array([-0.5, 0.0, 1e-6, 0.2, 0.4999, 0.5, 0.50001, 0.8, 1.0, 1.5, np.nan], np.float32)
PAIRS = np.array([-np.inf, -2.0, 0.0, 0.5, 3.0, np.inf, np.nan], np.float32)


def test_scipys_functions_are_ours():
    one, two = (part.ravel() for part in np.meshgrid(PAIRS, PAIRS))
    for name in ufuncs.SPECIAL:
        function = getattr(scipy.special, name)
        operands = (P,) if function.nin == 1 else (one, two)
        expected = function(*[part.astype(np.float64) for part in operands])
        found = function(*map(dml_vk.asarray, operands))
        assert isinstance(found, Tensor)
        assert np.allclose(found.numpy(), expected, rtol=3e-6, atol=1e-30, equal_nan=True), name
    x = dml_vk.asarray(M)
    for name, operands in (("xlogy", (x, 2.0)), ("xlog1py", (np.float32(0.5), abs(x)))):
        function = getattr(scipy.special, name)
        arrays = [part.numpy() if isinstance(part, Tensor) else part for part in operands]
        with np.errstate(all="ignore"):
            expected = function(*arrays)
        assert np.allclose(function(*operands).numpy(), expected, rtol=3e-6)
    out = dml_vk.empty((2, 3))
    assert scipy.special.expit(x, out=out) is out
    assert np.allclose(out.numpy(), scipy.special.expit(M))


def test_scipys_functions_are_found_only_if_scipy_is_imported(monkeypatch):
    for name in ("scipy.special", "scipy.special._ufuncs"):
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(
        DTypeError,
        match="expit: not available for tensors",
    ):
        scipy.special.expit(dml_vk.asarray(M))


def test_functions_without_an_equivalent_are_named():
    x = dml_vk.asarray(M)
    for call, said in (
        (
            lambda: scipy.special.gamma(x),
            "scipy.special.gamma: not available for tensors",
        ),
        (lambda: np.spacing(x), "numpy.spacing: not available for tensors"),
        (lambda: np.divide.at(x, 0, x), "numpy.divide.at: not available for tensors"),
        (lambda: np.linalg.cond(x), "numpy.linalg.cond: not available for tensors"),
        (
            lambda: np.frompyfunc(abs, 1, 1)(x),
            r"numpy.abs \(vectorized\): not available for tensors",
        ),
        (
            lambda: scipy.special.xlog1py(x, x, out=x),
            "scipy.special.xlog1py: there are no options here",
        ),
        (
            lambda: scipy.special.xlog1py(M, x),
            "scipy.special.xlog1py: operands must be tensors or numbers",
        ),
    ):
        with pytest.raises(DTypeError, match=f"^{said}"):
            call()


class Other:
    """An array of another library, which knows what to do with tensors."""

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        return "others' ufunc"

    def __array_function__(self, func, types, args, kwargs):
        return "others' function"


def test_other_libraries_overrides_are_called():
    x = dml_vk.asarray(M)
    assert np.add(x, Other()) == "others' ufunc"
    assert np.add(x, 1.0, out=Other()) == "others' ufunc"
    assert np.concatenate([x, Other()]) == "others' function"


@pytest.mark.parametrize("function", [np.add, np.multiply, np.maximum, np.less, np.hypot])
def test_each_element_meets_each_other(function):
    a, b = np.float32([[1, -2], [3, 0.5]]), np.float32([4, 5, -6])
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    cases = (x, y, a, b), (x, b, a, b), (a, y, a, b), (y, [1.0, 2.0], b, [1.0, 2.0])
    for first, second, *numpys in (*cases, (y, np.float32(3), b, np.float32(3)), (2.0, y, 2.0, b)):
        found, expected = function.outer(first, second), function.outer(*numpys)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    target = dml_vk.empty((3, 2), dtype=found.dtype)
    assert function.outer(y, dml_vk.asarray([1.0, 2.0]), out=target) is target


@pytest.mark.parametrize("function", [np.add, np.multiply])
def test_results_so_far(function):
    for values in (np.int8([[1, 2, 100], [3, 4, 100]]), np.float32([[1, 0.5], [2, 3]])):
        x = dml_vk.asarray(values)
        for named in ({}, {"axis": 1}, {"axis": -1, "dtype": "float64"}):
            expected = function.accumulate(values, **named)
            found = function.accumulate(x, **named)
            assert (found.tolist(), found.dtype.numpy_name) == (expected.tolist(), expected.dtype)


def test_where_chooses_what_is_written():
    values = chance().normal(size=(3, 4)).astype(np.float32)
    mask, x = values > 0, dml_vk.asarray(values)
    for where in (mask, dml_vk.asarray(mask), mask[0], False, [True, False, True, False]):
        chosen = where.numpy() if isinstance(where, Tensor) else where
        kept = dml_vk.full((3, 4), 7.0)
        assert np.multiply(x, 2, out=kept, where=where) is kept
        expected = np.where(chosen, values * 2, np.float32(7))
        np.testing.assert_array_equal(kept.numpy(), expected)
        found = np.sqrt(x * x, where=where)
        expected = np.where(chosen, np.abs(values), np.float32(0))
        np.testing.assert_allclose(found.numpy(), expected, 1e-6)
    own = x.clone()
    np.negative(own, out=own, where=mask)
    np.testing.assert_array_equal(own.numpy(), np.where(mask, -values, values))
    quotients, rest = np.divmod(x, 0.5, where=mask)
    np.testing.assert_array_equal(quotients.numpy(), np.where(mask, values // 0.5, 0))
    np.testing.assert_array_equal(rest.numpy(), np.where(mask, values % 0.5, 0))
    wide = np.add(x[0], 1, where=mask)
    np.testing.assert_array_equal(wide.numpy(), np.where(mask, values[0] + 1, 0))
    with pytest.raises(DTypeError, match="same_kind casting cannot convert"):
        np.add(x, 1, out=dml_vk.zeros((3, 4), dtype="int32"), where=mask)


def test_methods_that_are_not_here_say_so():
    x = dml_vk.ones(3)
    for call in (
        lambda: np.equal.accumulate(x),
        lambda: np.less.reduce(x),
        lambda: np.hypot.reduceat(x, [0, 1]),
        lambda: np.modf.outer(x, x),
    ):
        with pytest.raises((DTypeError, ValueError)):
            call()

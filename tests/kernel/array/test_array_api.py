"""The Python array API standard, version 2025.12: names, signatures, dtypes, and what comes out."""

from __future__ import annotations

import inspect
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import DType
from dml_vk.errors import DTypeError
from dml_vk.tensor.core import Tensor
from tests.kernel.answers import check_call
from tests.real_dtypes import DTYPES

STANDARD = json.loads((Path(__file__).parents[2] / "data" / "array_api_2025_12.json").read_text())
PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
NAMED = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def parameters(function) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def complaints(function, asked: str) -> list[str]:
    """What calls that the standard allows would meet."""
    wanted, given = parameters(eval(f"lambda {asked}: 0")), parameters(function)
    by_name = {one.name: one for one in given}
    found = []
    for place, one in enumerate(wanted):
        if one.kind is inspect.Parameter.VAR_POSITIONAL:
            if not any(other.kind is one.kind for other in given):
                found.append(f"takes no *{one.name}")
            continue
        if one.kind in PLACED and (len(given) <= place or given[place].kind not in PLACED):
            found.append(f"takes no {one.name} by place")
        if one.kind in NAMED and (one.name not in by_name or by_name[one.name].kind not in NAMED):
            found.append(f"takes no {one.name}=")
            continue
        other = by_name[one.name] if one.kind in NAMED else (given + wanted)[place]
        if one.default is not one.empty and other.default != one.default:
            found.append(f"{one.name} is {other.default!r}, not {one.default!r}, if left out")
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    least = sum(one.default is one.empty and one.kind not in variable for one in given)
    if least > sum(one.default is one.empty and one.kind not in variable for one in wanted):
        found.append("asks for more")
    return found


def compared(space, asked: dict[str, str]) -> dict[str, list[str]]:
    found = {}
    for name, signature in asked.items():
        function = getattr(space, name, None)
        wrong = ["missing"] if function is None else complaints(function, signature)
        if wrong:
            found[name] = wrong
    return found


def test_the_checker_sees_what_is_wrong():
    def add(x1, x2=1, *, axis=None): ...

    assert complaints(add, "x1, x2=1, /, *, axis=None") == []
    assert complaints(add, "x1, /, *, axis=0") == ["axis is None, not 0, if left out"]
    assert complaints(add, "x1, /, *, more=0") == ["takes no more="]
    assert complaints(add, "*arrays") == ["takes no *arrays", "asks for more"]
    assert complaints(add, "x1, x2, axis, /") == ["takes no axis by place"]
    assert compared(np, {"add_up": "x, /"}) == {"add_up": ["missing"]}


def test_every_function_is_there_and_called_as_the_standard_says():
    assert compared(dml_vk, STANDARD["functions"]) == {}


def test_every_linear_algebra_function_is_there():
    assert compared(dml_vk.linalg, STANDARD["linalg"]) == {}


def test_every_fourier_transform_is_there():
    assert compared(dml_vk.fft, STANDARD["fft"]) == {}


def test_every_method_and_attribute_of_arrays_is_there():
    assert compared(Tensor, STANDARD["methods"]) == {}
    x = dml_vk.asarray([[1.5, 2.5]])
    assert [name for name in STANDARD["attributes"] if not hasattr(x, name)] == []
    assert isinstance(x.shape, tuple)
    assert (x.size, x.ndim, x.dtype) == (2, 2, dml_vk.float32)


def test_dtypes_and_constants_are_there():
    for name in STANDARD["dtypes"]:
        assert isinstance(getattr(dml_vk, name), DType), name
    assert {name: getattr(dml_vk, name) for name in STANDARD["constants"] if name != "nan"} == {
        name: getattr(np, name) for name in STANDARD["constants"] if name != "nan"
    }
    assert np.isnan(dml_vk.nan)
    assert dml_vk.__array_api_version__ == STANDARD["version"]


def test_the_namespace_info_is_complete():
    info = dml_vk.__array_namespace_info__()
    assert (
        compared(info, {name: how[5:].strip(", ") for name, how in STANDARD["info"].items()}) == {}
    )
    dtypes = info.dtypes()
    assert set(dtypes) == set(STANDARD["dtypes"]) | {"complex128"}
    assert all(getattr(dml_vk, name) is dtype for name, dtype in dtypes.items())
    assert set(info.dtypes(kind=("bool", "signed integer"))) == {"bool"} | {
        name for name in dtypes if name.startswith("int")
    }
    defaults = info.default_dtypes(device=info.default_device())
    assert dml_vk.zeros((1,)).dtype is dml_vk.asarray([0.5]).dtype is defaults["real floating"]
    assert dml_vk.asarray([1]).dtype is dml_vk.arange(3).dtype is defaults["integral"]
    assert dml_vk.argmax(dml_vk.asarray([0.5])).dtype is defaults["indexing"]
    assert info.default_device() in info.devices()
    capabilities = info.capabilities()
    assert capabilities["boolean indexing"] is capabilities["data-dependent shapes"] is True
    assert capabilities["max dimensions"] > 8


def test_dtypes_are_promoted_as_the_standard_says():
    """NumPy promotes as it does wherever it says anything; where it does not, kinds are ordered."""
    letters = {"b": "b", "i": "iu", "u": "iu", "f": "f"}
    for one, two in itertools.product(DTYPES.values(), repeat=2):
        kinds = {one.kind, two.kind}
        wide = {dtype.kind for dtype in (one, two) if dtype.itemsize == 8 and dtype.kind == "u"}
        if two.kind in letters[one.kind] and not (wide and kinds == {"i", "u"}):
            expected = np.promote_types(one.numpy_name, two.numpy_name).name
            assert dml_vk.result_type(one, two).numpy_name == expected
            continue
        if kinds == {"i", "u"}:
            with pytest.raises(DTypeError, match="result_type: cannot mix uint64 with signed "):
                dml_vk.result_type(one, two)
            continue
        highest = max(one, two, key=lambda dtype: "biuf".index(dtype.kind))
        assert dml_vk.result_type(one, two) is highest
    x = dml_vk.asarray(np.array([1, 2], np.int8))
    for number in (1, True):
        assert (x + number).dtype is (number + x).dtype is dml_vk.int8
    assert (1.5 - dml_vk.asarray(np.array([1, 2], np.float16))).dtype is dml_vk.float16
    assert dml_vk.where(x > 1, x, 7).dtype is dml_vk.int8
    assert (x + 1.5).dtype is dml_vk.float32


F = np.array([[0.25, 0.75, 0.5], [0.125, 0.375, 0.875]], np.float32)
G = np.array([[2.5, 1.25, 3.5], [0.5, 0.375, 1.5]], np.float32)
N = np.array([[3, 1, 2], [3, 5, 4]], np.int32)
V = np.array([3, -1, 2, 3, -1], np.int64)
B = np.array([[True, False, True], [False, False, True]])
W = np.array([1.5, -2.0, 0.5], np.float32)
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]], np.float32)
KEYS = np.array([2, 0, 1, 1], np.int64)
f32 = "float32"
# Calls of functions with their arguments, as names(arguments); NumPy answers to the same.
CALLS = {
    "abs ceil exp expm1 floor isfinite isinf isnan log log10 log1p log2 negative positive "
    "reciprocal round sign signbit sin sinh sqrt square tan tanh trunc cos cosh atan asinh": [G],
    "acos asin atanh": [F],
    "acosh": [G + 1],
    "real conj": [G],
    "add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal "
    "logaddexp maximum minimum multiply nextafter not_equal pow remainder subtract": [F, G],
    "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift": [N, N[1] - 2],
    "bitwise_invert": [N],
    "logical_and logical_or logical_xor": [B, B[0]],
    "logical_not": [B],
    "clip": [G, 0.5, 2.0],
    "all any": [B, {"axis": 1, "keepdims": True}],
    "argmax argmin": [G, {"axis": 1}],
    "count_nonzero": [B, {"axis": 0}],
    "max mean min std var": [G, {"axis": (0, 1)}],
    "sum prod": [N, {"axis": 0}],
    "cumulative_sum cumulative_prod": [N, {"axis": 1, "include_initial": True}],
    "diff": [G, {"axis": 0}],
    "argsort sort": [N, {"axis": 0}],
    "arange": [3, 20, 4, {"dtype": "int16"}],
    "asarray": [N],
    "astype": [G, np.dtype("int64")],
    "broadcast_arrays": [W, F],
    "meshgrid": [W, KEYS],
    "broadcast_to": [W, (2, 3)],
    "concat stack": [[F, G], {"axis": 1}],
    "empty": [(0, 3), {"dtype": f32}],
    "ones zeros": [(2, 3), {"dtype": f32}],
    "empty_like": [F[:0]],
    "ones_like zeros_like": [F],
    "expand_dims": [F, {"axis": 1}],
    "isin": [N, V, {"invert": True}],
    "eye": [3, 4, {"k": 1, "dtype": f32}],
    "flip": [F, {"axis": 0}],
    "from_dlpack": [N],
    "full": [(2,), 7],
    "full_like": [F, 2.5],
    "linspace": [1.0, 2.0, 5, {"dtype": f32, "endpoint": False}],
    "matmul": [F, G.T],
    "matrix_transpose": [F],
    "nonzero": [B],
    "moveaxis": [F, 0, 1],
    "permute_dims": [F, (1, 0)],
    "repeat": [V, 2],
    "reshape": [F, (3, 2)],
    "roll": [F, 1, {"axis": 1}],
    "searchsorted": [W[[1, 2, 0]], F[0], {"side": "right"}],
    "squeeze": [F[:, None], {"axis": 1}],
    "take": [F, KEYS[:2] // 2, {"axis": 0}],
    "take_along_axis": [F, np.array([[1, 0], [2, 2]]), {"axis": 1}],
    "tensordot": [F, G, {"axes": ((1,), (1,))}],
    "tile": [F, (2, 1)],
    "tril triu": [G, {"k": 1}],
    "unique_all unique_counts unique_inverse": [V],
    "unique_values": [V],
    "unstack": [F, {"axis": 1}],
    "vecdot": [F, G],
    "where": [B, F, G],
    "linalg.cross": [W, F[0]],
    "linalg.diagonal linalg.trace": [F, {"offset": 1}],
    "linalg.matmul linalg.tensordot": [F[:, :2], G[:, :2]],
    "linalg.outer": [W, F[0]],
    "linalg.matrix_norm linalg.matrix_transpose": [F],
    "linalg.vecdot": [F, G],
    "linalg.cholesky linalg.det linalg.inv linalg.eigvalsh linalg.slogdet": [S],
    "linalg.eig linalg.eigvals": [np.complex64([[2j]])],
    "linalg.eigh linalg.qr": [np.float32([[2.0]])],
    "linalg.matrix_power": [S, 3],
    "linalg.matrix_rank linalg.pinv linalg.svdvals": [F],
    "linalg.solve": [S, W],
    "linalg.svd": [np.float32([[2.0]]), {"full_matrices": False}],
    "linalg.vector_norm": [F, {"axis": 1}],
}
# Of dtypes and of the namespace itself, as the tests above ask; and of complex numbers.
OTHERS = {
    "__array_namespace_info__",
    "broadcast_shapes",
    "can_cast",
    "finfo",
    "iinfo",
    "imag",
    "isdtype",
}
NUMPYS = {"unique_values": "unique"}  # the same, but in order


@pytest.mark.product  # NumPy's protocols call the same, and operators have tests of their own.
def test_each_function_answers_as_numpys_of_the_same_name():
    for names, call in CALLS.items():
        for name in names.split():
            check_call(name, call, dml_vk, NUMPYS.get(name, name))


def test_no_function_is_left_out():
    called = {name for names in CALLS for name in names.split()}
    linalg = {f"linalg.{name}" for name in STANDARD["linalg"]}
    assert called | OTHERS | {"result_type"} == set(STANDARD["functions"]) | linalg


def test_finfo_iinfo_and_can_cast_are_numpys():
    for name in ("float32", "float64", "float16"):
        for limit in ("bits", "eps", "max", "min", "smallest_normal"):
            found = getattr(dml_vk.finfo(getattr(dml_vk, name)), limit)
            assert found == getattr(np.finfo(name), limit)
            assert isinstance(found, int if limit == "bits" else float)
    for name in ("int8", "uint64"):
        for limit in ("bits", "max", "min"):
            assert getattr(dml_vk.iinfo(name), limit) == getattr(np.iinfo(name), limit)
    assert dml_vk.finfo(dml_vk.complex64).dtype is dml_vk.float32
    assert dml_vk.can_cast(dml_vk.int8, dml_vk.int16)
    assert not dml_vk.can_cast(dml_vk.asarray([1.5]), dml_vk.float16)
    assert dml_vk.isdtype(dml_vk.bool, "bool")
    assert not dml_vk.isdtype(dml_vk.bool, "numeric")
    assert dml_vk.finfo(dml_vk.complex128).dtype is dml_vk.float64
    with pytest.raises(DTypeError, match="imag: x must be complex"):
        dml_vk.imag(dml_vk.asarray([1.5]))

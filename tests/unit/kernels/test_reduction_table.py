"""The table of reductions, and that nothing it names is missing anywhere."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

import dml_vk
from dml_vk.directml import ReduceFunction
from dml_vk.dtypes import bool_, float16, float32, float64, int8, int32, int64, to_dtype
from dml_vk.kernels.codegen.library import GLSL
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.reductions import REDUCTIONS, opcodes_of
from dml_vk.kernels.registry import KERNELS
from dml_vk.numpy_protocols import FUNCTIONS, ufuncs
from dml_vk.onnx import operators, registry
from dml_vk.testing.reductions import reference

KINDS = ("tree", "double", "int", "long", "arg")
THE_OTHER = {"REDUCE_ARGMAX"}  # what reduce_arg finds if it is not asked for the least


def spelled(kind):
    """The opcodes that the source of a kind of kernel names."""
    return set(re.findall(r"\bREDUCE_\w+", (GLSL / f"reduce_{kind}.comp").read_text()))


@pytest.fixture(params=REDUCTIONS.values(), ids=lambda row: row.name)
def row(request):
    return request.param


def test_a_reduction_has_all_that_follows_from_it(row):
    assert row.kinds
    assert row.kinds <= set(KINDS)
    for kind in row.kinds:
        assert f"reduce_{kind}" in KERNELS
        assert row.opcode in spelled(kind) | THE_OTHER, kind
    assert row.name in dml_vk.__all__
    assert hasattr(dml_vk.Tensor, row.name) == row.method
    assert row.extreme in {"", *REDUCTIONS}
    assert row.then in {"", *REDUCTIONS}
    assert row.nothing is not None or row.extreme, "what it is of no elements"
    if not row.finds and not row.then:
        assert row.join in OPERATORS, "what joins the results of two parts"
        assert row.name in ufuncs.REDUCED.values()


def test_a_reduction_is_numpys_directmls_and_onnxs_of_that_name(row):
    for name in (row.name, *row.others):
        theirs = getattr(np, name, None)
        assert (theirs is not None) == (row.numpy is not None)
        assert theirs is None or theirs in FUNCTIONS
    assert not row.directml or row.directml in ReduceFunction.__members__
    operators.enter()
    assert not row.onnx or registry.find(registry.ONNX, row.onnx, 99)


def test_no_kernel_has_a_case_for_what_it_is_never_asked():
    for kind in KINDS:
        assert spelled(kind) <= set(opcodes_of(kind)), kind
    assert len({row.code for row in REDUCTIONS.values()}) == len(REDUCTIONS)


def test_the_reference_agrees_with_the_special_values(row):
    assert row.special, "what it is of infinities, NaN and zeros of both signs"
    for dtype in (float16, float32, float64):
        for values, wanted in row.special:
            result = reference(row.name, np.array(values, dtype.numpy_name), (0,))
            assert np.array_equal(result, wanted, equal_nan=True), values
            assert np.signbit(result) == np.signbit(wanted) or result != result, values
            if not row.accumulates:
                assert to_dtype("reference", result.dtype) is row.result_dtype(dtype)


def test_kinds_of_kernels():
    assert REDUCTIONS["sum"].kinds == {"tree", "double", "int", "long"}
    assert REDUCTIONS["max"].kinds == {"int", "long"}
    assert REDUCTIONS["any"].kinds == {"int"}
    assert REDUCTIONS["count_nonzero"].kinds == {"long"}
    assert REDUCTIONS["argmin"].kinds == {"arg"}
    assert [REDUCTIONS["prod"].kind(dtype) for dtype in (float16, float64, int32, int64)] == [
        *("tree", "double", "int", "long")
    ]
    assert REDUCTIONS["any"].result_dtype(int8) is bool_
    assert REDUCTIONS["min"].result_dtype(int8) is int8


@pytest.mark.parametrize("name", [name for name, row in REDUCTIONS.items() if row.method])
def test_methods_of_reductions_are_pickled_by_name(name):
    method = getattr(dml_vk.Tensor, name)
    assert pickle.loads(pickle.dumps(method)) is method

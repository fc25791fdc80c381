"""Joins by the number of dims, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import channels_last
from tests.kernel.forms import forms, mixed
from tests.kernel.tensors import assert_same

SIZES = ((), (1,), (5,), (0,), (2, 3), (1, 0), (2, 3, 4), (2, 3, 4, 5))
NAMES = ("atleast_1d", "atleast_2d", "atleast_3d")
JOINS = ("vstack", "hstack", "column_stack", "dstack")


@pytest.mark.parametrize("name", NAMES)
def test_more_dims(name):
    for sizes in SIZES:
        array = mixed("float32", sizes)
        for x in forms(array):
            found = getattr(dml_vk, name)(x)
            assert found.allocation is x.allocation
            assert_same(found, np.asarray(getattr(np, name)(array)))
    several = [mixed("int8", sizes) for sizes in SIZES]
    found = getattr(dml_vk, name)(*map(dml_vk.asarray, several))
    assert isinstance(found, tuple)
    for one, expected in zip(found, getattr(np, name)(*several), strict=True):
        assert_same(one, expected)
    assert getattr(dml_vk, name)() == ()


def test_formats_of_views():
    image = dml_vk.full((2, 3, 4, 5), 1.5).to(channels_last)
    for name in NAMES:
        assert getattr(dml_vk, name)(image) is image


# Sizes that fit, for each of the joins.
FIT = {
    "vstack": ([()] * 3, [(3,), (2, 3), (0, 3)], [(2, 3, 4), (1, 3, 4)], [(1,)]),
    "hstack": ([(), (2,), (0,)], [(2, 3), (2, 1), (2, 0)], [(2, 3, 4, 5), (2, 1, 4, 5)]),
    "column_stack": ([()], [(3,), (3, 2), (3,)], [(3, 0), (3,)], [(2, 1, 4), (2, 3, 4)]),
    "dstack": ([(), (1,)], [(3,), (1, 3, 2)], [(2, 3), (2, 3, 4), (2, 3)], [(2, 3, 4, 5)] * 2),
}


@pytest.mark.parametrize("name", JOINS)
def test_joins(name):
    join, numpys = getattr(dml_vk, name), getattr(np, name)
    for fit in FIT[name]:
        arrays = [mixed("float32", sizes, seed) for seed, sizes in enumerate(fit)]
        expected = numpys(arrays)
        for given in zip(*map(forms, arrays)):
            assert_same(join(list(given)), expected)
            assert_same(join(given), expected)
        out = dml_vk.full(expected.shape, 7.0)
        tensors = [dml_vk.asarray(one) for one in arrays]
        assert join(tensors, out=out) is out
        assert_same(out, expected)
    pair = [np.int8([1, 2]), np.uint8([3, 4])]
    assert_same(join([dml_vk.asarray(one) for one in pair]), numpys(pair))


@pytest.mark.parametrize("name", ["concat", "stack", "vstack", "hstack"])
def test_results_have_the_dtype_and_are_cast_by_the_rule_that_is_given(name):
    join, numpys = getattr(dml_vk, name), getattr(np, "concatenate" if name == "concat" else name)
    arrays = [mixed("float64", (3, 4), 1) * 40, mixed("int16", (3, 4), 2) % 100]
    tensors = [dml_vk.asarray(one).T.clone().T for one in arrays]
    for dtype, casting in (("float32", "same_kind"), ("complex64", "same_kind"), ("i4", "unsafe")):
        expected = numpys(arrays, dtype=dtype, casting=casting)
        assert_same(join(tensors, dtype=dtype, casting=casting), expected)
        assert_same(numpys(tensors, dtype=dtype, casting=casting), expected)
        compiled = dml_vk.compile(lambda *x, d=dtype, c=casting: join(x, dtype=d, casting=c))
        assert_same(compiled(*tensors), expected)
    assert_same(
        join(tensors[1:], dtype="int8", casting="unsafe"), numpys(arrays[1:]).astype("int8")
    )
    rule = rf"^{name}: same_kind casting cannot convert the operands to int32: use astype"
    with pytest.raises(DTypeError, match=rule):
        join(tensors, dtype="int32")
    with pytest.raises(DTypeError, match=rf"^{name}: casting must be one of no, equiv"):
        join(tensors, casting="any")
    with pytest.raises(DTypeError, match=rf"^{name}: out and dtype must not both be given"):
        join(tensors, dtype="float64", out=dml_vk.empty(numpys(arrays).shape, "float64"))


@pytest.mark.parametrize("name", JOINS)
def test_formats(name):
    image = dml_vk.asarray(mixed("float32", (2, 3, 4, 5)), memory_format=channels_last)
    with dml_vk.trace(strict=True):
        found = getattr(dml_vk, name)([image, image])
    assert found.memory_format is channels_last


@pytest.mark.parametrize("name", JOINS)
def test_many(name):
    arrays = [mixed("int32", (1000, 1003), seed) for seed in range(2)]
    found = getattr(dml_vk, name)([dml_vk.asarray(one) for one in arrays])
    assert_same(found, getattr(np, name)(arrays))


@pytest.mark.parametrize("name", JOINS)
def test_errors(name):
    join = getattr(dml_vk, name)
    x = dml_vk.zeros((2, 3))
    for given, told in (([], r"\[\]"), (x, "'Tensor'"), (7, "'int'")):
        match = rf"^{name}: arrays must be a non-empty list or tuple of tensors; got .*{told}"
        with pytest.raises(DTypeError, match=match):
            join(given)
    with pytest.raises(DTypeError, match=rf"^{name}: array must be a Tensor"):
        join([x, 1.5])
    with pytest.raises(LayoutError, match=rf"^{name}: sizes must agree in every dim except"):
        join([x, dml_vk.zeros((5, 7))])
    with pytest.raises(DTypeError, match=rf"^{name}: cannot mix uint64 with signed integers"):
        join([x.to("uint64"), x.to("int8")])

"""`one_hot` and `embedding` beside NumPy's indexing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError, RangeError
from dml_vk.layout import Layout
from dml_vk.testing.strategies import targets
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms, forms
from tests.kernel.memory import check_writes
from tests.kernel.tensors import assert_same

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
INDEX = dml_vk.asarray([2, 0])
WEIGHT = dml_vk.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@tier.parametrize("kind classes", INTEGERS, (300, 100))  # 300 are more than int8 has
def test_one_hot_of_every_integer(kind, classes):
    array = chance().integers(0, 100, (2, 3, 5)).astype(kind)
    found = nn.one_hot(dml_vk.asarray(array), classes)
    assert_same(found, np.eye(classes, dtype=np.float32)[array])


def test_one_hot_in_every_form_and_place():
    array = chance().integers(0, 7, (2, 3, 5, 4))
    expected = np.eye(7)[array]
    places = ((-1, "bool"), (0, "int64"), (1, "float16"), (2, "uint8"))
    for x, (axis, dtype) in tier.crossed(forms(array), places):
        found = nn.one_hot(x, 7, dtype=dtype, axis=axis)
        assert_same(found, np.moveaxis(expected, -1, axis).astype(dtype))
        assert found.layout.order == dml_vk.expand_dims(x, axis).layout.order
    assert nn.one_hot(dml_vk.asarray(2), 3).tolist() == [0, 0, 1]
    assert nn.one_hot(dml_vk.zeros((0, 2), "int8"), 3).shape == (0, 2, 3)


@tier.examples(15)
@given(st.data(), st.integers(0, 3))
def test_one_hot_to_any_layout(data, axis):
    array = chance().integers(0, 5, (3, 2, 4))
    expected = np.moveaxis(np.eye(5, dtype=np.uint32)[array], -1, axis)
    x = dml_vk.asarray(array)
    check_writes(
        lambda out: nn.one_hot(x, 5, axis=axis, dtype="uint32", out=out),
        *(data.draw(targets(sizes=expected.shape)), 4, expected),
    )


DTYPES = ["float32", "float16", "int8", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_embedding(dtype):
    weight = (chance().standard_normal((11, 6)) * 50).astype(dtype)
    for kind in [kind for kind, one in tier.crossed(INTEGERS, DTYPES) if one == dtype]:
        index = chance().integers(0, 11, (2, 3, 4)).astype(kind)
        assert_same(nn.embedding(dml_vk.asarray(index), dml_vk.asarray(weight)), weight[index])
    for one in few_forms(weight, DTYPES.index(dtype)):
        assert_same(nn.embedding(dml_vk.asarray(index), one), weight[index])
    for one in tier.some(forms(index), 3):
        found = nn.embedding(one, dml_vk.asarray(weight))
        assert_same(found, weight[index])
        assert found.layout.order == (*one.layout.order, 3)


def test_embedding_of_one_or_none_and_in_place():
    assert nn.embedding(dml_vk.asarray(1), WEIGHT).tolist() == [3, 4]
    assert nn.embedding(dml_vk.zeros((0, 2), "int32"), WEIGHT).shape == (0, 2, 2)
    weight = WEIGHT.clone()
    nn.embedding(dml_vk.asarray([2, 0, 1]), weight, out=weight)
    assert weight.tolist() == [[5, 6], [1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.one_hot([1], 2), DTypeError, "one_hot: x must be a Tensor"),
        (lambda: nn.one_hot(WEIGHT, 2), DTypeError, "one_hot: dtype must be one of int8, uint8"),
        (lambda: nn.one_hot(INDEX, 0), RangeError, "one_hot: num_classes must be at least 1"),
        (lambda: nn.one_hot(INDEX, 2**40), RangeError, "one_hot: num_classes must be from 1 to"),
        (lambda: nn.one_hot(INDEX, 2.0), LayoutError, "one_hot: num_classes must be an integer"),
        (lambda: nn.one_hot(INDEX, 3, dtype="x"), DTypeError, "one_hot: "),
        (lambda: nn.one_hot(INDEX, 3, axis=2), LayoutIndexError, "one_hot: axis must be from -2"),
        (lambda: nn.one_hot(INDEX, 2), LayoutIndexError, "one_hot: x must not .* 2; got x=2"),
        (lambda: nn.one_hot(INDEX, 3, out=WEIGHT), LayoutError, "one_hot: out must have the sh"),
        (lambda: nn.embedding(WEIGHT, WEIGHT), DTypeError, "embedding: dtype must be one of int8"),
        (lambda: nn.embedding(INDEX, 3), DTypeError, "embedding: weight must be a Tensor"),
        (lambda: nn.embedding(INDEX, INDEX), LayoutError, r"embedding: weight must be 2-D; .*2,"),
        (lambda: nn.embedding(INDEX, WEIGHT[:2]), LayoutIndexError, "embedding: indices must not"),
        (
            lambda: nn.embedding(dml_vk.negative(INDEX), WEIGHT),
            LayoutIndexError,
            "embedding: indices must not be negative, and be less than 3; got indices=-2",
        ),
        (
            lambda: nn.embedding(INDEX, WEIGHT.over(Layout((2**16, 2**16), (0, 0)))),
            LayoutError,
            r"embedding: weight must have at most 2\*\*31 elements",
        ),
        (lambda: nn.embedding(INDEX, WEIGHT, out=INDEX), LayoutError, "embedding: out must have"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64"])
def test_negative_indexes_are_found_among_more_classes_than_the_dtype_has(kind):
    index = dml_vk.asarray(np.array([0, -1], kind))
    with pytest.raises(LayoutIndexError, match="x=-1"):
        nn.one_hot(index, 40_000)

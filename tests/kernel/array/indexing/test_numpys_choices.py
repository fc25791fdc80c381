"""Sets, orders by keys, choices, insertions, matrices and products beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.forms import few_forms, forms, mixed
from tests.kernel.tensors import assert_same

X = dml_vk.asarray([[3, 1, 2], [2, 3, 0]])
A = X.numpy()
NAN = float("nan")
in1d = getattr(np, "in1d", None) or (lambda a, b, **named: np.isin(np.ravel(a), b, **named))


def check(found, expected):
    several = isinstance(expected, tuple)
    for one, two in zip(found, expected, strict=True) if several else [(found, expected)]:
        assert_same(one, np.asarray(two))


@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_sets(dtype):
    for sizes, others in (((2, 3, 4, 5), (9,)), ((4,), (0,)), ((0, 2), (3,)), ((), (2, 2))):
        array = mixed(dtype, sizes)
        among = np.concatenate([mixed(dtype, others, 1).ravel(), array.ravel()[::7]])
        y = dml_vk.asarray(among)
        for turn, x in enumerate(few_forms(array, 3)):
            for invert in (False, True) if tier.is_all() else [dtype == "bool" or not array.size]:
                found = dml_vk.isin(x, y, invert=invert)
                check(found, np.isin(array, among, invert=invert))
                check(dml_vk.in1d(x, y, invert=invert), in1d(array, among, invert=invert))
            if turn or dtype == "bool":
                continue
            for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
                check(getattr(dml_vk, name)(x, y), getattr(np, name)(array, among))
            found = dml_vk.intersect1d(x, y, return_indices=True)
            check(found, np.intersect1d(array, among, return_indices=True))
    image = dml_vk.full((1, 2, 3, 4), 1.0, memory_format=channels_last)
    assert dml_vk.isin(image, [1.0, 2.0]).memory_format is channels_last


def test_sets_of_nan_of_mixed_dtypes_and_in_order():
    x = dml_vk.asarray([2.0, NAN, 1.0, 2.0])
    assert dml_vk.isin(x, [NAN, 2.0]).tolist() == [True, False, False, True]
    assert dml_vk.union1d(x, [NAN, 3.0]).tolist()[:3] == [1.0, 2.0, 3.0]
    assert dml_vk.intersect1d(x, [NAN, 2.0]).tolist() == [2.0]
    assert dml_vk.setdiff1d(dml_vk.asarray([5, 1, 5, 2]), [1], True).tolist() == [5, 5, 2]
    assert dml_vk.setdiff1d(X.to("int8"), [1.0]).dtype is dml_vk.int8
    assert dml_vk.union1d(X.to("int8"), [0.5]).dtype is dml_vk.float32
    out = dml_vk.zeros(X.shape, "bool")
    assert dml_vk.isin(X, [2, 9], out=out) is out
    assert_same(out, np.isin(A, [2, 9]))
    assert dml_vk.isin(X, X[:0], invert=True, out=out) is out
    assert bool(out.all())


def test_orders():
    for dtype in ("float32", "int8"):
        array = mixed(dtype, (3, 7))
        for x in few_forms(array, 1):
            check(dml_vk.partition(x, 2), np.sort(array))
            check(dml_vk.argpartition(x, (0, -1), 0), np.argsort(array, axis=0, kind="stable"))
            check(dml_vk.partition(x, 20, None), np.sort(array, axis=None))
    out = dml_vk.zeros(array.shape, dtype)
    assert dml_vk.partition(x, 0, out=out) is out
    keys = [np.random.default_rng(k).integers(0, 3, (4, 9)) for k in range(3)]
    for axis in (0, -1):
        expected = np.lexsort(keys, axis)
        check(dml_vk.lexsort([dml_vk.asarray(one) for one in keys], axis), expected)
        check(dml_vk.lexsort((keys[0], dml_vk.asarray(keys[1]), keys[2]), axis), expected)
    out = dml_vk.zeros((4, 9), "int64")
    assert dml_vk.lexsort(dml_vk.asarray(np.stack(keys)), out=out) is out
    check(out, expected)


def test_insertions_and_deletions():
    array = mixed("float32", (3, 4))
    for x in tier.some(forms(array), 2):
        for obj, axis in (
            (1, 1), (-2, 0), ([0, -1], 1), ([], 0), (slice(0, 3, 2), 1), (5, None),
            ([1, 1, 7], None), (slice(None, None, -1), 0), ([True, False, True], 0),
            (np.int64(2), 1),
        ):  # fmt: skip
            check(dml_vk.delete(x, obj, axis), np.delete(array, obj, axis))
            if not (isinstance(obj, list) and obj[:1] == [True]):
                check(
                    dml_vk.insert(x, obj, 7.5, axis), np.insert(array, obj, np.float32(7.5), axis)
                )
        for obj, values, axis in (
            (1, array[0], 0), (1, array[:, :1], 1), ([0, 3], array[:, :2], 1), ([2], array[:2], 0),
            (3, array[:, 0], None), (slice(1, 3), array[:2], 0), (-1, array[:0, 0], None),
        ):  # fmt: skip
            check(
                dml_vk.insert(x, obj, dml_vk.asarray(values), axis),
                np.insert(array, obj, values, axis),
            )
        check(dml_vk.append(x, array), np.append(array, array))
        check(dml_vk.append(x, [[1.0] * 4], 0), np.append(array, np.ones((1, 4), "f4"), 0))
        check(dml_vk.append(x, np.float32(2)), np.append(array, np.float32(2)))
    check(dml_vk.delete(x, dml_vk.asarray([0, 2]), 0), array[1:2])
    assert dml_vk.append(X, True).dtype is X.dtype
    assert dml_vk.append(X > 1, True).tolist()[-1] is True
    for call, expected in (
        (lambda out: dml_vk.append(x, array, 0, out=out), np.append(array, array, 0)),
        (lambda out: dml_vk.insert(x, 0, 1.0, 0, out=out), np.insert(array, 0, 1, 0)),
        (lambda out: dml_vk.delete(x, 0, 0, out=out), array[1:]),
    ):
        out = dml_vk.zeros(expected.shape)
        assert call(out) is out
        check(out, expected)


def test_choices():
    array = mixed("int16", (2, 3, 4, 5)) - np.int16(50)
    mask = array[0, 0, 0] > 0
    for x in tier.some(forms(array), 2):
        check(dml_vk.compress(mask, x, 3), np.compress(mask, array, 3))
        check(dml_vk.compress([True], x), array[0, 0, 0, :1])
        check(dml_vk.extract(x > 0, x), array[array > 0])
        check(dml_vk.argwhere(x > 0), np.argwhere(array > 0))
        check(dml_vk.flatnonzero(x > 0), np.flatnonzero(array > 0))
        found = dml_vk.select([x > 20, x < -20], [x, -array], 0)
        check(found, np.select([array > 20, array < -20], [array, -array], 0))
    assert found.memory_format is channels_last
    for value in (0, 3):
        check(dml_vk.argwhere(dml_vk.asarray(value)), np.argwhere(value))
    out = dml_vk.zeros(array.shape, "int16")
    assert dml_vk.select([x > 0], [x], dml_vk.asarray(7, "int16"), out=out) is out
    check(out, np.where(array > 0, array, np.int16(7)))


def test_positions():
    for shape in ((5,), (3, 4), (2, 3, 4)):
        index = mixed("int32", (2, 6)) % np.int32(np.prod(shape))
        for x in tier.some(forms(index), 2):
            places = dml_vk.unravel_index(x, shape)
            check(places, tuple(np.unravel_index(index, shape)))
            check(dml_vk.ravel_multi_index(places, shape), index.astype(np.int64))
            out = dml_vk.zeros((2, 6), "int64")
            assert dml_vk.ravel_multi_index(places, shape, out=out) is out
            check(out, index.astype(np.int64))
    assert dml_vk.unravel_index(X[:0], (2, 0))[1].shape == (0, 3)
    for axis in (0, 1, -1, None):
        for x in [X.clone(), X.T.clone().T]:
            if axis is None and x.strides[1] != 1:
                with pytest.raises(LayoutError, match="put_along_axis: copy=False needs strides"):
                    dml_vk.put_along_axis(x, [0], 1, axis)
                continue
            expected, index = A.copy(), np.array([[1, 0, 1]][: 1 if axis == 0 else None])
            index = {0: index, None: index[0], 1: index[:, :1].repeat(2, 0)}.get(axis, index.T[:2])
            dml_vk.put_along_axis(x, index, dml_vk.asarray([9]), axis)
            np.put_along_axis(expected, index, 9, axis)
            check(x, expected)


def test_matrices():
    for arguments in ((3,), (2, 5), (4, 2, -1), (0, 3), (3, 3, 9)):
        check(dml_vk.tri(*arguments, dtype="int8"), np.tri(*arguments, dtype=np.int8))
    for array in (mixed("int64", (4,)) % 7, mixed("float64", (0,))):
        for x in tier.some(forms(array), 2):
            for arguments in ((), (3,), (1, True), (4, True), (0,)):
                check(dml_vk.vander(x, *arguments), np.vander(array, *arguments))
    out = dml_vk.zeros((2, 3))
    assert dml_vk.vander(dml_vk.asarray([2.0, 3.0]), 3, out=out) is out
    assert out.tolist() == [[4, 2, 1], [9, 3, 1]]
    for shape in ((3,), (2, 3), (2, 0, 2)):
        check(dml_vk.indices(shape, dtype="int16"), np.indices(shape, dtype=np.int16))
        found = dml_vk.indices(shape, sparse=True)
        check(found, tuple(one.astype(np.int64) for one in np.indices(shape, sparse=True)))
    row, square = mixed("float32", (3,)), mixed("float32", (2, 3))
    x, y = dml_vk.asarray(row), dml_vk.asarray(square)
    for blocks, arrays in (
        (x, row), ([x, x], [row, row]), ([[y, y], [y, y]], [[square] * 2] * 2),
        ([[[x]], [[x]]], [[[row]], [[row]]]), ([[x], [y]], [[row], [square]]),
        ([y, row[:2, None]], [square, row[:2, None]]), (dml_vk.asarray(5), np.int64(5)),
    ):  # fmt: skip
        expected = np.block(arrays)
        check(dml_vk.block(blocks), expected)
        out = dml_vk.zeros(expected.shape, expected.dtype)
        assert dml_vk.block(blocks, out=out) is not None
        check(out, expected)
    image = dml_vk.full((1, 2, 3, 4), 1.0, memory_format=channels_last)
    assert dml_vk.block([image, image]).memory_format is channels_last


def test_polynomials_and_roundings():
    p, array = np.float32([2, -1, 0.5]), mixed("float32", (2, 3, 4, 5))
    for x in tier.some(forms(array), 2):
        expected = (np.float32(2) * array + np.float32(-1)) * array + np.float32(0.5)
        check(dml_vk.polyval(dml_vk.asarray(p), x), expected)
        check(dml_vk.around(x, 2), np.round(array, 2))
        check(dml_vk.fix(x), np.trunc(array))
        check(x.round(), np.round(array))
    out = dml_vk.zeros(array.shape)
    for call in (
        lambda: dml_vk.polyval(dml_vk.asarray(p), x, out=out),
        lambda: dml_vk.around(x, -1, out=out),
        lambda: dml_vk.fix(x, out=out),
    ):
        assert call() is out
    check(out, np.trunc(array))
    assert dml_vk.polyval(dml_vk.asarray(p), 2).item() == 6.5
    assert dml_vk.polyval(dml_vk.asarray(p[:1]), x).tolist() == np.full_like(array, 2).tolist()
    check(X.round(1), A)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_products(dtype):
    square, row = mixed(dtype, (3, 3)), mixed(dtype, (3,), 1)
    pairs = ((square, square), (square, row), (row, row), (row, square))
    for name in ("dot", "inner", "outer", "kron"):
        for a, b in (*pairs, (square, row[0]), (row[0], row)):
            expected = getattr(np, name)(a, b)
            for x, y in zip(few_forms(a, 1), few_forms(b, 1)):
                found = getattr(dml_vk, name)(x, y)
                assert (found.shape, found.dtype.numpy_name) == (expected.shape, dtype)
                assert np.allclose(found.numpy(), expected, rtol=1e-5)
                out = dml_vk.zeros(expected.shape, dtype)
                assert getattr(dml_vk, name)(x, y, out=out) is out
                assert np.array_equal(out, found)
    x = dml_vk.asarray(square)
    assert np.allclose(dml_vk.vdot(x, x.T.clone().T).numpy(), np.vdot(square, square))
    tall = dml_vk.asarray(mixed(dtype, (2, 3, 3)))
    assert np.allclose(dml_vk.dot(tall, x).numpy(), np.dot(tall.numpy(), square))
    assert np.allclose(dml_vk.dot(tall, x[0]).numpy(), np.dot(tall.numpy(), square[0]))
    assert np.array_equal(dml_vk.dot(x, 2), square * 2)
    assert np.array_equal(dml_vk.kron(x, 2), square * 2)


DEEP = X
for _ in range(70):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: dml_vk.partition(X, 3), LayoutIndexError, "partition: kth must be from -3 to 2"),
        (lambda: dml_vk.lexsort([]), DTypeError, "lexsort: keys must be a non-empty list or tuple"),
        (lambda: dml_vk.lexsort(X[0, 0]), DTypeError, "lexsort: keys must be a non-empty list or "),
        (lambda: dml_vk.delete(X, 3, 1), LayoutIndexError, "delete: obj must be from -3 to 2"),
        (lambda: dml_vk.insert(X, 4, 1, 1), LayoutIndexError, "insert: obj must be from -3 to 3"),
        (lambda: dml_vk.delete(X, slice("a"), 1), LayoutError, "delete: obj must be a slice of in"),
        (lambda: dml_vk.delete(X, [True], 1), LayoutError, "delete: a mask must have the size of "),
        (lambda: dml_vk.compress(X, X), LayoutError, "compress: condition must be 1-D"),
        (lambda: dml_vk.select([X > 1], []), LayoutError, "select: condlist and choicelist must "),
        (
            lambda: dml_vk.unravel_index(X, (1, 3)),
            LayoutError,
            "unravel_index: elements must be fr",
        ),
        (lambda: dml_vk.ravel_multi_index([X], (2, 2)), LayoutError, "ravel_multi_index: multi_in"),
        (lambda: dml_vk.put_along_axis(X, [0], 1), LayoutError, "put_along_axis: x and indices mu"),
        (lambda: dml_vk.vander(X), LayoutError, "vander: x must be 1-D"),
        (lambda: dml_vk.vander(X[0], -1), LayoutError, "vander: n must not be negative"),
        (lambda: dml_vk.polyval(X[0, :0], X), LayoutError, "polyval: p must not be empty"),
        (lambda: dml_vk.block([X, [X]]), LayoutError, "block: arrays must be lists of one depth"),
        (lambda: dml_vk.block([[]]), DTypeError, "block: arrays must be lists of tensors, none "),
        (lambda: dml_vk.block(DEEP), DTypeError, "block: arrays must be lists of tensors, none "),
        (lambda: dml_vk.kron(X, "x"), DTypeError, "kron: operands must be tensors or numbers"),
    ],
)
def test_what_is_refused(call, kind, words):
    with pytest.raises(kind, match=f"^{words}"):
        call()

"""Choices, phases, writes by index, windows and histograms of two variables, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DmlVkError
from dml_vk.layout import channels_last
from tests import tier
from tests.chance import chance

X = chance().standard_normal((2, 3, 4, 5)).astype(np.float32)


@tier.examples(12)
@given(st.data())
def test_phases_without_jumps(data):
    dtype = data.draw(st.sampled_from(["float64", "float32", "int32"]))
    shape = data.draw(st.sampled_from([(7,), (1,), (0,), (3, 5), (2, 3, 4)]))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    # Eighths, so that sums are exact.
    array = (chance().integers(-80, 80, shape) / 8).astype(dtype)
    options = {"axis": axis, "period": data.draw(st.sampled_from([4, 5, 2.5]))}
    options |= data.draw(st.sampled_from([{}, {"discont": 3.5}]))
    expected = np.unwrap(array, **options)
    found = np.unwrap(dml_vk.asarray(array), **options)
    if dtype == "float64" or (dtype == "int32" and options["period"] != 2.5):
        assert found.dtype.numpy_name == expected.dtype.name.replace("int64", "int32")
    assert np.array_equal(found.numpy(), expected)
    out = dml_vk.empty(shape, dtype=found.dtype)
    assert dml_vk.unwrap(dml_vk.asarray(array), out=out, **options) is out
    assert np.array_equal(out.numpy(), expected)


def test_phases_keep_the_format_and_may_be_written_in_place():
    array = (chance().integers(-80, 80, X.shape) / 8).astype(np.float32)
    x = dml_vk.asarray(array, memory_format=channels_last)
    found = dml_vk.unwrap(x, axis=2, period=4)
    assert found.memory_format is channels_last
    assert np.array_equal(found.numpy(), np.unwrap(array, axis=2, period=4))
    assert dml_vk.unwrap(x, axis=2, period=4, out=x) is x
    assert np.array_equal(x.numpy(), found.numpy())
    assert dml_vk.unwrap(x.astype("float16")).dtype is dml_vk.float16


def test_choices():
    index = chance().integers(0, 3, X.shape)
    x = dml_vk.asarray(X, memory_format=channels_last)
    out = dml_vk.empty_like(x)
    found = dml_vk.choose(dml_vk.asarray(index), [x, 2.0, X[0] * 3], out=out)
    assert found is out
    assert np.array_equal(found.numpy(), np.choose(index, [X, np.float32(2), X[0] * 3]))
    assert dml_vk.choose(dml_vk.asarray([0, 0]), [dml_vk.asarray([5, 6])]).tolist() == [5, 6]
    assert dml_vk.choose(dml_vk.asarray([-1, 3]), [x[0, 0, 0, 0], 1.0], mode="wrap").tolist() == [
        1.0,
        1.0,
    ]


def test_pieces():
    x = dml_vk.asarray(X, memory_format=channels_last)
    pieces = [lambda y, by: y * by, dml_vk.ones(5), -2]
    found = dml_vk.piecewise(x, [x > 0.5, x < -0.5], pieces, 3.0, out=dml_vk.empty_like(x))
    assert np.array_equal(found.numpy(), np.where(X < -0.5, 1, np.where(X > 0.5, X * 3, -2)))
    assert dml_vk.piecewise(x, x > 0, [7]).memory_format is channels_last
    assert dml_vk.trim_zeros(dml_vk.zeros(3)).shape == (0,)


def test_written_elements_of_any_layout():
    for order in (None, (1, 3, 0, 2)):
        for call in (
            lambda name, x: name.put(x, [3, -1, 50], [1.0, 2.0]),
            lambda name, x: name.putmask(x, X > 0, X[0]),
            lambda name, x: name.place(x, X > 0, X[0, 0, 0]),
            lambda name, x: name.fill_diagonal(x[0, 0], 9.0),
            lambda name, x: name.put(x[0, 0], [], 3.0),
        ):
            expected, x = X.copy(), dml_vk.asarray(X, memory_format=order or channels_last)
            call(np, expected)
            call(dml_vk, x)
            assert np.array_equal(x.numpy(), expected)
    scalar = dml_vk.asarray(5.0)
    dml_vk.put(scalar, [0], 7.0)
    assert scalar.item() == 7.0


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
def test_windows(name):
    more = (8.6,) if name == "kaiser" else ()
    for m in (0, 1, 8) if tier.is_all() or name == "hanning" else (1, 8):
        expected = getattr(np, name)(m, *more)
        found = getattr(dml_vk, name)(m, *more, dtype="float64").numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-16)
        assert getattr(dml_vk, name)(m, *more).numpy().tolist() == found.astype("float32").tolist()


def test_cells_of_points():
    x, y, weights = chance().integers(0, 9, (3, 200)) / 2
    given = [dml_vk.asarray(one.astype(np.float32)) for one in (x, y, weights)]
    cases = (
        {"bins": (3, 5), "range": [(0, 3), (1, 4)]},
        {"bins": 4},
        {"bins": [0.0, 1.0, 4.5]},
        {"bins": [[0, 1, 3], 2], "density": True},
    )
    for options in tier.some(cases, 2):
        for weighs in (False, True) if tier.is_all() else ["density" in options]:
            if weighs:
                options = {**options, "weights": weights}
            expected = np.histogram2d(x, y, **options)
            if weighs:
                options["weights"] = given[2]
            found = dml_vk.histogram2d(*given[:2], **options)
            for one, two in zip(found, expected):
                np.testing.assert_allclose(one.numpy(), two, rtol=1e-6)
    edges = dml_vk.histogram_bin_edges(given[0], 3, weights=given[2])
    np.testing.assert_allclose(edges.numpy(), np.histogram_bin_edges(x, 3))
    assert dml_vk.histogram_bin_edges(dml_vk.asarray([True, False]), 1).tolist() == [0.0, 1.0]


BAD = {
    "choose: choices must not be empty": lambda x: dml_vk.choose(x, []),
    "choose: mode must be 'raise'": lambda x: dml_vk.choose(x, [x], mode="no"),
    "choose: elements must be from 0 to 0": lambda x: dml_vk.choose(x, [x]),
    "choose: dtype must be one of int8": lambda x: dml_vk.choose(x.astype("float32"), [x]),
    "piecewise: funclist must have": lambda x: dml_vk.piecewise(x, [x > 0], [1, 2, 3]),
    "unwrap: dtype must be one of": lambda x: dml_vk.unwrap(x.astype("bool")),
    "unwrap: period must be a real": lambda x: dml_vk.unwrap(x, period=1j),
    "trim_zeros: trim must be": lambda x: dml_vk.trim_zeros(x, "x"),
    "trim_zeros: trim must": lambda x: dml_vk.trim_zeros(x, 1),
    "trim_zeros: axis must be from -1 to 0": lambda x: dml_vk.trim_zeros(x, axis=1),
    "fill_diagonal: a must be a matrix": lambda x: dml_vk.fill_diagonal(x, 1),
    "fill_diagonal: a must be": lambda x: dml_vk.fill_diagonal(dml_vk.ones((2, 2, 3)), 1),
    "fill_diagonal: values must not be empty": lambda x: dml_vk.fill_diagonal(x[None], x[:0]),
    "put: mode must be 'raise'": lambda x: dml_vk.put(x, x, 1, mode=3),
    "put: elements must be from 0 to 2": lambda x: dml_vk.put(x, [3], 1),
    "put: dtype must be one of": lambda x: dml_vk.put(x, [0.5], 1),
    "putmask: mask must have as many": lambda x: dml_vk.putmask(x, x[:2], 1),
    "hanning: dtype must be floating": lambda x: dml_vk.hanning(3, dtype="int8"),
    "kaiser: beta must be a real": lambda x: dml_vk.kaiser(3, None),
    "histogram2d: x and y must be 1-D": lambda x: dml_vk.histogram2d(x, x[:2]),
    "histogram2d: range must be a pair": lambda x: dml_vk.histogram2d(x, x, range=[(0, 1)]),
}


@pytest.mark.parametrize("rule", BAD)
def test_bad_arguments_are_refused(rule):
    with pytest.raises(DmlVkError, match=f"^{rule}"):
        BAD[rule](dml_vk.asarray([1, 2, 5]))

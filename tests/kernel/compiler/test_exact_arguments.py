"""Arguments that compare equal and give other bits or have no elements; results that are one."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk


@pytest.mark.parametrize(
    "numbers",
    [
        (complex(0.0, 0.0), complex(0.0, -0.0), complex(-0.0, 0.0)),
        (np.float32(0.0), np.float32(-0.0)),
        (np.float64(0.0), np.float64(-0.0)),
        (np.complex64(0.0), np.complex64(-0.0)),
    ],
    ids=lambda numbers: type(numbers[0]).__name__,
)
def test_zeros_of_either_sign_are_told_apart(numbers):
    x = dml_vk.asarray(np.array([1.0, -2.0], np.complex64))
    if not np.iscomplexobj(numbers[0]):
        x = x.real.clone()
    compiled = dml_vk.compile(lambda x, number: x * number)
    found = [compiled(x, number).numpy().tobytes() for number in numbers]
    assert found == [(x * number).numpy().tobytes() for number in numbers]


def test_zeros_whose_values_are_asked_for_are_told_apart():
    x = dml_vk.asarray([1.0, -2.0])
    for compiled in (
        dml_vk.compile(lambda x, number: x * number, static_argnums=1),
        dml_vk.compile(lambda x, number: x * float(number)),
    ):
        found = [compiled(x, number).numpy().tobytes() for number in (0.0, -0.0)]
        assert found == [(x * number).numpy().tobytes() for number in (0.0, -0.0)]
        assert len(compiled.programs) == 2


def test_nan_of_numpy_makes_one_program():
    compiled = dml_vk.compile(lambda x, number: x + number)
    for _ in range(3):
        assert np.isnan(compiled(dml_vk.ones(2), np.float64("nan")).numpy()).all()
    assert len(compiled.programs) == 1


def test_slices_are_part_of_a_signature():
    x = dml_vk.arange(9)
    compiled = dml_vk.compile(lambda x, key: x[key] + 1)
    for key in (slice(1, 7, 2), slice(None, None, -1), slice(1, 7, 2)):
        assert compiled(x, key).tolist() == (x[key] + 1).tolist()
    assert len(compiled.programs) == 2


def test_a_tensor_that_is_returned_twice_is_one_tensor():
    @dml_vk.compile
    def function(x):
        y = x + 1
        return y, {"again": [y, y[1:]]}, x, x

    x = dml_vk.ones(3)
    for _ in range(2):
        y, rest, *same = function(x)
        assert rest["again"][0] is y
        assert rest["again"][1] is not y
        assert all(one is x for one in same)


def test_an_index_into_nothing_is_the_same_error():
    def function(x, index):
        return dml_vk.take(x, index, axis=0)

    compiled, index = dml_vk.compile(function), dml_vk.asarray([0])
    told = []
    for call in (function, compiled, compiled):
        with pytest.raises(IndexError) as raised:
            call(dml_vk.ones((0, 3)), index)
        told.append(str(raised.value))
    assert len(set(told)) == 1

"""Windows over spatial dims: how arguments are read, and how many windows there are."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dml_vk.errors import LayoutError, RangeError
from dml_vk.nn.windows import (
    Windows,
    check_padding,
    each_dim,
    spatial_rank,
    to_output_size,
    to_padding,
    windows_of,
)
from dml_vk.windows import Window
from tests import tier

EACH = "must be an integer, or one for each of the 2 spatial dims"


def test_a_number_holds_for_every_dim() -> None:
    assert each_dim("f", "stride", 2, 3) == (2, 2, 2)
    assert each_dim("f", "stride", np.int64(2), 1) == (2,)
    assert each_dim("f", "stride", [1, np.uint8(2)], 2) == (1, 2)
    assert to_output_size("f", (0, 5), 2) == (0, 5)


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        *[(bad, EACH) for bad in (1.5, "2", None, (1, 2, 3), (), (1, 1.5), {1, 2}, ((1, 2),) * 2)],
        *[(bad, "must be from 1 to 2**31 - 1") for bad in (0, -1, (1, 0), 2**31, 10**30)],
    ],
)
def test_what_is_not_a_number_for_each_dim_is_an_error(value: Any, rule: str) -> None:
    with pytest.raises((LayoutError, RangeError), match=re.escape(rule)) as error:
        each_dim("max_pool", "stride", value, 2)
    assert str(error.value).startswith("max_pool: stride must be")
    assert str(error.value).endswith(f"; got stride={value!r}")


def test_padding_is_read_in_all_its_forms() -> None:
    assert to_padding("f", 1, 2) == ((1, 1), (1, 1))
    assert to_padding("f", (1, 2), 2) == ((1, 1), (2, 2))
    assert to_padding("f", [(1, 2), [0, np.int8(3)]], 2) == ((1, 2), (0, 3))
    assert to_padding("f", "same", 2) == "same"
    assert to_padding("f", "valid", 2) == "valid"


@pytest.mark.parametrize(
    "value",
    [
        *("full", b"same", -1, (0, -1), 2**31, 1.5, None, (1, 2, 3), (1,), (), ((1, 2),)),
        *(((1, 2), (3, 4, 5)), ((1, 2), 3), (3, (1, 2)), ((1, 2), "ab"), ((0, 1.5), (0, 0))),
        *(((0, -1), (0, 0)), ((0, 2**31), (0, 0)), {1: 2}),
    ],
)
def test_other_paddings_are_errors(value: Any) -> None:
    with pytest.raises((LayoutError, RangeError), match=r"^conv: padding must be") as error:
        to_padding("conv", value, 2)
    assert error.value.got == {"padding": value}


@pytest.mark.parametrize("shape", [(), (2, 3), (1, 1, 1, 1, 1, 1)])
def test_inputs_have_one_to_three_spatial_dims(shape: tuple[int, ...]) -> None:
    with pytest.raises(LayoutError, match=r"^f: weight must have 3 to 5 dims.*got weight="):
        spatial_rank("f", shape, "weight")
    assert [spatial_rank("f", (1,) * rank) for rank in (3, 4, 5)] == [1, 2, 3]


numbers = st.integers(1, 5)


@tier.examples(200)
@given(st.integers(0, 12), numbers, numbers, numbers, st.integers(0, 4), st.integers(0, 4))
def test_windows_are_those_that_fit(
    size: int, kernel: int, stride: int, dilation: int, begin: int, end: int
) -> None:
    def count(**mode: bool) -> int:
        return Window.fitted(size, kernel, stride, dilation, (begin, end), **mode).count

    span = (kernel - 1) * dilation + 1
    end = min(end, span - 1)
    starts = range(-begin, size + end, stride)
    fitting = [at for at in starts if at + span <= size + end]
    if begin + size + end >= span:
        assert count() == len(fitting)
        # PyTorch's rule: one more for what is left, if it starts before the padding at the end.
        left = fitting[-1] + span < size + end
        more = left and fitting[-1] + stride < size
        assert count(ceil_mode=True) == len(fitting) + more
    else:
        assert count() < 1


@tier.examples(200)
@given(st.integers(0, 20), numbers, numbers, numbers)
def test_same_padding_gives_as_many_windows_as_strides(
    size: int, kernel: int, stride: int, dilation: int
) -> None:
    (window,) = windows_of("f", (size,), (kernel,), (stride,), "same", (dilation,))
    assert window.count == -(-size // stride)
    begin, end = window.before, window.after
    assert end - begin in (0, 1)
    if end:
        less = Window.fitted(size, kernel, stride, dilation, (begin, end - 1))
        assert less.count < max(1, window.count)
    lower = Window.same(size, kernel, stride, dilation, lower=True)
    assert lower == window._replace(before=end, after=begin)


def test_windows_of_several_dims() -> None:
    found = windows_of("f", (5, 6), (3, 2), (2, 2), ((1, 0), (0, 1)), (1, 2), ceil_mode=True)
    assert found == (Window(5, 3, 3, 2, 1, 1, 0), Window(6, 3, 2, 2, 2, 0, 1))
    found = windows_of("f", (5, 6), (3, 2), (2, 2), "valid", (1, 1))
    assert found == (Window(5, 2, 3, 2), Window(6, 3, 2, 2))


@pytest.mark.parametrize(
    ("size", "kernel", "padding", "dilation"),
    [(2, 3, "valid", 1), (0, 1, "valid", 1), (4, 3, ((0, 0),), 2), (1, 2**20, "same", 2**20)],
)
def test_windows_that_do_not_fit_are_errors(
    size: int, kernel: int, padding: Any, dilation: int
) -> None:
    rule = "^avg_pool: windows must fit into the padded input; got x="
    with pytest.raises(LayoutError, match=rule):
        windows_of("avg_pool", (size,), (kernel,), (1,), padding, (dilation,))


def test_padding_must_be_smaller_than_the_windows() -> None:
    def of(padding: Any) -> Windows:
        return windows_of("f", (5, 5), (3, 2), (1, 1), padding, (1, 2))

    check_padding("f", of(((2, 2), (2, 2))))
    for bad in (((3, 0), (0, 0)), ((0, 0), (0, 3))):
        with pytest.raises(LayoutError, match=r"^f: padding must be smaller than the windows"):
            check_padding("f", of(bad))

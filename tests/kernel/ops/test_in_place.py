"""Results written over operands: in their place, or partly, which is as if through a temporary."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import DTYPES, to_dtype
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.elementwise import compute
from dml_vk.ops.view import View, with_layout
from dml_vk.testing.elementwise import cast
from tests import tier
from tests.kernel.elementwise import compare, expected_of, random_values, run
from tests.kernel.memory import bits, elements

SIZES = {1: "int8", 2: "uint16", 4: "int32", 8: "int64"}
ROWS = Layout.packed((6, 17)).narrow(1, 2, 13)
IMAGE = Layout.packed((2, 8, 6, 12))
# In one memory: where the result goes, and where another operand lies.
PLACES = {
    "flat": (IMAGE, IMAGE),
    "rows that share words": (ROWS, ROWS),
    "rows beside each other": (ROWS, Layout.packed((6, 17)).narrow(1, 0, 13)),
    "other rows": (ROWS, Layout.packed((6, 17), offset=17).narrow(1, 2, 13)),
    "reversed": (Layout((60,)), Layout((60,)).flip(0)),
    "one later": (Layout((60,), offset=1), Layout((60,))),
    "one earlier": (Layout((60,)), Layout((60,), offset=1)),
    "a quad later": (Layout((64,), offset=16), Layout((64,))),
    "transposed": (Layout((12, 12)), Layout.packed((12, 12), "WH")),
    "another order": (IMAGE, Layout.packed((2, 8, 6, 12), channels_last)),
    "one of its rows": (Layout((5, 12)), Layout((12,), offset=24).expand(5, 12)),
    "one of its columns": (Layout((5, 12)), Layout((5, 1), (12, 1), 3).expand(5, 12)),
    "the gaps between": (Layout((30,), (2,)), Layout((30,), (2,), 1)),
    "steps": (Layout((20,), (3,), 1), Layout((20,), (3,), 1)),
}


def check_within(name, sources, target: Layout, dtype) -> None:
    """The operator from layouts to a layout of one memory."""
    values = random_values(dtype, 2 + max(max(one.offsets()) for one in (*sources, target)))
    x = dml_vk.asarray(values)
    seen = [elements(values, layout).copy() for layout in sources]
    expected, common = expected_of(name, seen, dtype, {})
    run(name, [x.over(layout) for layout in sources], x.over(target), common)
    found = x.numpy()
    compare(name, seen, elements(found, target), expected)
    elements(values, target)[...] = elements(found, target)
    assert np.array_equal(bits(found), bits(values)), f"{name} to {target!r} writes beside it"


@tier.parametrize("place itemsize", PLACES, SIZES)
def test_results_over_an_operand(place, itemsize):
    target, other = PLACES[place]
    dtype = to_dtype("test", SIZES[itemsize])
    check_within("subtract", [target, other], target, dtype)
    check_within("subtract", [other, target], target, dtype)


@pytest.mark.parametrize("place", PLACES)
def test_results_over_one_of_three_operands(place):
    target, other = PLACES[place]
    for sources in ([target, other, other], [other, other, target]):
        check_within("where", sources, target, DTYPES["int8"])


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_results_over_all_operands(dtype):
    for target in (IMAGE, ROWS):
        check_within("square", [target], target, DTYPES[dtype])
        check_within("maximum", [target, target], target, DTYPES[dtype])


@pytest.mark.parametrize("dtypes", [("int16", "int32"), ("float32", "uint8"), ("int8", "int64")])
@pytest.mark.parametrize("apart", [0, 3])
def test_results_over_an_operand_of_another_element_size(dtypes, apart):
    given, to = (DTYPES[dtype] for dtype in dtypes)
    values = np.random.default_rng(5).integers(-100, 100, 400).astype(given.name)
    x = dml_vk.asarray(values)
    flat = Layout((40,), offset=apart)
    source = with_layout(x, Layout((40,)))
    target = View(x.device, x.allocation, flat, to)
    compute("cast", OPERATORS["cast"], [source], target, to)
    expected = values.copy()
    elements(expected.view(to.name), flat)[...] = cast(values[:40], to)
    assert np.array_equal(bits(x.numpy()), bits(expected))

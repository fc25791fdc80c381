"""What is not 0, and where elements belong, against NumPy: any dtype, any layout, any plan."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import DType
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.kernels.plan.nonzero import plan_nonzero
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.nonzero import nonzero_positions
from dml_vk.ops.search import search_sorted
from dml_vk.ops.view import with_dtype
from dml_vk.runtime.device import Device
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.elementwise import hard_values, source_of
from tests.kernel.memory import check_writes, memory_for
from tests.kernel.profiled import profiled
from tests.kernel.tensors import assert_same
from tests.profiles import GPU, PROFILES
from tests.real_dtypes import DTYPES

REAL = [dtype for dtype in DTYPES.values() if dtype.kind in "biuf"]


def holes(dtype: DType, sizes, share: float = 0.5) -> np.ndarray:
    """So many zeros, of either sign, among all hard values, NaN and the least ones included."""
    values = chance().choice(hard_values(dtype), sizes)
    zeros = np.zeros(sizes, values.dtype)
    if dtype.kind == "f":
        zeros = np.copysign(zeros, chance().choice([-1, 1], sizes).astype(values.dtype))
    return np.where(chance().random(sizes) < share, zeros, values)


def check_nonzero(x: dml_vk.Tensor, seen: np.ndarray) -> None:
    found = nonzero_positions("test", x)
    assert found.dtype is dml_vk.uint32
    assert_same(dml_vk.Tensor(found), np.flatnonzero(seen).astype(np.uint32))
    if x.layout.rank == 1:
        (index,) = dml_vk.nonzero(x)
        assert_same(index, np.flatnonzero(seen))


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_nonzero_of_every_dtype(dtype):
    cases = ((1, 0), (131, 0), (131, 3), (2053, 0))
    turn = REAL.index(dtype)
    for n, start in cases if tier.is_all() else [cases[turn % 4]]:
        layout = Layout((n,), offset=start)
        tensor, seen = source_of(dtype, layout, holes(dtype, n))
        check_nonzero(tensor, seen)
        if tier.is_all() or start:
            check_nonzero(dml_vk.asarray(np.asarray(seen)), seen)


def test_bytes_of_bools_are_true_if_not_zero():
    memory = np.arange(256, dtype=np.uint8).repeat(2)
    x = dml_vk.Tensor(with_dtype(dml_vk.asarray(memory), dml_vk.bool_))
    check_nonzero(x, memory)


def test_nonzero_of_few_and_many_nonzero_elements(profile):
    for n, share in tier.crossed((32, 33, 4097, 200_003), (0.0, 0.01, 0.5, 1.0)):
        x = holes(dml_vk.uint8, n, share)
        check_nonzero(dml_vk.asarray(x), x)


@tier.examples(40)
@given(layouts(max_rank=5), st.sampled_from([dml_vk.float32, dml_vk.bool_]))
def test_nonzero_of_random_layouts(layout, dtype):
    tensor, seen = source_of(dtype, layout, holes(dtype, layout.sizes))
    check_nonzero(tensor, seen)
    if layout.rank:
        for index, expected in zip(dml_vk.nonzero(tensor), np.nonzero(seen)):
            assert_same(index, expected)


def test_nonzero_of_many_dims():
    sizes = (3, 1, 2, 2, 1, 3, 2, 5)
    x = holes(dml_vk.int16, sizes)
    tensor = dml_vk.asarray(x)
    found = dml_vk.nonzero(tensor)
    assert len(found) == 8
    for index, expected in zip(found, np.nonzero(x)):
        assert_same(index, expected)
    gaps = Layout((2,) * 9, tuple([3**k for k in range(9, 0, -1)]))
    memory, layout = memory_for(gaps, 4)
    with pytest.raises(LayoutError, match="test: more than 8"):
        nonzero_positions("test", dml_vk.asarray(memory).over(layout))


def test_nonzero_counts_rounds_as_drivers_do():
    """Beyond 65535 in an invocation, llvmpipe ends its loops."""
    operand = ((2**31 - 1,), (1,), 0, 1, dml_vk.uint8.code, 4)
    plans = plan_nonzero(*operand, PROFILES["CPU"])
    assert plans is not None
    assert plans.counts.spec[5] == 4096
    assert plans.counts.units == plans.indexes.units + 1 == 2**19 + 1


def test_workgroups_search_as_one_on_a_gpu():
    """Of 2^24 bytes: 2048 counts, which one workgroup adds up."""
    h200 = dataclasses.replace(GPU, max_invocations=1024)
    plans = plan_nonzero((2**24,), (1,), 0, 1, dml_vk.bool_.code, 4, h200)
    assert plans is not None
    for plan in plans:
        assert (plan.units, plan.spec[0], plan.by_teams) == (2048, 256, True)


TILE = 32 * GPU.max_invocations


@pytest.mark.parametrize("dtype", [dml_vk.bool_, dml_vk.float16, dml_vk.float32, dml_vk.int64])
def test_workgroups_find_nonzero_elements(dtype):
    """In tiles that are whole and not, at quads and not, of few and of all elements."""
    with profiled(dml_vk.device(), GPU):
        for n, start, share in (
            *((1, 0, 0.0), (TILE - 1, 0, 0.5), (TILE, 0, 0.0), (TILE + 1, 0, 0.99)),
            *((65_537, 0, 0.3), (TILE + 1, 1, 0.5), (7919, 0, 1.0)),
        ):
            seen = holes(dtype, n, share)
            tensor, seen = source_of(dtype, Layout((n,), offset=start), seen)
            check_nonzero(tensor, seen)
        seen = holes(dtype, (37, 5, 211))
        tensor = dml_vk.asarray(seen).permute(2, 0, 1)[::2]
        found = nonzero_positions("test", tensor)
        expected = np.flatnonzero(seen.transpose(2, 0, 1)[::2])
        assert_same(dml_vk.Tensor(found), expected.astype(np.uint32))


def test_three_launches_find_them_on_a_gpu(monkeypatch):
    """Beside the copy of their number, where the host does not see the device's memory."""
    with profiled(dml_vk.device(), GPU):
        x = dml_vk.ones(TILE + 1, dtype=dml_vk.bool_)
        launched, launch = [], Device.launch

        def watched(device, plan, *more):
            launched.append(plan.module)
            launch(device, plan, *more)

        monkeypatch.setattr(Device, "launch", watched)
        nonzero_positions("test", x)
    searched = [module for module in launched if "transfer" not in module]
    assert searched == ["nonzero_team_uint32", "offsets_uint32", "nonzero_team_uint32"]


def test_nonzero_of_images():
    x = holes(dml_vk.float16, (2, 3, 5, 4))
    tensor = dml_vk.asarray(x, memory_format=channels_last)
    for index, expected in zip(dml_vk.nonzero(tensor), np.nonzero(x)):
        assert_same(index, expected)


def test_nonzero_must_have_dims():
    with pytest.raises(LayoutError, match=r"nonzero: x must have at least one dim; got shape=\(\)"):
        dml_vk.nonzero(dml_vk.full((), 1))
    with pytest.raises(DTypeError, match="nonzero: x must be a Tensor"):
        dml_vk.nonzero([1])


def ascending(dtype: DType, count: int) -> np.ndarray:
    """Hard values with repeats; of NaNs NumPy has it that they are one, and the last."""
    return np.sort(chance().choice(hard_values(dtype), count))


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_searches_of_every_dtype(dtype):
    row, keys = ascending(dtype, 101), chance().choice(hard_values(dtype), (7, 11))
    order = chance().permutation(101)
    mixed = np.empty_like(row)
    mixed[order] = row
    given = [dml_vk.asarray(one) for one in (row, mixed, keys, order)]
    assert_same(dml_vk.searchsorted(given[0], given[2]), np.searchsorted(row, keys))
    found = dml_vk.searchsorted(given[1], given[2], side="right", sorter=given[3])
    assert_same(found, np.searchsorted(row, keys, "right"))


@tier.examples(25)
@given(st.data())
def test_searches_in_random_layouts(data):
    keys, row = data.draw(layouts(max_rank=4)), Layout((57,), (-3,), 168)
    tensor, seen = source_of(dml_vk.float32, keys, chance().uniform(-1, 1, keys.sizes))
    ordered, values = source_of(dml_vk.float32, row, np.sort(chance().uniform(-1, 1, 57)))
    target = data.draw(targets(sizes=keys.sizes))
    expected = np.searchsorted(values, np.asarray(seen)).astype(np.uint64)

    def call(to):
        operands = ordered, tensor, None, to
        search_sorted("test", *operands, right=False)

    check_writes(call, target, 8, expected)


def test_sorters_of_every_dtype_and_layout():
    row = np.float32([30, 10, 20])
    x, keys = dml_vk.asarray(row), dml_vk.asarray(np.float32([9, 10, 25, 31]))
    for dtype in [dtype for dtype in REAL if dtype.kind in "iu"]:
        sorter = dml_vk.asarray(np.array([0, 2, 1], dtype.name)).over(Layout((3,), (-1,), 2))
        found = dml_vk.searchsorted(x, keys, sorter=sorter)
        assert found.tolist() == [0, 0, 2, 3]
    # What is no index leads to no harm.
    sorter = dml_vk.asarray(np.array([2**62, -1, 7]))
    found = dml_vk.searchsorted(x, keys, sorter=sorter).numpy()
    assert ((found >= 0) & (found <= 3)).all()


def test_searches_promote_and_keep_formats():
    row, keys = np.uint8([1, 5, 200]), np.int8([[-1, 5], [6, 127]])
    found = dml_vk.searchsorted(dml_vk.asarray(row), dml_vk.asarray(keys), side="right")
    assert_same(found, np.searchsorted(row, keys, "right"))
    image = dml_vk.asarray(chance().random((2, 3, 4, 5)), memory_format=channels_last)
    line = dml_vk.asarray(np.float32([0.25, 0.5]))
    assert dml_vk.searchsorted(line, image).layout == image.layout
    none = dml_vk.empty((0,), dml_vk.float32)
    assert dml_vk.searchsorted(none, line).tolist() == [0, 0]
    assert dml_vk.searchsorted(line, none).tolist() == []


def test_results_of_searches_may_lie_on_operands():
    values = np.sort(chance().integers(0, 50, 40))
    x = dml_vk.asarray(values)
    assert dml_vk.searchsorted(x, x, side="right", out=x) is x
    assert_same(x, np.searchsorted(values, values, "right"))
    x = dml_vk.asarray(values)
    front, back = x.over(Layout((30,))), x.over(Layout((30,), offset=10))
    dml_vk.searchsorted(front, front, sorter=dml_vk.asarray(np.arange(30)), out=back)
    assert_same(back, np.searchsorted(values[:30], values[:30]))


def messages():
    x, table = dml_vk.asarray([1, 2, 3]), dml_vk.asarray([[1, 2, 3]])
    search, pair, floats = dml_vk.searchsorted, dml_vk.asarray([0, 1]), dml_vk.asarray([1.0])
    return [
        (lambda: search(table, x), LayoutError, "x1 must be 1-D; got x1="),
        (lambda: search(x, x, sorter=table), LayoutError, "sorter must be 1-D"),
        (lambda: search(x, x, sorter=pair), LayoutError, "one index for each element of x1"),
        (lambda: search(x, x, sorter=floats), DTypeError, "dtype must be one of int8"),
        (lambda: search(x, x, side="top"), RangeError, "side must be 'left' or 'right'"),
        (lambda: search(x, x.to("uint64")), DTypeError, "cannot mix uint64 with signed"),
        (lambda: search(x, "2"), DTypeError, "x2 must be a Tensor"),
        (lambda: search(x, x, out=pair), LayoutError, r"out must have the shape \(3,\)"),
    ]


@pytest.mark.parametrize("number", range(8))
def test_errors(number):
    call, kind, message = messages()[number]
    with pytest.raises(kind, match=f"searchsorted: .*{message}"):
        call()
    assert len(messages()) == 8

"""Plans of whole rows on a large GPU: launches, workgroups and what each of them holds."""

from __future__ import annotations

import pytest

from dml_vk.kernels import finishes
from dml_vk.kernels.plan.rows import KERNELS, Finish, plan_rows
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.layout import Layout, channels_last
from tests.profiles import H200

MODULES = {module: kernel for kernel in KERNELS for module in kernel.modules}


def plan_for(layout, dims, part=None, itemsize=4, pair="scale", profile=H200):
    x, missing = [Operand(strides, 0, itemsize) for strides in (layout.strides, (0,) * layout.rank)]
    eps = (0,) if pair == "scale" else ()
    done = Finish(pair, eps, finishes.NAMES.index("norm"), 0, 6, (0, 0, 0))
    return plan_rows(layout.sizes, (x, missing, missing, x), dims, part, done, profile)


def facts(plan):
    """(variant, workgroups, invocations of each, of these for each row)."""
    kernel = MODULES[plan.module]
    spec = dict(zip(kernel.spec, plan.spec))
    assert spec["LOCAL_SIZE"] == spec["LANES"]
    way = plan.module.removeprefix(kernel.name)[1:]
    return way, plan.units, spec["LANES"], spec["MEMBERS"]


@pytest.mark.parametrize("pair", ["exp_sum", "scale"])
@pytest.mark.parametrize(
    ("sizes", "itemsize", "wanted"),
    [
        ((16384, 4096), 4, ("team_32", 16384, 256, 256)),
        ((16384, 4096), 2, ("team_16", 16384, 256, 256)),
        ((16384, 8192), 4, ("team_32", 16384, 512, 512)),
        ((65536, 1000), 4, ("team_32", 16384, 256, 64)),
        ((65536, 65), 4, ("team_32", 2048, 256, 8)),
        ((64, 1000), 4, ("team_32", 64, 64, 64)),  # so that the few rows are on many processors
        ((2, 17), 4, ("team_32", 1, 64, 2)),
    ],
)
def test_a_workgroup_holds_rows(pair, sizes, itemsize, wanted):
    assert facts(plan_for(Layout(sizes), (1,), None, itemsize, pair)) == wanted


@pytest.mark.parametrize(
    ("sizes", "wanted"),
    [
        ((1000, 65536), ("team_columns_32", 4096, 1024, 64)),  # 16 columns side by side
        ((2048, 65536), ("team_columns_32", 8192, 1024, 128)),  # 8, which are a sector of 32 bytes
        ((64, 2**20), ("team_columns_32", 16384, 256, 4)),
        ((3, 1001), ("team_columns_32", 16, 64, 1)),
    ],
)
def test_a_workgroup_holds_columns(sizes, wanted):
    assert facts(plan_for(Layout(sizes), (0,))) == wanted


def test_groups_of_channels_in_both_formats():
    for format_, wanted in ((None, "team_32"), (channels_last, "team_columns_32")):
        layout = Layout.packed((32, 256, 14, 14), format_) if format_ else Layout((32, 256, 14, 14))
        n, c, h, w = layout.strides
        grouped = Layout((32, 32, 8, 14, 14), (n, 8 * c, c, h, w))
        # 196 elements of each channel are 13 chunks.
        assert facts(plan_for(grouped, (3, 4), 2))[0] == wanted
        assert facts(plan_for(grouped, (3, 4), 2))[3] == 8 * 16


def test_longer_rows_are_left_to_two_launches():
    assert plan_for(Layout((64, 8193)), (1,)) is None
    assert plan_for(Layout((2049, 64)), (0,)) is None
    assert plan_for(Layout((64, 40)), (0,), itemsize=2) is None  # two would share a word


@pytest.mark.parametrize("pair", ["exp_sum", "scale"])
@pytest.mark.parametrize("size", [1, 15, 16, 17, 1023, 1024, 1025, 4096, 4097, 8192])
def test_shared_memory_suffices(pair, size):
    """Nodes of all levels, a pair for each row, and the elements."""
    _, _, lanes, _ = facts(plan_for(Layout((3, size)), (1,), pair=pair))
    numbers = 2 if pair == "exp_sum" else 3
    nodes = sum([numbers * lanes // 4**level for level in range(5)])
    assert 4 * (17 * lanes + 2 * lanes + nodes) <= H200.max_shared_bytes


def test_few_rows_are_estimated_by_what_there_is():
    few, many = plan_for(Layout((2, 17)), (1,)), plan_for(Layout((32, 17)), (1,))
    assert few.units == many.units == 1
    assert 16 * few.unit_ns == many.unit_ns


def test_an_invocation_reads_a_chunk():
    (load,) = plan_for(Layout((65536, 65)), (1,)).loads
    assert load.elements == 16 * load.lanes == 16 * 256

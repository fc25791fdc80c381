"""Which products of a matrix by a vector workgroups do row by row, and how."""

from __future__ import annotations

import dataclasses

from dml_vk.dtypes import float32
from dml_vk.kernels.plan.matmul import partial_run, plan_matmul
from dml_vk.kernels.plan.matmul_row import KERNEL
from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.kernels.plan.tasks import Operand
from tests.profiles import CPU, GPU, H200


def product(rows, depth, profile=H200, *, turned=False):
    strides = (1, 0, rows) if turned else (depth, 0, 1), (0, 1, 1), (1, 1)
    operands = [Operand(each, 0, 4) for each in strides]
    return plan_matmul((rows, 1), min(depth, RUN**2), operands, (float32,) * 3, profile)


def constants(plan):
    return dict(zip(KERNEL.spec, plan.spec, strict=True))


def test_a_row_has_an_invocation_for_each_run_up_to_32():
    members = {depth: constants(product(100, depth).plan)["MEMBERS"] for depth in (512, 600, 4096)}
    assert members == {512: 8, 600: 16, 4096: 32}


def test_workgroups_fit_the_device():
    for shared in (16384, 32768, 49152):
        for invocations in (128, 256, 1024):
            profile = dataclasses.replace(
                H200, max_shared_bytes=shared, max_invocations=invocations
            )
            for depth in (512, 2048, 4096):
                values = constants(product(100, depth, profile).plan)
                lanes, members, piece = (values[name] for name in ("LANES", "MEMBERS", "PIECE"))
                assert values["LOCAL_SIZE"] == lanes <= invocations
                assert 4 * (lanes * (piece + 1) + lanes // members * RUN) <= shared
                assert (RUN % piece, lanes % members) == (0, 0)


def test_pieces_are_whole_cache_lines_where_rows_are_long():
    assert [constants(product(100, n).plan)["PIECE"] for n in (2048, 4096)] == [16, 32]


def test_a_matrix_is_read_once_in_one_launch():
    made = product(4096, 4096)
    assert (made.plan.module, made.plan.units) == ("matmul_row_float32", 4096 // 8)
    assert (made.plan.rate, made.plan.by_teams, made.swapped) == ("bytes", True, True)
    assert partial_run(made, 4096, 4096, H200) == 0
    assert partial_run(product(8192, 8192), 8192, 8192, H200) == RUN**2


def test_few_rows_are_not_split_into_runs_which_invocations_share_already():
    for rows, depth in ((40, 520), (256, 4096), (1, 4096)):
        assert partial_run(product(rows, depth), rows, depth, H200) == 0
    assert partial_run(product(256, 2**18), 256, 2**18, H200) == RUN**2


def test_only_where_terms_are_adjacent_and_loads_coalesce():
    assert "row" in product(100, 512, GPU).plan.module
    assert "row" not in product(100, 511, GPU).plan.module
    assert "row" not in product(100, 4096, CPU).plan.module
    few = dataclasses.replace(GPU, max_invocations=32)
    assert "row" not in product(100, 4096, few).plan.module
    assert "row" not in product(100, 4096, H200, turned=True).plan.module

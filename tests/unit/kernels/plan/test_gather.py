"""How many indexes an invocation takes at once: neighbours on a GPU read side by side."""

from __future__ import annotations

from dml_vk.dtypes import int32, int64
from dml_vk.kernels.plan.gather import UNIT, plan_check
from dml_vk.kernels.plan.scatter import plan_claim, plan_scatter
from dml_vk.kernels.plan.tasks import Operand
from tests.profiles import CPU, GPU

COUNT = 2**22 + 5


def units(profile, plan):
    return plan(profile).units


def test_indexes_are_claimed_and_checked_by_a_quad_or_one_by_one_on_a_gpu():
    for offset, of_gpu in ((0, 4), (1, 1)):
        for plan in (
            lambda profile, at=offset: plan_claim(COUNT, at, 4, profile),
            lambda profile, at=offset: plan_check((COUNT,), (1,), at, 4, int32.code, 9, profile),
            lambda profile, at=2 * offset + offset: plan_check(
                (COUNT,), (1,), at, 8, int64.code, 9, profile
            ),
        ):
            assert units(GPU, plan) == -(-COUNT // of_gpu)
            assert units(CPU, plan) == -(-COUNT // UNIT)


def test_elements_are_scattered_one_by_one_on_a_gpu():
    operands = (Operand((1,), 0, 4), Operand((1,), 0, 4), Operand((0,), 0, 4))
    for profile, unit in ((GPU, 1), (CPU, UNIT)):
        plan = plan_scatter((COUNT,), operands, (0,), 1, 0, True, profile)
        assert plan.units == -(-COUNT // unit)

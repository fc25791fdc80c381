"""Measure the rates of a device by kernels of ours: products, a copy, and a copy by command."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dml_vk.dtypes import DType, float32, float64
from dml_vk.kernels.plan.base import BASES, END, FIRST, Plan, Rate
from dml_vk.kernels.plan.copy import plan_flat_copy
from dml_vk.kernels.plan.matmul import plan_matmul
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.team_tiles import TeamTile
from dml_vk.limits import Profile
from dml_vk.runtime.interface import Barrier, Block, Command, Copy, Dispatch, Fill, Runtime
from dml_vk.runtime.pipelines import Key, Pipelines, group_count
from dml_vk.runtime.rates import SLOW_CORE
from dml_vk.runtime.timing import Time, time_of

# Sizes are tried in this order, until one takes so long that a launch counts for little.
_ENOUGH_US = 400.0
_ROWS = (128, 512, 2048)  # of square matrices
_COPIES = (2**20, 2**23, 2**26)  # bytes
_Plans = Callable[[int], tuple[Plan, list[int]]]  # by size, with the bytes of each operand
_ONE = 0x3F800000  # 1.0 as a float32, and no subnormal as half of a float64
_GAIN = 0.9  # what a kernel takes of the command's time, to be preferred


class RateCheck:
    """Runs kernels on a device that may be working, outside its queue."""

    def __init__(self, runtime: Runtime, pipelines: Pipelines, profile: Profile) -> None:
        self._runtime, self._pipelines, self._profile = runtime, pipelines, profile

    def rate(self, rate: Rate) -> float:
        """How many times as fast as estimated plans of this kind are.

        It is 1 where they are slower, on a CPU: there shorter dispatches would only cost time.
        """
        plan_of: _Plans = self._copy_plan
        cases = _COPIES
        if rate != "bytes":
            plan_of, cases = self._product_plan(float64 if rate == "float64" else float32), _ROWS
        for case in cases:
            plan, sizes = plan_of(case)
            us = self._run(plan, sizes).microseconds
            if us >= _ENOUGH_US:
                break
        return max(plan.units * plan.unit_ns / 1000 / us, SLOW_CORE)

    def copies(self) -> float:
        """The least bytes for which a kernel was seen to copy faster than the command."""
        least = math.inf
        for nbytes in _COPIES:
            by_kernel, by_command = (time.microseconds for time in self.copy_times(nbytes))
            least = min(least, nbytes) if by_kernel < _GAIN * by_command else math.inf
            if by_command >= 2 * _ENOUGH_US:
                break
        return least

    def copy_times(self, nbytes: int, rounds: int = 1) -> tuple[Time, Time]:
        """What a copy takes by a kernel, and by command: the medians of so many."""
        plan, sizes = self._copy_plan(nbytes)
        return self._run(plan, sizes, rounds), self._run(None, sizes, rounds)

    def product_time(self, rows: int, tile: TeamTile, rounds: int, *, fma: bool) -> Time:
        """What a product of square float32 matrices takes by such tiles: the median of so many."""
        plan, sizes = self._product_plan(float32, tile, fma=fma)(rows)
        return self._run(plan, sizes, rounds)

    def _copy_plan(self, nbytes: int) -> tuple[Plan, list[int]]:
        return plan_flat_copy(nbytes, 0, self._profile), [nbytes, nbytes]

    def _product_plan(
        self, dtype: DType, tile: TeamTile | None = None, *, fma: bool = False
    ) -> _Plans:
        def plan(rows: int) -> tuple[Plan, list[int]]:
            a, b, dst = [
                Operand(strides, 0, dtype.itemsize)
                for strides in ((rows, 0, 1), (0, 1, rows), (rows, 1))
            ]
            sizes, dtypes = (rows, rows), (dtype,) * 3
            product = plan_matmul(
                sizes, rows, (a, b, dst), dtypes, self._profile, fma=fma, tile=tile
            )
            return product.plan, [rows * rows * dtype.itemsize] * 3

        return plan

    def _run(self, plan: Plan | None, sizes: list[int], rounds: int = 1) -> Time:
        """The time of a plan, or of a command that copies, on operands of these sizes."""
        runtime = self._runtime
        starts = [0, *np.cumsum(sizes).tolist()]
        block = runtime.allocate(starts[-1], "device" if "device" in runtime.kinds else "unified")
        work = self._command(block, sizes) if plan is None else self._dispatch(block, plan, starts)
        # The first run compiles, and waits for what the device is doing.
        time_of(runtime, [Fill(block, 0, starts[-1], _ONE), Barrier(), work])
        median = sorted(time_of(runtime, [work]) for _ in range(rounds))[rounds // 2]
        return median._replace(microseconds=max(median.microseconds, 1e-3))

    def _command(self, block: Block, sizes: list[int]) -> Command:
        return Copy(block, 0, block, sizes[0], sizes[0])

    def _dispatch(self, block: Block, plan: Plan, starts: list[int]) -> Command:
        bindings = len(plan.base_bytes)
        push = list(plan.push)
        for at, (start, unit) in enumerate(zip(starts, plan.base_bytes), BASES):
            push[at] = start // unit
        push[FIRST], push[END] = 0, plan.units
        cached = self._pipelines.get(Key.of(plan, len(push), bindings))
        bound = self._runtime.bind(cached.pipeline, [block] * bindings)
        each = 1 if plan.by_teams else plan.spec[0]
        groups = group_count(-(-plan.units // each), self._profile)
        words = np.array([word & 0xFFFFFFFF for word in push], np.uint32)
        return Dispatch(bound, words.tobytes(), (groups, 1, 1))

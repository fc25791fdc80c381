"""Plan pooling by tiles of windows, which overlap or lie side by side."""

from __future__ import annotations

from functools import lru_cache

from dml_vk.dtypes import DType, float16
from dml_vk.kernels.kernel import SUMS, WRITES, Kernel, index_push, of_dims
from dml_vk.kernels.plan import rounds, windows
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.pool import OPCODES, OPERATIONS, Pooling
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.windows import plan_windows
from dml_vk.limits import Profile

KERNELS = (
    Kernel(
        "pool_tile",
        by_position=True,
        inlines=(WRITES,),
        rests=(*SUMS, "divides"),
        bindings=("x_words", "dst_words"),
        writes=("dst_words",),
        spec=(*windows.SPEC, "OP", "COUNTED", "END_0", "END_1", "END_2"),
        push=index_push(("x_base", "dst_base"), 2, windows.PUSH),
        variants={"32": OPCODES},
    ),
)


def suits(pooling: Pooling, dtype: DType) -> bool:
    """Whether there is a plan."""
    largest = pooling.operation == "max" and (dtype is float16 or dtype.itemsize == 4)
    mean = pooling.operation == "avg"
    return (largest or mean) and not pooling.adaptive and windows.suits(pooling.dims)


@lru_cache(maxsize=1024)
def plan_pool_tile(
    samples: int,
    channels: int,
    pooling: Pooling,
    x: Operand,
    dst: Operand,
    dtypes: tuple[DType, DType],
    profile: Profile,
) -> Plan:
    """Plan windows that are whole, where it `suits`."""
    return plan_windows(
        *(KERNELS[0], "32"),
        samples,
        channels,
        pooling.dims,
        x,
        dst,
        dtypes,
        profile,
        sources=(x.itemsize,),
        constants={
            "OP": OPERATIONS.index(pooling.operation),
            "COUNTED": int(pooling.counted),
            **of_dims("END", tuple([dim.after for dim in pooling.dims])),
        },
        quad_rounds=4 * rounds.DIVIDE if pooling.operation == "avg" else 0,
    )

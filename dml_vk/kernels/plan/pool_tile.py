"""Plan pooling by tiles of windows, which overlap or lie side by side."""

from __future__ import annotations

from functools import lru_cache

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType, float16
from dml_vk.kernels.kernel import WRITES, Kernel, index_push, of_dims
from dml_vk.kernels.plan import rounds, windows
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.pool import OPCODES, OPERATIONS, Pooling, from_inside
from dml_vk.kernels.plan.windows import Side, Spatial, plan_windows
from dml_vk.limits import Profile

KERNELS = (
    Kernel(
        "pool_tile",
        fuses=(WRITES,),
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
    return (largest or mean) and not pooling.adaptive and windows.suits(_spatial(pooling))


def _spatial(pooling: Pooling, steps: Ints = ()) -> tuple[Spatial, ...]:
    """The dims, innermost first; `steps` are the strides of the result, outermost first."""
    return tuple(
        [
            Spatial(size, out, kernel, dilation, stride, begin, x, 0, dst)
            for size, out, kernel, dilation, stride, begin, x, dst in zip(
                *(pooling.sizes[::-1], pooling.out[::-1], pooling.kernel[::-1]),
                *(pooling.dilation[::-1], pooling.stride[::-1], pooling.begin[::-1]),
                *(pooling.steps[::-1], (steps or pooling.steps)[::-1]),
            )
        ]
    )


@lru_cache(maxsize=1024)
def plan_pool_tile(
    samples: int, channels: int, pooling: Pooling, steps: Ints, x: Side, dst: Side, profile: Profile
) -> Plan:
    """Plan windows that are whole, where it `suits`; `steps` are the strides of the result."""
    return plan_windows(
        *(KERNELS[0], "32"),
        samples,
        channels,
        _spatial(pooling, steps),
        x,
        dst,
        profile,
        sources=(x.dtype.itemsize,),
        constants={
            "OP": OPERATIONS.index(pooling.operation),
            "COUNTED": int(pooling.counted),
            **of_dims("END", from_inside(pooling.end, 0)),
        },
        quad_rounds=4 * rounds.DIVIDE if pooling.operation == "avg" else 0,
    )

"""Plan convolutions each of whose outputs has one channel of the input, by tiles of windows."""

from __future__ import annotations

from functools import lru_cache

from dml_vk.dtypes import DType, float32
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.kernel import SUMS, WRITES, Kernel, index_push, is_set
from dml_vk.kernels.operators import opcodes_of
from dml_vk.kernels.plan import windows
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.conv import Channels, Epilogue
from dml_vk.kernels.plan.linear import SHORT
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.windows import Dims, plan_windows
from dml_vk.limits import Profile

KERNELS = (
    Kernel(
        "depthwise",
        by_position=True,
        inlines=(WRITES,),
        rests=SUMS,
        bindings=("x_words", "weight_words", "bias_words", "dst_words"),
        optional={"bias_words": is_set("BIAS")},
        writes=("dst_words",),
        spec=(
            *(*windows.SPEC, "WEIGHT_STRIDE_2"),
            *("WEIGHT_TYPE", "WEIGHT_QUADS", "BIAS", "BIAS_STEP", "BIAS_TYPE", "ACTIVATION"),
        ),
        push=index_push(
            ("x_base", "weight_base", "bias_base", "dst_base"),
            2,
            (*windows.PUSH, ("weight_channel", 1), ("alpha", 1), ("beta", 1)),
            3,
        ),
        variants={
            "float32": opcodes_of("float_activation"),
        },
    ),
)


def suits(channels: Channels, dims: Dims) -> bool:
    """Whether there is a plan."""
    return channels.inputs == channels.outputs == 1 and windows.suits(dims)


@lru_cache(maxsize=1024)
def plan_depthwise(
    channels: Channels,
    dims: Dims,
    operands: tuple[Operand, Operand, Operand],
    dtypes: tuple[DType, DType, DType],
    bias: tuple[int, DType] | None,
    profile: Profile,
    epilogue: Epilogue,
    *,
    fma: bool = False,
) -> Plan:
    """Plan all terms, with the arguments of `plan_conv`, where it `suits`."""
    inner, outer, _ = dims
    x, weight, dst = operands
    x_type, weight_type, dst_type = dtypes
    channel, _, *steps = weight.strides
    bias_type = bias[1] if bias else float32
    step = bias[0] if bias else 0
    alpha, beta, *_ = *epilogue.params, 0, 0
    packed = (1, inner.taps, inner.taps * outer.taps)  # strides, where they matter
    of_weight = (*steps[:2], channel)
    sizes = (inner.taps, outer.taps, channels.groups)
    is_packed = all(size == 1 or a == b for size, a, b in zip(sizes, of_weight, packed))
    quads = windows.takes_channels(x, channels.groups) and weight_type is float32
    quads = quads and is_packed and weight.offset % 4 == steps[2] % 4 == 0
    is_long = epilogue.activation not in SHORT
    return plan_windows(
        *(KERNELS[0], "float32"),
        channels.samples,
        channels.groups,
        dims,
        x,
        dst,
        (x_type, dst_type),
        profile,
        sources=(x.itemsize, weight.itemsize, bias_type.itemsize),
        strides=(*steps[:2], 0, 0),
        push={"weight_channel": channel, "alpha": alpha, "beta": beta},
        constants={
            "WEIGHT_STRIDE_2": steps[2],
            "WEIGHT_TYPE": weight_type.code,
            "WEIGHT_QUADS": int(quads),
            "BIAS": int(bias is not None),
            "BIAS_STEP": step,
            "BIAS_TYPE": bias_type.code,
            "ACTIVATION": epilogue.activation,
        },
        quad_rounds=4 * COMPUTED["float_activation"].rounds if is_long else 0,
        widest=8,
        fma=fma,
    )

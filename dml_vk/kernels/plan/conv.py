"""Plan convolutions, by tiles of channels and positions.

Kernels compute all addresses from strides, so the input, the weight and the result may have any
layouts. Nothing is copied into windows.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType, float32
from dml_vk.kernels.kernel import INDEX_SPEC, SUMS, WRITES, Kernel, index_push, is_set
from dml_vk.kernels.operators import opcodes_of
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.linear import is_by_rows, storing_rounds
from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.kernels.plan.paths import local_size, power_of_two
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.tiles import (
    LEAST_SHARED,
    READ_NS,
    SHARED_TERM_NS,
    load_of,
    shared_load,
    shared_spans,
    span_of,
)
from dml_vk.kernels.plan.windows import Dims, constants_of
from dml_vk.limits import Profile

BLOCK = RUN**2  # terms: BLOCK_OF_SUM in conv.comp
MOST_TERMS = 3 * BLOCK  # of one launch
_BY_ELEMENTS, _BY_DEPTH, _BY_SPAN = range(3)  # how a tile reads a source
_POSITIONS, _CHANNELS = 1, 2  # whose float16 are a word
_TERM_NS = 0.1  # one multiply-add on one slow core
_LARGE = 2**24  # terms of all sums
_SPATIAL_SPEC = ("WINDOW", "DILATION", "STRIDE", "PADDING")

KERNELS = (
    Kernel(
        "conv",
        by_position=True,
        inlines=(WRITES,),
        rests=SUMS,
        tile=("ROWS", "COLUMNS"),
        bindings=("x_words", "weight_words", "bias_words", "Dst"),
        optional={"bias_words": is_set("BIAS", "LAST")},
        spec=(
            *INDEX_SPEC,
            *("BLOCK_ACROSS", "BLOCK_DOWN", "ROWS", "COLUMNS", "RAGGED", "DEEP", "LEVELS"),
            *("BOUNDED", "MORE", "LAST", "BIAS", "X_READ", "WEIGHT_READ"),
            *("X_TYPE", "WEIGHT_TYPE", "BIAS_TYPE"),
            *(f"{name}_{dim}" for name in _SPATIAL_SPEC for dim in range(3)),
            *("DST_SIZE_2", "X_SIZE_2", "X_STRIDE_2", "WEIGHT_STRIDE_2", "DST_STRIDE_2"),
            *("BIAS_STEP", "FIRST_TERM", "ACTIVATION", "DST_TYPE", "PAIRS", "BY_ROWS"),
        ),
        push=index_push(
            ("x_base", "weight_base", "bias_base", "dst_base"),
            2,
            tuple(
                (name, 1)
                for name in (
                    *("inner_size", "outer_size", "x_sample", "x_channel"),
                    *("weight_channel", "weight_input", "dst_sample", "dst_channel"),
                    *("inputs", "channels", "columns", "alpha", "beta"),
                )
            ),
            3,
        ),
        variants={
            "float32": opcodes_of("float_activation"),
            "shared_float32": {**opcodes_of("float_activation"), "SHARED": "1"},
        },
    ),
)


class Epilogue(NamedTuple):
    """What is done with each sum, after the bias is added."""

    activation: int = 0  # an opcode of float_activation.comp, or 0
    params: Ints = ()  # its words, at most two


NO_EPILOGUE = Epilogue()


class Channels(NamedTuple):
    samples: int
    groups: int
    inputs: int  # of a group
    outputs: int  # of a group


def _is_shared(channels: Channels, columns: int, profile: Profile) -> bool:
    """Whether lanes share the channels of a tile, each with positions of its own."""
    enough = channels.outputs >= LEAST_SHARED and columns >= 2 * profile.lanes
    return profile.shuffles and enough


@lru_cache(maxsize=1024)
def plan_conv(
    channels: Channels,
    dims: Dims,
    operands: tuple[Operand, Operand, Operand],
    dtypes: tuple[DType, DType, DType],
    bias: tuple[int, DType] | None,
    profile: Profile,
    first: int = 0,
    epilogue: Epilogue = NO_EPILOGUE,
    *,
    fma: bool = False,
) -> Plan:
    """Plan the terms from `first` on, at most MOST_TERMS. The last ones have the epilogue.

    Operands are images: x, the weight and the result. `bias` is its step and dtype. A result that
    is not float32 takes all terms in one launch.
    """
    inner, outer, _ = dims
    x, weight, dst = operands
    x_type, weight_type, dst_type = dtypes
    x_sample, x_channel, *x_steps = x.strides
    weight_channel, weight_input, *weight_steps = weight.strides
    dst_sample, dst_channel, *dst_steps = dst.strides
    columns = channels.samples * math.prod([dim.count for dim in dims])
    depth = channels.inputs * math.prod([dim.taps for dim in dims])
    terms = min(MOST_TERMS, depth - first)
    lanes = profile.lanes
    shared = _is_shared(channels, columns, profile)
    if shared:
        times = channels.groups
        rows, across = shared_spans(channels.outputs, columns, times, depth, profile)
    else:
        rows, across = _spans(channels, columns, depth, profile)
    deep = 4 if channels.inputs % 4 == 0 else 1
    reads = (
        _read_x(x, dims, channels.inputs),
        _read_weight(weight, channels, shared=shared),
    )
    tiles_down, tiles_across = -(-channels.outputs // rows), -(-columns // across)
    block_across = lanes if shared else min(8, power_of_two(tiles_across), lanes)
    block_down = min(lanes // block_across, power_of_two(tiles_down))
    groups, extent = -(-tiles_down // block_down), -(-tiles_across // block_across)
    ragged = channels.outputs % (rows * block_down) or columns % (across * block_across)
    units = groups * extent * block_down * block_across * channels.groups
    bias_type = bias[1] if bias else float32
    weights = load_of(rows, deep, terms)
    if shared:
        weights = shared_load(rows, deep, terms, 1 if reads[1] == _BY_ELEMENTS else 4, lanes)
    read_ns = READ_NS * sum(
        [
            span * (1 if read else 2)
            for span, read in zip((across, rows / lanes if shared else rows), reads)
        ]
    )
    term_ns = SHARED_TERM_NS if shared else _TERM_NS
    is_last = first + terms == depth
    epilogue = epilogue if is_last else NO_EPILOGUE
    pairs = 0 if dst_type is float32 else _pairs(channels, inner.count, dst)
    by_rows = is_by_rows(rows, across, depth, epilogue.activation, dst_type)
    path = f"tile, {columns} positions, {depth} terms"
    alpha, beta, *_ = *epilogue.params, 0, 0
    (kernel,) = KERNELS
    constants = {
        "LOCAL_SIZE": local_size(profile),
        "LANES": lanes,
        "RANK": 2,
        "EDGES": 0,
        "BLOCK_ACROSS": block_across,
        "BLOCK_DOWN": block_down,
        "ROWS": rows,
        "COLUMNS": across,
        "RAGGED": int(ragged > 0),
        "DEEP": deep,
        "LEVELS": 1 if depth <= RUN else 2 if depth <= BLOCK else 3,
        "BOUNDED": int(any(dim.reads_padding for dim in dims)),
        "MORE": int(first > 0),
        "LAST": int(is_last),
        "BIAS": int(bias is not None),
        "X_READ": reads[0],
        "WEIGHT_READ": reads[1],
        "X_TYPE": x_type.code,
        "WEIGHT_TYPE": weight_type.code,
        "BIAS_TYPE": bias_type.code,
        **constants_of(dims),
        "X_STRIDE_2": x_steps[2],
        "WEIGHT_STRIDE_2": weight_steps[2],
        "DST_STRIDE_2": dst_steps[2],
        "BIAS_STEP": bias[0] if bias else 0,
        "FIRST_TERM": first,
        "ACTIVATION": epilogue.activation,
        "DST_TYPE": dst_type.code,
        "PAIRS": pairs,
        "BY_ROWS": int(by_rows),
    }
    push: dict[str, int | Ints] = {
        "whole": units,
        "groups": groups,
        "extent": extent,
        "sizes": (inner.count, outer.count),
        "strides": (*x_steps[:2], *weight_steps[:2], 0, 0, *dst_steps[:2]),
        "inner_size": inner.size,
        "outer_size": outer.size,
        "x_sample": x_sample,
        "x_channel": x_channel,
        "weight_channel": weight_channel,
        "weight_input": weight_input,
        "dst_sample": dst_sample,
        "dst_channel": dst_channel,
        "inputs": channels.inputs,
        "channels": channels.outputs,
        "columns": columns,
        "alpha": alpha,
        "beta": beta,
    }
    return Plan(
        module=f"{kernel.name}_{'shared_float32' if shared else 'float32'}",
        spec=kernel.constants(constants),
        push=kernel.words(units, push),
        units=units,
        unit_ns=20.0 * (rows + across) + (term_ns * rows * across + read_ns / 4) * terms,
        unit_rounds=rounds.conv(terms, BLOCK, RUN, deep)
        + (storing_rounds(rows, across, epilogue.activation) if by_rows else 0),
        base_bytes=(
            x.itemsize,
            weight.itemsize,
            bias_type.itemsize,
            dst.itemsize,
        ),
        shares_words=dst_type is not float32 and not pairs,
        launches=((0, 0, 0, 0),),
        together=lanes if shared else 1,
        loads=(load_of(across, deep, terms), weights),
        rate="float32",
        fma=fma,
        path=f"{path}, fused multiply-add" if fma else path,
        sizes=(
            channels.samples,
            channels.groups * channels.outputs,
            *[dim.count for dim in dims],
        ),
    )


def _pairs(channels: Channels, across: int, dst: Operand) -> int:
    """Which two neighbours in a tile always are a word of float16, if any.

    There are `across` positions side by side.
    """
    sample, channel, inner, *outer = dst.strides
    if math.gcd(2, dst.offset, sample, *outer) != 2:
        return 0
    if inner == 1 and across % 2 == 0 and channel % 2 == 0:
        return _POSITIONS
    is_pair = channel == 1 and channels.outputs % 2 == 0 and inner % 2 == 0
    return _CHANNELS if is_pair else 0


def _spans(channels: Channels, columns: int, depth: int, profile: Profile) -> tuple[int, int]:
    """The rows and columns of a tile. Large ones read less, but take long to compile."""
    rows, across = span_of(channels.outputs), span_of(columns)
    most = profile.tile_span
    tiles = channels.groups * (channels.outputs // most) * (columns // most)
    if tiles * depth * most**2 < _LARGE or tiles < 2 * profile.units_wanted:
        return rows, across
    few = [-size % most * 8 <= size for size in (channels.outputs, columns)]
    return most if few[0] else rows, most if few[1] else across


def _read(source: Operand, inputs: int) -> int:
    """Whether four channels can be read as one."""
    sample, channel, *steps = source.strides
    if channel != 1 or inputs % 4:
        return _BY_ELEMENTS
    is_quad = math.gcd(source.offset, sample, *steps) % 4 == 0
    return _BY_DEPTH if is_quad else _BY_ELEMENTS


def _read_weight(weight: Operand, channels: Channels, *, shared: bool) -> int:
    """How the weight is read: by inputs, or by outputs where lanes share them."""
    read = _read(weight, channels.inputs)
    channel, of_input, *steps = weight.strides
    if read or not shared or channels.outputs % 4 or channel != 1:
        return read
    by_outputs = weight._replace(strides=(of_input, 1, *steps))
    return _BY_SPAN if _read(by_outputs, 4) else _BY_ELEMENTS


def _read_x(x: Operand, dims: Dims, inputs: int) -> int:
    """How x is read: positions are four at a time if they are all of its own, in their order."""
    read = _read(x, inputs)
    sample, channel, *steps = x.strides
    size = 1
    for dim, step in zip(dims, steps):
        if (dim.taps, dim.stride, dim.before, dim.count) != (1, 1, 0, dim.size):
            return read
        if step != size * (dim.size > 1):
            return read
        size *= dim.size
    is_quad = math.gcd(x.offset, sample, channel, size) % 4 == 0
    return _BY_SPAN if size >= 4 and is_quad else read

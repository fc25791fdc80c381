"""Work of each family of kernels on numbers that take their loops long."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk import dtypes, linalg, nn
from dml_vk.dtypes import complex64, complex128, float16, float32, float64, int64
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan import radix
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.layout import Layout, channels_last
from dml_vk.linalg import reductions as of_matrices
from dml_vk.ops.draws import fill_drawn
from dml_vk.ops.elementwise import compute
from dml_vk.ops.philox import fill_philox
from dml_vk.ops.roi import box_maxima, sample_sums
from dml_vk.ops.scan import SUM
from dml_vk.ops.segments import reduce_rows
from dml_vk.ops.sequence import fill_sequence
from tests.chance import chance
from tests.kernel.ops.test_fft import transformed
from tests.kernel.ops.test_philox import KEY, state_words
from tests.kernel.profiled import profiled
from tests.kernel.random.test_draws import DRAWS, OF_KERNELS
from tests.real_dtypes import DTYPES

SIZES = (3, 5, 32, 32)


def hard(dtype, sizes=SIZES):
    """Numbers that take loops long: exponents far apart, large integers, and nothing that is 0."""
    if dtype.kind == "b":
        return np.ones(sizes, bool)
    if dtype.kind == "c":
        return hard(dtype.part, (*sizes, 2)).view(dtype.numpy_name)[..., 0]
    if dtype.kind == "f":
        limits = np.finfo(dtype.numpy_name)
        exponents = chance().integers(limits.minexp, limits.maxexp, sizes)
        return np.ldexp(chance().uniform(0.5, 1, sizes), exponents).astype(limits.dtype)
    most = np.iinfo(dtype.numpy_name).max
    return chance().integers(most // 2, most, sizes, dtype.numpy_name, endpoint=True)


def in_layouts(dtype, sizes=SIZES):
    """The same sizes: flat, in another order, with gaps, and at odd addresses."""
    n, c, h, w = sizes
    yield dml_vk.asarray(hard(dtype, sizes))
    yield dml_vk.asarray(hard(dtype, sizes), memory_format=channels_last)
    yield dml_vk.asarray(hard(dtype, (n, c, h, 2 * w)))[..., ::2]
    yield dml_vk.asarray(hard(dtype, (n, c, w, h + 3)))[..., 1:-2].mT


def targets(dtype):
    for layout in (Layout((8, 36)), Layout((8, 36), (80, 2)), Layout((8, 36), (1, 11), 3)):
        yield dml_vk.empty(layout.span + 4, dtype=dtype).over(layout)


def copies():
    for dtype in (DTYPES["uint8"], float16, float32, float64):
        for x in in_layouts(dtype):
            for to in in_layouts(dtype):
                dml_vk.copy(x, to)
        for sizes in ((1, 7, 64, 64), (2, 3, 8, 16)):
            x = dml_vk.asarray(hard(dtype, sizes))
            dml_vk.copy(x.mT, dml_vk.empty(x.mT.shape, dtype=dtype))
            x.to(memory_format=channels_last)
            dml_vk.copy(x[..., :16], dml_vk.empty_like(x)[..., :16])


def made():
    for dtype in DTYPES.values():
        for to in targets(dtype):
            to[...] = True if dtype.kind == "b" else 3
            if dtype.kind != "b":
                fill_sequence("it", to, dtype, 1, 3)
            if dtype.kind == "f" or dtype.name in ("uint32", "uint64"):
                fill_philox("it", to, dtype, (1, 2, 3, 4, 5, 6))
    for name in OF_KERNELS:
        dtype, _, draw, _ = DRAWS[name]
        for to in targets(dtype):
            fill_drawn("it", to, draw, state_words(KEY, 7))


def operands(operator, dtype, x):
    """With exponents of powers that are long, and divisors far below what they divide."""
    if operator.name == "pow":
        return x, dml_vk.asarray(hard(dtype))
    if operator.name in ("fmod", "remainder", "floor_divide") and dtype.kind == "f":
        largest = dml_vk.full_like(x, np.finfo(dtype.numpy_name).max)
        return largest, dml_vk.full_like(x, 1.5 * np.finfo(dtype.numpy_name).tiny)
    return [x, dml_vk.asarray(hard(dtype)), dml_vk.asarray(hard(dtype))][: operator.arity]


CALLS = {"whole_power": lambda x, _, **named: dml_vk.pow(x, -(2**62 - 1), **named)}


def call(name):
    return CALLS.get(name) or getattr(dml_vk, name)


def computed(kernel):
    """What has loops of its own and one more in all layouts, and functions in one."""
    loops = {name: count for name, count in COMPUTED[kernel].rounds_of.items() if count}
    reached = {
        name: [
            t for t in dtypes.DTYPES.values() if operator.takes(t) and operator.kernel(t) == kernel
        ]
        for name, operator in OPERATORS.items()
        if name in CALLS or (hasattr(dml_vk, name) and not operator.parameters)
    }
    names = [name for name, taken in reached.items() if taken]
    if "complex" in kernel:  # Each takes a driver seconds to compile.
        longest = max(names, key=lambda name: loops.get(name, 0))
        for dtype in reached[longest]:
            x = dml_vk.asarray(hard(dtype))
            call(longest)(*operands(OPERATORS[longest], dtype, x))
            if OPERATORS[longest].result:
                to = dml_vk.empty(SIZES, dtype="uint32")
                compute("it", OPERATORS[longest], [x, x], to, dtype)
        return
    # One dtype of each size, for those of one size are read alike.
    for name in names if COMPUTED[kernel].rounds else {*loops, names[-1]}:
        for dtype in {dtype.itemsize: dtype for dtype in reached[name]}.values():
            whole = name in loops or name == names[-1]
            for x in in_layouts(dtype) if whole else [next(in_layouts(dtype))]:
                result = call(name)(*operands(OPERATORS[name], dtype, x))
        if OPERATORS[name].result:  # which DirectML also has as words
            to, given = dml_vk.empty(SIZES, dtype="uint32"), operands(OPERATORS[name], dtype, x)
            compute("it", OPERATORS[name], given, to, dtype)
        elif dtype.itemsize == 4:
            to = dml_vk.empty(SIZES, dtype=result.dtype, memory_format=channels_last)
            call(name)(*operands(OPERATORS[name], dtype, next(in_layouts(dtype))), out=to)


def casts():
    for dtype in (DTYPES["uint8"], float16, float32, float64):
        for x in in_layouts(dtype):
            dml_vk.astype(x, int64 if dtype is float32 else float32)
            dml_vk.astype(x, DTYPES["int8"])
            dml_vk.where(dml_vk.ones(SIZES, dtype="bool"), x, x.clone())
    for x in in_layouts(complex128):
        dml_vk.where(dml_vk.ones(SIZES, dtype="bool"), x, x.clone())
    flat, turned, *others = in_layouts(float32)
    for x in (flat, *others):
        dml_vk.astype(x, float16)
    compute("it", OPERATORS["where"], [flat] * 3, turned, float32)


def reductions():
    device = dml_vk.device()
    for coalesces in (False, True):  # by invocations, and by workgroups
        with profiled(device, dataclasses.replace(device.profile, coalesces=coalesces)):
            reductions_of_any_kind()


def reductions_of_any_kind():
    for dtype in (float32, float64, int64, DTYPES["int32"], float16):
        x = dml_vk.asarray(hard(dtype, (3, 1300, 5)))
        for name in list(REDUCTIONS)[:: 1 if dtype.itemsize == 4 else 3]:
            for dims in (None, 0, 1):
                getattr(dml_vk, name)(x, axis=dims)
    for sizes in ((40, 3000), (3, 7), (7, 40)):
        for dim in (0, 1):
            dml_vk.std(dml_vk.asarray(hard(float16, sizes)), axis=dim)
    for dtype in (complex64, complex128):
        for sizes, axis in (((1300, 5), 0), ((1300, 4), 1), ((3, 1300), 1)):
            x = dml_vk.asarray(hard(dtype, sizes))
            dml_vk.prod(x, axis=axis)
            dml_vk.std(x, axis=axis)
            dml_vk.std(dml_vk.asarray(hard(float64, sizes)), axis=axis)
    dml_vk.sum(dml_vk.asarray(hard(float64, (130, 4096))), axis=1)
    dml_vk.max(dml_vk.asarray(hard(int64, (70, 2**14 + 1))), axis=1)
    for sizes in ((70_001,), (70_001, 5)):
        dml_vk.argmax(dml_vk.asarray(hard(float32, sizes)), axis=0)


def segments():
    """All rows of one number, whose ends are far, and of levels of nodes."""
    for dtype in (float32, float64, int64, DTYPES["int32"]):
        for length in (255, 20_000):
            to, rows = dml_vk.zeros(2, dtype), dml_vk.asarray(hard(dtype, (length,)))
            numbers = dml_vk.asarray(np.arange(length) * 5 // 4 // length)
            reduce_rows("it", SUM, numbers, rows, to)


def scans():
    segments()
    own = dml_vk.device().profile
    by_teams = dataclasses.replace(own, coalesces=True, max_invocations=256)
    with profiled(dml_vk.device(), by_teams):
        for dtype in (float32, float64):
            dml_vk.logcumsumexp(dml_vk.asarray(hard(dtype, (5000,))))
        for dtype in (float32, float64, int64, DTYPES["int32"]):
            for sizes, dim in (((20_000,), 0), ((2, 5000), 1), ((5000, 40), 0), ((200, 3), 0)):
                dml_vk.cumulative_sum(dml_vk.asarray(hard(dtype, sizes)), axis=dim, dtype=dtype)
    for dtype in (float32, float64, int64, DTYPES["int32"]):
        for sizes in ((7, 5000), (300, 8), (3, 9)):
            x = dml_vk.asarray(hard(dtype, sizes))
            for dim in (0, 1):
                dml_vk.cumulative_sum(x, axis=dim, dtype=dtype)
                dml_vk.cumulative_prod(x[:, ::2], axis=dim, dtype=dtype)
        # The pass that finds totals reads one by one, where the one that writes does so by quads.
        dml_vk.cumulative_sum(dml_vk.asarray(hard(dtype, (20_000,)))[::2], dtype=dtype)


def products():
    for dtype in (float32, DTYPES["int32"], float64, int64):
        for m, k, n in ((9, 70, 5), (16, 128, 16), (2, 4097, 3)):
            a, b = dml_vk.asarray(hard(dtype, (m, k))), dml_vk.asarray(hard(dtype, (k, n)))
            dml_vk.matmul(a, b)
            dml_vk.matmul(dml_vk.asarray(hard(dtype, (k, m))).mT, b)
    device = dml_vk.device()
    # As many invocations as the least tile of workgroups has.
    teams = {"coalesces": True, "units_wanted": 1, "max_invocations": 64}
    with profiled(device, dataclasses.replace(device.profile, **teams)):
        for dtype in (float32, DTYPES["int32"]):
            a, b = dml_vk.asarray(hard(dtype, (130, 150))), dml_vk.asarray(hard(dtype, (150, 70)))
            dml_vk.matmul(a, b)
        dml_vk.matmul(
            dml_vk.asarray(hard(float32, (3, 2100))), dml_vk.asarray(hard(float32, (2100,)))
        )
        nn.gemm(*[dml_vk.asarray(hard(float32, (64, 64)))] * 2, activation="softsign")
    for m, n in ((8, 8), (32, 32)):
        a, b = dml_vk.asarray(hard(float32, (m, 64))), dml_vk.asarray(hard(float32, (64, n)))
        with profiled(device, dataclasses.replace(device.profile, units_wanted=1)):
            nn.gemm(a, b, activation="softsign")


def convolutions():
    for inputs, outputs, width in (
        (3, 5, 30),
        (4, 8, 40),
        (1, 1, 4200),
        (4, 1, 1100),
        (2, 2, 6200),
        (4, 20, 40),
        (1, 33, 4200),
    ):
        x = dml_vk.asarray(hard(float32, (2, inputs, width + 20)))
        weight = dml_vk.asarray(hard(float32, (outputs, inputs, width)))
        nn.conv(x, weight, padding=1)
    nn.conv(x[..., :100], weight[..., :50], activation="softsign")
    for form in (dml_vk.contiguous_format, channels_last):
        x = dml_vk.asarray(hard(float32, (1, 64, 40, 40)), memory_format=form)
        weight = dml_vk.asarray(hard(float32, (64, 1, 3, 3)), memory_format=form)
        for activation in (None, "softsign"):
            nn.conv(x, weight, groups=64, padding=1, activation=activation)


def orders():
    for dtype in (float32, int64):
        x = dml_vk.asarray(hard(dtype, (3, 1001)))
        dml_vk.sort(x, axis=1)
        dml_vk.argsort(x, axis=0)
        dml_vk.searchsorted(dml_vk.sort(x[0]), x[:, ::2])


def digits():
    by_counting = dataclasses.replace(dml_vk.device().profile, sort_chunk=512)
    with pytest.MonkeyPatch.context() as patched, profiled(dml_vk.device(), by_counting):
        patched.setattr(radix, "SHORTEST", dict.fromkeys((1, 2, 4, 8), 1))
        for dtype in (DTYPES["int8"], float16, float32, int64):
            dml_vk.argsort(dml_vk.asarray(hard(dtype, (3, 1001))), axis=1)
    by_teams = dataclasses.replace(dml_vk.device().profile, coalesces=True)
    with profiled(dml_vk.device(), by_teams):
        for dtype in (DTYPES["int8"], float16, float32, int64):
            dml_vk.argsort(dml_vk.asarray(hard(dtype, (3, 5001))), axis=1)
        dml_vk.argsort(dml_vk.asarray(hard(DTYPES["int8"], (70_001,))))


def cells():
    for dtype in (DTYPES["uint8"], float16, float32, float64, dtypes.complex128):
        x = dml_vk.asarray(hard(dtype, (3001,)))
        x[dml_vk.asarray(chance().integers(0, 3001, 3000))] = x[:3000] + x[:3000]


def places():
    by_teams = dataclasses.replace(dml_vk.device().profile, coalesces=True)
    with profiled(dml_vk.device(), by_teams):
        for dtype in (DTYPES["uint8"], float64):
            for x in in_layouts(dtype):
                dml_vk.nonzero(x)
            dml_vk.nonzero(dml_vk.asarray(hard(dtype, (20_001,))))
        for dtype in (float32, float64, complex128):
            x = dml_vk.asarray(hard(dtype, (20_001,)))
            assert x[x == x].size
            at = dml_vk.asarray(chance().integers(0, 20_001, 20_001))
            x[at] = x[at]
    for dtype in (DTYPES["uint8"], float16, float32, float64):
        for x in in_layouts(dtype):
            dml_vk.nonzero(x)
            dml_vk.nonzero(x[0, 0, 0])
            at = dml_vk.asarray([2, 0, 1, 2, 0])
            dml_vk.take(x, at, axis=0)
            dml_vk.take_along_axis(x, dml_vk.zeros((*SIZES[:3], 9), dtype="int64"), axis=3)
            x[at, at] = x[0, 0]
        wide = dml_vk.asarray(hard(dtype, (64, 64)))
        wide[dml_vk.asarray([1, 5])] = wide[dml_vk.asarray([2, 2])]


def rows():
    device = dml_vk.device()
    # Lanes take rows of their own on a CPU, and workgroups do on a GPU with few of them.
    each = {"coalesces": False, "units_wanted": 32}
    few = {"coalesces": True, "units_wanted": 2**13}
    with profiled(device, dataclasses.replace(device.profile, **each)):
        rows_of_lanes()
    with profiled(device, dataclasses.replace(device.profile, **few)):
        for dtype in (float32, float16):
            x = dml_vk.asarray(hard(dtype, (7, 16, 400)))
            nn.softmax(x)
            nn.mean_variance_norm(x, axes=2)
            nn.group_norm(x, 2)
        # Columns that a workgroup holds, and longer ones and rows, which take several launches.
        for sizes, axis in (((64, 64), 0), ((2, 70_001), 1), ((2000, 8), 0), ((40_000, 4), 0)):
            x = dml_vk.asarray(hard(float32, sizes))
            nn.softmax(x, axis=axis)
            nn.mean_variance_norm(x, axes=axis)


def rows_of_lanes():
    for dtype in (float32, float16):
        for x in in_layouts(dtype):
            nn.log_softmax(x, axis=(1, 3))
            nn.mean_variance_norm(x, x, x, axes=(0, 2, 3))
        for sizes, axis in (((3, 1300, 5), 1), ((3, 9000), 1), ((9000, 8), 0)):
            x = dml_vk.asarray(hard(dtype, sizes))
            nn.softmax(x, axis=axis)
            nn.mean_variance_norm(x, axes=axis)
        for form in (dml_vk.contiguous_format, channels_last):
            x = dml_vk.asarray(hard(dtype, (8, 48, 24, 24)), memory_format=form)
            ones = dml_vk.ones(48)
            nn.batch_norm(x, *[ones] * 4)
            nn.softmax(x, axis=1)
            nn.group_norm(x, 6, ones, ones, activation="gelu")
            nn.instance_norm(x)


def windows():
    for dtype in (float32, float16, DTYPES["uint8"]):
        for x in in_layouts(dtype, (2, 8, 36, 36)):
            sums = () if dtype.kind == "u" else (dml_vk.nn.avg_pool,)
            for pool in (*sums, dml_vk.nn.max_pool):
                pool(x, 3, stride=2, padding=1)
                pool(x, (17, 3), stride=1)
                pool(x, 36)
            dml_vk.nn.max_pool(x, 9, return_indices=True)
            if sums:
                dml_vk.nn.lp_pool(x, 2, 5)
        dml_vk.nn.max_pool(dml_vk.asarray(hard(dtype, (1, 3, 2, 2500))), (1, 2000), stride=50)
        if sums:
            for x in in_layouts(dtype, (2, 8, 9, 9)):
                for mode in ("nearest", "linear", "cubic"):
                    dml_vk.nn.resample(x, size=(20, 32), mode=mode)


def regions():
    for size in (40, 90):
        x = dml_vk.asarray(hard(float32, (1, 2, size, size)))
        words = [0, 0, size // 2, size // 2, size, 0, size]
        table = dml_vk.asarray(np.array([words, words], np.uint32))
        box_maxima("it", x, table, (2, 2, 2, 1))
    words = np.zeros((2, 7), np.uint32)
    words[:, 3] = words[:, 6] = 100
    table, offsets = dml_vk.asarray(words), (0.0, 0.0)
    for largest in (False, True):
        options = {"largest": largest, "nearest": largest}
        sample_sums("it", x, table, (2, 2, 2, 1), offsets, 0.0, 100, **options)


def decompositions():
    for dtype in (float32, float64, complex64, complex128):
        x = dml_vk.asarray(chance().normal(size=(2, 40, 40)).astype(dtype.name))
        if dtype.kind == "c":
            x = x + 1j * x.mT
        linalg.cholesky(x @ dml_vk.conj(x).mT + 40 * dml_vk.eye(40, dtype=dtype))
        linalg.solve(x, x)
        linalg.det(x)
        linalg.qr(x)
        if dtype is complex128:  # in which those of all dtypes are computed
            linalg.eigvals(x)
        for n, most in ((12, 64), (40, 8)):  # rows that one team reduces
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(of_matrices, "BY_ONE_TEAM", most)
                linalg.eigh(x[:, :n, :n])
                linalg.svd(x[:, :n, :n])


def transforms():
    device = dml_vk.device()
    for dtype in (float32, float64):
        x = dml_vk.asarray(chance().normal(size=(3, 1, 402, 2)).astype(dtype.name))
        for coalesces in (False, True):
            with profiled(device, dataclasses.replace(device.profile, coalesces=coalesces)):
                transformed(x)
                dml_vk.fft.rfft(x[..., :12, 0])
    transformed(dml_vk.zeros((2, 2048, 2)))  # pairs of neighbours, which lanes keep

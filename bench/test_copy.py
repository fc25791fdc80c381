"""Copies and conversions, compared with NumPy's; both write to existing memory.

Bytes are counted as read and written. PyTorch is in the table if it is installed.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import WHO, describe, finish
from dml_vk.layout import Layout, channels_last

packed = Layout.packed

BIG, RGB, VIDEO, SOUND = (16, 64, 128, 128), (16, 3, 512, 512), (4, 32, 16, 64, 64), (16, 64, 16384)


def both(sizes, source, target):
    return packed(sizes, source), packed(sizes, target)


# group: {case: (dtype, source layout, target layout)}
CASES = {
    "copy": {
        "flat": ("float32", *both(BIG, None, None)),
        "flat, bytes, unaligned": (
            "uint8",
            Layout((2**26 - 64,), (1,), 3),
            Layout((2**26 - 64,), (1,), 1),
        ),
        "broadcast a bias": ("float32", packed((1, 64, 1, 1)).expand(BIG), packed(BIG)),
        "flip": ("float32", packed(BIG).flip(3), packed(BIG)),
        "every other column": (
            "float32",
            packed((16, 64, 128, 256)).slice(3, 0, None, 2),
            packed(BIG),
        ),
        "concatenate channels": (
            "float32",
            packed(BIG),
            packed((16, 128, 128, 128)).narrow(1, 64, 64),
        ),
        "any order": ("float32", *both(BIG, (3, 1, 0, 2), (1, 3, 2, 0))),
    },
    "convert": {
        "NCHW to NHWC": ("float32", *both(BIG, None, channels_last)),
        "NHWC to NCHW": ("float32", *both(BIG, channels_last, None)),
        "NCHW to NHWC, RGB": ("float32", *both(RGB, None, channels_last)),
        "NHWC to NCHW, RGB": ("float32", *both(RGB, channels_last, None)),
        "NCHW to NHWC, RGB bytes": ("uint8", *both(RGB, None, channels_last)),
        "NHWC to NCHW, RGB bytes": ("uint8", *both(RGB, channels_last, None)),
        "NCHW to NHWC, float16": ("float16", *both(BIG, None, channels_last)),
        "NHWC to NCHW, float16": ("float16", *both(BIG, channels_last, None)),
        "NCHW to NHWC, bytes": ("uint8", *both(BIG, None, channels_last)),
        "NHWC to NCHW, bytes": ("uint8", *both(BIG, channels_last, None)),
        "NCHW to NHWC, float64": ("float64", *both(BIG, None, channels_last)),
        "NHWC to NCHW, float64": ("float64", *both(BIG, channels_last, None)),
        "NCDHW to NDHWC": ("float32", *both(VIDEO, None, channels_last)),
        "NDHWC to NCDHW": ("float32", *both(VIDEO, channels_last, None)),
        "NCW to NWC": ("float32", *both(SOUND, None, channels_last)),
        "NWC to NCW": ("float32", *both(SOUND, channels_last, None)),
        "NCHW to nChw16c": ("float32", packed(BIG).block("nChw16c"), packed((16, 4, 128, 128, 16))),
        "nChw16c to NCHW": ("float32", packed((16, 4, 128, 128, 16)), packed(BIG).block("nChw16c")),
    },
}
ROWS = [
    (group, case, who)
    for group, cases in CASES.items()
    for case, (_, source, _) in cases.items()
    for who in WHO
    if who != "torch" or min(source.strides) >= 0  # which torch does not have
]


def over(memory, layout):
    return np.lib.stride_tricks.as_strided(
        memory[layout.offset :], layout.sizes, [s * memory.itemsize for s in layout.strides]
    )


def reached(layout):
    return (
        1 + layout.offset + sum(max(0, s) * (n - 1) for n, s in zip(layout.sizes, layout.strides))
    )


@pytest.mark.parametrize(("group", "case", "who"), ROWS)
def test_copy(benchmark, group, case, who):
    dtype, source, target = CASES[group][case]
    count = reached(source)
    memory = np.random.default_rng(1).integers(1, 127, count, np.uint8).astype(dtype)
    out = np.zeros(reached(target), dtype)
    expected = over(memory, source)
    nbytes = (min(count, source.numel) + target.numel) * out.itemsize
    describe(benchmark, group, case, who, nbytes)
    if who == "numpy":
        result = over(out, target)
        benchmark(np.copyto, result, expected)
    elif who == "torch":
        import torch

        a, b = (torch.from_numpy(m) for m in (memory, out))
        x = torch.as_strided(a, source.sizes, source.strides, source.offset)
        y = torch.as_strided(b, target.sizes, target.strides, target.offset)
        benchmark(y.copy_, x)
        result = over(out, target)
    else:
        x = dml_vk.asarray(memory).over(source)
        y = dml_vk.asarray(out)
        z = y.over(target)

        def call():
            dml_vk.copy(x, z)
            dml_vk.synchronize()

        benchmark(call)
        result = over(y.numpy(), target)
    finish(benchmark, nbytes)
    assert np.array_equal(result, expected)

"""Softmax, norms and resampling beside a copy of as many bytes; PyTorch if it is installed.

Bytes are counted as read once and written. NumPy computes the same in several steps, and has no
resampling.
"""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from bench.cases import FORMATS, OTHERS, describe, finish
from dml_vk import nn

IMAGES, SMALL = (8, 64, 56, 56), (1, 64, 56, 56)
# case: (sizes, ours, PyTorch's, NumPy's)
ROWS = {
    "softmax": (
        (512, 1000),
        lambda x, w, out: nn.softmax(x, out=out),
        lambda f, x, w: f.softmax(x, -1),
        lambda x: exp_of(x) / exp_of(x).sum(-1, keepdims=True),
    ),
    "layer norm": (
        (512, 768),
        lambda x, w, out: nn.layer_norm(x, 768, w, w, out=out),
        lambda f, x, w: f.layer_norm(x, (768,), w, w),
        lambda x: normal_of(x, -1),
    ),
}
OF_IMAGES = {
    "batch norm": (
        IMAGES,
        lambda x, w, out: nn.batch_norm(x, w, w, w, w, out=out),
        lambda f, x, w: f.batch_norm(x, w, w, w, w),
        lambda x: (x - 1) * np.float32((1 + 1e-5) ** -0.5) + 1,
    ),
    "group norm": (
        IMAGES,
        lambda x, w, out: nn.group_norm(x, 8, w, w, out=out),
        lambda f, x, w: f.group_norm(x, 8, w, w),
        lambda x: normal_of(x.reshape(8, 8, -1), -1).reshape(x.shape),
    ),
    "instance norm": (
        IMAGES,
        lambda x, w, out: nn.instance_norm(x, w, w, out=out),
        lambda f, x, w: f.instance_norm(x, weight=w, bias=w),
        lambda x: normal_of(x, (2, 3)),
    ),
    **{
        f"resample, {mode}": (
            SMALL,
            lambda x, w, out, mode=mode: nn.resample(x, scale=2, mode=mode, out=out),
            lambda f, x, w, torch_mode=torch_mode: f.interpolate(
                x, scale_factor=2, mode=torch_mode
            ),
            None,
        )
        for mode, torch_mode in (
            ("nearest", "nearest"),
            ("linear", "bilinear"),
            ("cubic", "bicubic"),
        )
    },
}


def exp_of(x):
    return np.exp(x - x.max(-1, keepdims=True))


def normal_of(x, axes):
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + np.float32(1e-5)) + 1


def measure(benchmark, group, case, who, sizes, functions, form):
    ours, theirs, numpys = functions
    array = np.random.default_rng(1).standard_normal(sizes, np.float32)
    weight = np.ones(768 if len(sizes) == 2 else 64, np.float32)
    if sizes[-1] == 1000:
        weight = np.ones(1000, np.float32)
    x, w = dml_vk.asarray(array, memory_format=form), dml_vk.asarray(weight)
    expected = ours(x, w, None)
    nbytes = x.nbytes + expected.nbytes
    describe(benchmark, group, case, who, nbytes)
    result = dml_vk.empty_like(expected)
    if who == "torch":
        import torch

        image = torch.from_numpy(array)
        if form is dml_vk.channels_last:
            image = image.contiguous(memory_format=torch.channels_last)
        given = torch.from_numpy(weight)
        result = benchmark(theirs, torch.nn.functional, image, given)
    elif who == "numpy":
        result = benchmark(numpys, array)
    elif who == "copy":
        source, result = [dml_vk.zeros(nbytes // 8) for _ in range(2)]

        def call():
            dml_vk.copy(source, result)
            dml_vk.synchronize()

        benchmark(call)
        expected = result
    else:

        def call():
            ours(x, w, result)
            dml_vk.synchronize()

        benchmark(call)
    finish(benchmark, nbytes)
    found = result if who == "numpy" else result.numpy()
    assert np.allclose(found, expected.numpy(), rtol=1e-4, atol=1e-4)


WHO = ("dml_vk", "copy", "numpy", *OTHERS)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("case", ROWS)
def test_rows(benchmark, case, who):
    sizes, *functions = ROWS[case]
    measure(benchmark, "rows", case, who, sizes, functions, dml_vk.contiguous_format)


@pytest.mark.parametrize(
    ("case", "who"),
    [(case, who) for case in OF_IMAGES for who in WHO if who != "numpy" or OF_IMAGES[case][3]],
)
@pytest.mark.parametrize("order", FORMATS)
def test_images(benchmark, case, order, who):
    sizes, *functions = OF_IMAGES[case]
    measure(benchmark, "images", f"{case}, {order}", who, sizes, functions, FORMATS[order])

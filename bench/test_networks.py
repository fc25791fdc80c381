"""Layers of networks and a whole one, in both memory formats.

Beside dml_vk: the product of the same size, and where they are installed PyTorch and ONNX Runtime
on the CPU, and ncnn on the same Vulkan device. The last two have one format of their own; ncnn's
time includes upload and download. Each library builds networks in its own way, so that they are not
in the table of cases.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
import pytest

import dml_vk
from bench.cases import FORMATS, describe
from bench.networks import BY, Node, conv, random, resnet18

# case: (nodes, sizes of the input)
CASES = {
    "3x3, 64 of 56": ([conv(0, (64, 64, 3, 3), 1, 1)], (1, 64, 56, 56)),
    "3x3, 128 of 28": ([conv(0, (128, 128, 3, 3), 1, 1)], (1, 128, 28, 28)),
    "3x3, 64 of 56, relu": ([conv(0, (64, 64, 3, 3), 1, 1, relu=True)], (1, 64, 56, 56)),
    "1x1, 256 to 64 of 56": ([conv(0, (64, 256, 1, 1))], (1, 256, 56, 56)),
    "7x7 by 2, 3 to 64 of 224": ([conv(0, (64, 3, 7, 7), 2, 3)], (1, 3, 224, 224)),
    "depthwise, 144 of 56": ([conv(0, (144, 1, 3, 3), 1, 1, 144)], (1, 144, 56, 56)),
    "max pool 3x3 by 2": ([Node("max_pool", (0,), None, 3, 2, 1)], (1, 64, 112, 112)),
    "ResNet-18": (resnet18(), (1, 3, 224, 224)),
}


def flops(nodes, sizes):
    """Products and sums, and the sizes of the product that a single convolution is."""
    shapes, total, product = [sizes], 0, None
    for node in nodes:
        n, channels, *sides = shapes[node.inputs[0]]
        if node.operation in ("mean", "linear"):
            shapes.append((n, channels if node.weight is None else node.weight.shape[0]))
        elif node.operation == "add":
            shapes.append(shapes[node.inputs[0]])
        else:
            sides = [(s + 2 * node.padding - node.window) // node.stride + 1 for s in sides]
            outputs = channels if node.weight is None else node.weight.shape[0]
            shapes.append((n, outputs, *sides))
        if node.weight is not None:
            depth = node.weight[0].size
            total += 2 * int(np.prod(shapes[-1])) * depth
            product = node.weight.shape[0], depth, int(np.prod(shapes[-1][2:]))
    return total, product if len(nodes) == 1 and nodes[0].groups == 1 else None


def processor_seconds(call):
    """The median time on all cores, which other processes on a busy machine change less."""
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


@pytest.mark.parametrize(
    ("case", "order", "who"),
    [
        (case, order, who)
        for case in CASES
        for order in FORMATS
        for who in (*BY, "product")
        if who in ("dml_vk", "torch") or order == "NCHW"
        if who != "product" or flops(*CASES[case])[1]
    ],
)
def test_layers(benchmark, case, order, who):
    nodes, sizes = CASES[case]
    total, product = flops(nodes, sizes)
    describe(benchmark, "networks", f"{case}, {order}", who)
    if who == "product":
        m, k, n = product
        a, b, out = dml_vk.asarray(random(m, k)), dml_vk.asarray(random(k, n)), dml_vk.empty((m, n))

        def call():
            dml_vk.matmul(a, b, out=out)
            dml_vk.synchronize()
            return out

        expected = a.numpy() @ b.numpy()
    else:
        array = random(*sizes) * sizes[1]
        call = BY[who](nodes, array, order)
        expected = BY["dml_vk"](nodes, array, "NCHW")().numpy()
    call()
    found = np.asarray(benchmark(call))
    if benchmark.stats:
        benchmark.extra_info["processor ms"] = round(1e3 * processor_seconds(call), 2)
        if total:
            benchmark.extra_info["GFLOP/s"] = round(total / benchmark.stats.stats.median / 1e9, 2)
    if who == "dml_vk":
        assert np.array_equal(found, expected)
    scale = np.abs(expected).max()
    assert np.abs(found.reshape(expected.shape) - expected).max() <= 1e-3 * scale

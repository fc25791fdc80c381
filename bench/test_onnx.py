"""ONNX models with seeded weights: dml_vk in each layout, ONNX Runtime on the CPU, ncnn's Vulkan.

`start` is loading and the first run, for which the driver compiles kernels; `host` is what the
calling thread computes for a run: it waits where much work is pending already. ncnn takes pictures
one by one, and copies each to and fro.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

import dml_vk
from bench.cases import describe
from bench.networks import BY, mobilenet_v2, onnx_model, random, resnet18
from dml_vk.onnx import load

NETWORKS = {"ResNet-18": resnet18, "MobileNet v2": mobilenet_v2}
LAYOUTS = ("auto", "nchw", "nhwc")
OTHERS = [who for who in ("onnxruntime", "ncnn") if who in BY]
SIZES = (3, 224, 224)


@pytest.mark.parametrize("who", ["auto, start", *LAYOUTS, *OTHERS])
@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("network", NETWORKS)
def test_model(benchmark, network, batch, who):
    nodes = NETWORKS[network]()
    array = random(batch, *SIZES) * SIZES[0]
    describe(benchmark, "ONNX models", f"{network}, batch {batch}", who)
    if who in OTHERS:
        call = BY[who](nodes, array, None)
        found = benchmark.pedantic(call, rounds=7, warmup_rounds=2)
        expected = BY["dml_vk"](nodes, array, "NCHW")().numpy()
        assert np.abs(found - expected).max() <= 1e-3 * np.abs(expected).max()
        return
    proto = onnx_model(nodes, array.shape)
    layout, _, what = who.partition(", ")
    x = dml_vk.asarray(array)

    def start():
        y = load(proto, layout=layout)(x)
        dml_vk.synchronize()
        return y

    if what == "start":
        found = benchmark.pedantic(start, rounds=1)
    else:
        model = load(proto, layout=layout)

        def call():
            y = model(x)
            dml_vk.synchronize()
            return y

        call()
        found = benchmark.pedantic(call, rounds=7)
    (y,) = found.values()
    benchmark.extra_info["bytes in use"] = dml_vk.memory_stats().in_use
    assert y.shape == (batch, 1000)


@pytest.mark.benchmark(timer=time.thread_time)
@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("network", NETWORKS)
def test_host(benchmark, network, batch):
    array = random(batch, *SIZES) * SIZES[0]
    describe(benchmark, "ONNX models", f"{network}, batch {batch}", "auto, host")
    model, x = load(onnx_model(NETWORKS[network](), array.shape)), dml_vk.asarray(array)
    model(x)
    found = benchmark.pedantic(model, (x,), setup=dml_vk.synchronize, rounds=20)
    assert next(iter(found.values())).shape == (batch, 1000)

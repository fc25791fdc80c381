"""CPU time of steps of training beside forward passes, both compiled.

`python -m bench.training 4 64` takes ResNet-18 for 4 images of 64 x 64, and an MLP with AdamW. The
CPU time of a process depends less on what else a machine does than the time that passes.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import dml_vk
from bench.networks import random
from dml_vk import nn, optim

WIDTHS = (64, 128, 256, 512)


def resnet18():
    """The weights of convolutions by name, each with the weight and the bias of its norm."""
    sizes, inputs = {"stem": (64, 3, 7, 7)}, 64
    for outputs in WIDTHS:
        for block in range(2):
            sizes[f"{outputs} {block} first"] = outputs, inputs, 3, 3
            sizes[f"{outputs} {block} second"] = outputs, outputs, 3, 3
            if inputs != outputs:
                sizes[f"{outputs} {block} short"] = outputs, inputs, 1, 1
            inputs = outputs
    layers = {
        name: (dml_vk.asarray(random(*size)), dml_vk.ones(size[0]), dml_vk.zeros(size[0]))
        for name, size in sizes.items()
    }
    return {**layers, "head": (dml_vk.asarray(random(1000, 512)), dml_vk.zeros(1000))}


def normed(layer, x, stride, activation=None):
    weight, *affine = layer
    y = nn.conv(x, weight, stride=stride, padding=weight.shape[2] // 2)
    return nn.batch_norm_train(y, *affine, activation=activation)[0]


def classified(params, x):
    x = nn.max_pool(normed(params["stem"], x, 2, "relu"), 3, stride=2, padding=1)
    for outputs in WIDTHS:
        for block in range(2):
            name, stride = f"{outputs} {block}", 2 if block == 0 and outputs > 64 else 1
            y = normed(params[f"{name} first"], x, stride, "relu")
            y = normed(params[f"{name} second"], y, 1)
            short = params.get(f"{name} short")
            x = dml_vk.relu(y + (x if short is None else normed(short, x, stride)))
    return nn.linear(dml_vk.mean(x, axis=(2, 3)), *params["head"])


def perceived(params, x):
    (first, second) = params
    return nn.linear(nn.linear(x, *first, activation="relu"), *second)


def measured(name, network, params, x, classes):
    def loss(params, x, classes):
        return nn.cross_entropy(network(params, x), classes)

    def step(params, state, x, classes):
        value, grads = dml_vk.value_and_grad(loss)(params, x, classes)
        return value, *opt.update(params, grads, state)

    opt = optim.AdamW()
    forward, both = dml_vk.compile(loss), dml_vk.compile(dml_vk.value_and_grad(loss))
    train = dml_vk.compile(step, donate=(0, 1))
    calls = {
        "forward": lambda: forward(params, x, classes),
        "value and gradient": lambda: both(params, x, classes),
    }
    times = {way: [] for way in (*calls, "step of AdamW")}
    for _ in range(6):
        for way, call in calls.items():
            times[way].append(cpu_time(call))
    state = opt.init(params)

    def trained():
        nonlocal params, state
        _, params, state = train(params, state, x, classes)

    times["step of AdamW"] = [cpu_time(trained) for _ in range(6)]
    least = {way: min(own[1:]) for way, own in times.items()}
    for way, own in least.items():
        print(f"{name}, {way}: {own:.1f} ms, {own / least['forward']:.2f} times the forward pass")


def cpu_time(call):
    began = time.process_time()
    call()
    dml_vk.synchronize()
    return 1e3 * (time.process_time() - began)


def main(images, size):
    rng = np.random.default_rng(0)

    def classes(count, most):
        return dml_vk.asarray(rng.integers(0, most, count).astype(np.int32))

    layers = [(random(512, 256), np.zeros(512)), (random(10, 512), np.zeros(10))]
    mlp = [tuple([dml_vk.asarray(x.astype(np.float32)) for x in layer]) for layer in layers]
    measured("MLP", perceived, mlp, dml_vk.asarray(random(256, 256)), classes(256, 10))
    x = dml_vk.asarray(random(images, 3, size, size))
    measured("ResNet-18", classified, resnet18(), x, classes(images, 1000))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

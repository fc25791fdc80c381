"""A small residual network with attention: in either format nothing is copied, and bits agree."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.layout import channels_last, contiguous_format


def weights(*sizes, dtype="float32"):
    numbers = np.sin(1.3 * np.arange(np.prod(sizes))).reshape(sizes) / np.sqrt(np.prod(sizes[1:]))
    return dml_vk.asarray(numbers.astype(dtype))


class Network:
    def __init__(self, dtype):
        def normed(channels):
            return [weights(channels, dtype=dtype) * 0.1 + one for one in (0.0, 1.0, 1.0, 0.0)]

        self.first = weights(8, 3, 3, 3, dtype=dtype), normed(8)
        self.block = [(weights(8, 8, 3, 3, dtype=dtype), normed(8)) for _ in range(2)]
        self.heads = weights(24, 8, 1, 1, dtype=dtype)
        self.last = weights(5, 8, dtype=dtype), weights(5, dtype=dtype)

    def images(self, x):
        """Every step that keeps images, with its name."""
        kernel, norm = self.first
        y = nn.conv(x, kernel, padding="same", stride=2)
        yield "conv", y
        y = nn.batch_norm(y, *norm, activation="relu")
        yield "batch_norm", y
        shortcut = y
        for kernel, norm in self.block:
            y = nn.batch_norm(nn.conv(y, kernel, padding=1), *norm)
        y = dml_vk.relu(y + shortcut)
        yield "residual", y
        y = nn.local_response_norm(y, 3)
        yield "local_response_norm", y
        y = y + self.attended(y)
        yield "attention", y
        y = nn.max_pool(y, 3, stride=2, padding=1)
        yield "max_pool", y
        yield "group_norm", nn.group_norm(y, 2)
        yield "global_avg_pool", nn.global_avg_pool(y)

    def attended(self, x):
        """Pixels attend to each other in two heads; all that turns them is views."""
        batch, channels, height, width = x.shape
        heads = nn.conv(x, self.heads).to(channels_last).permute(0, 2, 3, 1)
        heads = heads.view(batch, height * width, 3, 2, channels // 2)
        q, k, v = [heads[:, :, part].transpose(1, 2) for part in range(3)]
        found = nn.scaled_dot_product_attention(q, k, v).transpose(1, 2)
        return found.view(batch, height, width, channels).permute(0, 3, 1, 2)

    def __call__(self, x):
        steps = dict(self.images(x))
        rows = steps["global_avg_pool"].flatten(1)
        return steps, nn.softmax(nn.linear(rows, *self.last))


@pytest.mark.parametrize("dtype", ["float32", pytest.param("float16", marks=pytest.mark.product)])
def test_a_network_copies_nothing_and_has_the_same_bits_in_either_format(dtype):
    network = Network(dtype)
    array = np.cos(np.arange(2 * 3 * 12 * 10)).reshape(2, 3, 12, 10).astype(dtype)
    answers = []
    for memory_format in (contiguous_format, channels_last):
        x = dml_vk.asarray(array, memory_format=memory_format)
        with dml_vk.trace() as log:
            steps, answer = network(x)
        # Turning row-major pixels to rows of tokens is the one copy, and it is asked for.
        asked = [entry for entry in log.entries if entry.op in ("to", "contiguous")]
        assert len(asked) == len(log.entries) == (memory_format is contiguous_format)
        # What attention gives is channels_last, and that takes precedence in the sum.
        before = list(steps)[: list(steps).index("attention")]
        assert {steps[name].memory_format for name in before} == {memory_format}
        assert {steps[name].memory_format for name in steps if name not in before} == {
            channels_last
        }
        assert {one.dtype.name for one in steps.values()} == {dtype}
        answers.append(answer.numpy())
    assert np.array_equal(*answers)
    assert np.allclose(answers[0].sum(1), 1, atol=1e-3)
    assert answers[0].std() > 1e-3


@pytest.mark.parametrize("memory_format", [contiguous_format, channels_last])
def test_a_strict_trace_of_a_residual_block_stays_empty(memory_format):
    network = Network("float32")
    x = dml_vk.ones((2, 3, 12, 10), memory_format=memory_format)
    with dml_vk.trace(strict=True) as log:
        kernel, norm = network.first
        y = nn.batch_norm(nn.conv(x, kernel, padding=1), *norm, activation="relu")
        for kernel, norm in network.block:
            y = y + nn.batch_norm(nn.conv(y, kernel, padding=1), *norm, activation="relu")
        y = nn.local_response_norm(nn.max_pool(y, 2), 5)
        y = nn.scaled_dot_product_attention(y, y, y, is_causal=True)
        answer = nn.softmax(nn.linear(nn.global_avg_pool(y).flatten(1), *network.last))
    assert log.entries == []
    assert y.memory_format is memory_format
    assert answer.shape == (2, 5)

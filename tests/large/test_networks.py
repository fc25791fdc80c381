"""Functions for networks on many elements, of which all results are known."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from tests.large.test_orders import shuffled

SIDE = 2**12
N = SIDE * SIDE


def test_the_largest_of_many_elements():
    numbers = shuffled(N)
    values, indices = dml_vk.top_k(dml_vk.asarray(numbers.astype(np.float32)), 3)
    assert values.tolist() == [N - 1, N - 2, N - 3]
    assert numbers[indices.numpy()].tolist() == [N - 1, N - 2, N - 3]


@pytest.mark.parametrize("memory_format", [dml_vk.contiguous_format, dml_vk.channels_last])
def test_windows_over_many_elements(memory_format):
    sizes = (1, 2, SIDE, SIDE // 2)
    x = dml_vk.ones(sizes, memory_format=memory_format)
    x[0, 1, -1, -1] = 5.0
    largest = nn.max_pool(x, 2)
    assert float(dml_vk.sum(largest)) == largest.size + 4
    assert float(largest[0, 1, -1, -1]) == 5
    means = nn.avg_pool(x, (2, 1))
    assert float(dml_vk.sum(means)) == means.size + 2
    weight = dml_vk.ones((1, 2, 3, 3))
    sums = nn.conv(x, weight, padding=1)
    assert sums.memory_format is memory_format
    inner, edges, corners = (SIDE - 2) * (SIDE // 2 - 2), 2 * (SIDE + SIDE // 2 - 4), 4
    counted = dml_vk.sum(sums.to(dml_vk.int32), dtype=dml_vk.int64)
    assert int(counted) == 18 * inner + 12 * edges + 8 * corners + 4 * 4
    assert sums[0, 0, -2:, -2:].tolist() == [[22, 16], [16, 12]]


def test_rows_of_many_elements():
    x = dml_vk.ones((2, N))
    assert float(dml_vk.max(dml_vk.abs(nn.softmax(x) - 1 / N))) == 0
    assert nn.logsumexp(x * 0).tolist() == pytest.approx([np.log(N)] * 2, rel=1e-6)
    ramp = dml_vk.asarray(np.tile(np.float32([3, 5]), N // 2).reshape(1, N))
    normed = nn.layer_norm(ramp, N, eps=0)
    assert normed[0, :4].tolist() == [-1, 1, -1, 1]
    assert float(dml_vk.sum(dml_vk.abs(normed))) == N


def test_attention_to_many_keys():
    """The last key of 16 million, of which the others have no weight; and all alike."""
    q, k = dml_vk.ones((3, 2)), dml_vk.zeros((N, 2))
    v = dml_vk.asarray(np.tile(np.float32([1, 3]), N // 2).reshape(N, 1))
    assert nn.scaled_dot_product_attention(q, k, v).tolist() == [[2]] * 3
    k[-1] = 200.0
    assert nn.scaled_dot_product_attention(q, k, v).tolist() == [[3]] * 3
    found = nn.scaled_dot_product_attention(q, k, v, is_causal=True).numpy()
    assert np.allclose(found[:, 0], [1, 2, 5 / 3], rtol=1e-6)


def test_integer_convolution_of_many_channels_and_pixels():
    x, weight = dml_vk.full((1, 2**20, 3), 2, "uint8"), dml_vk.full((2, 2**20, 3), -3, "int8")
    assert nn.conv_integer(x, weight, 1, 0, padding=1).tolist() == [
        [[-6 * 2**20, -9 * 2**20, -6 * 2**20]] * 2
    ]
    x = dml_vk.ones((1, 1, SIDE, SIDE), "uint8", memory_format=dml_vk.channels_last)
    sums = nn.conv_integer(x, dml_vk.ones((1, 1, 2, 2), "int8"))
    assert int(dml_vk.sum(sums)) == 4 * (SIDE - 1) ** 2


def test_norms_of_many_elements():
    x = dml_vk.ones((2, N))
    assert float(dml_vk.max(dml_vk.abs(nn.normalize(x, p=3) * N ** (1 / 3) - 1))) < 1e-5
    hot = nn.hardmax(dml_vk.asarray(shuffled(2 * N).astype(np.float32).reshape(2, N)), axis=(0, 1))
    assert float(dml_vk.sum(hot)) == 1
    found = nn.local_response_norm(dml_vk.ones((1, N, 2)), 3, alpha=1.0, beta=1.0, k=0.0)
    assert float(dml_vk.max(found[:, 1:-1])) == float(dml_vk.min(found[:, 1:-1])) == 1
    assert found[0, [0, -1], 0].tolist() == [1.5, 1.5]


def test_many_rows():
    x = dml_vk.asarray(np.tile(np.float32([[0, 0], [7, 7]]), (N // 8, 1)))
    assert float(dml_vk.sum(nn.softmax(x))) == len(x)
    classes = dml_vk.zeros(len(x), "int32")
    assert float(nn.cross_entropy(x, classes)) == pytest.approx(np.log(2), rel=1e-6)
    assert nn.embedding(classes, dml_vk.asarray([[4.0]])).shape == (len(x), 1)

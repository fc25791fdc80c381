"""NumPy's arrays beside a tensor are uploaded, as they are by all other functions."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from tests.chance import chance


def some(*sizes):
    return chance().normal(size=sizes).astype(np.float32)


def classes(*sizes):
    return chance().integers(0, 3, sizes)


def bytes_of(*sizes):
    return chance().integers(-9, 9, sizes).astype(np.int8)


CALLS = {
    "linear": (nn.linear, some(2, 3), some(4, 3), some(4)),
    "gemm": (nn.gemm, some(2, 3), some(3, 4), some(4)),
    "conv": (nn.conv, some(1, 2, 5, 5), some(3, 2, 3, 3), some(3)),
    "conv_transpose": (nn.conv_transpose, some(1, 2, 5, 5), some(2, 3, 3, 3), some(3)),
    "conv_integer": (nn.conv_integer, bytes_of(1, 2, 5), bytes_of(3, 2, 3)),
    "matmul_integer": (nn.matmul_integer, bytes_of(2, 3), bytes_of(3, 4)),
    "attention": (nn.scaled_dot_product_attention, some(2, 3, 4), some(2, 5, 4), some(2, 5, 4)),
    "embedding": (nn.embedding, classes(4), some(3, 2)),
    "cross_entropy": (nn.cross_entropy, some(4, 3), classes(4)),
    "nll_loss": (nn.nll_loss, some(4, 3), classes(4)),
    "batch_norm": (nn.batch_norm, some(2, 3, 4), some(3), some(3) ** 2 + 1),
    "group_norm": (lambda x, weight: nn.group_norm(x, 1, weight), some(2, 3, 4), some(3)),
    "layer_norm": (lambda x, weight: nn.layer_norm(x, 4, weight), some(2, 4), some(4)),
    "dequantize": (nn.dequantize, bytes_of(2, 3), some(3) ** 2 + 1, bytes_of(3)),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_tensors(name):
    function, *arrays = CALLS[name]
    tensors = [dml_vk.asarray(one) for one in arrays]
    expected = function(*tensors).numpy().tobytes()
    for k in range(len(arrays) if name == "embedding" else 1):
        mixed = [one if at == k else other for at, (one, other) in enumerate(zip(tensors, arrays))]
        assert function(*mixed).numpy().tobytes() == expected

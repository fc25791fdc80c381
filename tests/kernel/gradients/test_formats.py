"""Gradients have the same bits in both memory formats, and compiled."""

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from tests import tier


def drawn(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def block(x, first, second, bias, scale, shift):
    """Layers whose gradients meet: a small residual network."""
    y = nn.conv(x, first, bias, padding=1, activation="relu")
    y, _, _ = nn.batch_norm_train(y, scale, shift)
    y = nn.max_pool(y + nn.group_norm(y, 2, scale, shift), 3, stride=2, padding=1)
    y = nn.conv(y, second, groups=2, stride=2, padding=1, activation="gelu")
    y = nn.conv_transpose(y, second, groups=2, stride=2, padding=1)
    y = nn.avg_pool(y, 2) * nn.adaptive_avg_pool(y, 3)
    y = nn.resample(y, size=(5, 7), mode="linear") * nn.resample(y, size=(5, 7))
    y = nn.local_response_norm(nn.instance_norm(y), 3)
    y = nn.softmax(y, axis=1) + nn.adaptive_max_pool(y, 3)[:, :, :1, :1]
    return dml_vk.sum(nn.lp_pool(y, 2, 2) * y[:, :, :2, :3])


SHAPES = ((2, 3, 16, 16), (4, 3, 3, 3), (4, 2, 3, 3), (4,), (4,), (4,))


@pytest.fixture(scope="module")
def reference():
    operands = [dml_vk.asarray(drawn(*shape, seed=k)) for k, shape in enumerate(SHAPES)]
    return operands, dml_vk.grad(block, tuple(range(6)))(*operands)


def assert_same_bits(gradients, expected):
    for gradient, other in zip(gradients, expected):
        assert gradient.numpy().tobytes() == other.numpy().tobytes()


def test_formats_have_the_same_bits(reference):
    operands, expected = reference
    turned = [
        x.contiguous(memory_format=dml_vk.channels_last) if x.ndim == 4 else x for x in operands
    ]
    gradients = dml_vk.grad(block, tuple(range(6)))(*turned)
    assert_same_bits(gradients, expected)
    for gradient, x in zip(gradients, turned):
        assert gradient.strides == x.strides


@pytest.mark.parametrize("layout", tier.plus(["nhwc"], [None]))
def test_compiled_gradients_have_the_same_bits(reference, layout):
    operands, expected = reference
    options = {} if layout is None else {"layout": layout}
    program = dml_vk.compile(dml_vk.grad(block, tuple(range(6))), **options)
    assert_same_bits(program(*operands), expected)


def test_checkpoints_have_the_same_bits(reference):
    operands, expected = reference
    gradients = dml_vk.grad(dml_vk.checkpoint(block), tuple(range(6)))(*operands)
    assert_same_bits(gradients, expected)


def heads(tokens, weight, q, k, v, mask):
    x = nn.embedding(tokens, weight)
    q, k, v = [nn.linear(x, each) for each in (q, k, v)]
    y = nn.scaled_dot_product_attention(q, k, v, is_causal=True)
    y = y + nn.scaled_dot_product_attention(q, k, v, mask=mask)
    scores = nn.linear(nn.rms_norm(nn.layer_norm(y, 8), 8), weight)
    return nn.cross_entropy(scores.reshape(-1, 11), tokens.reshape(-1))


def test_a_compiled_transformer_has_the_same_bits():
    tokens = dml_vk.asarray(np.random.default_rng(0).integers(0, 11, (2, 6)))
    shapes = ((11, 8), (8, 8), (8, 8), (8, 8), (6, 6))
    operands = [dml_vk.asarray(drawn(*shape, seed=k)) for k, shape in enumerate(shapes)]
    gradient = dml_vk.grad(heads, tuple(range(1, 6)))
    assert_same_bits(dml_vk.compile(gradient)(tokens, *operands), gradient(tokens, *operands))

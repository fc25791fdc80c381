"""Attention: the bits of the reference from any layouts, whatever the batch and the blocks."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.errors import DeviceMemoryError, DmlVkError
from dml_vk.testing.attention import attention
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.matrices import assert_bits, operand
from tests.kernel.nn.test_products import check_written

attend = nn.scaled_dot_product_attention
SIZES = st.sampled_from([1, 2, 5])
INF, NAN = np.inf, np.nan


def numbers(*sizes, dtype="float32"):
    return chance().standard_normal(sizes).astype(dtype)


def tensors(*arrays):
    return [dml_vk.asarray(array) for array in arrays]


@tier.examples(15, deadline=None, derandomize=True)
@given(st.data())
def test_any_layouts_to_any_layout(data):
    """Batches broadcast; sizes are 0 and 1 too; float16 with float32; masks of both kinds."""
    batch = data.draw(st.lists(SIZES, max_size=2))
    queries, keys = data.draw(st.sampled_from([0, 1, 5])), data.draw(st.sampled_from([0, 1, 19]))
    depth, width = data.draw(st.sampled_from([0, 1, 6])), data.draw(SIZES)

    def drawn(*last):
        own = [data.draw(st.sampled_from([1, size])) for size in batch]
        sizes = (*own[data.draw(st.integers(0, len(own))) :], *last)
        dtype = data.draw(st.sampled_from([float32, float32, float16]))
        return operand(data.draw(layouts(sizes=sizes)), dtype)

    (q, seen_q), (k, seen_k), (v, seen_v) = (
        drawn(queries, depth),
        drawn(keys, depth),
        drawn(keys, width),
    )
    kind, mask, seen = data.draw(st.sampled_from(["none", "causal", "bool", "float"])), None, None
    options = {"scale": data.draw(st.sampled_from([None, 0.3, 1, -2.0]))}
    if kind in ("bool", "float"):
        shape = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
        mask, seen = operand(data.draw(layouts(sizes=(*shape[-1:], queries, keys))), float32)
        if kind == "bool":
            mask, seen = mask > 0, seen > 0
    expected = attention(
        *(seen_q, seen_k, seen_v, np.tri(queries, keys, dtype=bool) if kind == "causal" else seen),
        options["scale"],
    )
    given = {**options, "mask": mask, "is_causal": kind == "causal"}
    to, dtype = data.draw(targets(sizes=expected.shape)), getattr(dml_vk, expected.dtype.name)
    check_written(lambda out: attend(q, k, v, **given, out=out), to, dtype, expected)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_heads_are_not_copied_and_stay_where_they_are(dtype):
    """Heads (B, L, H, E) are turned by views, and turned back the result is row-major."""
    arrays = [numbers(2, length, 3, 8, dtype=dtype) for length in (5, 40, 40)]
    expected = attention(*[array.transpose(0, 2, 1, 3) for array in arrays])
    q, k, v = [x.transpose(1, 2) for x in tensors(*arrays)]
    with dml_vk.trace(strict=True):
        found = attend(q, k, v)
    assert found.layout.order == (0, 2, 1, 3)
    assert found.transpose(1, 2).is_contiguous()
    assert_bits(found.numpy(), expected, "heads")
    apart = [attend(q[i : i + 1], k[i : i + 1], v[i : i + 1]).numpy() for i in range(2)]
    assert_bits(np.concatenate(apart), expected, "batches of one")


@pytest.mark.parametrize("causal", [False, True])
def test_blocks_of_queries_and_rows_of_70000_keys(causal):
    """More scores than one block has; each query alone gives the same bits."""
    keys = 70_000
    q, k, v = tensors(numbers(2, 40, 3), numbers(2, keys, 3), numbers(keys, 2))
    found = attend(q, k, v, is_causal=causal).numpy()
    for at in ((0, 0), (0, 39), (1, 20)):
        batch, row = at
        mask = dml_vk.asarray(np.arange(keys) <= row) if causal else None
        alone = attend(
            q[batch, row : row + 1], k[batch], v, mask=None if mask is None else mask[None]
        )
        assert_bits(found[at], alone.numpy()[0], at)
    if not causal:
        scores = (q.numpy()[0].astype(np.float64) / np.sqrt(3)) @ k.numpy()[0].T
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        told = weights / weights.sum(-1, keepdims=True) @ v.numpy()
        assert np.allclose(found[0], told, rtol=2e-5, atol=2e-6)


def test_memory_is_that_of_a_block():
    """Of 64 MiB of scores, one block is held at once, and what rows take beside it."""
    q, k, v = tensors(numbers(4, 1024, 2), numbers(4, 4096, 2), numbers(4, 4096, 1))
    device = q.device
    gc.collect()  # what earlier tests left is not to go meanwhile
    device.synchronize()
    device.release_cached()
    stats = device.memory_stats()
    device.memory_limit = stats.in_use + stats.cached + 2**25
    try:
        attend(q, k, v).numpy()
        with pytest.raises(DeviceMemoryError):
            q @ k.mT
    finally:
        device.memory_limit = None


SPECIAL = [
    ("nothing is seen", {"mask": np.array([[True], [False]])}, [1, None], [2.0, 0.0]),
    ("minus infinity is added", {"mask": np.float32([[0], [-INF]])}, [1, None], [2.0, 0.0]),
    ("scores are minus infinity", {}, [-INF, -INF], [0.0, 0.0]),
    ("one score is infinity", {}, [INF, 1], [NAN, NAN]),
    ("NaN in a key that is not seen", {"mask": np.array([[True, False]])}, [1, NAN], [NAN, NAN]),
    ("NaN in a key that comes later", {"is_causal": True}, [1, NAN], [NAN, NAN]),
    ("infinity is added", {"mask": np.float32([[0, INF]])}, [1, 1], [NAN, NAN]),
]


@pytest.mark.parametrize(
    ("name", "options", "keys", "told"), SPECIAL, ids=[one[0] for one in SPECIAL]
)
def test_special_values_are_as_in_pytorch(name, options, keys, told):
    """Answers of PyTorch 2.13, for queries of 1 and values 1 and 3."""
    q, v = tensors(np.float32([[1], [1]]), np.float32([[1], [3]]))
    k = dml_vk.asarray(np.float32([[keys[0]], [keys[0] if keys[1] is None else keys[1]]]))
    given = {key: dml_vk.asarray(one) if key == "mask" else one for key, one in options.items()}
    found = attend(q, k, v, **given).numpy()
    assert np.array_equal(found[:, 0], np.float32(told), equal_nan=True)


def test_weights_of_0_still_meet_infinite_values_and_zeros_are_positive():
    q, k = tensors(np.zeros((1, 2), np.float32), np.zeros((2, 2), np.float32))
    lost = attend(q, k, dml_vk.asarray([[1.0], [INF]]), mask=dml_vk.asarray([[True, False]]))
    assert np.isnan(lost.item())
    found = attend(q, k[:0], k[:0]).numpy()
    assert not found.view(np.uint32).any()


def test_a_result_may_be_an_operand():
    arrays = [numbers(3, 4, 4) for _ in range(3)]
    expected = attention(*arrays)
    for place in range(3):
        operands = tensors(*arrays)
        assert attend(*operands, out=operands[place]) is operands[place]
        assert_bits(operands[place].numpy(), expected, place)


X, WIDE = dml_vk.ones((2, 3)), dml_vk.ones((2, 4))
MESSAGES = {
    "q must be a Tensor": lambda: attend(1.0, X, X),
    "k must be a Tensor": lambda: attend(X, None, X),
    "v must be a Tensor": lambda: attend(X, X, "v"),
    "mask must be a Tensor": lambda: attend(X, X, X, mask=True),
    "dtype must be one of float16, float32": lambda: attend(X, X, X.to("int32")),
    "dtype must be one of bool_, float16": lambda: attend(X, X, X, mask=X.to("int8")),
    "q, k and v must have at least two": lambda: attend(X[0], X, X),
    "q.shape[-1] must equal k.shape[-1], and k.shape[-2] equal v": lambda: attend(WIDE, X, X),
    "q.shape[-1] must equal k.shape[-1], and": lambda: attend(X, X, X[:1]),
    "sizes must agree or be 1 in dim -1": lambda: attend(
        X.expand((2, 2, 3)), X.expand((3, 2, 3)), X
    ),
    "mask must broadcast to the scores": lambda: attend(X, X, X, mask=dml_vk.ones((3, 2, 2))),
    "mask must be None if is_causal": lambda: attend(X, X, X, mask=X, is_causal=True),
    "is_causal must be a bool": lambda: attend(X, X, X, is_causal=1.5),
    "scale must be a real number": lambda: attend(X, X, X, scale="x"),
    "out must have the shape (2, 3)": lambda: attend(X, X, X, out=X[:1]),
    "out must have the dtype float32": lambda: attend(X, X, X, out=X.to("float16")),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_bad_input_is_an_error_before_any_work(message):
    with pytest.raises(DmlVkError) as raised:
        MESSAGES[message]()
    assert str(raised.value).startswith(f"scaled_dot_product_attention: {message}")

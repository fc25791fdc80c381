"""Functions of dml_vk.nn in float64, beside NumPy's; pooling, bit for bit, is in test_pool.py."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, RangeError
from dml_vk.layout import channels_last, contiguous_format
from dml_vk.testing.pooling import adaptive_positions, max_of, mean_of, positions
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits
from tests.kernel.nn.doubles import (
    EPS,
    SHAPE,
    around,
    attention,
    by_rows,
    channels,
    conv,
    conv_transpose,
    normal,
    sigmoid,
    soft,
)

X = normal(*SHAPE)
W, B = normal(4), normal(4)
LAST = normal(6)
TARGET = chance().integers(0, 4, (3, 7, 6))
WEIGHT, SMALL = normal(6, 2, 3, 2), normal(4, 3, 3, 2)
FILTERS = normal(4, 1, 3, 3)
MASK = normal(7, 7)
given = dml_vk.asarray
# name: ours, of a tensor, and NumPy's.
CASES = {
    "softmax": (lambda x: nn.softmax(x, axis=(1, 3)), lambda: soft(X, (1, 3))),
    "log_softmax": (lambda x: nn.log_softmax(x, axis=1), lambda: np.log(soft(X, 1))),
    "logsumexp": (lambda x: nn.logsumexp(x), lambda: np.log(np.exp(X).sum(-1))),
    "hardmax": (
        lambda x: nn.hardmax(x, axis=1),
        lambda: (np.arange(4).reshape(4, 1, 1) == X.argmax(1)[:, None]) * 1.0,
    ),
    "layer_norm": (
        lambda x: nn.layer_norm(x, 6, given(LAST), given(LAST), activation="sigmoid"),
        lambda: sigmoid(by_rows(X, -1) * LAST + LAST),
    ),
    "rms_norm": (
        lambda x: nn.rms_norm(x, (7, 6), eps=EPS),
        lambda: X / np.sqrt((X * X).mean((2, 3), keepdims=True) + EPS),
    ),
    "group_norm": (
        lambda x: nn.group_norm(
            x, 2, given(W), given(B), activation=("leaky_relu", {"alpha": 0.1})
        ),
        lambda: np.where(
            (
                y := by_rows(X.reshape(3, 2, 2, 7, 6), (2, 3, 4)).reshape(SHAPE) * channels(W)
                + channels(B)
            )
            > 0,
            y,
            0.1 * y,
        ),
    ),
    "instance_norm": (
        lambda x: nn.instance_norm(x, given(W.astype("float32"))),
        lambda: by_rows(X, (2, 3)) * channels(W.astype("float32")),
    ),
    "batch_norm": (
        lambda x: nn.batch_norm(x, given(W), given(B * B), None, given(B)),
        lambda: (X - channels(W)) / np.sqrt(channels(B * B) + EPS) + channels(B),
    ),
    "batch_norm_train": (
        lambda x: nn.batch_norm_train(x, given(W))[0],
        lambda: by_rows(X, (0, 2, 3)) * channels(W),
    ),
    "mean_variance_norm": (
        lambda x: nn.mean_variance_norm(
            x, axes=(0, 2), normalize_variance=False, activation="relu"
        ),
        lambda: np.maximum(X - X.mean((0, 2), keepdims=True), 0),
    ),
    "means only": (
        lambda x: nn.mean_variance_norm(x, axes=1, normalize_variance=False),
        lambda: X - X.mean(1, keepdims=True),
    ),
    **{
        f"normalize-{p}": (
            lambda x, p=p: nn.normalize(x, p=p, axis=(1, 2)),
            lambda p=p: (
                X
                / (
                    np.abs(X).max((1, 2), keepdims=True)
                    if p == math.inf
                    else (np.abs(X) ** p).sum((1, 2), keepdims=True) ** (1 / p)
                )
            ),
        )
        for p in (1, 2, 3.5, math.inf)
    },
    "local_response_norm": (
        lambda x: nn.local_response_norm(x, 4, alpha=0.3, beta=0.6, k=2.0),
        lambda: X / (around(X, 4, (1,)) * (0.3 / 4) + 2.0) ** 0.6,
    ),
    "local_response_norm of planes": (
        lambda x: nn.local_response_norm(x, 3, alpha=0.3, cross_channel=False),
        lambda: X / (around(X, 3, (2, 3)) * (0.3 / 3) + 1.0) ** 0.75,
    ),
    "linear": (
        lambda x: nn.linear(x, given(WEIGHT[:, 0, :, 0].reshape(3, 6)), given(LAST[:3])),
        lambda: X @ WEIGHT[:, 0, :, 0].reshape(3, 6).T + LAST[:3],
    ),
    "linear of float32": (
        lambda x: nn.linear(
            x, given(np.eye(6, dtype="float32")), activation=("elu", {"alpha": 0.3})
        ),
        lambda: np.where(X > 0, X, 0.3 * np.expm1(X)),
    ),
    "gemm": (
        lambda x: nn.gemm(x, x, given(LAST[:1]), alpha=0.1, beta=0.3, transpose_b=True),
        lambda: 0.1 * (X @ np.swapaxes(X, 2, 3)) + 0.3 * LAST[:1],
    ),
    "gemm with an activation": (
        lambda x: nn.gemm(x, x, transpose_b=True, activation="tanh"),
        lambda: np.tanh(X @ np.swapaxes(X, 2, 3)),
    ),
    "attention": (
        lambda x: nn.scaled_dot_product_attention(x, x, x, mask=given(MASK)),
        lambda: attention(X, X, X, MASK),
    ),
    "attention with scale 1": (
        lambda x: nn.scaled_dot_product_attention(
            x, x, x.astype("float32"), scale=1, is_causal=True
        ),
        lambda: attention(
            X * math.sqrt(6), X, X.astype("float32"), np.where(np.tri(7) > 0, 0, -np.inf)
        ),
    ),
    "nll_loss": (
        lambda x: nn.nll_loss(x, given(TARGET), weight=given(W * W), ignore_index=2),
        lambda: (
            -(np.take_along_axis(X, TARGET[:, None], 1)[:, 0] * (W * W)[TARGET])[TARGET != 2].sum()
            / (W * W)[TARGET][TARGET != 2].sum()
        ),
    ),
    "cross_entropy": (
        lambda x: nn.cross_entropy(x, given(TARGET), reduction="none"),
        lambda: -np.take_along_axis(np.log(soft(X, 1)), TARGET[:, None], 1)[:, 0],
    ),
    "mean cross_entropy": (
        lambda x: nn.cross_entropy(x, given(TARGET)),
        lambda: -np.take_along_axis(np.log(soft(X, 1)), TARGET[:, None], 1).mean(),
    ),
    "conv": (
        lambda x: nn.conv(
            x,
            given(WEIGHT),
            given(LAST),
            stride=2,
            dilation=(1, 3),
            padding=((1, 2), (0, 1)),
            groups=2,
            activation="relu",
        ),
        lambda: np.maximum(conv(X, WEIGHT, (2, 2), (1, 3), (1, 0), (4, 2), 2) + channels(LAST), 0),
    ),
    "depthwise conv": (
        lambda x: nn.conv(x, given(FILTERS), padding="same", groups=4),
        lambda: conv(X, FILTERS, (1, 1), (1, 1), (1, 1), (7, 6), 4),
    ),
    "conv of volumes": (
        lambda x: nn.conv(dml_vk.stack([x, x], axis=2), given(FILTERS[:1, :, None].repeat(4, 1))),
        lambda: conv(
            np.stack([X, X], 2),
            FILTERS[:1, :, None].repeat(4, 1),
            *[(1,) * 3] * 2,
            (0,) * 3,
            (2, 5, 4),
            1,
        ),
    ),
    "conv_transpose": (
        lambda x: nn.conv_transpose(
            x,
            given(SMALL),
            given(LAST),
            stride=2,
            padding=1,
            output_padding=(1, 2),
            dilation=(1, 3),
            groups=2,
        ),
        lambda: conv_transpose(X, SMALL, (2, 2), (1, 3), (1, 1), (14, 14), 2) + channels(LAST),
    ),
    "lp_pool": (
        lambda x: nn.lp_pool(dml_vk.abs(x), 3, (7, 2)),
        lambda: (np.abs(X.reshape(3, 4, 1, 7, 3, 2)) ** 3).sum((3, 5)) ** (1 / 3),
    ),
    "avg_pool": (
        lambda x: nn.avg_pool(x, (7, 2)),
        lambda: X.reshape(3, 4, 1, 7, 3, 2).mean((3, 5)),
    ),
    "global_max_pool": (lambda x: nn.global_max_pool(x), lambda: X.max((2, 3), keepdims=True)),
    "global_avg_pool": (lambda x: nn.global_avg_pool(x), lambda: X.mean((2, 3), keepdims=True)),
    "dropout": (
        lambda x: nn.dropout(x, 0.3, generator=dml_vk.random.Generator(key=7)),
        lambda: np.where(
            dml_vk.random.Generator(key=7).random(SHAPE).numpy() >= np.float32(0.3),
            X * (1 / 0.7),
            0,
        ),
    ),
}
NO_FORMAT = {"nll_loss", "cross_entropy", "mean cross_entropy", "logsumexp"}
NO_FORMAT |= {"gemm", "gemm with an activation", "conv of volumes"}


@pytest.mark.parametrize("name", CASES)
def test_numpys_numbers_with_the_same_bits_in_both_formats(name):
    ours, numpys = CASES[name]
    wanted = np.asarray(numpys())
    found = []
    formats = contiguous_format, channels_last
    turn = list(CASES).index(name)
    if turn % 6 and not tier.is_all():
        tier.leave_out(1)
        formats = formats[turn % 2 :][:1]
    for memory_format in formats:
        x = dml_vk.asarray(X, memory_format=memory_format)
        made = ours(x)
        assert made.dtype is dml_vk.float64
        if name not in NO_FORMAT:
            assert made.memory_format is memory_format
        found.append(made.numpy())
    assert found[0].shape == wanted.shape
    assert np.array_equal(bits(found[0]), bits(found[-1]))
    np.testing.assert_allclose(found[0], wanted, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", ["layer_norm", "linear", "conv", "conv_transpose", "attention"])
def test_a_batch_has_the_bits_of_its_items(name):
    ours, _ = CASES[name]
    together = ours(given(X)).numpy()
    for k in range(3):
        assert np.array_equal(bits(ours(given(X[k : k + 1])).numpy()[0]), bits(together[k]))


def test_results_in_place_and_beside_their_operands():
    for call in (
        lambda x, out: nn.layer_norm(x, 6, x[0, 0, 0], x[0, 0, 1], out=out),
        lambda x, out: nn.rms_norm(x, 6, x[0, 0, 0], out=out),
        lambda x, out: nn.normalize(x, p=1, out=out),
        lambda x, out: nn.softmax(x, out=out),
        lambda x, out: nn.group_norm(x, 2, out=out),
        lambda x, out: nn.conv(x, x[:1, :, :1, :1].expand(4, 4, 1, 1), out=out),
        lambda x, out: nn.scaled_dot_product_attention(x, x, x, out=out),
        lambda x, out: nn.local_response_norm(x, 3, out=out),
        lambda x, out: nn.batch_norm(x, x[0, :, 0, 0], x[0, :, 0, 1] ** 2, out=out),
        lambda x, out: nn.max_pool(x, 3, stride=1, padding=1, out=out),
    ):
        x = given(X)
        wanted = call(x, None).numpy()
        assert call(x, x) is x
        assert np.array_equal(bits(x.numpy()), bits(wanted))


def test_statistics_of_a_batch():
    _, mean, var = nn.batch_norm_train(given(X))
    np.testing.assert_allclose(mean.numpy(), X.mean((0, 2, 3)), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(var.numpy(), X.var((0, 2, 3)), rtol=1e-13)
    y, mean, _ = nn.batch_norm_train(dml_vk.zeros((0, 2, 3), dtype="float64"))
    assert (y.shape, str(mean.dtype)) == ((0, 2, 3), "dml_vk.float64")
    assert np.isnan(mean.numpy()).all()


def test_queries_without_keys_and_rows_of_infinities():
    x = given(X[0, 0])
    assert not nn.scaled_dot_product_attention(
        x, x, x, mask=dml_vk.zeros((7, 7), dtype="bool")
    ).any()
    some = nn.scaled_dot_product_attention(x, x, x, mask=given(np.eye(7) > 0))
    np.testing.assert_allclose(some.numpy(), X[0, 0], rtol=1e-15)


def test_padding_is_neither_read_nor_added():
    weight = np.full((1, 1, 3), np.inf)
    weight[..., 1] = 2.0
    x = given(np.array([[[3.0]]]))
    assert nn.conv(x, given(weight), padding=1).tolist() == [[[6.0]]]
    assert nn.conv_transpose(x, given(weight), padding=1).tolist() == [[[6.0]]]


def test_nothing_gives_zeros_and_the_bias():
    empty, bias = dml_vk.zeros((2, 0, 3), dtype="float64"), given(W[:2])
    found = nn.conv(empty, dml_vk.zeros((2, 0, 1), dtype="float64"), bias)
    assert np.array_equal(found.numpy(), np.broadcast_to(W[:2, None], (2, 2, 3)))


LARGE = {
    "conv": lambda x: nn.conv(x, dml_vk.ones((1, 4, 70, 70), dtype="float64"), padding=80),
    "conv_transpose": lambda x: nn.conv_transpose(x, dml_vk.ones((4, 1, 70, 70), dtype="float64")),
    "max_pool": lambda x: nn.max_pool(dml_vk.zeros((1, 1, 70, 70), dtype="float64"), 70),
    "local_response_norm": lambda x: nn.local_response_norm(
        dml_vk.zeros((1, 1, 70, 70), dtype="float64"), 140, cross_channel=False
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_windows_of_too_many_elements_are_refused(name):
    with pytest.raises(RangeError, match=f"^{name}: windows of float64 must have at most"):
        LARGE[name](given(X))


NOT_IN_DOUBLES = {
    "resample": lambda x: nn.resample(x, scale=2),
    "quantize": lambda x: nn.quantize(x, 0.5, 0, dtype="int8"),
    "layer_norm": lambda x: nn.layer_norm(x.astype("float32"), 6, x[0, 0, 0]),
    "nll_loss": lambda x: nn.nll_loss(
        x.astype("float32")[:, :, 0, 0], dml_vk.zeros(3, dtype="int32"), weight=given(W)
    ),
    "scaled_dot_product_attention": lambda x: nn.scaled_dot_product_attention(
        *[x.astype("float32")] * 3, mask=given(MASK)
    ),
    "mean_variance_norm": lambda x: nn.mean_variance_norm(x.astype("float32"), x, axes=1),
}


@pytest.mark.parametrize("name", NOT_IN_DOUBLES)
def test_what_does_not_take_float64_says_so(name):
    rule = r"(dtype must be one of|\w+ may be float64 only where x is).*float32.*float64$"
    with pytest.raises(DTypeError, match=f"^{name}: {rule}"):
        NOT_IN_DOUBLES[name](given(X))


def test_pooling_of_windows_that_differ():
    x = given(X)
    rows, columns = adaptive_positions(7, 3), adaptive_positions(6, 4)
    best, index = max_of(X, [rows, columns])
    values, indices = nn.adaptive_max_pool(x, (3, 4), return_indices=True)
    assert np.array_equal(values.numpy(), best)
    assert np.array_equal(indices.numpy(), index)
    found = nn.adaptive_avg_pool(x, (3, 4)).numpy()
    assert np.array_equal(found, mean_of(X, [rows, columns]))
    padded = [positions(7, 4, 3, 2, 1), positions(6, 3, 3, 2, 1)]
    for counted, ends in ((True, [8, 7]), (False, None)):
        found = nn.avg_pool(x, 3, stride=2, padding=1, count_include_pad=counted)
        assert np.array_equal(found.numpy(), mean_of(X, padded, ends))
    best, index = max_of(X, padded)
    values, indices = nn.max_pool(x, 3, stride=2, padding=1, return_indices=True)
    assert np.array_equal(values.numpy(), best)
    assert np.array_equal(indices.numpy(), index)

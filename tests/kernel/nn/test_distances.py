"""Losses of a regression beside float64; PyTorch's are in test_torch.py."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, LayoutError, RangeError
from tests import tier
from tests.chance import chance

# What each computes, and how many ULP of its largest part it may be away.
LOSSES = {
    "mse_loss": (lambda x, t: (x - t) ** 2, 2),
    "l1_loss": (lambda x, t: abs(x - t), 1),
    "smooth_l1_loss": (lambda x, t: np.where(d(x, t) < 1, d(x, t) ** 2 / 2, d(x, t) - 0.5), 3),
    "huber_loss": (lambda x, t: np.where(d(x, t) <= 1, d(x, t) ** 2 / 2, d(x, t) - 0.5), 3),
    "binary_cross_entropy_with_logits": (
        lambda x, t: (1 - t) * x + np.log1p(np.exp(-abs(x))) + np.maximum(-x, 0),
        6,
    ),
    "kl_div": (lambda x, t: t * np.log(t) - t * x, 8),
}
CUBES = (dml_vk.contiguous_format, dml_vk.channels_last)


def bits(x):
    return x.numpy().tobytes()


def d(x, t):
    return abs(x - t)


def operands(dtype, shape=(3, 4, 5, 6)):
    x = (chance().normal(size=shape) * 3).astype(dtype)
    return x, chance().uniform(0.01, 1, shape).astype(dtype)


@tier.parametrize("dtype name", ["float16", "float32", "float64"], LOSSES)
def test_elements_are_within_their_bounds_in_both_formats(name, dtype):
    exact, bound = LOSSES[name]
    x, target = operands(dtype)
    wide = np.float64 if dtype != "float64" else np.longdouble
    wanted = exact(x.astype(wide), target.astype(wide))
    error = bound * np.finfo("float32" if dtype == "float16" else dtype).eps
    error += np.finfo(dtype).eps / 2 * (dtype == "float16")
    largest = np.maximum(abs(wanted), (1 + abs(target * x)) if bound > 3 else 0)
    found = []
    for form in CUBES:
        tensors = [dml_vk.asarray(each, memory_format=form) for each in (x, target)]
        losses = getattr(nn, name)(*tensors, reduction="none")
        assert losses.memory_format is form
        assert losses.dtype.name == dtype
        assert (abs(losses.numpy() - wanted) <= largest * error).all()
        out = dml_vk.empty_like(losses)
        assert getattr(nn, name)(*tensors, reduction="none", out=out) is out
        compiled = dml_vk.compile(getattr(nn, name))(*tensors)
        mean = getattr(nn, name)(*tensors)
        total = getattr(nn, name)(*tensors, reduction="sum")
        assert np.isclose(mean.item(), wanted.mean(), rtol=1e-3 if dtype == "float16" else 1e-5)
        assert np.isclose(total.item(), wanted.sum(), rtol=1e-3 if dtype == "float16" else 1e-5)
        found.append([bits(each) for each in (losses.to(CUBES[0]), out.to(CUBES[0]))])
        found[-1] += [bits(mean), bits(total)]
        assert bits(compiled) == bits(mean)
    assert found[0] == found[1]
    assert found[0][0] == found[0][1]


def test_of_float16_sums_are_rounded_once():
    x, zeros = dml_vk.full((256, 256), 0.1, dtype="float16"), dml_vk.zeros((1,), dtype="float16")
    assert nn.l1_loss(x, zeros).item() == x[0, 0].item()
    assert nn.mse_loss(x * 100, zeros, reduction="mean").item() == pytest.approx(100, rel=1e-3)


def test_variances_broadcast_and_are_at_least_eps():
    x, target = operands("float64", (3, 4))
    var = chance().uniform(0.1, 2, (3, 4))
    for each in (var, var[:, :1], var[:, 0]):
        whole = each if each.ndim == 2 else each[:, None]
        wanted = 0.5 * (np.log(whole) + (x - target) ** 2 / whole)
        found = nn.gaussian_nll_loss(*map(dml_vk.asarray, (x, target, each)), reduction="none")
        assert np.allclose(found.numpy(), wanted, rtol=1e-13)
    zeros = dml_vk.zeros((3, 4), dtype="float64")
    found = nn.gaussian_nll_loss(*map(dml_vk.asarray, (x, x)), zeros, eps=0.25, reduction="none")
    assert np.allclose(found.numpy(), np.log(0.25) / 2)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cosines(axis):
    x, other = operands("float64", (3, 4, 5))
    norms = [np.sqrt((each**2).sum(axis)) for each in (x, other)]
    wanted = (x * other).sum(axis) / norms[0] / norms[1]
    x, other = map(dml_vk.asarray, (x, other))
    found = nn.cosine_similarity(x, other, axis)
    assert np.allclose(found.numpy(), wanted, rtol=1e-12)
    out = dml_vk.empty_like(found)
    nn.cosine_similarity(x, other, axis, out=out)
    assert bits(out) == bits(found)
    row = dml_vk.broadcast_to(other[:1], x.shape).clone()
    wanted = nn.cosine_similarity(x, row, axis).numpy()
    assert bits(nn.cosine_similarity(x, other[:1], axis)) == wanted.tobytes()


def test_large_logits_do_not_overflow():
    x, target = dml_vk.asarray([-1e30, 1e30, 200.0, -200.0]), dml_vk.asarray([0.0, 1.0, 0.0, 1.0])
    found = nn.binary_cross_entropy_with_logits(x, target, reduction="none")
    assert found.tolist() == [0, 0, 200, 200]


def test_dtypes_promote_and_no_elements_have_no_mean():
    x = dml_vk.zeros((0, 3))
    assert np.isnan(nn.mse_loss(x, x).item())
    assert nn.mse_loss(x, x, reduction="sum").item() == 0
    mixed = nn.mse_loss(dml_vk.zeros(3, dtype="float16"), dml_vk.ones(3))
    assert mixed.dtype is dml_vk.float32


def test_mistakes():
    x = dml_vk.zeros((2, 3))
    with pytest.raises(LayoutError, match="mse_loss: sizes must agree or be 1"):
        nn.mse_loss(x, dml_vk.zeros((2, 4)))
    with pytest.raises(RangeError, match="reduction must be one of mean, sum, none"):
        nn.l1_loss(x, x, reduction="batchmean")
    with pytest.raises(DTypeError, match="huber_loss: "):
        nn.huber_loss(x, dml_vk.zeros((2, 3), dtype="int32"))
    for wrong in (0, -1, np.nan, np.inf):
        with pytest.raises(RangeError, match="delta must be finite and greater than 0"):
            nn.huber_loss(x, x, delta=wrong)
    with pytest.raises(RangeError, match="beta must be finite and at least 0"):
        nn.smooth_l1_loss(x, x, beta=-1)
    with pytest.raises(LayoutError, match="target and x must have one shape"):
        nn.binary_cross_entropy_with_logits(x, x[:1])
    with pytest.raises(LayoutError, match="weights must broadcast to the shape of x"):
        nn.binary_cross_entropy_with_logits(x, x, weight=dml_vk.zeros((2, 2, 3)))
    with pytest.raises(LayoutError, match="var must have the shape of x"):
        nn.gaussian_nll_loss(x, x, dml_vk.ones((3, 2)))
    with pytest.raises(LayoutError, match="out must have the shape"):
        nn.mse_loss(x, x, out=dml_vk.zeros(2))
    with pytest.raises(LayoutError):
        nn.cosine_similarity(x, x, axis=2)

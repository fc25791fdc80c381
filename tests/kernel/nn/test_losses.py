"""Losses beside float64, and in every form with the same bits; PyTorch's are in test_torch.py."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError, RangeError
from tests import tier
from tests.chance import chance
from tests.kernel.forms import forms
from tests.kernel.memory import bits

LOSSES = {"nll_loss": nn.nll_loss, "cross_entropy": nn.cross_entropy}
X, T = dml_vk.zeros((2, 3)), dml_vk.asarray([2, 0])


def expected(name, array, classes, weight, ignored, reduction):
    scores = np.moveaxis(array.astype(np.float64), min(array.ndim, 2) - 1, -1)
    if name == "cross_entropy":
        most = scores.max(-1, keepdims=True)
        scores = scores - most - np.log(np.exp(scores - most).sum(-1, keepdims=True))
    kept = classes != ignored
    safe = np.where(kept, classes, 0)
    shares = np.where(kept, weight[safe], 0)
    losses = -np.take_along_axis(scores, safe[..., None].astype(int), -1)[..., 0] * shares
    with np.errstate(invalid="ignore"):
        return {
            "none": losses,
            "sum": losses.sum(),
            "mean": np.float64(losses.sum()) / shares.sum(),
        }[reduction]


@tier.parametrize(
    "sizes name dtype", [(7,), (4, 7), (3, 7, 2), (2, 7, 3, 5)], LOSSES, ["float32", "float16"]
)
def test_every_rank_and_reduction(name, dtype, sizes):
    array = chance().standard_normal(sizes).astype(dtype)
    left = (sizes[:1] + sizes[2:]) if len(sizes) > 1 else ()
    weight = chance().random(7).astype(dtype)
    reductions = [("none", "int64"), ("sum", "uint8"), ("mean", "int32")]
    for (reduction, kind), ignored, shares in tier.crossed(reductions, (-100, 3), (None, weight)):
        classes = np.asarray(chance().integers(0, 7, left)).astype(kind)
        found = LOSSES[name](
            dml_vk.asarray(array),
            dml_vk.asarray(classes),
            weight=None if shares is None else dml_vk.asarray(shares),
            ignore_index=ignored,
            reduction=reduction,
        )
        whole = np.ones(7) if shares is None else shares
        told = expected(name, array, classes, whole, ignored, reduction)
        assert (found.dtype.name, found.shape) == (dtype, told.shape)
        error = 3e-6 if dtype == "float32" else 1e-3
        assert np.allclose(found.numpy(), told, error, error, equal_nan=True)


@pytest.mark.parametrize("name", LOSSES)
def test_every_form_has_the_same_bits(name):
    array = chance().standard_normal((2, 7, 3, 5)).astype(np.float32)
    classes = dml_vk.asarray(chance().integers(0, 7, (2, 3, 5)))
    with dml_vk.trace(strict=True):
        found = {
            bits(LOSSES[name](x, classes, reduction=reduction).numpy()).tobytes()
            for x in forms(array)
            for reduction in ("mean",)
        }
    assert len(found) == 1
    turned = classes.over(classes.layout.permute((1, 2, 0)).permute((2, 0, 1)))
    given = dml_vk.asarray(array)
    kept = LOSSES[name](given, turned, reduction="none")
    assert kept.layout.order == turned.layout.order
    out = dml_vk.empty(())
    assert LOSSES[name](given, classes, out=out) is out
    assert bits(out.numpy()).tobytes() in found


@pytest.mark.parametrize("name", LOSSES)
def test_means_where_no_target_can_be_ignored(name):
    """-100 is no uint8."""
    array = chance().standard_normal((4, 7)).astype(np.float32)
    classes = np.array([0, 6, 3, 3], np.uint8)
    told = expected(name, array, classes, np.ones(7), -100, "mean")
    found = LOSSES[name](dml_vk.asarray(array), dml_vk.asarray(classes)).item()
    assert np.isclose(found, told, rtol=3e-6)


def test_scores_that_overflow_exp_and_all_that_is_ignored():
    x = dml_vk.asarray([[1e4, 0.0], [-1e4, -1e4]])
    found = nn.cross_entropy(x, dml_vk.asarray([1, 0]), reduction="none").numpy()
    assert np.allclose(found, [1e4, np.log(2)])
    ignored = dml_vk.asarray([-100, -100])
    assert np.isnan(nn.cross_entropy(x, ignored).item())
    assert nn.cross_entropy(x, ignored, reduction="sum").item() == 0
    lost = dml_vk.asarray([[np.nan, 0.0], [0.0, 0.0]])
    assert nn.nll_loss(lost, dml_vk.asarray([-100, 1]), reduction="sum").item() == 0
    assert nn.cross_entropy(dml_vk.zeros((0, 3)), T[:0], reduction="none").shape == (0,)
    assert np.isnan(nn.nll_loss(dml_vk.zeros((0, 3)), T[:0]).item())


WIDE = dml_vk.ones(3, dtype=dml_vk.float64)


@pytest.mark.parametrize(
    ("arguments", "named", "error", "message"),
    [
        ((3, T), {}, DTypeError, "x must be a Tensor"),
        ((X, 1), {}, DTypeError, "target must be a Tensor"),
        ((T, T), {}, DTypeError, "dtype must be one of float16, float32"),
        ((X, X), {}, DTypeError, "dtype must be one of int8"),
        ((X.reshape((6,))[0], T), {}, LayoutError, "x must have at least one dim"),
        ((X, T[:1]), {}, LayoutError, "target must have the shape of x without dim 1; got targ"),
        ((X, T), {"weight": 3}, DTypeError, "weight must be a Tensor"),
        ((X, T), {"weight": T}, DTypeError, "dtype must be one of float16, float32"),
        ((X, T), {"weight": T}, DTypeError, r".*; convert with astype\(weight, float32\)"),
        ((X, T), {"weight": WIDE}, DTypeError, "weight may be float64 only where x is"),
        ((X, T), {"weight": X[0, :2]}, LayoutError, "weight must have one number for each class"),
        ((X, T), {"reduction": "max"}, RangeError, "reduction must be one of mean, sum, none"),
        ((X, T), {"ignore_index": 1.5}, LayoutError, "ignore_index must be an integer"),
        ((X, T + 1), {}, LayoutIndexError, "target must not be .* less than 3; got target=3"),
        ((X, T - 1), {}, LayoutIndexError, "target must not be .* less than 3; got target=-1"),
        ((X, T), {"out": X}, LayoutError, r"out must have the shape \(\)"),
    ],
)
def test_what_is_refused(arguments, named, error, message):
    for name, function in LOSSES.items():
        with pytest.raises(error, match=f"^{name}: {message}"):
            function(*arguments, **named)

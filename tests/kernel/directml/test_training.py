"""DirectML's operators for training beside float64, in any layout and in place."""

from __future__ import annotations

import numpy as np
import pytest

from dml_vk.directml import (
    AdamOptimizer,
    BatchNormalizationGrad,
    BatchNormalizationTrainingGrad,
    DataType,
)
from tests import tier
from tests.kernel.directml.running import F16, F32, FORMS, call, desc, filled

SIZES = (3, 4, 2, 5)
ERRORS = {F32: 2e-5, F16: 2e-3}


def near(found, exact, kind):
    return np.allclose(found, exact, rtol=ERRORS[kind], atol=ERRORS[kind])


def batch_gradients(a, axes, epsilon, trains):
    """By the pages' formulas."""
    spread = a["variance"] + epsilon
    gradient = a["input_gradient"]
    of_input = gradient * a["scale"] / np.sqrt(spread)
    if trains:
        apart = a["input"] - a["input"].mean(axes, keepdims=True)
        slope = (gradient * apart).mean(axes, keepdims=True) / spread
        centered = gradient - gradient.mean(axes, keepdims=True)
        of_input = a["scale"] / np.sqrt(spread) * (centered - apart * slope)
    of_scale = gradient * (a["input"] - a["mean"]) / np.sqrt(spread)
    return of_input, of_scale.sum(axes, keepdims=True), gradient.sum(axes, keepdims=True)


@tier.parametrize("cls", [BatchNormalizationGrad, BatchNormalizationTrainingGrad])
@tier.parametrize("kind form own", [F32, F16], FORMS, [(1, 4, 1, 1), (3, 1, 1, 5)])
def test_gradients_of_batch_normalization(cls, kind, form, own):
    whole, part = desc(kind, SIZES, form), desc(kind, own, form)
    operator = cls(whole, whole, part, part, part, whole, part, part, epsilon=0.5)
    arrays = filled(operator)
    arrays["variance"] = np.abs(arrays["variance"])
    found = call(operator, arrays)
    wide = {name: array.astype(np.float64) for name, array in arrays.items()}
    axes = tuple(dim for dim, size in enumerate(own) if size == 1)
    exact = batch_gradients(wide, axes, 0.5, cls is BatchNormalizationTrainingGrad)
    for one, each in zip(found.values(), exact):
        assert near(one, each, kind)
    shared = call(operator, arrays, over={"output_gradient": "input_gradient"})
    for name, one in shared.items():
        assert np.array_equal(one, found[name])


def test_the_training_gradient_is_that_of_the_normalized_input():
    """By differences in float64."""
    x, scale = np.random.default_rng(0).normal(size=(2, 5)), 1.5
    weight = np.random.default_rng(1).normal(size=(2, 5))

    def loss(x):
        apart = x - x.mean(1, keepdims=True)
        return (weight * scale * apart / np.sqrt(apart.var(1, keepdims=True) + 0.5)).sum()

    steps = np.eye(10).reshape(10, 2, 5) * 1e-6
    exact = [(loss(x + step) - loss(x - step)) / 2e-6 for step in steps]
    arrays = {"input": x, "input_gradient": weight, "mean": x.mean(1, keepdims=True)}
    arrays |= {"variance": x.var(1, keepdims=True), "scale": np.full((2, 1), scale)}
    whole, part = desc(F32, (2, 5)), desc(F32, (2, 1))
    operator = BatchNormalizationTrainingGrad(
        *(whole, whole, part, part, part, whole, part, part), epsilon=0.5
    )
    found = call(operator, {name: array.astype(np.float32) for name, array in arrays.items()})
    assert np.allclose(found["output_gradient"].ravel(), exact, atol=1e-5)


@pytest.mark.parametrize("kind", [F32, F16])
@pytest.mark.parametrize("form", FORMS)
def test_steps_of_adam(kind, form):
    whole, one = desc(kind, SIZES, form), desc(DataType.UINT32, (1, 1, 1, 1))
    operator = AdamOptimizer(
        *[whole] * 4, one, *[whole] * 3, learning_rate=0.5, beta1=0.5, beta2=0.75, epsilon=1e-3
    )
    arrays = filled(operator, training_step=np.full((1, 1, 1, 1), 3, np.uint32))
    arrays["input_second_moment"] = np.abs(arrays["input_second_moment"])
    a = {name: array.astype(np.float64) for name, array in arrays.items()}
    first = 0.5 * a["input_first_moment"] + 0.5 * a["gradient"]
    second = 0.75 * a["input_second_moment"] + 0.25 * a["gradient"] ** 2
    rate = 0.5 * np.sqrt(1 - 0.75**3) / (1 - 0.5**3)
    x = a["input_parameters"] - rate * first / (np.sqrt(second) + 1e-3)
    found = call(operator, arrays)
    for one, exact in zip(found.values(), (x, first, second)):
        assert near(one, exact, kind)
    shared = {f"output_{name}": f"input_{name}" for name in ("parameters", "first_moment")}
    for name, one in call(operator, arrays, over=shared).items():
        assert np.array_equal(one, found[name])

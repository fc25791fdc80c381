"""SciPy's fits of functions of tensors, whose parameters are NumPy's scalars of 64 bits."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, curve_fit

import dml_vk

TIMES = np.linspace(0, 4, 50, dtype=np.float32)
MODELS = {
    "a decay": (lambda t, a, b: a * dml_vk.exp(-b * t), [2.5, 1.3]),
    "a line": (lambda t, a, b: t * a + b, [0.7, -2.0]),
    "a quotient": (lambda t, a, b: a / (t + b), [3.0, 0.5]),
    "a power": (lambda t, a, b: (t + 1) ** a - b, [1.5, 0.25]),
}


@pytest.mark.parametrize("name", MODELS)
def test_fits_find_the_parameters(name):
    model, exact = MODELS[name]
    t = dml_vk.asarray(TIMES)
    values = model(t, *map(np.float64, exact)).numpy()
    assert values.dtype == np.float64
    found, _ = curve_fit(lambda _, a, b: model(t, a, b).numpy(), TIMES, values, p0=[1.0, 1.0])
    np.testing.assert_allclose(found, exact, rtol=1e-6)


def test_differences_of_neighbouring_numbers_are_derivatives():
    t = dml_vk.asarray(TIMES)
    found = approx_fprime(np.array([1.0, 2.0]), lambda p: dml_vk.sum(p[0] * t + p[1]).item())
    np.testing.assert_allclose(found, [TIMES.astype(np.float64).sum(), TIMES.size], rtol=1e-6)

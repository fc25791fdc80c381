"""The kernels' exponential of float32 in NumPy, operation by operation, so bit for bit."""

from __future__ import annotations

import numpy as np

from dml_vk.testing.arrays import Array

_float = np.float32


def exponential(array: object) -> Array:
    """Return e to the power of float32 numbers, with the bits of `dml_vk.exp`.

    >>> import numpy as np
    >>> from dml_vk.testing.exponential import exponential
    >>> exponential(np.float32([0.0, -np.inf, 1.0])).tolist()
    [1.0, 0.0, 2.7182817459106445]
    """
    values = np.asarray(array, _float)
    x = np.clip(np.where(np.isnan(values), _float(0), values), _float(-104), _float(89))
    rounder = _float(1.5 * 2**23)
    shifted = x * _float(1.44269504) + rounder
    whole = shifted - rounder
    # ln 2 in two parts: products of the first with whole numbers are exact.
    near, away = x - whole * _float(0.693359375), whole * _float(-0.00021219444)
    r = near - away
    rest = (near - r) - away
    p = _float(0.00138367759) * r + _float(0.00836914126)
    p = (p * r + _float(0.0416681059)) * r + _float(0.166665167)
    fraction = r + ((r * r) * (p * r + _float(0.49999994)) + rest)
    power = whole.astype(np.int32)
    half = power >> 1
    with np.errstate(all="ignore"):
        scaled = (_float(1) + fraction) * _power_of_two(half) * _power_of_two(power - half)
    return np.where(np.isnan(values), values, scaled)


def _power_of_two(power: Array) -> Array:
    return np.asarray(np.ldexp(_float(1), power))

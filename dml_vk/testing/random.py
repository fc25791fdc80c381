"""Reference results of `dml_vk.random.Generator`, computed on the host with NumPy.

Floats are computed in float32 by the same sequence of rounded operations as in the kernels, so
that the bits are the same. Integers are computed with Python's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dml_vk.dtypes import DType, to_dtype
from dml_vk.testing.arrays import Array
from dml_vk.testing.references import philox_uniform, philox_words

Floats = NDArray[np.float32]
KEY_STEP = 0xA54FF53A5F1D36F1  # from the key of a stream to that from which rejects are redrawn
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-0.00021219444)
_TAIL = (
    *(0.0672989711, -0.116551325, 0.118853793, -0.124094345, 0.142204478),
    *(-0.166677549, 0.200020626, -0.250000149, 0.333333135, -0.5),
)
_SINE = (2.8326535e-06, -0.0001985307, 0.008333379, -0.16666667)
_COSINE = (2.4430668e-05, -0.0013887301, 0.041666646, -0.5)


def philox_between(words: NDArray[np.uint32], low: float, high: float, dtype: DType | str) -> Array:
    """Uniform floats in [low, high), as from `Generator.uniform`.

    >>> from dml_vk.testing import philox_between, philox_words
    >>> philox_between(philox_words(0, 0, 2), 1.0, 3.0, "float64").tolist()
    [2.7610403957772283]
    """
    name = to_dtype("philox_between", dtype).name
    first, last = np.array([low, high], name)
    most = np.nextafter(last, first)
    u, first, last = philox_uniform(words, name), first, last
    if name == "float16":
        u, first, last = u.astype(np.float32), np.float32(first), np.float32(last)
    drawn: Array = np.minimum(first + (last - first) * u, most).astype(name)
    return drawn


def philox_integers(
    key: int, counter: int, n: int, low: int, high: int, dtype: DType | str = "int64"
) -> Array:
    """The first n integers in [low, high), as from `Generator.integers`.

    >>> from dml_vk.testing import philox_integers
    >>> philox_integers(0, 0, 4, 1, 7).tolist()
    [3, 6, 5, 4]
    """
    count = high - low
    bits = 32 if count <= 2**32 else 64
    drawn = _words_of(key, counter, n, bits)
    least = 2**bits % count
    offsets = [word * count >> bits for word in drawn]
    rejected = [at for at, word in enumerate(drawn) if word * count % 2**bits < least]
    while rejected:
        key = (key + KEY_STEP) % 2**64
        drawn = _words_of(key, counter, n, bits)
        for at in rejected:
            offsets[at] = drawn[at] * count >> bits
        rejected = [at for at in rejected if drawn[at] * count % 2**bits < least]
    return np.array([low + offset for offset in offsets], to_dtype("integers", dtype).name)


def philox_normal(
    words: NDArray[np.uint32], dtype: DType | str = "float32", mean: float = 0.0, std: float = 1.0
) -> Array:
    """Normal floats from pairs of words by Box-Muller, as from `Generator.normal`.

    >>> from dml_vk.testing import philox_normal, philox_words
    >>> philox_normal(philox_words(0, 0, 2)).tolist()
    [0.9911375641822815, -0.9246625900268555]
    """
    even = np.append(words, np.zeros(words.size % 2, np.uint32))
    first, second = even.reshape(-1, 2).T
    radius, (angle, quarters) = _radius(first), _angle(second)
    pairs = radius * _sine(angle, quarters + np.uint32(1)), radius * _sine(angle, quarters)
    drawn = np.stack(pairs, axis=1).reshape(-1)[: words.size]
    moved = np.float32(mean) + np.float32(std) * drawn
    return np.asarray(moved, to_dtype("philox_normal", dtype).name)


def _words_of(key: int, counter: int, n: int, bits: int) -> list[int]:
    words = philox_words(key, counter, n * (bits // 32))
    whole: list[int] = philox_uniform(words, f"uint{bits}").tolist()
    return whole


def _radius(words: NDArray[np.uint32]) -> Floats:
    """The square root of -2 log((word + 1) / 2**32)."""
    near_1 = words >= 0xB504F333  # sqrt(1/2)
    x = (words + np.uint32(1)).astype(np.float32)
    x[near_1] = 1.0
    power = (x.view(np.int32) - 0x3F3504F3) >> 23
    f = (x.view(np.int32) - (power << 23)).view(np.float32) - np.float32(1)
    f = np.where(near_1, -(~words).astype(np.float32) * np.float32(2.0**-32), f)
    k = np.where(near_1, 0, power - 32).astype(np.float32)
    p = np.float32(_TAIL[0]) * f
    for coefficient in _TAIL[1:-1]:
        p = (p + np.float32(coefficient)) * f
    tail = (f * f) * (p + np.float32(_TAIL[-1]))
    logarithm = k * _LN2_HIGH + (f + (tail + k * _LN2_LOW))
    root: Floats = np.sqrt(np.float32(-2) * logarithm)
    return root


def _angle(words: NDArray[np.uint32]) -> tuple[Floats, NDArray[np.uint32]]:
    """Split word / 2**32 of a turn into (radians from the nearest quarter turn, that quarter)."""
    turned = words + np.uint32(2**29)
    rest = (turned & np.uint32(2**30 - 1)).astype(np.int32) - np.int32(2**29)
    return rest.astype(np.float32) * np.float32(1.46291808e-09), turned >> np.uint32(30)


def _sine(rest: Floats, quarters: NDArray[np.uint32]) -> Floats:
    """The sine of an angle plus quarter turns."""
    even = quarters & np.uint32(1) == 1
    square, p = rest * rest, np.zeros_like(rest)
    for odd_one, even_one in zip(_SINE, _COSINE):
        p = square * (p + np.where(even, np.float32(even_one), np.float32(odd_one)))
    start = np.where(even, np.float32(1), rest)
    sine: Floats = start + start * p
    return np.where(quarters & np.uint32(2) == 0, sine, -sine)

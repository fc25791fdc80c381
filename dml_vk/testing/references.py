"""Reference results of random words and sequences, in NumPy.

No code is shared with the kernels or with the rest of the package's arithmetic.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dml_vk.dtypes import DType, to_dtype
from dml_vk.errors import DTypeError, RangeError
from dml_vk.testing.arrays import Array

_WORD = 2**32 - 1
_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
# Stored bits of the fraction, and the exponent of the smallest normal number.
_FLOATS = {"float16": (10, -14), "float32": (23, -126), "float64": (52, -1022)}


def philox_words(key: int, counter: int, n: int, rounds: int = 10) -> NDArray[np.uint32]:
    """The first n words of a Philox4x32 stream.

    Element i is word i % 4 of block (counter + i // 4) modulo 2**128, low words first.

    >>> from dml_vk.testing import philox_words
    >>> [hex(word) for word in philox_words(key=0, counter=0, n=2)]
    ['0x6627e8d5', '0xe169c58d']
    """
    _check_bits("philox_words", "key", key, 64)
    _check_bits("philox_words", "counter", counter, 128)
    low = np.uint64(_WORD)
    carry = np.arange(-(-n // 4), dtype=np.uint64)
    c = []
    for shift in (0, 32, 64, 96):
        total = np.uint64(counter >> shift & _WORD) + carry
        c.append(total & low)
        carry = total >> np.uint64(32)
    k0, k1 = key & _WORD, key >> 32
    for _ in range(rounds):
        p0, p1 = c[0] * _MULTIPLIERS[0], c[2] * _MULTIPLIERS[1]
        c = [
            p1 >> np.uint64(32) ^ c[1] ^ np.uint64(k0),
            p1 & low,
            p0 >> np.uint64(32) ^ c[3] ^ np.uint64(k1),
            p0 & low,
        ]
        k0, k1 = k0 + _KEY_STEPS[0] & _WORD, k1 + _KEY_STEPS[1] & _WORD
    return np.stack(c, axis=1).astype(np.uint32).reshape(-1)[:n]


def philox_after(counter: int, n: int) -> int:
    """The counter after n words: only whole blocks are used, and it wraps at 2**128.

    >>> from dml_vk.testing import philox_after
    >>> philox_after(0, 5), philox_after(2**128 - 1, 4)
    (2, 0)
    """
    _check_bits("philox_after", "counter", counter, 128)
    return (counter - n // -4) % 2**128


def philox_uniform(words: NDArray[np.uint32], dtype: DType | str) -> Array:
    """Uniform numbers from random words: uint32, uint64, or equally spaced floats in [0, 1).

    One word per element, two for 8-byte types: words 2i (low) and 2i + 1 of the stream for element
    i. Floats use the highest bits, as many as the type has digits: 11, 24 or 53.

    >>> from dml_vk.testing import philox_uniform, philox_words
    >>> philox_uniform(philox_words(key=0, counter=0, n=2), "float32").tolist()
    [0.3990464210510254, 0.8805201649665833]
    """
    kind = to_dtype("philox_uniform", dtype)
    if kind.kind != "f" and kind.name not in ("uint32", "uint64"):
        raise DTypeError("philox_uniform", "dtype must be a float, uint32 or uint64", dtype=dtype)
    drawn: Array = words
    if kind.itemsize == 8:
        low, high = words[: words.size // 2 * 2].astype(np.uint64).reshape(-1, 2).T
        drawn = low | high << np.uint64(32)
    if kind.kind == "u":
        return drawn
    digits = _FLOATS[kind.name][0] + 1
    highest = drawn >> drawn.dtype.type(8 * drawn.itemsize - digits)
    return np.asarray(highest * math.ldexp(1.0, -digits), kind.name)


def sequence(start: float, delta: float, n: int, dtype: DType | str, first: int = 0) -> Array:
    """Elements first .. first + n - 1 of `start + i * delta`, computed exactly and rounded once.

    Integers wrap. Floats round to nearest, ties to even, keep subnormals and overflow to infinity.
    If start, delta or the sum is not finite, or the sum is zero, the result is that of `start + i *
    delta` in IEEE 754: so an infinite delta gives NaN at i = 0, and -0.0 + 0 * 1.0 is 0.0.

    >>> from dml_vk.testing import sequence
    >>> sequence(10, -2, 4, "uint8").tolist()
    [10, 8, 6, 4]
    """
    kind = to_dtype("sequence", dtype)
    indexes = range(first, first + n)
    if kind.kind == "f":
        values = [_float_element(float(start), i, float(delta), kind.name) for i in indexes]
        return np.array(values, np.float64).astype(kind.name)
    if kind.kind not in "iu":
        raise DTypeError("sequence", "dtype must be an integer or a float", dtype=dtype)
    wrapped = [(int(start) + i * int(delta)) % 2 ** (8 * kind.itemsize) for i in indexes]
    return np.array(wrapped, np.uint64).astype(f"uint{8 * kind.itemsize}").view(kind.name)


def _float_element(start: float, i: int, delta: float, name: str) -> float:
    if not (math.isfinite(start) and math.isfinite(delta)):
        # The result only depends on whether i is 0.
        value = start + min(i, 1) * delta
        return math.nan if math.isnan(value) else value
    exact = Fraction(start) + i * Fraction(delta)
    if not exact:
        return start + math.copysign(0.0, delta) if start == 0.0 else 0.0
    return _rounded(exact, *_FLOATS[name])


def _rounded(exact: Fraction, fraction_bits: int, least_exponent: int) -> float:
    """Round to the nearest number of a binary format, as a float64, which can represent it."""
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    step = max(exponent, least_exponent) - fraction_bits
    steps = round(size / Fraction(2) ** step)  # ties to even
    overflows = steps * Fraction(2) ** step >= Fraction(2) ** (2 - least_exponent)
    nearest = math.inf if overflows else math.ldexp(steps, step)
    return -nearest if exact < 0 else nearest


def _check_bits(what: str, name: str, value: int, bits: int) -> None:
    if not 0 <= value < 2**bits:
        raise RangeError(what, f"{name} must be from 0 to 2**{bits} - 1", **{name: value})

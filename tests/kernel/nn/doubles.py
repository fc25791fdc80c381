"""Functions for networks in NumPy's float64, as their definitions say."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tests.chance import chance

SHAPE = (3, 4, 7, 6)
EPS = 1e-5


def normal(*shape):
    return chance().standard_normal(shape)


def by_rows(x, axes, eps=EPS):
    """Less the mean, divided by the root of the variance."""
    moved = x - x.mean(axes, keepdims=True)
    return moved / np.sqrt((moved * moved).mean(axes, keepdims=True) + eps)


def channels(numbers):
    return numbers.reshape(-1, 1, 1)


def soft(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def conv(x, weight, stride, dilation, begin, out, groups):
    """Of any number of spatial dims, an output and an element of the window at a time."""
    found = np.zeros((x.shape[0], weight.shape[0], *out))
    inputs, outputs = weight.shape[1], weight.shape[0] // groups
    for group in range(groups):
        a = x[:, group * inputs : (group + 1) * inputs]
        to = slice(group * outputs, (group + 1) * outputs)
        for at in np.ndindex(*out):
            for tap in np.ndindex(*weight.shape[2:]):
                place = [
                    p * s + t * d - b for p, s, t, d, b in zip(at, stride, tap, dilation, begin)
                ]
                if all(0 <= k < size for k, size in zip(place, x.shape[2:])):
                    terms = weight[(to, ..., *tap)] @ a[(..., *place)].T
                    found[(slice(None), to, *at)] += terms.T
    return found


def conv_transpose(x, weight, stride, dilation, begin, out, groups):
    inputs, outputs = weight.shape[0] // groups, weight.shape[1]
    found = np.zeros((x.shape[0], outputs * groups, *out))
    for group in range(groups):
        a = x[:, group * inputs : (group + 1) * inputs]
        to = slice(group * outputs, (group + 1) * outputs)
        own = weight[group * inputs : (group + 1) * inputs]
        for at in np.ndindex(*x.shape[2:]):
            for tap in np.ndindex(*weight.shape[2:]):
                place = [
                    p * s + t * d - b for p, s, t, d, b in zip(at, stride, tap, dilation, begin)
                ]
                if all(0 <= k < size for k, size in zip(place, out)):
                    found[(slice(None), to, *place)] += a[(..., *at)] @ own[(..., *tap)]
    return found


def attention(q, k, v, mask=0.0):
    return soft(q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1]) + mask, -1) @ v


def around(x, size, axes):
    """The sums of squares in windows of this size along these axes."""
    found = np.zeros_like(x)
    squares = x * x
    for by in itertools.product(range(-(size // 2), (size - 1) // 2 + 1), repeat=len(axes)):
        moved = squares
        for axis, step in zip(axes, by):
            moved = np.roll(moved, -step, axis)
            edge = [slice(None)] * x.ndim
            edge[axis] = slice(0, -step) if step < 0 else slice(x.shape[axis] - step, None)
            moved = moved.copy()
            moved[tuple(edge)] = 0
        found += moved
    return found

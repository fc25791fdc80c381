"""Steps of random programs that call functions of more than elements: arrays', networks', draws.

Each takes a pool and five numbers, as those in language.py do.
"""

from __future__ import annotations

import math

import numpy as np

import dml_vk
from dml_vk import fft, linalg, nn

POOLS = nn.max_pool, nn.avg_pool
NORMS = nn.layer_norm, nn.rms_norm
ALONG = nn.softmax, nn.log_softmax, nn.logsumexp, nn.hardmax, nn.normalize
ACTIVATIONS = (None, "relu", "sigmoid")
BESIDE_TILES = (1, 3, 5, 8, 9, 15, 16, 17, 31, 33, 34, 35, 36, 62)


def weights(x, *shape):
    """Fixed small numbers of the dtype of x."""
    values = np.cos(np.arange(math.prod(shape), dtype=np.float32)).reshape(shape)
    return dml_vk.asarray(values).astype(x.dtype)


def network(pool, a, b, c, p, q):
    x, way = pool.pick(a), p % 7
    x = x if x.dtype.kind == "f" or q % 5 == 0 else x.real.astype(dml_vk.float32)
    activation = ACTIVATIONS[c % len(ACTIVATIONS)]
    if way == 0:
        call = ALONG[q % len(ALONG)]
        return [call(x, axis=b % max(1, x.ndim))]
    if way == 1:
        last = x.shape[-1:] or (1,)
        return [NORMS[q % 2](x, last, weights(x, *last), activation=activation)]
    if way == 2:
        weight = weights(x, 1 + b % 4, *x.shape[-1:])
        return [nn.linear(x, weight, weights(x, 1 + b % 4), activation=activation)]
    if x.ndim < 3:
        x = dml_vk.expand_dims(x, axis=0) if x.ndim < 2 else x
        return [nn.gemm(x, x.mT, alpha=0.5, activation=activation)]
    channels = x.shape[1]
    if way == 3:
        kernel = [1 + b % 2] * (x.ndim - 2)
        weight = weights(x, 1 + c % 3, channels, *kernel)
        return [nn.conv(x, weight, padding=q % 2, activation=activation)]
    if way == 4:
        return [POOLS[q % 2](x, 1 + b % 2, padding=0)]
    if way == 5:
        mean, var = weights(x, channels), weights(x, channels) + 2
        return [nn.batch_norm(x, mean, var, weight=mean, activation=activation)]
    return list(nn.batch_norm_train(x)) if q % 2 else [nn.group_norm(x, 1)]


def read_twice(pool, a, b, c, p, q):
    """What a kernel makes, and several steps after it read."""
    x, way = pool.pick(a), p % 6
    x = x if x.dtype.kind == "f" else x.real.astype(dml_vk.float32)
    rows, columns = (BESIDE_TILES[number % len(BESIDE_TILES)] for number in (b, c))
    depth = 1 + q % 9
    left = weights(x, rows, depth) * x.reshape(-1)[:1]
    right = weights(x, depth, columns)
    if way == 0:
        made = left @ right
    elif way == 1:
        made = (left[:, :, None] * right).sum(axis=1)
    elif way == 2:
        made = dml_vk.cumulative_sum(left * right[:, 0], axis=q % 2)
    elif way == 3:
        made = nn.softmax(left * right[:, 0])
    elif way == 4:
        made = nn.layer_norm(left * right[:, 0], (depth,))
    else:
        made = nn.conv(left.mT[None], right.T[:, :, None])[0]
    made = made + weights(x, made.shape[-1])
    twice = made * (dml_vk.erf(made / 1.4142135) + 1)
    return [twice, made] if q // 9 % 2 else [twice]


def drawn(pool, a, b, c, p, q):
    """What a generator draws, which is one of the function's own or from outside."""
    x, way = pool.pick(a), p % 5
    form = dml_vk.channels_last if x.ndim == 4 and c % 2 else dml_vk.contiguous_format
    one = pool.generator if q % 4 else dml_vk.random.Generator(b)
    if way == 0:
        return [one.normal(x.shape, mean=0.5)]
    if way == 1:
        return [one.uniform(-1, 2, x.shape, memory_format=form)]
    if way == 2:
        return [one.integers(-3, 9, x.shape, "int32" if c % 2 else "int8")]
    if way == 3:
        x = x if x.dtype.kind == "f" else one.normal(x.shape, "float16")
        return [nn.dropout(x, 0.5, generator=one)]
    return [one.permutation(1 + b % 9)]


def of_arrays(pool, a, b, c, p, q):
    x, way = pool.pick(a), p % 11
    dim = b % max(1, x.ndim)
    if way == 0:
        return [dml_vk.tile(x, 1 + c % 3)]
    if way == 1:
        return [dml_vk.repeat(x, 1 + c % 3, axis=dim)]
    if way == 2:
        return dml_vk.split(x, [c % (1 + max(x.shape, default=0))], axis=dim)
    if way == 3:
        return [dml_vk.pad(x, (c % 3, q % 3), value=1)]
    if way == 4:
        return [dml_vk.cumulative_prod(x, axis=dim)]
    if way == 5:
        return [dml_vk.diff(x, axis=dim)]
    if way == 6:
        return [dml_vk.take_along_axis(x, dml_vk.argsort(x, axis=dim), axis=dim)]
    if way == 7:
        order = dml_vk.argsort(pool.into(x, c).expand(*x.shape), axis=dim)
        dml_vk.put_along_axis(x, order, pool.number(q), dim)
        return []
    if way == 8:
        return [dml_vk.searchsorted(dml_vk.sort(x.reshape(-1)), pool.like(x, c))]
    if way == 9:  # Of one size: tables for others would be kept.
        return [fft.fft(x, n=8, axis=dim) if q % 2 else linalg.vector_norm(x, axis=dim)]
    return [dml_vk.tril(x) if q % 2 else linalg.outer(x.reshape(-1)[:9], x.reshape(-1)[:5])]

"""Gradients on operands of other sizes and layouts: rules hold for all that functions take.

Each case of the other tables is run again with its sizes replaced: by primes, beside finite
differences; by 1 and 0, where gradients must have the shapes of their operands and no NaN. Then
with operands in other layouts, whose gradients have the bits of those of packed ones, and compiled.
"""

from __future__ import annotations

from itertools import cycle, product
from math import prod

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DmlVkError
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import channels_last
from tests import tier
from tests.kernel.gradients.differences import as_scalar, check, drawn
from tests.kernel.gradients.test_cases import CASES
from tests.kernel.gradients.test_layers import CONVOLUTIONS, NORMS, POOLS, TRANSPOSED
from tests.kernel.gradients.test_operators import RANGES, SHAPES, differentiable

LAYERS = {
    **{f"norm: {name}": (function, *shapes) for name, (function, shapes) in NORMS.items()},
    **{f"pool: {name}": case for name, case in POOLS.items()},
}
for table, layer in ((CONVOLUTIONS, dml_vk.nn.conv), (TRANSPOSED, dml_vk.nn.conv_transpose)):
    for name, (x, weight, options) in table.items():
        LAYERS[f"{layer.__name__}: {name}"] = (
            lambda *each, layer=layer, options=options: layer(*each, **options),
            x,
            weight,
        )
OPERATED = {
    f"operator: {name}": (getattr(dml_vk, name), *SHAPES[OPERATORS[name].arity])
    for name in differentiable(dml_vk.float64)
}
EVERY = {**CASES, **LAYERS, **OPERATED}

# Sizes in place of those that the tables have.
PRIMES = {2: 3, 3: 7, 4: 5, 5: 11, 6: 13, 7: 17}
SIZES = {
    "primes": PRIMES,
    "ones": dict.fromkeys(range(1, 20), 1),
    **{f"no {size}": {size: 0} for size in (2, 3, 4, 6)},
    **{f"one {size}": {size: 1} for size in (2, 3, 4)},
}


def operands_of(name, shapes):
    low, high = RANGES.get(name.removeprefix("operator: "), (0.2, 0.9))
    return [drawn(shape, "f", seed, low, high) for seed, shape in enumerate(shapes)]


def steps_of(x):
    """Every second element of a larger tensor."""
    larger = dml_vk.zeros([2 * size for size in x.shape], dtype=x.dtype)
    every = (slice(None, None, 2),) * x.ndim
    larger[every] = x
    return larger[every]


LAYOUTS = {
    "reversed": lambda x: dml_vk.flip(dml_vk.flip(x).clone()),
    "turned": lambda x: (
        dml_vk.matrix_transpose(dml_vk.matrix_transpose(x).contiguous()) if x.ndim > 1 else x
    ),
    "steps": steps_of,
    "channels_last": lambda x: x.contiguous(channels_last) if x.ndim in (3, 4, 5) else x,
}


def gradient_of(name, operands):
    function, *shapes = EVERY[name]
    result = function(*operands)
    weights = dml_vk.asarray(drawn(result.shape, "f", 5, -1, 1), result.dtype)
    return dml_vk.grad(as_scalar(function, weights), tuple(range(len(shapes))))


def takes(name, arrays):
    """Whether a function takes operands of these sizes, and has a result that varies."""
    try:
        result = EVERY[name][0](*[dml_vk.asarray(a) for a in arrays])
    except (DmlVkError, ValueError, IndexError, TypeError, ZeroDivisionError):
        return False
    return result.dtype.kind in "fc"


# Whose gradients are NaN there, as in PyTorch: statistics of nothing, and 0 / 0.
UNDEFINED = {
    *[("norm: train", f"no {size}") for size in (2, 4)],
    ("norm: train active", "no 4"),
    ("corrcoef", "one 3"),
    ("nanstd", "ones"),
}
SOME = {
    ("outer", "no 3"),
    ("std", "ones"),
    ("pool: lp of 1", "no 2"),
    ("pool: responses", "no 3"),
    ("conv: same", "no 6"),
    ("matmul", "primes"),
}
SIZED = tier.plus(
    sorted(SOME),
    sorted(
        {
            (name, sizes)
            for (name, (_, *shapes)), (sizes, others) in product(EVERY.items(), SIZES.items())
            if any(size in others for shape in shapes for size in shape)
        }
        - SOME
        - UNDEFINED
    ),
)
# Of each function one layout.
PLACED = tier.some(list(zip(EVERY, cycle(LAYOUTS))), 5)


@pytest.mark.parametrize(("name", "sizes"), SIZED)
def test_of_other_sizes(name, sizes):
    replaced = SIZES[sizes]
    function, *shapes = EVERY[name]
    others = [tuple([replaced.get(size, size) for size in shape]) for shape in shapes]
    arrays = operands_of(name, others)
    if others == shapes or not takes(name, arrays):
        return
    if all(map(prod, others)):
        check(function, arrays, again=False)
        return
    operands = [dml_vk.asarray(a) for a in arrays]
    for x, gradient in zip(operands, gradient_of(name, operands)(*operands)):
        assert (gradient.shape, gradient.dtype) == (x.shape, x.dtype)
        assert np.isfinite(gradient.numpy()).all()


# Values of operands decide their sizes, which programs cannot know.
BY_VALUE = {"getitem 3", "put", "place", "choose", "compress", "extract", "trim_zeros", "bincount"}


@pytest.mark.parametrize(("name", "layout"), PLACED)
def test_of_other_layouts(name, layout):
    _, *shapes = EVERY[name]
    operands = [dml_vk.asarray(a, "float32") for a in operands_of(name, shapes)]
    gradient = gradient_of(name, operands)
    expected = [each.tobytes() for each in gradient(*operands)]
    placed = [LAYOUTS[layout](x) for x in operands]
    ways = [gradient] if name in BY_VALUE else [gradient, dml_vk.compile(gradient)]
    for way in ways:
        for own, x, bits in zip(way(*placed), operands, expected):
            assert (own.shape, own.dtype) == (x.shape, x.dtype)
            assert own.tobytes() == bits

"""Tensors of random layouts amid memory that must not change, each beside NumPy's view of it."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import dml_vk
from dml_vk.dtypes import DTYPES, DType
from dml_vk.layout import Layout
from tests.kernel.elementwise import random_values
from tests.kernel.memory import elements

SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 13, 17)
MOST = 600  # elements


@dataclass(eq=False)
class Base:
    """Memory on the device, and what it must hold."""

    tensor: Any
    expected: np.ndarray[Any, Any]

    def changed(self) -> str:
        """What is wrong with the memory, if anything is."""
        found = self.tensor.numpy()
        same = bits(found) == bits(self.expected)
        if same.all():
            return ""
        at = int(np.flatnonzero(~same)[0])
        return (
            f"{int((~same).sum())} of {found.size} elements in memory are wrong, first at {at}: "
            f"{found[at]!r} for {self.expected[at]!r}"
        )


@dataclass(eq=False)
class Drawn:
    """A tensor, and what NumPy sees in its memory."""

    text: str
    tensor: Any
    array: np.ndarray[Any, Any]
    base: Base


@dataclass
class Draws:
    """What the tensors of one call have in common: they mostly fit together."""

    rng: random.Random
    dtype: DType = DTYPES["float32"]
    sizes: tuple[int, ...] = ()
    tame: bool = False  # small numbers, of which sums and products can be known
    allowed: tuple[DType, ...] = ()  # what the call takes, if not all dtypes
    drawn: list[Drawn] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dtype = DTYPES[self.rng.choice([*DTYPES, "float32", "float32", "int32"])]
        if self.allowed and self.rng.random() < 0.9:
            self.dtype = self.rng.choice(self.allowed)
        rank = self.rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8))
        self.sizes = self.sizes_of(rank)
        self.tame = self.rng.random() < 0.5

    def sizes_of(self, rank: int) -> tuple[int, ...]:
        sizes = [self.rng.choice(SIZES) for _ in range(rank)]
        while math.prod(sizes) > MOST:
            sizes[sizes.index(max(sizes))] //= 2
        return tuple(sizes)

    def like(self) -> tuple[int, ...]:
        """Sizes that mostly broadcast with the others, and sometimes do not."""
        chance = self.rng.random()
        if chance < 0.7:
            return self.sizes
        if chance < 0.95:
            cut = self.rng.randrange(len(self.sizes) + 1)
            return tuple([1 if self.rng.random() < 0.3 else n for n in self.sizes[cut:]])
        return self.sizes_of(self.rng.randrange(4))

    def tensor(
        self, sizes: tuple[int, ...] | None = None, dtype: DType | None = None, *, own: bool = False
    ) -> Drawn:
        """`own`: of memory that no other argument shares, each element once."""
        rng = self.rng
        sizes = self.like() if sizes is None else sizes
        if dtype is None:
            dtype = self.dtype if rng.random() < 0.95 else DTYPES[rng.choice(list(DTYPES))]
        layout = random_layout(rng, sizes, own=own)
        shared = [one for one in self.drawn if one.base.tensor.dtype is dtype]
        reach = layout.offset + layout.span + sum(min(0, s * (n - 1)) for s, n in steps(layout))
        if shared and not own and rng.random() < 0.3:
            base = rng.choice(shared).base
            if reach > base.expected.size:
                base = self._memory(dtype, reach)
        else:
            base = self._memory(dtype, reach)
        of = [one.base for one in self.drawn]
        where = f", memory_of={of.index(base)}" if base in of else ""
        drawn = Drawn(
            f"tensor({dtype.name}, {layout!r}{where})",
            base.tensor.over(layout),
            elements(base.expected, layout)
            if layout.numel
            else np.empty(sizes, base.expected.dtype),
            base,
        )
        self.drawn.append(drawn)
        return drawn

    def _memory(self, dtype: DType, reach: int) -> Base:
        seed, count = self.rng.randrange(1000), reach + self.rng.randrange(1, 5)
        if self.tame and dtype.kind != "b":
            random, part = np.random.default_rng(seed), dtype.part
            values = random.integers(
                -4 if part.kind != "u" else 0, 5, (1 + (part is not dtype)) * count
            )
            values = values.astype(part.numpy_name) / (2 if part.kind == "f" else 1)
            values = values.astype(part.numpy_name).view(dtype.numpy_name)
        else:
            values = random_values(dtype, count, seed)
        return Base(dml_vk.asarray(values), values.copy())


def random_layout(rng: random.Random, sizes: tuple[int, ...], *, own: bool = False) -> Layout:
    """Packed in any order, with gaps, backwards, repeated or overlapping, from anywhere on."""
    order = list(range(len(sizes)))
    way = rng.random()
    if way < 0.4:
        return Layout.packed(sizes, offset=rng.choice((0, 0, 1, 3)))
    rng.shuffle(order)
    strides, step = [0] * len(sizes), 1
    for dim in reversed(order):
        chance = rng.random()
        if chance < 0.15 and not own:
            strides[dim] = 0
            continue
        if chance < 0.25 and not own:
            step = max(1, step - 1)
        strides[dim] = step * rng.choice((1, 1, 1, 1, 2, 3))
        step = strides[dim] * max(1, sizes[dim])
        if rng.random() < 0.2:
            strides[dim] = -strides[dim]
    low = sum(min(0, s * (n - 1)) for s, n in zip(strides, sizes) if n)
    return Layout(sizes, strides, rng.choice((0, 0, 1, 3)) - low)


def steps(layout: Layout) -> list[tuple[int, int]]:
    return [(s, n) for s, n in zip(layout.strides, layout.sizes) if n]


def bits(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """As words that compare like their bytes."""
    return np.ascontiguousarray(values).view(
        "V16" if values.itemsize == 16 else f"u{values.itemsize}"
    )

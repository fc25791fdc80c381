"""Random programs on tensors beside the same on NumPy's arrays: views, writes, operators, sums.

NumPy's views share memory as ours do, so that a write is seen through all of them or there is a
fault. A program that fails shrinks to few steps, which are printed.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given, note
from hypothesis import strategies as st

import dml_vk
from dml_vk.layout import channels_last, contiguous_format
from tests import tier

DTYPES = ("float32", "int32", "uint8", "float16", "int64", "bool")
NUMBERS = {"f": (-1.0, 0.5, 2.0), "i": (-3, 2, 7), "u": (1, 2, 5), "b": (True, False)}
BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "less", "equal")
REDUCTIONS = ("sum", "max", "min", "mean", "any", "all", "argmax", "argmin", "count_nonzero")


class Program:
    """Pairs of an array and the tensor that must equal it, and what made them."""

    def __init__(self, draw):
        self.draw = draw
        self.pairs: list[tuple[np.ndarray, dml_vk.Tensor]] = []

    def choose(self, *options):
        return self.draw(st.sampled_from(options))

    def any_pair(self):
        return self.choose(*range(len(self.pairs)))

    def keep(self, text, array, tensor):
        note(f"v{len(self.pairs)} = {text}")
        self.pairs.append((np.asarray(array), tensor))

    def new(self):
        sizes = self.draw(st.lists(st.integers(0, 4) | st.just(1), max_size=4))
        dtype, seed = self.choose(*DTYPES), self.draw(st.integers(1, 50))
        values = (np.arange(int(np.prod(sizes))) * 7 + seed) % 23 + 1
        array = (values % 2 if dtype == "bool" else values).astype(dtype).reshape(sizes)
        made = self.choose(contiguous_format, channels_last)
        if len(sizes) < 3:
            made = contiguous_format
        self.keep(
            f"asarray({dtype}, {sizes}, {made.name}, seed {seed})",
            array.copy(),
            dml_vk.asarray(array, memory_format=made),
        )

    def view(self):
        k = self.any_pair()
        array, tensor = self.pairs[k]
        kind = self.choose("permute", "index", "flip", "broadcast", "reshape", "unsqueeze")
        rank = array.ndim
        if kind == "permute":
            dims = self.draw(st.permutations(range(rank)))
            self.keep(f"v{k}.permute({dims})", array.transpose(dims), tensor.permute(*dims))
        elif kind == "index":
            key = self.key(array.shape)
            expected, result = array[key], tensor[key]
            if not isinstance(expected, np.ndarray):  # NumPy's numbers are no views.
                result = result.clone()
            self.keep(f"v{k}[{key}]", expected, result)
        elif kind == "flip" and rank:
            dim = self.choose(*range(rank))
            self.keep(f"v{k}.flip({dim})", np.flip(array, dim), tensor.flip(dim))
        elif kind == "broadcast":
            sizes = (self.choose(1, 2, 3), *[3 if n == 1 else n for n in array.shape])
            shown = f"broadcast_to(v{k}, {sizes})"
            self.keep(shown, np.broadcast_to(array, sizes), dml_vk.broadcast_to(tensor, sizes))
        elif kind == "reshape":
            sizes = self.choose((-1,), (array.size,), array.shape[::-1]) if array.size else (0, 2)
            expected, result = array.reshape(sizes), tensor.reshape(sizes)
            # Whether that is a view depends on the format.
            if result.allocation is not tensor.allocation:
                expected = expected.copy()
            elif not np.shares_memory(expected, array):
                result = result.clone()
            self.keep(f"v{k}.reshape({sizes})", expected, result)
        else:
            self.keep(f"v{k}[None]", array[None], tensor[None])

    def key(self, shape):
        parts = []
        for size in shape[: self.draw(st.integers(0, len(shape)))]:
            if size and self.choose(True, False, False):
                parts.append(self.draw(st.integers(-size, size - 1)))
            else:
                ends = st.none() | st.integers(-size - 1, size + 1)
                step = self.choose(None, 1, 2, -1, -2)
                parts.append(slice(self.draw(ends), self.draw(ends), step))
        if self.choose(True, False):
            parts.insert(self.draw(st.integers(0, len(parts))), None)
        if self.choose(True, False):
            parts.append(...)
        return tuple(parts)

    def other(self, array):
        """Something to compute with: a number, or a variable of the same dtype that broadcasts."""
        fits = [
            k
            for k, (one, _) in enumerate(self.pairs)
            if one.dtype == array.dtype and broadcasts(one.shape, array.shape)
        ]
        if fits and self.choose(True, False):
            k = self.choose(*fits)
            return f"v{k}", *self.pairs[k]
        number = self.choose(*NUMBERS[array.dtype.kind])
        return str(number), array.dtype.type(number), number

    def operate(self):
        k = self.any_pair()
        array, tensor = self.pairs[k]
        name = self.choose(*(BINARY if array.dtype != bool else ("equal", "maximum", "minimum")))
        shown, other, ours = self.other(array)
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(array, other)
        self.keep(f"{name}(v{k}, {shown})", expected, getattr(dml_vk, name)(tensor, ours))

    def write(self):
        k = self.any_pair()
        array, tensor = self.pairs[k]
        if not array.flags.writeable or tensor.layout.overlaps:
            return
        kind = self.choose("key", "mask", "in place")
        if kind == "key":
            key = self.key(array.shape)
            shown, other, ours = self.other(array[key])
            if broadcasts(np.shape(other), array[key].shape) == array[key].shape:
                note(f"v{k}[{key}] = {shown}")
                array[key] = other
                tensor[key] = ours
        elif kind == "mask":
            number = self.choose(*NUMBERS[array.dtype.kind])
            note(f"v{k}[v{k} == v{k}.max()] = {number}")
            if array.size:
                mask = array == array.max()
                tensor[tensor == array.max().item()] = number
                array[mask] = number
        elif array.dtype != bool:
            shown, other, ours = self.other(array)
            if broadcasts(np.shape(other), array.shape) == array.shape:
                note(f"v{k} += {shown}")
                with np.errstate(all="ignore"):
                    np.add(array, other, out=array)
                tensor += ours

    def reduce(self):
        k = self.any_pair()
        array, tensor = self.pairs[k]
        name = self.choose(*REDUCTIONS)
        axis = self.choose(None, *range(array.ndim))
        if name == "mean" and array.dtype.kind != "f":
            return
        if name in ("max", "min") and array.dtype == bool:
            return
        count = array.size if axis is None else array.shape[axis]
        if not count and name not in ("sum", "any", "all", "count_nonzero"):
            return
        keepdims = self.choose(True, False)
        expected = getattr(np, name)(array, axis=axis, keepdims=keepdims)
        result = getattr(dml_vk, name)(tensor, axis=axis, keepdims=keepdims)
        self.keep(f"{name}(v{k}, axis={axis}, keepdims={keepdims})", expected, result)

    def move(self):
        k = self.any_pair()
        array, tensor = self.pairs[k]
        kind = self.choose("where", "concat", "take", "sort", "cumulative", "roll", "clone")
        axis = self.choose(*range(array.ndim)) if array.ndim else None
        if kind == "where":
            shown, other, ours = self.other(array)
            mask = array.astype(bool)
            result = dml_vk.where(tensor.astype(dml_vk.bool_), tensor, ours)
            self.keep(f"where(v{k}, v{k}, {shown})", np.where(mask, array, other), result)
        elif kind == "clone" or axis is None:
            self.keep(f"v{k}.clone()", array.copy(), tensor.clone())
        elif kind == "concat":
            joined = np.concatenate([array, array], axis)
            self.keep(
                f"concat([v{k}, v{k}], {axis})", joined, dml_vk.concat([tensor, tensor], axis=axis)
            )
        elif kind == "take" and array.shape[axis]:
            at = self.draw(st.lists(st.integers(0, array.shape[axis] - 1), max_size=4))
            index = np.array(at, np.int64)
            result = dml_vk.take(tensor, dml_vk.asarray(index), axis=axis)
            self.keep(f"take(v{k}, {at}, {axis})", np.take(array, index, axis), result)
        elif kind == "sort":
            result = dml_vk.sort(tensor, axis=axis)
            self.keep(f"sort(v{k}, {axis})", np.sort(array, axis), result)
        elif kind == "cumulative" and array.dtype != bool:
            result = dml_vk.cumulative_sum(tensor, axis=axis)
            expected = np.cumsum(array, axis)
            self.keep(f"cumulative_sum(v{k}, {axis})", expected, result)
        elif kind == "roll":
            expected, result = np.roll(array, 2, axis), dml_vk.roll(tensor, 2, axis=axis)
            self.keep(f"roll(v{k}, 2, {axis})", expected, result)


def broadcasts(a, b):
    """The sizes that two have together, or False."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return False


@tier.examples(100)
@given(st.data())
def test_programs_come_to_what_numpy_comes_to(data):
    program = Program(data.draw)
    program.new()
    steps = [program.new, program.view, program.operate, program.write, program.reduce]
    for _ in range(data.draw(st.integers(1, 12))):
        program.choose(*steps, program.view, program.write, program.move)()
    for k, (array, tensor) in enumerate(program.pairs):
        found = tensor.numpy()
        assert found.shape == array.shape, f"v{k}"
        assert found.dtype == array.dtype, f"v{k}"
        if array.dtype.kind == "f":
            near = np.isclose(
                found, array, rtol=1e-5 if array.itemsize > 2 else 4e-3, equal_nan=True
            )
            assert near.all(), f"v{k}: {found} {array}"
        else:
            assert np.array_equal(found, array), f"v{k}: {found} {array}"

"""Sums of gradients, kept for each value as its memory is laid out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dml_vk.array.math.elementwise import add
from dml_vk.array.statistics.reductions import sum as sum_over
from dml_vk.errors import GradientError
from dml_vk.gradients.memory import Home, over, repeated
from dml_vk.gradients.nans import check_no_nan
from dml_vk.gradients.tape import Entry, Tape
from dml_vk.layout import Layout
from dml_vk.observe.callers import named
from dml_vk.ops.copy import copy_elements, same_addresses
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.parts import as_parts
from dml_vk.ops.view import View, with_layout
from dml_vk.tensor.core import Tensor, tensor_over


class Sums:
    """Gradients of values, to which those of their uses are added from the last to the first."""

    def __init__(self, homes: dict[int, Home]) -> None:
        self._homes = homes
        self._sums: dict[int, Tensor] = {}

    @contextmanager
    def at(self, homes: dict[int, Home]) -> Iterator[None]:
        """Sum up for more values within a `with` block."""
        before, self._homes = self._homes, homes
        try:
            yield
        finally:
            self._homes = before

    def add(self, view: View, gradient: Tensor) -> None:
        key = id(view.allocation)
        home = self._homes[key]
        if view.dtype.kind == "c" and view.dtype.part is home.dtype:
            view, gradient = as_parts(view), Tensor(as_parts(gradient))
        if view.dtype is not home.dtype and view.dtype is not home.dtype.part:
            rule = "a view as another dtype has no gradient: use astype"
            raise GradientError("grad", rule, dtype=view.dtype, own=home.dtype)
        own, new = self._sums.get(key), _at_home(home, view, gradient)
        self._sums[key] = new if own is None else add(own, new)

    def taken(self, view: View, *, is_new: bool) -> Tensor | None:
        """Return the gradient of elements that were written now: before, they were others."""
        key = id(view.allocation)
        own = self._sums.get(key)
        if own is None:
            return None
        if is_new or _covers(self._homes[key], view):
            del self._sums[key]
            return _seen(own, view)
        rest = own.clone()
        self._sums[key] = rest
        fill_constant("grad", _seen(rest, view), view.dtype, 0)
        return _seen(own, view)

    def of(self, x: Tensor) -> Tensor:
        """The gradient of an argument."""
        own = self._sums.get(id(x.allocation))
        return zeros_at(self._homes[id(x.allocation)]) if own is None else _seen(own, x)


def pulled(
    tape: Tape,
    entries: list[Entry],
    results: Sequence[Tensor],
    cotangents: Sequence[Tensor],
    arguments: Sequence[Tensor],
    *,
    once: bool = False,
) -> list[Tensor]:
    """Go through what was noted, from the last to the first; return gradients of arguments.

    If that is done `once`, what was noted is dropped as soon as it was used.
    """
    sums = Sums(tape.homes)
    for result, cotangent in zip(results, cotangents):
        if tape.varies(result):
            sums.add(result, cotangent)
    _go_back(sums, tape, entries, once=once)
    return [sums.of(x) for x in arguments]


def _go_back(sums: Sums, tape: Tape, entries: list[Entry], *, once: bool) -> None:
    for entry in _popped(entries) if once else reversed(entries):
        taken = [sums.taken(result, is_new=entry.is_new) for result in entry.results]
        if once and entry.is_new:
            for result in entry.results:  # Nothing before refers to them.
                tape.homes.pop(id(result.allocation), None)
        if all(gradient is None for gradient in taken):
            continue
        if entry.again is not None:
            inner, results = entry.again()
            with sums.at(inner.homes):
                for result, gradient in zip(results, taken):
                    if gradient is not None:
                        sums.add(result, gradient)
                _go_back(sums, inner, inner.entries, once=True)
            continue
        with named(f"gradient of {entry.name}"):
            gradients = entry.pull(entry.saved, taken)
            if tape.checks_nans:
                at = entry.call._replace(op=f"gradient of {entry.name}")
                check_no_nan(at, "gradient", gradients)
        if len(gradients) != len(entry.operands):
            rule = "a rule must return a gradient or None for each operand"
            raise GradientError(entry.name, rule, gradients=len(gradients))
        for x, gradient in reversed([*zip(entry.operands, gradients)]):
            if gradient is not None and tape.varies(x):
                _check(entry.name, x, gradient)
                sums.add(x, gradient)


def _popped(entries: list[Entry]) -> Iterator[Entry]:
    while entries:
        yield entries.pop()


def _check(name: str, x: View, gradient: Tensor) -> None:
    if gradient.shape != x.layout.sizes or gradient.dtype is not x.dtype:
        rule = "a gradient must have the shape and dtype of its operand"
        got = {"shape": gradient.shape, "dtype": gradient.dtype}
        raise GradientError(name, rule, **got, operand=(x.layout.sizes, x.dtype))


def zeros_at(home: Home) -> Tensor:
    new = tensor_over("grad", home.layout, home.dtype, home.device)
    fill_constant("grad", new, home.dtype, 0)
    return new


def _seen(own: Tensor, view: View) -> Tensor:
    """The gradient of a view of memory, of which this is the whole gradient."""
    return over(view, own.allocation)


def _at_home(home: Home, view: View, gradient: Tensor) -> Tensor:
    """Return the gradient of all of the memory: that of a view, and 0 elsewhere."""
    layout = view.layout
    has_sizes = view.dtype is home.dtype and layout.sizes == home.layout.sizes
    if has_sizes and same_addresses(layout, home.layout):
        return _laid_out(home, gradient)
    if _covers(home, view):
        new = tensor_over("grad", home.layout, home.dtype, home.device)
    else:
        new = zeros_at(home)
    if layout.numel:
        _add_into(_seen(new, view), gradient, is_zero=True)
    return new


def _covers(home: Home, view: View) -> bool:
    """Whether a view is of all elements of the memory."""
    layout = view.layout
    return view.dtype is home.dtype and layout.is_packed and layout.numel == home.layout.numel


def _laid_out(home: Home, gradient: Tensor) -> Tensor:
    if same_addresses(gradient.layout, home.layout):
        return gradient._over(home.layout)
    new = tensor_over("grad", home.layout, home.dtype, home.device)
    copy_elements("grad", gradient, new)
    return new


def _add_into(target: Tensor, gradient: Tensor, *, is_zero: bool) -> None:
    """Add to the elements of a view, of which several may be one, as where it was broadcast."""
    layout = target.layout
    dims = repeated(layout)
    if dims:
        gradient = sum_over(gradient, axis=tuple(dims), keepdims=True)
        for dim in dims:
            layout = layout.narrow(dim, 0, 1)
        target = Tensor(with_layout(target, layout))
    if not layout.overlaps:
        if is_zero:
            copy_elements("grad", gradient, target)
        else:
            add(target, gradient, out=target)
        return
    dim = _least(layout)
    for index in range(layout.sizes[dim]):
        part = Tensor(with_layout(target, layout.select(dim, index)))
        _add_into(part, gradient.select(dim, index), is_zero=False)


def _least(layout: Layout) -> int:
    """The dim of the fewest indexes that are not one."""
    return min(
        [dim for dim in range(layout.rank) if layout.sizes[dim] > 1],
        key=lambda dim: layout.sizes[dim],
    )

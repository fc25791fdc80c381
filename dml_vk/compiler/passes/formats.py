"""Memory formats of a compiled function's operations, chosen so that all takes the least time.

Each operation that can be done in another format gets one of two labels. It takes an estimated time
in either, and so does each copy to the other format, which is needed once for a tensor if any of
those that read it has another label than what made it. The labels of least time are a cut of least
cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from dml_vk.compiler.passes.conversions import (
    LAUNCH_NS,
    Choice,
    Conversions,
    Slots,
    empty_like,
    estimated_ns,
    relabelled,
)
from dml_vk.compiler.passes.cut import NEVER, ONE, ZERO, Cut
from dml_vk.compiler.passes.fuse import fused
from dml_vk.compiler.passes.liveness import needed
from dml_vk.compiler.passes.operations import (
    FORMATS,
    flexible,
    is_of_images,
    items_of,
    label_of,
    touched,
    weight_of,
)
from dml_vk.compiler.report.formats import Formats
from dml_vk.compiler.trees import replace
from dml_vk.errors import RangeError
from dml_vk.kernels.plan.copy import plan_copy
from dml_vk.layout import Layout, MemoryFormat
from dml_vk.observe.copies import Copy, collected
from dml_vk.strides.order import CHANNELS_LAST
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.spec import Spec
from dml_vk.tracing.capture import Capture, Placeholder
from dml_vk.tracing.recorder import recorded
from dml_vk.tracing.step import Operation, Step, Upload

AUTO, NCHW, NHWC = "auto", "nchw", "nhwc"
LAYOUTS = (None, AUTO, NCHW, NHWC)


def to_layout(what: str, layout: object) -> str | None:
    """Check the argument `layout`."""
    if not (layout is None or isinstance(layout, str)) or layout not in LAYOUTS:
        rule = "layout must be None, 'auto', 'nchw' or 'nhwc'"
        raise RangeError(what, rule, layout=layout)
    return layout


def in_formats(capture: Capture, result: object, copies: Sequence[Copy], layout: str) -> Formats:
    """Do the steps of a capture in the formats asked for."""
    returned = _slots_of(result)
    items = _needed_items(capture, items_of(capture), returned)
    with recorded(capture):
        model = Costs(capture, items, returned)
    times: dict[str | None, float] = {None: _fused_ns(capture, capture.steps, returned)}
    tried: dict[str | None, Conversions] = {}
    for way in (AUTO, NCHW, NHWC) if layout == AUTO else (layout,):
        tried[way] = Conversions(capture, copies, model.times())
        tried[way].run(items, model.choices(way), returned)
        times[way] = _fused_ns(capture, tried[way].steps, returned)
    # Of equal ones the first: the function as it is, if that is as good.
    chosen = min(times, key=times.__getitem__) if layout == AUTO else layout
    if chosen is None:
        return Formats(copies, (), times, None)
    best = tried[chosen]
    capture.steps = best.steps
    return Formats(best.copies, best.conversions, times, chosen)


class _Value:
    """The values of a tensor between two writes: what made them, and what reads them."""

    def __init__(self, layouts: tuple[Layout, Layout], itemsize: int, made_by: int) -> None:
        self.layouts = layouts  # by the label of what made it
        self.itemsize = itemsize
        self.made_by = made_by  # a node of the cut
        self.readers: set[int] = set()


class _Tried(NamedTuple):
    """An operation in one format."""

    ns: float
    layout: Layout  # of the result
    weight_ns: float  # with the weight in channels_last, its copy included; infinite without one


class Costs:
    """The costs of all choices, as a cut."""

    def __init__(
        self, capture: Capture, items: Sequence[Operation | Step], returned: Iterable[int]
    ) -> None:
        self.items, self.returned = items, returned
        self._capture = capture
        self._slots = Slots(capture)
        self._values: list[_Value] = []
        self._specs: dict[int, Spec] = {}  # of tensors that operations made, by slot
        self._whole: dict[int, tuple[Spec, _Value]] = {}  # their values
        self._views: dict[int, dict[Spec, _Value]] = {}  # the others, by slot and spec
        self._next_node = max(ONE, ZERO) + 1
        self.nodes: list[tuple[Operation, int, list[_Tried]]] = []  # tried by label
        for item in items:
            if isinstance(item, Operation) and flexible(item):
                self._add(item)
            else:
                self._as_it_is(item.steps if isinstance(item, Operation) else [item])
                if isinstance(item, Operation) and item.out is None:
                    layout = item.result.layout
                    self._note_result(item.result, _node(layout), (layout, layout))
        for slot in returned:
            self._read_slot(slot)

    def choices(self, way: str) -> list[Choice]:
        """How each operation with a node is done, in their order."""
        cut = Cut()
        while cut.node() < self._next_node - 1:
            pass
        for operation, node, tried in self.nodes:
            asked = way if is_of_images(operation) else AUTO
            row_major, channels_last = [round(_least_ns(attempt, way)) for attempt in tried]
            cut.cost(node, ZERO, NEVER if asked == NCHW else channels_last)
            cut.cost(ONE, node, NEVER if asked == NHWC else row_major)
        for value in self._values:
            self._add_copies(cut, value)
        labels = cut.least()
        choices = []
        for _, node, tried in self.nodes:
            chosen = tried[labels[node]]
            choices.append(Choice(labels[node], _least_ns(chosen, way) < chosen.ns))
        return choices

    def times(self) -> dict[Operation, tuple[float, ...]]:
        """What each operation takes in either format."""
        return {operation: tuple([each.ns for each in tried]) for operation, _, tried in self.nodes}

    def _add_copies(self, cut: Cut, value: _Value) -> None:
        """Add what the copies of a value cost: one if any reader has not the label of its maker."""
        for label in (0, 1):
            source = value.layouts[label]
            ns = self._copy_ns(source, FORMATS[1 - label], value.itemsize)
            others = value.readers - {value.made_by}
            if not ns or not others:
                continue
            any_other = cut.node()
            if label:
                cut.cost(value.made_by, any_other, ns)
            else:
                cut.cost(any_other, value.made_by, ns)
            for reader in others:
                cut.cost(*((any_other, reader) if label else (reader, any_other)), NEVER)

    def _copy_ns(self, source: Layout, wanted: MemoryFormat, itemsize: int) -> int:
        if source.rank not in CHANNELS_LAST:
            return 0
        target, moves = source.to(wanted)
        if not moves:
            return 0
        of = self._capture.device.profile
        operands = source.sizes, source.strides, target.strides, itemsize, source.offset, 0
        plan = plan_copy(*operands, of)
        return round(plan.units * plan.unit_ns * len(plan.launches) + LAUNCH_NS)

    def _add(self, operation: Operation) -> None:
        node, self._next_node = self._next_node, self._next_node + 1
        for k, x in enumerate(operation.operands):
            if k in flexible(operation):
                self._read(x, node)
            elif isinstance(x, Tensor):
                self._read_slot(self._slots.of(x))
        out = operation.out
        anew = out is not None and self._has_whole(out)
        tried = [self._tried(operation, label, anew=anew) for label in (0, 1)]
        self.nodes.append((operation, node, tried))
        if out is None or anew:
            layouts = tried[0].layout, tried[1].layout
            follows = [*map(label_of, layouts)] == [0, 1]
            self._note_result(operation.result, node if follows else _node(layouts[0]), layouts)
        else:
            self._read_slot(self._slots.of(out))
            self._write_slot(self._slots.of(out))

    def _tried(self, operation: Operation, label: int, *, anew: bool) -> _Tried:
        """Do an operation in a format to see what it takes."""
        scratch = Capture(self._capture.device, (), is_trial=True)
        operands, out = list(operation.operands), operation.out
        for k in flexible(operation):
            if label_of(operands[k].layout) != label:
                operands[k] = empty_like(scratch, operands[k], label)
        if out is not None and anew and relabelled(out, label) is None:
            out = None
        weight_ns = inf
        with recorded(scratch):
            result, _ = collected(lambda: operation.do(operands, out))
            ns = estimated_ns(scratch.steps)
            number = weight_of(operation)
            if number is not None:
                scratch.steps = []
                weight = operands[number]
                operands[number] = empty_like(scratch, weight, 1)
                collected(lambda: operation.do(operands, out))
                weight_ns = estimated_ns(scratch.steps)
                weight_ns += self._copy_ns(weight.layout, FORMATS[1], weight.dtype.itemsize)
        return _Tried(ns, result.layout, weight_ns)

    def _has_whole(self, out: Tensor) -> bool:
        """Whether a tensor is all of a temporary that an operation made."""
        slot = self._slots.of(out)
        return self._specs.get(slot) is out.spec and not self._slots.is_outer(slot)

    def _note_result(self, result: Tensor, node: int, layouts: tuple[Layout, Layout]) -> None:
        slot, spec = self._slots.of(result), result.spec
        assert spec is not None
        value = _Value(layouts, result.dtype.itemsize, node)
        self._write_slot(slot)
        self._specs[slot] = spec
        self._whole[slot] = spec, value
        self._values.append(value)

    def _read(self, x: Tensor, node: int) -> None:
        slot, spec = self._slots.of(x), x.spec
        assert spec is not None
        whole = self._whole.get(slot)
        if whole is not None and whole[0] is spec:
            whole[1].readers.add(node)
            return
        self._read_slot(slot)
        views = self._views.setdefault(slot, {})
        if spec not in views:
            views[spec] = _Value((x.layout, x.layout), x.dtype.itemsize, _node(x.layout))
            self._values.append(views[spec])
        views[spec].readers.add(node)

    def _read_slot(self, slot: int) -> None:
        """Note that values are needed where the function has them."""
        if slot in self._whole:
            spec, value = self._whole[slot]
            value.readers.add(_node(spec.layout))

    def _write_slot(self, slot: int) -> None:
        self._whole.pop(slot, None)
        self._views.pop(slot, None)

    def _as_it_is(self, steps: Iterable[Step]) -> None:
        for step in steps:
            for slot, _ in touched(step):
                self._read_slot(slot)
            for slot, writes in touched(step):
                if writes:
                    self._write_slot(slot)


def _least_ns(tried: _Tried, way: str) -> float:
    """The time of an operation, which converts its weight only if the format is chosen."""
    return min(tried.ns, tried.weight_ns) if way == AUTO else tried.ns


def _node(layout: Layout) -> int:
    """The node of what has a known layout."""
    return ONE if label_of(layout) else ZERO


def _needed_items(
    capture: Capture, items: Sequence[Operation | Step], returned: set[int]
) -> list[Operation | Step]:
    """Leave out what writes nothing that is read or returned."""
    steps = [step for step in capture.steps if not isinstance(step, Upload)]
    alive = set(map(id, needed(steps, _outer_slots(capture, returned))))

    def is_alive(item: Operation | Step) -> bool:
        if isinstance(item, Operation):
            return any(id(step) in alive for step in item.steps)
        return isinstance(item, Upload) or id(item) in alive

    return [item for item in items if is_alive(item)]


def _outer_slots(capture: Capture, returned: set[int]) -> set[int]:
    return {*range(capture.arguments), *capture.outside, *returned}


def _fused_ns(capture: Capture, steps: Iterable[Step], returned: set[int]) -> float:
    """The estimated time of steps as a program does them."""
    outer = _outer_slots(capture, returned)
    works = [step for step in steps if not isinstance(step, Upload)]
    return estimated_ns(fused(needed(works, outer), outer, capture.device.profile))


def _slots_of(result: object) -> set[int]:
    """The memory that is returned and was not there before."""
    slots: set[int] = set()

    def add(x: object) -> object:
        memory = x.allocation if isinstance(x, Tensor) else None
        if isinstance(memory, Placeholder):
            slots.add(memory.number)
        return x

    replace(result, add)
    return slots

"""Launches as they were made one by one, and the same as one chain."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.codegen import chained
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import Chain, Node, node_of, present
from dml_vk.kernels.plan.fused import params_of, plan_fused
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.layout import Layout
from dml_vk.ops.view import access
from dml_vk.runtime.hazards import Access
from tests.kernel.memory import elements, memory_for
from tests.modules import check_valid
from tests.profiles import PROFILES

# Both kinds of devices, with more than the four buffers that are the least.
WIDE = {
    name: dataclasses.replace(profile, max_storage_buffers=8) for name, profile in PROFILES.items()
}
# A GPU that little work keeps busy, so that units have several steps.
WIDE["GPU apart"] = dataclasses.replace(WIDE["GPU"], units_wanted=1)


class Launched(NamedTuple):
    plan: Plan
    accesses: Sequence[Access]
    params: tuple[int, ...]


class Found(NamedTuple):
    """A chain without what it writes, and what its launch takes."""

    chain: Chain
    reads: list[Access]
    words: list[tuple[int, ...]]
    values: dict[Any, int]  # the number of the value at each place

    def value(self, tensor: dml_vk.Tensor) -> int:
        layout = tensor.layout
        base = access(tensor, False).base
        return self.values[base, layout.strides, tensor.dtype.itemsize]


@contextlib.contextmanager
def launched() -> Iterator[list[Launched]]:
    """What is launched while it lasts, by calls too."""
    queue, made = dml_vk.device().queue, []
    add = queue.add

    def spy(plan, accesses, params, arguments=None):
        made.append(Launched(plan, accesses, params))
        add(plan, accesses, params, arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queue, "add", spy)
        yield made


def found(launches: Sequence[Launched]) -> Found:
    """The chain of these launches, all of the same sizes."""
    sizes = launches[0].plan.computed.sizes
    reads: list[tuple[Operand, Access]] = []
    places: dict[Any, int] = {}  # the operand that is read, or -1 - the number of the node
    nodes: list[tuple[Launched, list[int]]] = []
    for one in launches:
        computed = one.plan.computed
        assert computed.sizes == sizes
        sources = []
        for k in present(computed):
            (strides, _, size), at = computed.operands[k], one.accesses[k]
            place = at.base, strides, size
            if place not in places:
                places[place] = len(reads)
                reads.append((Operand(strides, at.base // size, size), at))
            sources.append(places[place])
        strides, _, size = computed.operands[-1]
        nodes.append((one, sources))
        places[one.accesses[-1].base, strides, size] = -len(nodes)
    at_reads = len(reads)
    numbers = {place: n if n >= 0 else at_reads - 1 - n for place, n in places.items()}
    made: list[Node] = []
    for one, sources in nodes:
        values = [n if n >= 0 else at_reads - 1 - n for n in sources]
        made.append(node_of(one.plan.computed, values))
    chain = Chain(sizes, tuple([operand for operand, _ in reads]), tuple(made), ())
    return Found(chain, [at for _, at in reads], [one.params for one in launches], numbers)


def written_to(chain: Chain, writes: Sequence[tuple[int, dml_vk.Tensor]]) -> Chain:
    """The chain that writes these values there."""
    operands = []
    for value, target in writes:
        layout, dtype = target.layout, target.dtype
        base = access(target, True).base // dtype.itemsize
        operands.append((value, Operand(layout.strides, base, dtype.itemsize)))
    return chain._replace(writes=tuple(operands))


def run(one: Found, writes: Sequence[tuple[int, dml_vk.Tensor]]) -> Plan | None:
    """Launch the chain as one kernel, if it can be one."""
    device = dml_vk.device()
    chain = written_to(one.chain, writes)
    plan = plan_fused(chain, device.queue.encoder.profile)
    if plan is not None:
        accesses = (*one.reads, *[access(target, True) for _, target in writes])
        device.launch(plan, accesses, params_of(chain, one.words))
    return plan


def check(one: Found, results: Sequence[dml_vk.Tensor], to: Sequence[Layout], path: Path) -> Plan:
    """The chain writes these results to these layouts, and not one bit beside them."""
    expected, writes, tensors = [], [], []
    for result, layout in zip(results, to):
        memory, layout = memory_for(layout, result.dtype.itemsize)
        tensor = dml_vk.asarray(memory.view(result.dtype.numpy_name))
        tensors.append(tensor)
        writes.append((one.value(result), tensor.over(layout)))
        elements(memory, layout)[...] = result.numpy().view(memory.dtype)
        expected.append(memory)
    plan = run(one, writes)
    assert plan is not None
    for tensor, memory in zip(tensors, expected):
        found_ = tensor.numpy().view(memory.dtype)
        assert np.array_equal(found_, memory), (plan.recipe, np.flatnonzero(found_ != memory)[:5])
    if plan.units:
        check_valid(chained.built(plan.recipe, 0), path, plan.recipe)
    return plan

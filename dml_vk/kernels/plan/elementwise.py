"""Plan elementwise kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dml_vk.arguments import Ints
from dml_vk.dtypes import DTYPES
from dml_vk.kernels.elementwise import FAMILIES, KERNELS, Applied, element_rounds
from dml_vk.kernels.kernel import COMPUTED_RANK, MAX_RANK, by_name
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.chain import Computed
from dml_vk.kernels.plan.dims import offsets
from dml_vk.kernels.plan.flat import apart, flat
from dml_vk.kernels.plan.nodes import of_parts, scalar_places
from dml_vk.kernels.plan.paths import plan_of, rows, tile
from dml_vk.kernels.plan.tasks import Operand, columns_of, task_of
from dml_vk.limits import Profile

_BY_NAME = by_name(KERNELS)
# Complex dtypes by those of their parts, as codes.
_OF_PARTS = {dtype.part.code: dtype.code for dtype in DTYPES.values() if dtype.kind == "c"}
_AHEAD = 4  # quads of all sources that an invocation has under way


@cached_plan(4096)
def plan_computed(
    kernel: str,
    sizes: Ints,
    operands: Sequence[Operand],
    spec: Ints,
    profile: Profile,
    *,
    arguments: bool = True,
    by_parts: bool = False,
) -> Plan:
    """Plan an elementwise kernel over operands, dst last.

    All strides are over the sizes of dst: 0 where a source is broadcast or a scalar. `spec` are
    the constants that follow those of the variant. Where the dims do not fit the push block, they
    become arguments in memory, or without `arguments` several launches. The last dim may be the
    two parts of complex numbers, `by_parts`.
    """
    strides, bases, itemsizes = columns_of(operands)
    family = FAMILIES[kernel]
    rank = COMPUTED_RANK[family.sources]
    most = MAX_RANK if arguments else rank
    task, starts = task_of(sizes, strides, bases, itemsizes, most, profile)
    applied = Applied.of(spec)
    each_rounds = element_rounds(kernel, applied.opcode, applied.before)
    # What takes many instructions hides its loads, and is long to compile for several quads.
    ahead = _AHEAD if family.is_short and not each_rounds else 1
    shared = None if family.is_rare else flat(task, ahead) or apart(task, ahead)
    path = shared or rows(task)
    if "tile_32" in family.variants and set(itemsizes) == {4}:
        path = tile(task) or path
    activates = kernel == "finish" and applied.before
    element_ns = family.ns + (FAMILIES["float_activation"].ns if activates else 0)
    path = path.costing(element_ns, each_rounds)
    variant = _BY_NAME[f"{kernel}_{path.name}"]
    own = dict(zip(variant.spec[variant.spec.index("OP") :], spec, strict=True))
    plan = plan_of(
        *(variant, str(8 * task.itemsize), task, path, offsets(task.outer, starts)),
        sources=itemsizes[:-1],
        constants=own,
    )
    computed = Computed(kernel, sizes, tuple(operands), spec)
    return replace(plan, computed=computed, of_complex=_whole(computed) if by_parts else None)


def _whole(computed: Computed) -> Computed | None:
    """What is done to the parts of complex numbers, as a chain does it to the numbers.

    None if a chain cannot, or if parts are not side by side.
    """
    kernel, sizes, operands, spec = computed
    applied = Applied.of(spec)
    target, common, *sources = [_OF_PARTS.get(code, code) for code in applied.types]
    whole = applied._replace(target=target, common=common, sources=tuple(sources)).spec
    if of_parts(kernel, whole) != spec or scalar_places(kernel, spec):
        return None
    numbers = []
    for k, (strides, offset, itemsize) in enumerate(operands):
        *others, last = strides
        is_read = k == len(operands) - 1 or not applied.absent >> k & 1
        if is_read and (last != 1 or any(count % 2 for count in (*others, offset))):
            return None
        halves = tuple([stride // 2 for stride in others])
        numbers.append(Operand(halves, offset // 2, 2 * itemsize))
    return Computed(kernel, sizes[:-1], tuple(numbers), whole)

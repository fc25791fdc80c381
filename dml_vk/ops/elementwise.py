"""Elementwise operations: one operator on the elements at the same index, in any layouts."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType
from dml_vk.errors import DTypeError
from dml_vk.kernels.elementwise import COMPUTED, Applied
from dml_vk.kernels.kernel import SCALAR_WORDS
from dml_vk.kernels.operators import OPCODES, OPERATORS, Operator, cast_variant
from dml_vk.kernels.plan.elementwise import plan_computed
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.observe.copies import record
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.noted import tape
from dml_vk.ops.numbers import scalar_words
from dml_vk.ops.parts import as_parts, imag_part, real_part
from dml_vk.ops.view import View, access, check_target, overlap, temporary_like, with_layout

_MOST_DIMS = 7  # of complex numbers whose parts are floats of one more: a kernel takes up to 8


def compute(
    what: str,
    operator: Operator,
    sources: Sequence[View | None],
    target: View,
    common: DType,
    scalars: Ints = (),
    before: int = 0,
    *,
    by_parts: bool = False,
) -> None:
    """Apply the operator elementwise, computed in `common`, and write the results to the target.

    Sources broadcast. None is a scalar, whose words are `scalars`. A source that shares memory with
    the target is read as if the target were written afterwards. All may be complex numbers as their
    parts, `by_parts`.
    """
    if common.kind == "c" and operator.family == "arithmetic":
        # Drivers fold what is added to or multiplied by an imaginary part that a kernel makes up.
        sources = [
            x if x is None or x.dtype.kind == "c" else converted(what, x, common) for x in sources
        ]
    if operator.by_parts and _are_complex(common, sources, target):
        sources = [as_parts(source) for source in sources if source is not None]
        target, common, by_parts = as_parts(target), common.part, True
    kernel, count, opcode = _kernel(operator, common)
    if kernel == "cast" and sources[0] is not None:
        opcode = cast_variant(sources[0].dtype, target.dtype)
    steps = opcode, before
    launch(what, kernel, count, steps, sources, target, common, scalars, by_parts=by_parts)


def _are_complex(common: DType, sources: Sequence[View | None], target: View) -> bool:
    """Whether all are tensors of one complex dtype, with room for one more dim."""
    room = target.layout.rank <= _MOST_DIMS
    return common.kind == "c" and room and all(x is not None and x.dtype is common for x in sources)


def launch(
    what: str,
    kernel: str,
    count: int,
    steps: tuple[int, int],
    sources: Sequence[View | None],
    target: View,
    common: DType,
    scalars: Ints = (),
    *,
    by_parts: bool = False,
) -> None:
    """Launch an elementwise kernel of `count` sources. `steps` are its opcode and `before`.

    The last dim may be the two parts of complex numbers, `by_parts`.
    """
    opcode, before = steps
    check_target(what, target, "out")
    layout, device = target.layout, target.device
    if not layout.numel:
        return
    absent, operands = 0, []  # a bit for each operand that is a scalar or missing
    for k, source in enumerate((*sources, None, None)[:count]):
        absent |= (source is None) << k
        operands.append(
            target if source is None else copy_if_overlapping(what, source, target, in_place=True)
        )
    types = target.dtype.code, common.code, tuple([source.dtype.code for source in operands])
    spec = Applied(opcode, before, absent, *types).spec
    planned = kernel, layout.sizes, places_of(operands, target, absent), spec, device.profile
    plan = plan_computed(*planned, by_parts=by_parts)
    read = [source for k, source in enumerate(operands) if not absent >> k & 1]
    if plan.shares_words and any(overlap(source, target) for source in read):
        # One invocation would read from a word that another one writes.
        operands = [
            source if absent >> k & 1 else copy_if_overlapping(what, source, target)
            for k, source in enumerate(operands)
        ]
        planned = kernel, layout.sizes, places_of(operands, target, absent), spec, device.profile
        plan = plan_computed(*planned, by_parts=by_parts)
    otherwise = None
    if plan.arguments:
        otherwise = plan_computed(*planned, arguments=False, by_parts=by_parts)
    reads = [access(source, False) for source in operands]
    words = (*scalars, *(0,) * (SCALAR_WORDS[count] - len(scalars)))
    device.launch(plan, (*reads, access(target, True)), words, otherwise, what)


def converted(what: str, source: View, dtype: DType, reason: str = "dtype") -> View:
    """Return the view, or a converted copy if it has another dtype. The reason is for the trace."""
    if source.dtype is dtype:
        return source
    copied = temporary_like(what, source, dtype)
    nbytes = copied.layout.numel * dtype.itemsize
    record(what, reason, source.layout, copied.layout, nbytes)
    cast_elements(what, source, copied)
    return copied


def cast_elements(what: str, source: View, target: View) -> None:
    """Convert each element to the target's dtype, as docs/operators.md says.

    Complex elements are converted by parts: real ones have the imaginary part 0.
    """
    check_cast(what, source.dtype, target.dtype)
    if (noting := tape()) is not None:
        noting.write(functools.partial(cast_elements, what), source, target)
        return
    cast = OPERATORS["cast"]
    if target.dtype is source.dtype and target.dtype.kind == "c":
        compute(what, OPERATORS["positive"], [source], target, target.dtype)
    elif target.dtype.kind == "c" == source.dtype.kind:
        source = with_layout(source, source.layout.expand(target.layout.sizes))
        parts = as_parts(source), as_parts(target)
        compute(what, cast, parts[:1], parts[1], target.dtype.part, by_parts=True)
    elif target.dtype.kind == "c":
        compute(what, cast, [source], real_part(target), target.dtype.part)
        fill_constant(what, imag_part(target), target.dtype.part, 0)
    elif source.dtype.kind == "c":  # to bool
        zero = scalar_words(what, "zero", source.dtype, 0)
        compute(what, OPERATORS["not_equal"], [source, None], target, source.dtype, zero)
    else:
        compute(what, cast, [source], target, target.dtype)


def check_cast(what: str, source: DType, target: DType) -> None:
    """Check that elements of a dtype can be converted to another one."""
    if source.kind == "c" and target.kind not in "bc":
        rule = "cannot cast complex elements to a real dtype: use real, imag or abs"
        raise DTypeError(what, rule, dtype=target, source=source)


@functools.lru_cache(maxsize=1024)
def _kernel(operator: Operator, common: DType) -> tuple[str, int, int]:
    """Return the kernel that computes an operator, its number of sources, and the opcode."""
    kernel = operator.kernel(common)
    return kernel, COMPUTED[kernel].sources, int(OPCODES[operator.opcode])


def places_of(sources: Sequence[View], target: View, scalars: int) -> list[Operand]:
    """Return all sources and the target, with strides over the target's sizes.

    `scalars` has a bit set for each source that is a scalar.
    """
    sizes = target.layout.sizes
    nowhere = (0,) * len(sizes), 0
    return [
        Operand(*(nowhere if scalars >> k & 1 else _over(view, sizes)), view.dtype.itemsize)
        for k, view in enumerate((*sources, target))
    ]


def _over(view: View, sizes: Ints) -> tuple[Ints, int]:
    """Return (strides, offset) of an operand broadcast to these sizes."""
    layout = view.layout
    if layout.sizes == sizes:
        return layout.strides, layout.offset
    return _repeated(layout.sizes, layout.strides, sizes), layout.offset


@functools.lru_cache(maxsize=4096)
def _repeated(own: Ints, strides: Ints, sizes: Ints) -> Ints:
    own_strides = [0 if size == 1 else stride for size, stride in zip(own, strides)]
    return (0,) * (len(sizes) - len(own)) + tuple(own_strides)

"""Plan elementwise kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dml_vk.arguments import Ints
from dml_vk.kernels import finishes
from dml_vk.kernels.kernel import (
    COMPUTED_RANK,
    MAX_RANK,
    PATH_SPEC,
    SCALAR_WORDS,
    WRITES,
    Kernel,
    by_name,
    index_push,
    native,
)
from dml_vk.kernels.operators import CASTS, opcodes_of
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.caching import cached_plan
from dml_vk.kernels.plan.chain import Computed
from dml_vk.kernels.plan.dims import offsets
from dml_vk.kernels.plan.paths import plan_of, rows, tile
from dml_vk.kernels.plan.tasks import columns_of, task_of
from dml_vk.limits import Profile

_FLOAT_VARIANTS = ("words_32", "packed_16")
_COMPLEX_VARIANTS = ("words_64", "words_128")
_BOOL_VARIANTS = ("packed_8", "words_32")
# Elementwise kernels: name -> (number of sources, variants by path and bits of a dst element).
COMPUTED = {
    "float_arithmetic": (2, (*_FLOAT_VARIANTS, "tile_32")),
    "float_activation": (2, (*_FLOAT_VARIANTS, "tile_32")),
    "float_compare": (2, _BOOL_VARIANTS),
    "float_exp": (1, _FLOAT_VARIANTS),
    "float_log": (2, _FLOAT_VARIANTS),
    "float_trig": (1, _FLOAT_VARIANTS),
    "float_arc": (2, _FLOAT_VARIANTS),
    "float_erf": (1, _FLOAT_VARIANTS),
    "float_pow": (2, _FLOAT_VARIANTS),
    "int_arithmetic": (2, ("packed_8", "packed_16", "words_32", "tile_32")),
    "int_compare": (2, _BOOL_VARIANTS),
    "long_arithmetic": (2, ("words_64",)),
    "long_compare": (2, _BOOL_VARIANTS),
    "double_arithmetic": (2, ("words_64",)),
    "double_compare": (2, _BOOL_VARIANTS),
    "complex_arithmetic": (2, ("words_64",)),
    "complex_compare": (2, _BOOL_VARIANTS),
    "double_complex_arithmetic": (2, ("words_128",)),
    "double_complex_compare": (2, _BOOL_VARIANTS),
    "double_exp": (1, ("words_64",)),
    "double_log": (2, ("words_64",)),
    "double_trig": (1, ("words_64",)),
    "double_arc": (2, ("words_64",)),
    "double_erf": (1, ("words_64",)),
    "double_pow": (2, ("words_64",)),
    "double_activation": (2, ("words_64",)),
    "double_special": (2, ("words_64", *_FLOAT_VARIANTS)),
    "complex_exp": (1, _COMPLEX_VARIANTS),
    "complex_log": (1, _COMPLEX_VARIANTS),
    "complex_trig": (1, _COMPLEX_VARIANTS),
    "complex_arc": (1, _COMPLEX_VARIANTS),
    "complex_pow": (2, _COMPLEX_VARIANTS),
    "complex_size": (1, ("words_32", "words_64")),
    "cast": (1, ("packed_8", "packed_16", "words_32", "words_64")),
    "where": (3, ("packed_8", "packed_16", "words_32", "words_64", "words_128", "tile_32")),
}
_NATIVE = (
    "float_arithmetic",
    "double_arithmetic",
    "double_activation",
    "complex_arithmetic",
    "double_complex_arithmetic",
)
# Together with those that do not compute operators.
BY_ELEMENT = {**COMPUTED, **finishes.KERNELS}
_OPCODES = {"cast": CASTS, "finish": finishes.OPCODES, "pairs": finishes.PAIRS_OPCODES}


_FUSES: dict[str, tuple[str, ...] | str] = {
    "finish": (WRITES,),
    "pairs": "a pair of numbers is no element",
}


def _kernels() -> Iterator[Kernel]:
    """Make one kernel for every path of an elementwise family; all have the same interface."""
    for name, (sources, suffixes) in BY_ELEMENT.items():
        operands = ("a", "b", "c")[:sources]
        bases = (*(f"{operand}_base" for operand in operands), "dst_base")
        constants = ("OP", "BEFORE", "SCALARS", "TYPE", "COMMON", "A_TYPE", "B_TYPE", "C_TYPE")
        scalars = (("scalars", SCALAR_WORDS[sources]),)
        opcodes = _OPCODES.get(name) or opcodes_of(name)
        for path, before in PATH_SPEC.items():
            spec = (*before, *constants[: 5 + sources])
            macros = {
                **opcodes,
                **({"TILE": "1"} if path == "tile" else {}),
                **(native(spec) if name in _NATIVE else {}),
            }
            variants = {
                bits: {**macros, "BITS": bits}
                for of_path, bits in [suffix.split("_") for suffix in suffixes]
                if of_path == path
            }
            if variants:
                yield Kernel(
                    f"{name}_{path}",
                    fuses=_FUSES.get(name, "it is part of chains itself"),
                    bindings=(*(f"{operand}_words" for operand in operands), "Dst"),
                    spec=spec,
                    push=index_push(bases, COMPUTED_RANK[sources], scalars, sources),
                    variants=variants,
                    body=name,
                    params=("scalars",),
                )


KERNELS = tuple(_kernels())
_BY_NAME = by_name(KERNELS)

# Estimated time per element on one slow core, without reading and writing.
ELEMENT_NS = {
    "where": 2.0, "cast": 5.0, "float_compare": 2.0, "int_compare": 2.0, "long_compare": 5.0,
    "float_arithmetic": 3.0, "int_arithmetic": 3.0, "long_arithmetic": 8.0, "float_exp": 4.0,
    "float_activation": 6.0, "float_trig": 5.0, "float_erf": 6.0, "float_log": 7.0,
    "float_arc": 8.0, "float_pow": 12.0, "double_compare": 6.0, "double_arithmetic": 20.0,
    "double_exp": 20.0, "double_log": 30.0, "double_trig": 30.0,
    "double_arc": 40.0, "double_erf": 60.0, "double_pow": 60.0,
    "double_activation": 60.0, "double_special": 90.0,
    "complex_arithmetic": 20.0, "complex_compare": 4.0, "double_complex_arithmetic": 80.0,
    "complex_exp": 120.0, "complex_log": 150.0, "complex_trig": 120.0, "complex_arc": 300.0,
    "complex_pow": 250.0, "complex_size": 60.0, "double_complex_compare": 10.0,
    "finish": 4.0, "pairs": 4.0,
}  # fmt: skip


@cached_plan(4096)
def plan_computed(
    kernel: str,
    sizes: Ints,
    operands: Sequence[tuple[Ints, int, int]],
    spec: Ints,
    profile: Profile,
    *,
    arguments: bool = True,
) -> Plan:
    """Plan an elementwise kernel over operands of (strides, offset, item size), dst last.

    All strides are over the sizes of dst: 0 where a source is broadcast or a scalar. `spec` are
    the constants that follow those of the variant. Where the dims do not fit the push block, they
    become arguments in memory, or without `arguments` several launches.
    """
    strides, bases, itemsizes = columns_of(operands)
    sources, variants = BY_ELEMENT[kernel]
    rank = COMPUTED_RANK[sources]
    most = MAX_RANK if arguments else rank
    task, starts = task_of(sizes, strides, bases, itemsizes, most, profile)
    path = rows(task)
    if "tile_32" in variants and set(itemsizes) == {4}:
        path = tile(task) or path
    activates = kernel == "finish" and spec[1]
    element_ns = ELEMENT_NS[kernel] + (ELEMENT_NS["float_activation"] if activates else 0)
    path = path.costing(element_ns, rounds.computed(kernel, *spec[:2]))
    variant = _BY_NAME[f"{kernel}_{path.name}"]
    own = dict(zip(variant.spec[variant.spec.index("OP") :], spec, strict=True))
    plan = plan_of(
        *(variant, str(8 * task.itemsize), task, path, offsets(task.outer, starts)),
        sources=itemsizes[:-1],
        constants=own,
    )
    return replace(plan, computed=Computed(kernel, sizes, tuple(operands), spec))

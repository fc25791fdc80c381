"""Modules for one set of specialization constants: valid, and without what these rule out."""

from __future__ import annotations

import pytest

from dml_vk.kernels.codegen import library
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import CASTS, OPERATORS
from dml_vk.kernels.registry import KERNELS
from dml_vk.spirv import interface
from dml_vk.spirv import spec as op
from dml_vk.spirv.module import Module
from dml_vk.spirv.passes.specialize import specialized
from tests import tier
from tests.chance import chance
from tests.modules import check_valid, codes

MODULES = {module: kernel for kernel in KERNELS.values() for module in kernel.modules}
# Of each kernel; another variant of each, since most are variants of some kind of element.
ONE_OF_EACH = [
    [*kernel.modules][number % len(kernel.modules)]
    for number, kernel in enumerate(KERNELS.values())
]
# What a constant may be, if not 0 to 3.
RANGES = {
    "LOCAL_SIZE": (32, 64, 128),
    "LANES": (1, 8),
    "RANK": (0, 1, 2, 4),
    **dict.fromkeys(("BLOCK_ACROSS", "BLOCK_DOWN"), (1, 2, 8)),
    **dict.fromkeys(("ROWS", "COLUMNS", "DEEP", "LEVELS", "INNER"), (1, 2, 8)),
    "CHANNELS": (1, 4),
    "DOWN": (1, 2),
    "ACROSS": (4, 8),  # of which arrays have sizes, as of the next
    "KEPT": (1, 8),
    "PIECE": (4, 8),
    "MEMBERS": (1,),
    **{f"{name}_{dim}": (1, 2, 3) for name in ("WINDOW", "DILATION", "STRIDE") for dim in range(3)},
    **dict.fromkeys(("TYPE", "COMMON", "A_TYPE", "B_TYPE", "C_TYPE"), range(12)),
}
# Of tiles that workgroups do together, whose arrays have no fewer elements than a quad.
OF_TEAMS = {"ROWS": (4, 8), "COLUMNS": (4, 8), "DEEP": (16, 32)}
FUNCTIONS_OF_FLOAT64 = {
    f"double_{name}" for name in ("exp", "log", "trig", "arc", "erf", "pow", "special")
}
SPECIAL = range(op.SPEC_CONSTANT_TRUE, op.SPEC_CONSTANT_OP + 1)


def some_spec(kernel, module):
    """Constants within their ranges; most combinations are such as no plan makes."""
    operators = [
        operator.code for operator in OPERATORS.values() if kernel.body in operator.kernels
    ]
    ranges = {**RANGES, "OP": operators or [int(code) for code in CASTS.values()]}
    if "tile_team" in module:
        ranges |= OF_TEAMS
    return tuple([int(chance().choice(ranges.get(name, range(4)))) for name in kernel.spec])


@pytest.mark.compiler
@pytest.mark.parametrize("module", MODULES if tier.is_all() else ONE_OF_EACH)
def test_every_module_stays_valid(module, tmp_path):
    kernel, whole = MODULES[module], library.load(module)
    program = Module(whole)
    # Elementwise kernels have many operators, of which only one is left. But functions of float64
    # are long, and are written at each place of a call.
    shrinks = kernel.body in COMPUTED and kernel.body not in FUNCTIONS_OF_FLOAT64
    for _ in tier.some(range(3 if kernel.body in COMPUTED else 2), 1):
        spec = some_spec(kernel, module)
        spirv = specialized(program, spec)
        check_valid(spirv, tmp_path / "module.spv", spec)
        # Except in complex ones, where a division alone has more code inlined than there is.
        assert len(spirv) < len(whole) or not shrinks or "complex" in module
        assert not any(codes(spirv)[code] for code in SPECIAL)
        found, was = interface.read(spirv), interface.read(whole)
        assert found.spec == ()
        assert found.local_sizes({}) == was.local_sizes(dict(enumerate(spec)))
        assert found.shared_bytes({}) <= was.shared_bytes(dict(enumerate(spec)))
        places = {(block.set, block.number, block.writes) for block in was.bindings}
        assert {(block.set, block.number, block.writes) for block in found.bindings} <= places


def test_a_loader_keeps_what_it_made():
    spec = (64, 8, 1, 1, 1, 4, 10, 0, 0, 0, 1, 0, 2, 10, 10, 10, 10)
    spirv = library.load_for("float_arithmetic_words_32", spec)
    assert spirv == specialized(Module(library.load("float_arithmetic_words_32")), spec)
    assert library.load_for("float_arithmetic_words_32", spec) is spirv

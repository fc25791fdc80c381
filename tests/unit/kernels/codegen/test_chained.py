"""Modules of chains are valid: each operator of each kernel, and every way to elements."""

from __future__ import annotations

import itertools

import pytest

from dml_vk.dtypes import DTYPES
from dml_vk.kernels.codegen.chained import built
from dml_vk.kernels.codegen.nodes import modules_of
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import CASTS, opcodes_of
from dml_vk.kernels.plan.chain import FILL, AccessPattern, Chain, Node, Recipe
from dml_vk.kernels.plan.fused import plan_fused
from dml_vk.kernels.plan.nodes import ITEMSIZES, TARGET
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.registry import NATIVE_MODULES
from dml_vk.runtime.native_check import CHECKS
from dml_vk.spirv import spec as op
from dml_vk.spirv.builder import Main
from dml_vk.spirv.capabilities import NATIVE_CAPABILITIES, check_capabilities
from dml_vk.spirv.instructions import instruction, lines_of, words_of
from dml_vk.spirv.interface import read
from dml_vk.spirv.linking import Piece, link
from tests import tier
from tests.modules import check_valid, codes
from tests.profiles import CPU

ALL = sum(check.bits for check in CHECKS.values())

# Dtypes of what is computed, by how kernels are called.
COMMON = {
    "int": ("int8", "uint32"),
    "long": ("int64", "uint64"),
    "double": ("float64",),
    "complex": ("complex64", "complex128"),
    "double_complex": ("complex128",),
    "cast": ("float16", "int64", "uint8"),
}


def recipe_of(nodes, sources=3):
    pattern = AccessPattern(8, (), (1,), 16)
    last = sources + len(nodes) - 1
    patterns = (*[pattern] * sources, pattern._replace(itemsize=ITEMSIZES[nodes[-1].spec[TARGET]]))
    return Recipe(64, 8, (), (64,), 2, 2, 2, 1, patterns, tuple(nodes), (last,))


@pytest.mark.parametrize("kernel", sorted(COMPUTED))
def test_every_operator_of(kernel, tmp_path):
    count = COMPUTED[kernel].sources
    opcodes = (CASTS if kernel == "cast" else opcodes_of(kernel)).values()
    if kernel.startswith(("double", "complex")):
        opcodes = tier.some(opcodes, 3)  # each has functions that are written out for seconds
    kinds = (kernel[: kernel.rfind("_")], kernel.partition("_")[0])
    names = next((COMMON[kind] for kind in kinds if kind in COMMON), ("float32", "float16"))
    pairs = [(DTYPES[name].code, DTYPES[other].code) for name in names for other in names]
    nodes = [
        Node(kernel, (int(opcode), before, 0, code, code, *[other] * count), (0, 1, 2)[:count])
        for opcode, ((code, other), before) in tier.crossed(
            opcodes,
            list(
                itertools.product(
                    pairs if kernel == "cast" else pairs[:: len(names) + 1],
                    (0, 1) if kernel.startswith("float") else (0,),
                )
            ),
        )
    ]
    recipe = recipe_of(nodes)
    pieces = 3 if COMPUTED[kernel].is_rare else 1
    is_native = not NATIVE_MODULES.isdisjoint(modules_of(recipe.nodes))
    # What a device has of its own is in the kernels of all tests that run here.
    for native in (0, ALL) if is_native and (tier.is_all() or "arithmetic" in kernel) else (0,):
        spirv = built(recipe, native)
        check_valid(spirv, tmp_path / "module.spv", kernel)
        check_capabilities(read(spirv), kernel, NATIVE_CAPABILITIES if native else ())
        assert codes(spirv)[op.FUNCTION_CALL] >= 2 * pieces * len(nodes)


def test_double_numbers_only_where_they_are_used():
    code = DTYPES["float64"].code
    (add,) = [
        int(value) for name, value in opcodes_of("double_arithmetic").items() if name == "ADD"
    ]
    recipe = recipe_of([Node("double_arithmetic", (add, 0, 0, code, code, code, code), (0, 1))])
    assert op.Capability.FLOAT64 in read(built(recipe, ALL)).capabilities
    assert op.Capability.FLOAT64 not in read(built(recipe, 0)).capabilities


def test_fills_of_any_size(tmp_path):
    for itemsize in (1, 2, 4, 8):
        writes = (1, Operand((1,), 0, itemsize)), (0, Operand((1,), 0, 8))
        chain = Chain((64,), (Operand((1,), 0, 8),), (Node(FILL, (itemsize,), ()),), writes)
        plan = plan_fused(chain, CPU)
        assert plan is not None
        assert plan.recipe is not None
        assert NATIVE_MODULES.isdisjoint(modules_of(plan.recipe.nodes))
        check_valid(built(plan.recipe, 0), tmp_path / "module.spv", itemsize)


def test_a_switch_of_a_piece_keeps_its_cases(tmp_path):
    word, function, root, param, first, default, case, last = range(1, 9)
    lines = [
        (op.FUNCTION, word, root, 0, function),
        (op.FUNCTION_PARAMETER, word, param),
        (op.LABEL, first),
        (op.SELECTION_MERGE, last, 0),
        (op.SWITCH, param, default, 77, case),
        *((op.LABEL, default), (op.BRANCH, last), (op.LABEL, case), (op.BRANCH, last)),
        *((op.LABEL, last), (op.RETURN_VALUE, param), (op.FUNCTION_END,)),
    ]
    types = {word: (21, word, 32, 0), function: (op.TYPE_FUNCTION, function, word, word)}
    declared = {name: instruction(*line) for name, line in types.items()}
    functions = [[instruction(*line) for line in lines]]
    piece = Piece(root, functions, declared, frozenset(), 2, {})
    main = Main(2)
    link(main.module, piece, {})
    spirv = main.emit(1)
    check_valid(spirv, tmp_path / "module.spv")
    (switch,) = [line for line in lines_of(words_of(spirv)) if line[0] & 0xFFFF == op.SWITCH]
    assert switch[3] == 77

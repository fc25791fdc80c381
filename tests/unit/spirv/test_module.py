"""Modules are written as they were read, and edits declare what is missing, once."""

from __future__ import annotations

import pytest

from dml_vk.kernels.codegen import library
from dml_vk.kernels.codegen.node_functions import piece
from dml_vk.kernels.operators import OPERATORS
from dml_vk.spirv import spec as op
from dml_vk.spirv.builder import Main
from dml_vk.spirv.linking import link
from dml_vk.spirv.module import Module
from dml_vk.spirv.passes.specialize import specialized
from tests import tier
from tests.modules import check_valid, codes

MODULES = sorted(library.read_manifest()[1])


@pytest.mark.parametrize("name", tier.some(MODULES, 12))
def test_a_module_is_written_as_it_was_read(name):
    spirv = library.load(name)
    assert Module(spirv).emit() == spirv
    folded = specialized(Module(spirv), ())
    assert Module(folded).emit() == folded


def test_what_is_there_is_not_declared_again(tmp_path):
    module = Module(specialized(Module(library.load("copy_words_32")), (64, 8)))
    before = len(module.declared)
    assert module.type(op.TYPE_INT, 32, 0) == module.uint
    number = module.constant(0x12345678)
    assert module.constant(0x12345678) == number
    assert len(module.declared) == before + 1
    assert module.declared[-1][1:] == (module.uint, number, 0x12345678)
    check_valid(module.emit(), tmp_path / "module.spv")


def test_an_own_module_has_what_was_written_and_nothing_else(tmp_path):
    main = Main(3)
    end = main.push(2)
    main.loop(
        main.variable(main.constant(0)), end, main.constant(2), lambda at: main.store(1, 1, at, at)
    )
    spirv = main.emit(32)
    check_valid(spirv, tmp_path / "module.spv")
    module = Module(spirv)
    assert (module.main, [*module.functions]) == (main.module.main, [module.main])
    assert set(module.bindings().values()) == {1}
    assert [(member.start, member.words) for member in module.members] == [(0, 3)]


def test_a_function_of_another_module_is_written_with_what_it_uses(tmp_path):
    add = piece("float_arithmetic", (OPERATORS["add"].code, 0, 0, 10, 10, 10, 10))
    main = Main(2)
    root = link(main.module, add, {})
    spirv = main.emit(1)
    check_valid(spirv, tmp_path / "module.spv")
    module = Module(spirv)
    assert root in module.functions
    assert codes(spirv)[op.F_ADD] == 1
    assert len(module.declared) < len(add.declared)

"""A device's own operations are used where they give the bits that our kernels give, only there."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from dml_vk.kernels.codegen import library
from dml_vk.kernels.operators import opcodes_of
from dml_vk.kernels.registry import (
    KERNELS,
    NATIVE_MODULES,
    OF_MODULES,
    checks_of,
    constants_from_op,
)
from dml_vk.runtime import pipelines
from dml_vk.runtime.interface import Dispatch
from dml_vk.runtime.native_check import (
    CHECKS,
    FEATURE,
    expected,
    judge,
    native_operations,
    operands,
)
from dml_vk.runtime.pipelines import Key, Pipelines
from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import lines_of, words_of
from dml_vk.spirv.interface import read
from tests import tier
from tests.modules import check_valid
from tests.unit.runtime.queues import Runtime

FLOAT64 = 10
# The instruction of each operation, by its bit; that of a square root is one of GLSL's.
CODES = {1: 129, 2: 133, 4: 136, 8: (op.EXT_INST, 31)}
ALL = CHECKS["float64"].bits
KINDS = list(CHECKS.values())


def used(spirv):
    """The operations whose instructions are there."""
    kinds = set()
    for line in lines_of(words_of(spirv)):
        kind = line[0] & 0xFFFF
        kinds.add((kind, line[4]) if kind == op.EXT_INST else kind)
    return {bit for bit, code in CODES.items() if code in kinds}


@pytest.mark.parametrize("bits", tier.plus([0, *CODES, ALL], {*range(ALL)} - {0, *CODES}))
def test_each_operation_is_chosen_by_its_own_bit(bits, tmp_path):
    spirv = library.load_for("double_check_float64", (bits,))
    check_valid(spirv, tmp_path / "module.spv", bits)
    assert used(spirv) == {bit for bit in CODES if bits & bit}
    assert (FLOAT64 in read(spirv).capabilities) == (bits > 0)


def has_float64(spirv):
    """By the capabilities, which are the first of all instructions."""
    for at in range(20, len(spirv), 8):
        head, capability = struct.unpack_from("<2I", spirv, at)
        if head != 2 << 16 | op.CAPABILITY:
            return False
        if capability == FLOAT64:
            return True
    return False


def test_modules_that_may_use_it_are_those_that_say_so():
    assert has_float64(library.load_for("double_check_float64", (ALL,)))
    for path in library.SPV.glob("*.spv"):
        spirv, stem = path.read_bytes(), path.stem
        # To read all of them takes seconds: most do not even have the word.
        is_native = b"NATIVE" in spirv and any(one.name == "NATIVE" for one in read(spirv).spec)
        assert is_native == (stem in NATIVE_MODULES), stem
        is_double = is_native and OF_MODULES[stem].native == "float64"
        assert is_double == has_float64(spirv), stem
    for module in NATIVE_MODULES:
        assert FLOAT64 not in read(library.load_for(module, ())).capabilities, module


OF_FLOATS = sorted(
    name
    for name in NATIVE_MODULES
    if OF_MODULES[name].native == "float32" and "OP" in OF_MODULES[name].spec
)


@pytest.mark.parametrize("module", OF_FLOATS)
def test_kernels_that_ask_are_those_that_depend_on_it(module):
    kernel = KERNELS[module.rpartition("_")[0]]
    codes = [*map(int, opcodes_of("float_arithmetic").values())]
    # One body has all operators, which the variants take by turns.
    turn = OF_FLOATS.index(module)
    for code in codes if tier.is_all() else codes[turn :: len(OF_FLOATS)]:
        spec = [0] * len(kernel.spec)
        spec[kernel.spec.index("OP")] = code
        own, other = [library.load_for(module, (*spec, bits)) for bits in (0, 0b110000)]
        asks = checks_of(module, constants_from_op(module, spec))
        assert (own != other) == (asks == ("float32",)), code


@pytest.mark.parametrize("check", KINDS, ids=list(CHECKS))
def test_every_kind_of_number_is_tried(check):
    pairs = operands(check)
    assert np.array_equal(pairs, operands(check))
    numbers = pairs.view(check.kind)
    least = np.finfo(check.kind).smallest_normal
    for kind in (np.isnan(numbers), np.isinf(numbers), numbers == 0):
        assert len(np.unique(pairs[kind])) > 1
    assert ((np.abs(numbers) < least) & (numbers != 0)).sum() > 1000
    results = expected(check, pairs)
    assert len(np.unique(results[np.isnan(results.view(check.kind))])) == 1
    inexact = dict(zip(check.operations, results.view(check.kind).T))
    with np.errstate(all="ignore"):
        assert (inexact["/"] * numbers[:, 1] != numbers[:, 0]).sum() > 1000
        assert (np.abs(inexact["/"]) < least).sum() > 1000
        if check.kind == np.float64:
            assert (inexact["+"] - numbers[:, 0] != numbers[:, 1]).sum() > 1000
            assert (np.abs(inexact["*"]) < least).sum() > 1000


@pytest.mark.parametrize(
    ("check", "column"),
    [(check, column) for check in KINDS for column in range(len(check.operations))],
)
def test_one_wrong_bit_is_enough(check, column):
    found = expected(check, operands(check))
    assert judge(check, found) == check.bits
    found[-1, column] ^= check.words(1)
    (bit,) = {1 << k for k in range(6) if check.bits >> k & 1} - {
        1 << k for k in range(6) if judge(check, found) >> k & 1
    }
    assert bit == (check.bits & -check.bits) << column


@pytest.mark.parametrize("check", KINDS, ids=list(CHECKS))
def test_a_nan_of_another_kind_is_wrong(check):
    found = expected(check, operands(check))
    nan = np.isnan(found.view(check.kind))
    found[nan] |= check.words(1 << 8 * found.itemsize - 1)
    assert judge(check, found) == 0


class Computing(Runtime):
    """A runtime with the feature, which runs the check as NumPy computes, but for products."""

    features = frozenset({FEATURE})

    def submit(self, ticket):
        (command,) = ticket.commands
        assert isinstance(command, Dispatch)
        src, dst = command.bound[-1]
        results = expected(CHECKS["float64"], src.view(np.uint64).reshape(-1, 2))
        results[:, 1] += np.uint64(1)
        dst.view(np.uint64)[:] = results.ravel()

    def wait(self, ticket):
        pass


def test_what_a_device_computes_decides():
    assert native_operations(Computing(), "float64") == ALL & ~2


def test_a_device_without_the_feature_is_not_asked(monkeypatch):
    monkeypatch.setattr(Computing, "features", frozenset({"shaderInt64"}))
    assert native_operations(Computing(), "float64") == 0


def test_a_device_is_asked_once_and_only_for_kernels_that_may_use_it(monkeypatch):
    asked, loaded = [], []
    answers = {"float64": 5, "float32": 16}

    def ask(runtime, dtype):
        asked.append(dtype)
        return answers[dtype]

    monkeypatch.setattr(pipelines, "native_operations", ask)
    monkeypatch.setattr(library, "load_for", lambda *key, **given: loaded.append(key) or b"")
    runtime = Runtime()
    made = Pipelines(runtime, lambda: None, unrolls=True)
    made.get(Key("copy_words_32", (1, 2), 8, 2))
    assert asked == []
    made.get(Key("double_arithmetic_words_64", (1, 2), 8, 2))
    made.get(Key("reduce_double_along", (3,), 8, 2))
    assert asked == ["float64"]
    assert [spec for _, spec in loaded] == [(1, 2), (1, 2, 5), (3, 5)]
    names = KERNELS["float_arithmetic_words"].spec
    spec = [0] * len(names)
    for name, native in (("ADD", 0), ("DIVIDE", 16), ("SQRT", 16)):
        spec[names.index("OP")] = int(opcodes_of("float_arithmetic")[name])
        made.get(Key("float_arithmetic_words_32", tuple(spec), 8, 2))
        assert loaded[-1][1][-1] == native
    assert asked == ["float64", "float32"]

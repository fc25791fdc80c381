"""A device's own float64 is used where it gives the bits that our kernels give, only there."""

from __future__ import annotations

import numpy as np
import pytest

from dml_vk.kernels.registry import NATIVE_MODULES
from dml_vk.kernels.spirv import library
from dml_vk.kernels.spirv.instructions import EXTENDED, lines_of, words_of
from dml_vk.kernels.spirv.reader import read
from dml_vk.runtime import pipelines
from dml_vk.runtime.interface import Dispatch
from dml_vk.runtime.native_check import ALL, FEATURE, expected, judge, native_operations, operands
from dml_vk.runtime.pipelines import Key, Pipelines
from tests.modules import check_valid
from tests.unit.runtime.queues import Runtime

FLOAT64 = 10
# The instruction of each operation, by its bit; that of a square root is one of GLSL's.
CODES = {1: 129, 2: 133, 4: 136, 8: (EXTENDED, 31)}


def used(spirv):
    """The operations whose instructions are there."""
    kinds = set()
    for line in lines_of(words_of(spirv)):
        kind = line[0] & 0xFFFF
        kinds.add((kind, line[4]) if kind == EXTENDED else kind)
    return {bit for bit, code in CODES.items() if code in kinds}


@pytest.mark.parametrize("bits", range(ALL + 1))
def test_each_operation_is_chosen_by_its_own_bit(bits, tmp_path):
    spirv = library.load_for("double_check_float64", (bits,))
    check_valid(spirv, tmp_path / "module.spv", bits)
    assert used(spirv) == {bit for bit in CODES if bits & bit}
    assert (FLOAT64 in read(spirv).capabilities) == (bits > 0)


def test_modules_that_may_use_it_are_those_that_say_so():
    declared = {
        path.stem
        for path in library.SPV.glob("*.spv")
        if FLOAT64 in read(path.read_bytes()).capabilities
    }
    assert declared == NATIVE_MODULES
    for module in NATIVE_MODULES:
        assert FLOAT64 not in read(library.load_for(module, ())).capabilities, module


def test_every_kind_of_number_is_tried():
    pairs = operands()
    assert np.array_equal(pairs, operands())
    numbers = pairs.view(np.float64)
    least = np.finfo(np.float64).smallest_normal
    for kind in (np.isnan(numbers), np.isinf(numbers), numbers == 0):
        assert len(np.unique(pairs[kind])) > 1
    assert ((np.abs(numbers) < least) & (numbers != 0)).sum() > 1000
    results = expected(pairs)
    assert len(np.unique(results[np.isnan(results.view(np.float64))])) == 1
    inexact = results.view(np.float64)
    with np.errstate(all="ignore"):
        assert (inexact[:, 0] - numbers[:, 0] != numbers[:, 1]).sum() > 1000
        assert (np.abs(inexact[:, 1:3]) < least).sum() > 1000


@pytest.mark.parametrize("column", range(4))
def test_one_wrong_bit_is_enough(column):
    found = expected(operands())
    assert judge(found) == ALL
    found[-1, column] ^= np.uint64(1)
    assert judge(found) == ALL & ~(1 << column)


def test_a_nan_of_another_kind_is_wrong():
    found = expected(operands())
    nan = np.isnan(found.view(np.float64))
    found[nan] |= np.uint64(1 << 63)
    assert judge(found) == 0


class Computing(Runtime):
    """A runtime with the feature, which runs the check as NumPy computes, but for products."""

    features = frozenset({FEATURE})

    def submit(self, ticket):
        (command,) = ticket.commands
        assert isinstance(command, Dispatch)
        src, dst = command.bound[-1]
        results = expected(src.view(np.uint64).reshape(-1, 2))
        results[:, 1] += np.uint64(1)
        dst.view(np.uint64)[:] = results.ravel()

    def wait(self, ticket):
        pass


def test_what_a_device_computes_decides():
    assert native_operations(Computing()) == ALL & ~2


def test_a_device_without_the_feature_is_not_asked(monkeypatch):
    monkeypatch.setattr(Computing, "features", frozenset({"shaderInt64"}))
    assert native_operations(Computing()) == 0


def test_a_device_is_asked_once_and_only_for_kernels_that_may_use_it(monkeypatch):
    asked, loaded = [], []
    monkeypatch.setattr(pipelines, "native_operations", lambda runtime: asked.append(runtime) or 5)
    monkeypatch.setattr(library, "load_for", lambda *key: loaded.append(key) or b"")
    runtime = Runtime()
    made = Pipelines(runtime, lambda: None, unrolls=True)
    made.get(Key("copy_words_32", (1, 2), 8, 2))
    assert asked == []
    made.get(Key("double_arithmetic_words_64", (1, 2), 8, 2))
    made.get(Key("reduce_double_along", (3,), 8, 2))
    assert asked == [runtime]
    assert [spec for _, spec in loaded] == [(1, 2), (1, 2, 5), (3, 5)]

"""Elementwise work around scans, and before several kernels at once, becomes part of them."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.codegen.inlined import built
from dml_vk.kernels.plan.chain import Inlined
from tests.chance import chance
from tests.kernel.compiler.tensors import same, tensor
from tests.kernel.profiled import profiled
from tests.modules import check_valid
from tests.profiles import PROFILES

F16, F64, I32, I64 = dml_vk.float16, dml_vk.float64, dml_vk.int32, dml_vk.int64
sums, products = dml_vk.cumulative_sum, dml_vk.cumulative_prod


def numbers(*sizes):
    return dml_vk.asarray(chance().integers(0, 256, sizes, np.uint8))


# name: (function, its arguments, kernels that are left)
CASES = {
    "sums of rows": (lambda x, y: sums(x * 2, axis=1) + y, lambda: (tensor(9, 77), tensor(77)), 1),
    "sums down": (lambda x: abs(sums(x - 1, axis=0)), lambda: (tensor(50, 32),), 1),
    "products": (lambda x: products(x + 1, axis=1) / 3, lambda: (tensor(9, 60),), 1),
    "a long row": (lambda x: sums(abs(x)) * 0.5, lambda: (tensor(5000),), 3),
    "counts": (lambda x: sums((x > 0).to(I32), axis=1), lambda: (tensor(9, 77),), 1),
    "integers of 64 bits": (
        lambda x: sums(x.to(I64), axis=1) + 2**33,
        lambda: (numbers(9, 77),),
        1,
    ),
    "of bytes as 64 bits": (lambda x: sums(x // 2, axis=1), lambda: (numbers(9, 80),), 1),
    "float64": (lambda x: sums(x.to(F64) * 3, axis=1) + 1, lambda: (tensor(9, 77),), 1),
    "float16": (lambda x: sums(x * 2, axis=1) - 1, lambda: (tensor(8, 80).to(F16),), 1),
    "including an initial one": (
        lambda x: sums(x * 2, axis=1, include_initial=True),
        lambda: (tensor(9, 60),),
        2,
    ),
}


def check(function, given, count, path):
    compiled = dml_vk.compile(function)
    for _ in range(2):
        found, expected = compiled(*given), function(*given)
        if isinstance(found, tuple):
            same(found, expected)
        else:
            same([found], [expected])
    launches = [
        launch
        for program in compiled.programs
        for part in program.parts
        for launch in part.launches
    ]
    assert len(launches) == count, compiled.explain()
    found = [launch.work.recipe for launch in launches if isinstance(launch.work.recipe, Inlined)]
    for recipe in found:
        check_valid(built(recipe, 0), path)
    return len(found)


# Kernels that others of the cases are of as well.
ALIKE = ("counts", "float16", "products")


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=pytest.mark.product if case in ALIKE else []) for case in CASES],
)
def test_scans(case, tmp_path):
    function, arguments, count = CASES[case]
    assert check(function, arguments(), count, tmp_path / "module.spv")


def test_scans_on_other_devices(tmp_path):
    function, arguments, _ = CASES["sums of rows"]
    for profile in PROFILES.values():
        with profiled(dml_vk.device(), profile):
            assert check(function, arguments(), 1, tmp_path / "module.spv")


# name: (function, its arguments, kernels, those with an inlined chain)
READERS = {
    "two reductions": (
        lambda x: (lambda y: (y.sum(axis=1), y.max(axis=0)))(x * 2),
        lambda: (tensor(40, 50),),
        (2, 2),
    ),
    "two products": (
        lambda x, y: (lambda z: (z @ y, y @ z))(dml_vk.relu(x)),
        lambda: (tensor(20, 20), tensor(20, 20)),
        (2, 2),
    ),
    "parts of a long sum": (
        lambda x, y: abs(x) @ y,
        lambda: (tensor(33, 130), tensor(130)),
        (3, 2),
    ),
    "what was computed itself": (
        lambda x, y: (lambda z: (z.sum(axis=1), z.max(axis=1)))(abs(x @ y) * 2),
        lambda: (tensor(30, 20), tensor(20, 30)),
        (3, 1),
    ),
    "a long function of three": (
        lambda x: (lambda y: (y.sum(axis=1), y.max(axis=0), y.min(axis=1)))(dml_vk.gelu(x)),
        lambda: (tensor(40, 50),),
        (4, 0),
    ),
    "two results": (
        lambda x: (lambda y: ((y + 1).sum(axis=1), y.max(axis=0), y.min(axis=0)))(x * 2),
        lambda: (tensor(40, 50),),
        (3, 3),
    ),
}


@pytest.mark.parametrize("case", READERS)
def test_several_readers(case, tmp_path):
    function, arguments, (count, inlined) = READERS[case]
    assert check(function, arguments(), count, tmp_path / "module.spv") == inlined


def test_what_is_written_before_one_of_the_readers_stays_as_it_was():
    def function(x):
        y = x * 2
        total = y.sum(axis=1)
        x -= total[:, None]
        return total, y @ x.mT

    given, others = tensor(30, 40), tensor(30, 40)
    others[...] = given
    compiled = dml_vk.compile(function)
    same([*compiled(given), given], [*function(others), others])
    assert compiled.explain().startswith("4 kernels")


def test_what_is_sorted_too_is_written():
    def function(x):
        y = x * 2
        return y.sum(axis=1), dml_vk.sort(y, axis=1)

    compiled = dml_vk.compile(function)
    x = tensor(5, 40)
    same(compiled(x), function(x))
    assert "sum" in compiled.explain()


def test_what_is_written_before_a_check_is_there_if_it_fails():
    def function(x, y, z, i):
        product = x @ y
        z += product
        more = product * 2
        return dml_vk.take(x, i, axis=0), more + 1

    compiled = dml_vk.compile(function)
    x, y = tensor(20, 30), tensor(30, 20)
    for index in (1, 20):
        i = dml_vk.asarray(np.array([index]))
        given = [dml_vk.ones((20, 20)) for _ in range(2)]
        for one, z in zip((compiled, function), given):
            if index == 1:
                one(x, y, z, i)
            else:
                with pytest.raises(IndexError):
                    one(x, y, z, i)
        same(given[:1], given[1:])
        assert given[0][0, 0].item() != 1


def test_each_reader_computes_what_it_reads_alone():
    def function(x, y, scale):
        z = x * scale
        return z.sum(axis=1), (z + 3 + y).max(axis=0)

    compiled = dml_vk.compile(function)
    for scale in (2.0, 3.0):
        x, y = tensor(40, 50), tensor(40, 50)
        same(compiled(x, y, scale), function(x, y, scale))
    (program,) = compiled.programs
    first, second = [launch for part in program.parts for launch in part.launches]
    assert [len(launch.accesses) for launch in (first, second)] == [2, 3]
    assert [one.caller.op for one in first.parts] == ["multiply", "Tensor.sum"]
    assert [one.caller.op for one in second.parts][1:] == ["add", "add", "Tensor.max"]


def test_a_chain_that_two_parts_read_is_part_of_both():
    def function(x, i):
        y = x * 2
        return y.sum(axis=1), dml_vk.take(y, i, axis=0)

    compiled = dml_vk.compile(function)
    x, i = tensor(64, 80), dml_vk.asarray(np.array([3, 1, 0]))
    same(compiled(x, i), function(x, i))
    launches = [
        launch
        for program in compiled.programs
        for part in program.parts
        for launch in part.launches
    ]
    assert sum(isinstance(launch.work.recipe, Inlined) for launch in launches) == 2


def changed_in_place(x):
    x += 1
    return (x * 2).sum(axis=1)


def beside_what_is_read_in_part(x):
    return x * 3, (x * 2)[:, ::2].sum(axis=1)


@pytest.mark.parametrize("function", [changed_in_place, beside_what_is_read_in_part])
def test_what_a_chain_writes_beside_is_written_once(function):
    """A reduction reads some elements again for those that a chunk lacks, and others never."""
    given, others = tensor(4, 50), tensor(4, 50)
    others[...] = given
    found, expected = dml_vk.compile(function)(given), function(others)
    found = found if isinstance(found, tuple) else (found,)
    same([*found, given], [*(expected if isinstance(expected, tuple) else (expected,)), others])

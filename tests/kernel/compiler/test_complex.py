"""Programs of complex numbers, also where these are computed part by part."""

from __future__ import annotations

import numpy as np

import dml_vk
from dml_vk.kernels.codegen import chained, inlined
from dml_vk.kernels.plan.chain import Inlined, Recipe
from tests import tier
from tests.chance import chance
from tests.kernel.compiler.tensors import same
from tests.modules import check_valid

C64, C128 = dml_vk.complex64, dml_vk.complex128


def numbers(dtype, *sizes):
    values = chance().standard_normal((*sizes, 2)).astype(dtype.part.numpy_name)
    return dml_vk.asarray(values.view(dtype.numpy_name)[..., 0])


def launches_of(compiled):
    return [
        launch
        for program in compiled.programs
        for part in program.parts
        for launch in part.launches
    ]


def in_place(x, y):
    x += y * y
    return x


# name: (function of two tensors, kernels)
CASES = {
    "a product and a sum": (lambda x, y: x * y + x, 1),
    "a sum, a negative and a product": (lambda x, y: -(x - y) * y, 1),
    "sums alone": (lambda x, y: x + y - x, 1),
    "rounded": (lambda x, y: dml_vk.round(x * y), 1),
    "as numbers of the other size": (
        lambda x, y: (x * y).to(C128 if x.dtype is C64 else C64) + 1j,
        1,
    ),
    "of real numbers": (lambda x, y: dml_vk.real(x).copy() * y + x, 3),
    "chosen": (lambda x, y: dml_vk.where(x == y, x, x - y), 1),
    "one of each row": (lambda x, y: x * y[:, :1] + y[:, :1], 1),
    "turned": (lambda x, y: x.mT * y.mT + x.mT, 1),
    "every second": (lambda x, y: x[:, ::2] * y[:, 1::2] + y[:, 1::2], 1),
    "in place": (in_place, 1),
    "an exponential": (lambda x, y: dml_vk.exp(x * y) - y, 1),
    "a size": (lambda x, y: abs(x * y + y) * 2, 1),
    "what takes longest": (lambda x, y: dml_vk.asin(x) * y + y, 2),
    "more than a kernel takes": (lambda x, y: dml_vk.log(dml_vk.exp(x * y) + x) * y, 2),
    "after a copy": (lambda x, y: dml_vk.reshape(x.mT, (-1,), copy=True) * 2j, 1),
}


@tier.parametrize("case dtype", CASES, [C64, C128])
def test_same_bits(case, dtype, tmp_path):
    function, count = CASES[case]
    compiled = dml_vk.compile(function)
    for _ in range(2):
        given = [numbers(dtype, 5, 8) for _ in range(2)]
        others = [x.clone() for x in given]
        same([compiled(*given), *given], [function(*others), *others])
    launches = launches_of(compiled)
    assert len(launches) == count, compiled.explain()
    for launch in launches:
        recipe = launch.work.recipe
        if recipe is not None:
            made = chained.built if isinstance(recipe, Recipe) else inlined.built
            check_valid(made(recipe, 0), tmp_path / "module.spv", case)


def test_pairs_of_floats_stay_floats():
    """Also where there are complex numbers in the program, but not the same."""
    compiled = dml_vk.compile(lambda x, y: ((x + 1) * x, y * y))
    x, y = dml_vk.asarray(np.ones((5, 2), np.float32)), numbers(C64, 5)
    same(compiled(x, y), [(x + 1) * x, y * y])
    sizes = sorted(launch.work.sizes for launch in launches_of(compiled))
    assert sizes == [(5,), (10,)]


def test_views_of_parts_are_what_they_are():
    def function(x, y):
        z = x * y
        parts = dml_vk.stack([z.real, z.imag], axis=-1)
        return parts + 1, z.imag * 2, (z + x).real

    compiled = dml_vk.compile(function)
    x, y = numbers(C64, 6, 4), numbers(C64, 6, 4)
    same(compiled(x, y), function(x, y))


def test_work_after_a_kernel_of_complex_numbers():
    compiled = dml_vk.compile(lambda x, i: dml_vk.take(x, i, axis=0) * 2j)
    x, i = numbers(C128, 6, 4), dml_vk.asarray(np.array([2, 0, 5]))
    same([compiled(x, i)], [dml_vk.take(x, i, axis=0) * 2j])
    assert any(isinstance(launch.work.recipe, Inlined) for launch in launches_of(compiled))

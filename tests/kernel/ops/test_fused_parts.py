"""Chains whose results are parts of words: neighbours in the same word keep every bit."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk.compiler.passes.aliasing import in_place
from dml_vk.dtypes import bool_, float16, float32, uint8
from dml_vk.kernels.codegen import chained
from dml_vk.kernels.plan.chain import Recipe
from dml_vk.kernels.plan.fused import plan_fused
from dml_vk.layout import Layout
from tests import tier
from tests.kernel.chains import WIDE, check, found, launched, run, written_to
from tests.kernel.compiler.tensors import same, tensor
from tests.kernel.elementwise import source_of
from tests.kernel.memory import QUAD, aligned, elements, memory_for, moved
from tests.kernel.profiled import profiled
from tests.kernel.rounds import counting_queue
from tests.modules import codes

ATOMIC_AND = 240
CHANNELS = Layout((6, 5, 3), (1, 24, 6), QUAD)  # of pixels: a row of five pixels ends in 9 bytes

# name: (sizes, where results lie, is there a phase, are words shared)
PLACES = {
    "odd total": (aligned(61), False, False),
    "part of a word": (aligned(3), False, False),
    "from the middle of a word": (moved(aligned(61), 3), True, False),
    "odd rows that start at words": (moved(Layout((5, 61), (64, 1)), QUAD), False, False),
    "odd rows anywhere": (moved(Layout((5, 61), (67, 1)), QUAD + 1), True, True),
    "short rows anywhere": (moved(Layout((9, 3), (5, 1)), QUAD), True, True),
    "every third": (moved(Layout((5, 7), (21, 3)), QUAD), False, True),
    "reversed": (moved(Layout((5, 7), (7, -1), 6), QUAD), False, False),
    "another order": (moved(Layout((7, 5), (1, 7)), QUAD), False, False),
}


@tier.parametrize("place case", PLACES, list(itertools.product((uint8, float16), WIDE)))
def test_places(place, case, tmp_path):
    to, has_phase, shares = PLACES[place]
    dtype, kind = case
    x, y = [source_of(dtype, aligned(*to.sizes), seed=k)[0] for k in range(2)]
    with launched() as launches:
        z = x * y + x
    with profiled(dml_vk.device(), WIDE[kind]):
        plan = check(found(launches), [z], [to], tmp_path / "module.spv")
    is_small = dtype is float16 and place in ("short rows anywhere", "from the middle of a word")
    assert (plan.recipe.phase is not None) == has_phase or is_small
    assert plan.shares_words == shares
    assert (ATOMIC_AND in codes(chained.built(plan.recipe, 0))) == shares


def test_results_that_start_at_words_at_different_elements(tmp_path):
    """And one of whole words beside them, of which units are in phase with neither."""
    x = source_of(float32, aligned(5, 40))[0]
    rows = moved(Layout((5, 40), (44, 1)), QUAD)
    with launched() as launches:
        results = [x > 0, x < 1, x * 2]
    to = [moved(rows, 1), moved(rows, 2), aligned(5, 40)]
    plan = check(found(launches), results, to, tmp_path / "module.spv")
    assert plan.recipe.phase is None
    assert plan.shares_words


def test_bytes_and_halves_in_phase(tmp_path):
    """Units start at words of both; what is read is in phase, and read by quads, or is not."""
    rows = moved(Layout((5, 40), (45, 1)), QUAD + 1)
    x, y = [source_of(float32, one, seed=k)[0] for k, one in enumerate((rows, aligned(5, 40)))]
    with launched() as launches:
        z = x * y
        results = [z > 0, z.to(float16)]
    plan = check(found(launches), results, [rows, rows], tmp_path / "module.spv")
    assert plan.recipe.patterns[plan.recipe.phase].itemsize == 1
    assert [pattern.align for pattern in plan.recipe.patterns] == [16, 4, 4, 8]


def test_pieces_across_rows_that_are_no_words(tmp_path):
    x, scale = source_of(uint8, aligned(50, 8))[0], source_of(uint8, aligned(1, 8).expand(50, 8))[0]
    with launched() as launches:
        z = x * scale + scale
    for to in (moved(Layout((50, 8), (9, 1)), QUAD), moved(Layout((50, 8), (16, 2)), QUAD)):
        plan = check(found(launches), [z], [to], tmp_path / "module.spv")
        assert plan.shares_words


@pytest.mark.parametrize("often", [0, 0.2])
def test_rare_values_at_both_ends_of_a_row(often, tmp_path):
    x = source_of(float16, aligned(3, 61))[0]
    rng = np.random.default_rng(3)
    angles = rng.standard_normal((3, 61)) * np.where(rng.random((3, 61)) < often, 1e4, 1)
    x[...] = dml_vk.asarray(angles.astype(np.float16))
    with launched() as launches:
        z = dml_vk.sin(x) + x
    check(found(launches), [z], [moved(Layout((3, 61), (63, 1)), QUAD)], tmp_path / "module.spv")


def test_rounds(monkeypatch):
    """Those of rows whose ends are written element by element."""
    device = dml_vk.device()
    x, y = [source_of(uint8, aligned(4, 63), seed=k)[0] for k in range(2)]
    y |= 128
    with launched() as launches:
        z = x // y + y
    profile = dataclasses.replace(device.profile, groups_wanted=1, max_invocations=32)
    memory, rows = memory_for(Layout((4, 63), (65, 1)), 1)
    target = dml_vk.asarray(memory).over(rows)
    one = found([launch for launch in launches if launch.plan.computed])
    with (
        profiled(device, profile),
        contextlib.contextmanager(counting_queue)(device, monkeypatch) as runtime,
    ):
        plan = run(one, [(one.value(z), target)])
        (counted,) = runtime.counted
    assert plan.recipe.phase is not None
    assert 0 < counted.by_source <= counted.said
    assert counted.by_driver <= counted.said
    assert np.array_equal(elements(target.numpy(), Layout((4, 63), (63, 1))), z.numpy())


# ----- in programs


def compiled(function, *given):
    """A function that was compiled, with the bits of what it returns and writes otherwise."""
    others = [dml_vk.asarray(x.numpy().copy()) for x in given]
    made = dml_vk.compile(function)
    for _ in range(2):
        same([made(*given), *given], [function(*others), *others])
    return made


def launches(made):
    return [
        launch for program in made.programs for part in program.parts for launch in part.launches
    ]


def kernels(function, *given):
    return len(launches(compiled(function, *given)))


def numbers(*sizes):
    return dml_vk.asarray(np.arange(np.prod(sizes)).reshape(sizes).astype(np.uint8))


def test_odd_totals_are_one_kernel():
    assert kernels(lambda x, y: (x * y + 1) > 0, tensor(31, 11), tensor(31, 11)) == 1
    assert kernels(lambda x, y: ((x - y) * y).astype(float16), tensor(31, 11), tensor(11)) == 1


def test_part_of_memory_is_written_in_one_kernel():
    def function(x, z):
        z[:, 1:-1] = (x[:, 1:-1] * 2 + 1) > 0
        return z

    assert kernels(function, tensor(7, 269), dml_vk.zeros((7, 269), bool_)) == 1


def test_what_is_written_over_a_part_of_a_word_is_done_in_place():
    def function(z):
        z[1:60] = z[1:60] * 3
        return z

    assert kernels(function, dml_vk.arange(69, dtype=uint8)) == 1


def test_words_that_one_invocation_reads_and_another_writes_are_in_kernels_of_their_own():
    def function(z):
        z[:, 1:] *= 3
        return z

    assert kernels(function, numbers(7, 61)) == 2


def test_temporaries_are_not_written_over_in_shared_words():
    """Columns lie at the same places in what is sorted, and in what is computed of it."""

    def function(x):
        y = dml_vk.sort(x, axis=1)
        z = dml_vk.empty_like(x)
        z[:, ::2] = y[:, ::2] * 3 + 1
        return dml_vk.sort(z[:, ::2], axis=1)

    for dtype, shares in ((uint8, True), (float32, False)):
        made = launches(compiled(function, numbers(7, 62).to(dtype)))
        (one,) = [launch for launch in made if isinstance(launch.work.recipe, Recipe)]
        assert one.work.shares_words == shares
        assert bool(list(in_place(one))) != shares


def test_no_elements():
    x = dml_vk.zeros((4, 3), float16)
    with launched() as launches:
        y = x * 2 + x
    chain = written_to(found(launches).chain, [(2, y)])
    plan = plan_fused(chain._replace(sizes=(4, 0)), dml_vk.device().profile)
    assert plan is not None
    assert plan.units == 0

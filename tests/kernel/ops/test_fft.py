"""Fourier transforms of rows of pairs: against sums in longer floats, and the same bits always."""

from __future__ import annotations

import dataclasses
import itertools
import math
import os

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import float32, float64
from dml_vk.kernels.plan.fft import (
    ACROSS,
    ALONG,
    SINGLY,
    Ends,
    Transform,
    plan_pass,
)
from dml_vk.kernels.plan.fft_sides import by_groups, team_points
from dml_vk.kernels.plan.fft_stages import Pass, passes_of, radices_of
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.layout import Layout
from dml_vk.ops import fft
from dml_vk.ops.fft import tables_of, transform
from dml_vk.ops.roots import roots
from tests import tier
from tests.chance import chance
from tests.kernel.profiled import profiled
from tests.profiles import CPU, GPU, SHUFFLING

TURN = 8 * np.arctan(np.longdouble(1))
EPS = {float32: 2.0**-24, float64: 2.0**-53}
# Every radix alone and with others, several launches, primes, and large powers of two. Each length
# takes a pipeline or two of its own, so the rest of the short ones are for patient runs.
SHORT = range(1, 65) if "DML_VK_EVERY_WAY" in os.environ else (*range(1, 18), 22, 26, 45, 49, 64)
EVERY = {
    float32: (*SHORT, 67, 101, 360, 1000, 1009, 1024, 2310, 4096, 65536),
    float64: (*SHORT[:10], 15, 21, 64, 67, 101, 256, 360, 1009, 2310, 65536),
}
SOME = {
    float32: (1, 2, 4, 8, 9, 11, 13, 16, 17, 45, 1009, 2310, 65536),
    float64: (1, 2, 4, 7, 8, 15, 101, 2310),
}
LENGTHS = EVERY if tier.is_all() or "DML_VK_EVERY_WAY" in os.environ else SOME
tier.leave_out(sum([len(EVERY[dtype]) - len(LENGTHS[dtype]) for dtype in EVERY]))


def numbers(sizes, dtype):
    made = chance().normal(size=(*sizes, 2)).astype(dtype.name)
    return made.view(f"complex{16 * dtype.itemsize}")[..., 0]


def pairs(z):
    return dml_vk.asarray(np.ascontiguousarray(z)[..., None].view(z.real.dtype))


def complex_of(x):
    found = np.ascontiguousarray(x.numpy())
    return found.view(f"complex{16 * x.dtype.itemsize}")[..., 0]


def exact(z, at):
    """The points `at` of the transforms of rows."""
    n = z.shape[-1]
    angles = (np.outer(np.arange(n), at) % n).astype(np.longdouble) * (TURN / n)
    return z.astype(np.clongdouble) @ (np.cos(angles) - 1j * np.sin(angles))


def transformed(x, *, out=None, **options):
    """Of a float tensor whose last dim is of pairs."""
    tables = tables_of(x.device, x.shape[-2], x.dtype)
    out = dml_vk.empty_like(x) if out is None else out
    transform("it", x, out, tables, **options)
    return out


@pytest.mark.parametrize("dtype", LENGTHS, ids=str)
def test_errors_are_within_the_stated_bound(dtype):
    for n in LENGTHS[dtype]:
        z = numbers((max(1, 96 // n), n), dtype)
        at = np.arange(n) if n <= 64 else chance().integers(0, n, 16)
        error = np.abs(complex_of(transformed(pairs(z)))[:, at] - exact(z, at))
        scale = EPS[dtype] * math.log2(2 * n) * np.sqrt((np.abs(z) ** 2).sum(1, keepdims=True))
        assert (error <= 3 * scale).all(), (n, float((error / scale).max()))
        assert math.sqrt(((error / scale) ** 2).mean()) <= 1, n


@tier.parametrize("n dtype", tier.some([37, 13, 96, 4410], 2), EPS)
def test_bits_do_not_depend_on_layout_batch_or_device(n, dtype):
    z = numbers((3, n, 2), dtype)
    rows = np.ascontiguousarray(np.moveaxis(z, 1, -1))
    expected = complex_of(transformed(pairs(rows)))
    for profile in (CPU, GPU):
        with profiled(dml_vk.device(), profile):
            alone = complex_of(transformed(pairs(rows[1, 1])))
            assert alone.tobytes() == expected[1, 1].tobytes()
            # Columns, which are read backwards, to a target whose parts lie apart.
            x = pairs(z[:, ::-1]).over(Layout((3, 2, n, 2), (4 * n, 2, -4, 1), 4 * (n - 1)))
            memory = dml_vk.empty((2, 3, 2, n), dtype=dtype)
            target = memory.over(Layout((3, 2, n, 2), (2 * n, 6 * n, 1, n)))
            assert complex_of(transformed(x, out=target)).tobytes() == expected.tobytes()


@pytest.mark.parametrize("n", [41, 256])
def test_bits_do_not_depend_on_how_many_points_are_read_at_once(n):
    z = numbers((6, n), float32)
    ends = (n, n, 0), (n - 2, n - 6, 0), (n - 1, n - 3, 0), (n - 2, n, 1)
    for there, kept, skipped in ends if n == 256 else tier.some(ends, 2):
        found = []
        for widens in (False, True):
            with profiled(dml_vk.device(), dataclasses.replace(CPU, widens=widens)):
                source = pairs(z)[:, skipped : skipped + there]
                target = dml_vk.zeros((6, kept, 2))
                transform("it", source, target, tables_of(source.device, n, float32), factor=0.5)
                found.append(complex_of(target))
        filled = np.zeros((6, n), np.complex64)
        filled[:, :there] = z[:, skipped : skipped + there]
        assert np.abs(found[0] - np.fft.fft(filled)[:, :kept] / 2).max() < 1e-5 * n
        assert found[0].tobytes() == found[1].tobytes(), (there, kept, skipped)


def test_points_side_by_side_are_read_at_once():
    wide = dataclasses.replace(CPU, widens=True)

    def reads_and_writes(n, batch, source, target, stages=None, ends=None, itemsize=4):
        stages = Pass((n,), 1) if stages is None else stages
        ends = Ends() if ends is None else ends
        sides = [points._replace(itemsize=itemsize) for points in (source, target)]
        return plan_pass(batch, n, stages, Transform(*sides, ends, wide)).spec[-2:]

    rows = Operand((512, 2, 1), 0, 4)
    assert reads_and_writes(16, (8,), rows, rows) == (ALONG, ALONG)
    assert reads_and_writes(256, (8,), rows, rows, Pass((16,), 1)) == (ACROSS, ALONG)
    assert reads_and_writes(256, (8,), rows, rows, Pass((16,), 16)) == (ACROSS, ACROSS)
    assert reads_and_writes(256, (8,), rows, rows, Pass((16, 4), 1)) == (SINGLY, ALONG)
    assert reads_and_writes(15, (8,), rows, rows) == (SINGLY, SINGLY)
    columns = Operand((2, 256, 1), 0, 4)
    assert reads_and_writes(16, (64,), columns, columns) == (ACROSS, ACROSS)
    assert reads_and_writes(16, (65,), columns, columns) == (SINGLY, SINGLY)
    assert reads_and_writes(16, (8,), columns, columns) == (SINGLY, SINGLY)  # too few
    assert reads_and_writes(16, (8,), Operand((512, 2, 1), 2, 4), rows) == (SINGLY, ALONG)
    assert reads_and_writes(16, (8,), Operand((514, 2, 1), 0, 4), rows) == (SINGLY, ALONG)
    assert reads_and_writes(16, (8,), rows, rows, ends=Ends(present=5, written=6)) == (
        SINGLY,
        ALONG,
    )
    assert reads_and_writes(16, (8,), rows, rows, ends=Ends(14, True, written=5)) == (
        SINGLY,
        SINGLY,
    )
    assert reads_and_writes(16, (8,), rows, rows, itemsize=8) == (SINGLY, SINGLY)


@pytest.mark.parametrize("n", [12, 26, 1200])
def test_an_inverse_transform_goes_back(n):
    z = numbers((5, n), float32)
    x = pairs(z)
    back = complex_of(transformed(transformed(x), inverse=True, factor=1 / n))
    assert np.abs(back - z).max() < 1e-6 * math.log2(2 * n)


def test_roots_are_rounded_to_nearest():
    mpmath = pytest.importorskip("mpmath")
    for n in (1, 2, 3, 8, 12, 49, 1000, 1009):
        for k in chance().integers(0, n, 20):
            with mpmath.workprec(160):
                turn = mpmath.mpf(2 * int(k)) / n
                expected = float(mpmath.cospi(turn)), -float(mpmath.sinpi(turn)) + 0.0
            assert tuple(roots(n)[k]) == expected


def test_launches_do_all_stages_in_order():
    assert radices_of(17, 4) is radices_of(11, 8) is None
    for n in (1, 2, 49, 1000, 2310, 4096, 30030, 2**20, 3**9):
        ways = (False, False), (True, False), (False, True)
        for itemsize, (team, group) in itertools.product((4, 8), ways):
            radices = radices_of(n, itemsize)
            if radices is None:
                continue
            assert math.prod(radices) == n
            passes = passes_of(radices, itemsize, team, group)
            assert sum([one.radices for one in passes], ()) == radices
            assert [one.before for one in passes] == [
                math.prod(sum([other.radices for other in passes[:k]], ()))
                for k in range(len(passes))
            ]
            assert not any(one.by_group for one in passes[int(group) :])


LARGE = dataclasses.replace(GPU, max_invocations=1024, max_shared_bytes=32 << 10)
# At the limits of a workgroup that keeps all points, and on both sides of them.
KEPT = {float32: (4096, 3000, 4116, 4095), float64: (2048, 1024, 2058)}


@pytest.mark.parametrize(
    ("dtype", "n"), tier.some([(dtype, n) for dtype, sizes in KEPT.items() for n in sizes], 4)
)
def test_workgroups_that_keep_long_transforms_give_the_same_bits(dtype, n):
    x = pairs(numbers((3, n), dtype))
    expected = complex_of(transformed(x))
    with profiled(x.device, LARGE):
        assert complex_of(transformed(x)).tobytes() == expected.tobytes()


def stages_and_groups(n, itemsize=4):
    radices = radices_of(n, itemsize)
    passes = passes_of(radices, itemsize, False, True)
    return [one.radices for one in passes], [one.by_group for one in passes]


def test_lane_groups_do_what_they_can_keep():
    assert stages_and_groups(1024) == ([(16, 8, 8)], [True])
    assert stages_and_groups(648) == ([(3, 3, 3, 3, 8)], [True])
    assert stages_and_groups(4096) == ([(16, 4, 8), (8,)], [True, False])
    assert stages_and_groups(2000) == ([(5, 5, 2, 8), (5,)], [True, False])
    assert stages_and_groups(11264) == ([(11, 8, 8), (16,)], [True, False])
    assert stages_and_groups(2**15)[1] == [False] * 4  # distant points would be read one by one
    assert stages_and_groups(120)[1] == [False] * 2
    assert stages_and_groups(64, 8) == ([(8, 8)], [True])
    assert stages_and_groups(2048, 8) == ([(8, 4, 8), (8,)], [True, False])
    assert stages_and_groups(4096, 8)[1] == [False] * 3
    rows, columns = Operand((2048, 4096, 2, 1), 0, 4), Operand((2, 4096, 128, 1), 0, 4)
    assert by_groups((3, 2), rows, rows, SHUFFLING)
    assert not by_groups((3, 2), rows, columns, SHUFFLING)
    assert not by_groups((3, 2), columns, rows, SHUFFLING)
    assert by_groups((1, 2), columns, rows, SHUFFLING)
    assert not by_groups((3, 2), rows, rows, CPU)


def test_lane_groups_read_and_write_points_side_by_side_at_once():
    def found(n, batch, source, target, stages, ends=None, itemsize=4):
        ends = Ends() if ends is None else ends
        sides = [points._replace(itemsize=itemsize) for points in (source, target)]
        plan = plan_pass(batch, n, stages, Transform(*sides, ends, SHUFFLING))
        assert plan.path == "group"
        return plan.spec[-3:], plan.units

    rows = Operand((4096, 2, 1), 0, 4)
    all_at_once, part = Pass((16, 8), 1, True), Pass((4, 4, 8), 1, True)
    assert found(128, (8,), rows, rows, all_at_once) == ((1, 1, 1), 8)
    assert found(136, (8,), rows, rows, Pass((17, 8), 1, True)) == ((0, 0, 1), 8)
    assert found(1024, (8,), rows, rows, part) == ((0, 1, 2), 8 * 4)
    assert found(128 * 7, (8,), rows, rows, part) == ((0, 1, 1), 8 * 7)  # neighbours are odd
    assert found(4096, (8,), rows, rows, Pass((16, 8, 8), 1, True)) == (
        (0, 1, 1),
        8 * 4,
    )  # many
    assert found(128, (8,), Operand((4096, 2, 1), 2, 4), rows, all_at_once) == ((0, 1, 1), 8)
    assert found(128, (8,), Operand((4098, 2, 1), 0, 4), rows, all_at_once) == ((0, 1, 1), 8)
    assert found(128, (8,), rows, Operand((4098, 2, 1), 0, 4), all_at_once) == ((1, 0, 1), 8)
    assert found(128, (8,), rows, rows, all_at_once, Ends(present=5, written=6)) == ((0, 1, 1), 8)
    assert found(128, (8,), rows, rows, all_at_once, Ends(14, True, written=5)) == ((0, 0, 1), 8)
    assert found(1024, (8,), rows, rows, part, Ends(present=5)) == ((0, 1, 1), 8 * 8)
    assert found(128, (8,), rows, rows, all_at_once, itemsize=8) == ((0, 0, 1), 8)


@tier.parametrize("n dtype", tier.some([136, 144, 1152], 2), EPS)
def test_lane_groups_give_the_same_bits_as_lanes_and_teams(n, dtype):
    z = numbers((6, n), dtype)
    ends = (n - 2, n - 6, 0), (n, n, 0), (n - 1, n - 3, 0), (n - 2, n, 1)
    for there, kept, skipped in tier.some(ends, 2 if n == 136 else 1):
        filled = np.zeros((6, n), z.dtype)
        filled[:, :there] = z[:, skipped : skipped + there]
        found = []
        for profile in (CPU, GPU, SHUFFLING, dataclasses.replace(SHUFFLING, widens=True)):
            with profiled(dml_vk.device(), profile):
                source = pairs(z)[:, skipped : skipped + there]
                target = dml_vk.zeros((6, kept, 2), dtype=dtype)
                tables = tables_of(source.device, n, dtype)
                transform("it", source, target, tables, inverse=True, factor=0.5)
                found.append(complex_of(target))
        expected = n * np.fft.ifft(filled)[:, :kept] / 2
        assert np.abs(found[0] - expected).max() < 16 * EPS[dtype] * n
        assert len({one.tobytes() for one in found}) == 1, (there, kept, skipped)


def test_a_convolution_takes_no_launches_but_those_of_its_transforms(monkeypatch):
    x = pairs(numbers((2, 1021), float32))
    transformed(x)  # which makes the tables
    plans = []
    monkeypatch.setattr(fft, "_launch", lambda plan, *_: plans.append(plan))
    transformed(x)
    radices, batch = radices_of(2048, 4), x.layout.sizes[:-2]
    rows, profile = Operand((2 * 1021, 2, 1), 0, 4), x.device.profile
    team, group = team_points(batch, rows, rows, profile), by_groups(batch, rows, rows, profile)
    one_way = passes_of(radices, 4, team, group)
    assert len(plans) == 2 * len(one_way)
    assert "points" not in [plan.path for plan in plans]

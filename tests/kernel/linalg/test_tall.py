"""Matrices of many rows, decomposed by blocks of rows: on both sides of where that begins."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.kernels.plan import rounds
from dml_vk.limits import MINIMUM
from dml_vk.linalg import reflections
from dml_vk.ops.linalg_reflections import qr_step_rounds
from tests import tier
from tests.chance import chance
from tests.kernel.linalg.matrices import (
    close,
    exact,
    general,
    orthonormal,
    random_numbers,
    same_bits,
    turned,
    wide,
)


def check_qr(a, mode="reduced"):
    q, r = wide(*linalg.qr(dml_vk.asarray(a), mode=mode))
    assert q.shape[-1] == r.shape[-2] == a.shape[-2 if mode == "complete" else -1]
    assert np.array_equal(r, np.triu(r))
    assert not np.diagonal(r, 0, -2, -1).imag.any()
    orthonormal(q, a.dtype)
    close(q @ r, exact(a), a.dtype)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    tier.plus(
        [((911, 64), np.complex64), ((7281, 1), np.complex64), ((7282, 1), np.float32)],
        [((910, 64), np.float64), ((20_000, 3), np.complex128)],
    ),
)
def test_heights_on_both_sides_of_the_limit(shape, dtype):
    check_qr(random_numbers(shape, dtype).astype(dtype))


@pytest.fixture
def small(monkeypatch):
    """Blocks of few rows."""
    monkeypatch.setattr(reflections, "_MOST_TERMS", 16 * (16 + 8))
    monkeypatch.setattr(reflections, "_ROWS", 32)


@pytest.mark.parametrize(("shape", "dtype"), [((47, 5), np.complex128), ((65, 16), np.float32)])
def test_matrices_of_all_kinds(shape, dtype, small):
    """In blocks of blocks, the last of which has fewer rows than columns."""
    a = general(*shape, dtype)
    check_qr(a)
    check_qr(a, "complete")
    u, s, vh = wide(*linalg.svd(dml_vk.asarray(a)))
    orthonormal(u, dtype)
    close(u[..., : shape[1]] * s.real[..., None, :] @ vh, exact(a), dtype)


def test_several_panels_the_last_of_which_is_low_enough(monkeypatch):
    monkeypatch.setattr(reflections, "_MOST_TERMS", 150 * (32 + 8))
    monkeypatch.setattr(reflections, "_ROWS", 64)
    check_qr(random_numbers((200, 66), np.float32).astype(np.float32))


@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128"])
def test_a_step_of_the_tallest_panel_fits_the_rounds_of_four_lanes(name):
    device = SimpleNamespace(profile=dataclasses.replace(MINIMUM, lanes=4))
    work = SimpleNamespace(dtype=SimpleNamespace(name=name), device=device)
    for width in range(1, 65):
        tallest = reflections._MOST_TERMS // (width + reflections._REFLECTION)
        for height in (tallest, reflections._ROWS):
            step = qr_step_rounds(height, width, work)
            assert rounds.loop(1, step) + rounds.AROUND < 65_535


def test_least_squares_of_many_points():
    a, x = chance().normal(size=(20_000, 3)), np.array([1.0, 2.0, 3.0])
    solution = linalg.lstsq(dml_vk.asarray(a), dml_vk.asarray(a @ x + 1e-3 * a[:, 0] ** 2))
    expected = np.linalg.lstsq(a, a @ x + 1e-3 * a[:, 0] ** 2, rcond=None)
    assert solution.rank == 3
    np.testing.assert_allclose(solution.x.numpy(), expected[0], rtol=1e-12)
    np.testing.assert_allclose(solution.s.numpy(), expected[3], rtol=1e-13)
    np.testing.assert_allclose(solution.residuals.numpy(), expected[1], rtol=1e-10)


def test_bits_do_not_depend_on_the_layout(small):
    a = chance().normal(size=(100, 7)).astype(np.float32)
    expected = [part.numpy() for part in linalg.qr(dml_vk.asarray(a))]
    found = linalg.qr(dml_vk.asarray(np.asfortranarray(a)))
    assert same_bits(tuple(part.numpy() for part in found), tuple(expected))


def test_compiled_decompositions_of_many_rows(small):
    def project(x, y):
        q, _ = linalg.qr(x)
        return q @ (q.mT @ y)

    x, y = (dml_vk.asarray(chance().normal(size=(100, n))) for n in (7, 1))
    assert same_bits(dml_vk.compile(project)(x, y).numpy(), project(x, y).numpy())


def test_a_wide_matrix_is_that_of_its_first_columns():
    a = random_numbers((5, 8000), np.float64)
    q, r = wide(*linalg.qr(dml_vk.asarray(a)))
    orthonormal(q, np.float64)
    close(q @ r, a, np.float64)
    s = linalg.svdvals(dml_vk.asarray(turned(a))).numpy()
    np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), rtol=1e-12)

"""Products where results need not be exact: fused, within the stated bounds, and never by chance.

Some drivers compute a fused multiply-add as a product and a sum. So what is looked at is which
kernel runs, and how far its results are from those in float64.
"""

from __future__ import annotations

import logging

import numpy as np
import pytest

import dml_vk
from dml_vk import settings
from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.observe import dispatches
from dml_vk.testing import products
from tests.modules import codes, fmas

MULTIPLY = 133  # OpFMul
FUSED = "fused multiply-add"


@pytest.fixture
def paths(caplog):
    """The paths of the dispatches since this was last asked."""
    caplog.set_level(logging.DEBUG, dispatches.logger.name)
    dml_vk.synchronize()

    def of_new():
        dml_vk.synchronize()
        made = [record.dispatch for record in caplog.records if hasattr(record, "dispatch")]
        caplog.clear()
        return [one.asked.path for one in made]

    return of_new


def factors(m, k, n, dtype="float32"):
    random, most = np.random.default_rng(m * k * n), 9 if dtype == "float32" else 3
    return [
        (random.standard_normal(shape) * 2.0 ** random.integers(-most, most, shape)).astype(dtype)
        for shape in ((m, k), (k, n))
    ]


@pytest.mark.parametrize(("m", "k", "n"), [(9, 13, 7), (8, 64, 8), (33, 200, 20), (3, 5000, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_errors_stay_within_the_bounds(paths, m, k, n, dtype):
    a, b = factors(m, k, n, dtype)
    with settings(exact=False):
        found = dml_vk.matmul(dml_vk.asarray(a), dml_vk.asarray(b)).numpy().astype(float)
    ran = paths()
    assert any(path.endswith(FUSED) for path in ran)
    exact = a.astype(float) @ b.astype(float)
    # Of each term: its product, then the sums of its run; of these, those of theirs; and so on.
    roundings, left = 1, k
    if any("team" in path for path in ran):
        roundings, left = k, 1  # all terms one after the other
    while left > 1:
        roundings, left = roundings + RUN - 1, -(-left // RUN)
    bound = roundings * 2.0**-24 * (np.abs(a.astype(float)) @ np.abs(b.astype(float)))
    if dtype == "float16":
        bound = bound + np.abs(np.spacing(exact.astype(np.float16))).astype(float)
    assert (np.abs(found - exact) <= bound).all()
    assert np.abs(found).max() > 1


def test_each_kind_of_product_says_that_it_is_fused(paths):
    x = dml_vk.asarray(factors(8, 8, 8)[0])
    compiled = dml_vk.compile(lambda x: x @ x)
    for product in (
        lambda: dml_vk.matmul(x, x),
        lambda: dml_vk.tensordot(x, x),
        lambda: dml_vk.vecdot(x, x),
        lambda: dml_vk.einsum("ij,jk->ik", x, x),
        lambda: x @ x[0],
        lambda: compiled(x),
    ):
        kept = product()
        assert not any(FUSED in path for path in paths())
        with settings(exact=False):
            kept = product()
            assert any(FUSED in path for path in paths()), kept
        kept = product()
        assert not any(FUSED in path for path in paths())


def test_the_driver_gets_what_the_log_says(monkeypatch):
    runtime, queue = dml_vk.device()._runtime, dml_vk.device().queue
    plain, given = runtime.pipeline, []
    monkeypatch.setattr(runtime, "pipeline", lambda *made: given.append(made[0]) or plain(*made))
    monkeypatch.setattr(queue.pipelines, "_cached", {})
    monkeypatch.setattr(queue.encoder, "_known", {})
    monkeypatch.setattr(queue.encoder, "_same", {})
    x = dml_vk.asarray(factors(8, 8, 8)[0])
    for exact in (True, False, True, False):
        with settings(exact=exact):
            (x @ x).numpy()
    exact, inexact = given
    gone = codes(exact)[MULTIPLY] - codes(inexact)[MULTIPLY]
    assert len(fmas(exact)) == 0
    assert len(fmas(inexact)) == gone > 0


def test_what_is_assigned_holds_until_it_is_assigned_again(paths):
    a, b = factors(5, 70, 6)
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    try:
        settings.exact = False
        dml_vk.matmul(x, y).numpy()
    finally:
        settings.exact = True
    assert {FUSED in path for path in paths()[:2]} == {True}
    found = dml_vk.matmul(x, y).numpy()
    assert set(paths()) == {"tile"}
    assert np.array_equal(found.view(np.uint32), products.matmul(a, b).view(np.uint32))


def test_all_else_is_as_it_was(paths):
    functions = dml_vk.sum, dml_vk.mean, dml_vk.var, dml_vk.cos
    a = factors(9, 65, 1)[0]
    with settings(exact=False):
        for dtype in ("float64", "int32"):
            x = dml_vk.asarray(a.astype(dtype))
            found = dml_vk.matmul(x, x.T).numpy()
            assert np.array_equal(found, products.matmul(a.astype(dtype), a.T.astype(dtype)))
        x = dml_vk.asarray(a)
        inexact = [function(x).numpy() for function in functions]
    assert not any(FUSED in path for path in paths())
    for function, found in zip(functions, inexact):
        assert np.array_equal(found, function(x).numpy()), function

"""`settings.debug_nans`: the first operation whose result or gradient has NaN is named."""

from __future__ import annotations

import pytest

import dml_vk as dv
from dml_vk.errors import GradientError

settings = dv.settings


def forward(x):
    return dv.sum(dv.exp(dv.log(x)) * 2)


def backward(x):
    return dv.sum(dv.sqrt(x * 0) * 2)


def masked(x):
    return dv.sum(dv.where(x > 0, dv.log(x), 0.0))


CALLS = {"eager": lambda f: f, "compiled": dv.compile}


@pytest.mark.parametrize("how", CALLS)
def test_the_first_operation_is_named(how):
    wrap, x = CALLS[how], dv.asarray([1.0, -1.0])
    for function, op, rule in [
        (forward, "log", "a result must not have NaN while settings.debug_nans is set"),
        (masked, "log", "a result must not have NaN"),
        (backward, "gradient of multiply", "a gradient must not have NaN"),
        (dv.checkpoint(backward), "gradient of multiply", "a gradient must not have NaN"),
    ]:
        call = wrap(dv.grad(function))
        call(x)  # nothing is checked
        with settings(debug_nans=True):
            call(dv.asarray([1.0, 2.0])) if function is masked else None
            with pytest.raises(GradientError) as caught:
                call(x)
        assert str(caught.value).startswith(f"{op}: {rule}")
        assert "test_nans.py:" in str(caught.value)
        call(x)


def test_what_has_no_nan_has_its_bits():
    x = dv.asarray([1.0, 2.0])
    with settings(debug_nans=True):
        assert dv.grad(forward)(x).tolist() == dv.compile(dv.grad(forward))(x).tolist() == [2, 2]
        assert dv.grad(lambda x: dv.nansum(x * 1))(dv.asarray([1.0])).tolist() == [1]
        assert dv.log(dv.asarray(-1.0)).tolist() != 0  # outside of transforms


def test_transforms_and_results_of_all_kinds():
    x = dv.asarray([[4.0, 1.0], [1.0, -3.0]])
    zero, infinite = dv.zeros(2), float("inf")
    custom = dv.custom_vjp(dv.square)
    custom.defvjp(lambda x: (x, None), lambda _, g: (g * float("nan"),))
    with settings(debug_nans=True):
        for call, op in [
            (lambda: dv.vjp(lambda x: dv.log(x), x), "log"),
            (lambda: dv.vjp(lambda x: dv.sqrt(x), zero)[1](zero), "gradient of sqrt"),
            (lambda: dv.jvp(lambda x: dv.log(x), (x,), (x,)), "log"),
            (lambda: dv.hessian(lambda x: dv.sum(dv.log(x)))(x), "log"),
            (lambda: dv.grad(lambda x: dv.sum(custom(x)))(x), "gradient of custom_vjp"),
            (lambda: dv.grad(lambda x: dv.sum(dv.linalg.svdvals(x / 0)))(zero), "divide"),
            (lambda: dv.grad(lambda x: dv.linalg.slogdet(x * infinite)[1])(x), "slogdet"),
        ]:
            with pytest.raises(GradientError, match=f"^({op})"):
                call()


def test_the_setting():
    assert settings.debug_nans is False
    with settings(debug_nans=True):
        assert (settings.debug_nans, settings.exact) == (True, True)
        with settings(exact=False):
            assert repr(settings) == "settings(exact=False, debug_nans=True)"
    settings.debug_nans = True
    try:
        with pytest.raises(GradientError):
            dv.grad(forward)(dv.asarray([-1.0]))
    finally:
        settings.debug_nans = False
    with pytest.raises(dv.DmlVkError, match="debug_nans must be a bool"):
        settings.debug_nans = 1


def test_a_gradient_within_one_that_is_not_checked_is_checked():
    def outer(x):
        with settings(debug_nans=True):
            return dv.sum(dv.grad(forward)(x))

    with pytest.raises(GradientError, match=r"^log: a result must not have NaN"):
        dv.grad(outer)(dv.asarray([1.0, -1.0]))

"""Writes to what a gradient needs: it has the values before, or an error says why not."""

from __future__ import annotations

import contextvars
from concurrent.futures import ThreadPoolExecutor

import pytest

import dml_vk as dv
from dml_vk.errors import GradientError

X = [1.0, 2.0, 3.0]
ONES = [1.0, 1.0, 1.0]


def x():
    return dv.asarray(X)


def refused(call, match):
    with pytest.raises(GradientError, match=match) as caught:
        call()
    return str(caught.value)


def test_a_pullback_has_the_values_of_its_call():
    a, w = x(), x()
    y, square = dv.vjp(dv.square, a)
    _, product = dv.vjp(lambda b: b * w, a)
    result, exp = dv.vjp(dv.exp, dv.zeros(3))
    _, taken = dv.vjp(lambda b, places: dv.take(b, places), a, places := dv.asarray([1, 1, 2]))
    for written in (a, y, w, result, places):
        written[...] = 0
    for _ in range(2):
        assert square(dv.ones(3))[0].tolist() == [2, 4, 6]
        assert product(dv.ones(3))[0].tolist() == X
        assert exp(dv.ones(3))[0].tolist() == ONES
        assert taken(dv.ones(3))[0].tolist() == [0, 2, 1]
        w -= 1


def test_what_a_function_left_elsewhere_is_read_only_while_a_pullback_needs_it():
    left = []

    def f(a):
        left[:] = [a * 2, dv.stop_gradient(a) + 1]
        return left[0] * left[0], dv.exp(a)

    (_, result), pull = dv.vjp(f, x())
    with pytest.raises(dv.DmlVkError, match="read-only"):
        left[0][...] = 0
    with pytest.raises(dv.DmlVkError, match="read-only"):
        left[0][1:] += 1
    with pytest.raises(dv.DmlVkError, match="read-only"):
        dv.sin(x(), out=left[0])
    left[1][...] = result[...] = 0  # nothing needs them
    assert pull((dv.ones(3), dv.zeros(3)))[0].tolist() == [8, 16, 24]
    dv.grad(lambda a: dv.sum(f(a)[0]))(x())
    left[0][...] = 0  # that gradient is done


def test_a_pullback_within_a_gradient_has_the_values_of_its_call():
    def outer(a):
        w = dv.zeros(3)
        w[:] = a
        _, pull = dv.vjp(lambda b: b * w, a)
        w[:] = a * 100
        return dv.sum(pull(a)[0])

    assert dv.grad(outer)(x()).tolist() == [2, 4, 6]


def test_repeated_argnums_are_refused():
    for transform in (dv.jacobian, dv.hessian):
        with pytest.raises(dv.DmlVkError, match="argnums must not repeat"):
            transform(lambda a, b: dv.sum(a * b), (0, -1, 1))(x(), x())


def test_a_checkpoint_has_the_operands_of_its_call():
    def written(a):
        y = dv.zeros(3)
        y[:] = a
        h = dv.checkpoint(dv.square)(y)
        y[:] = a * 10
        return dv.sum(h)

    assert dv.grad(written)(x()).tolist() == [2, 4, 6]
    assert dv.compile(dv.grad(written))(x()).tolist() == [2, 4, 6]


@pytest.mark.parametrize("wrap", [lambda f: f, dv.checkpoint])
def test_a_checkpoint_has_what_was_outside_at_its_call(wrap):
    def captured(a):
        w = x()
        h = wrap(lambda b: dv.checkpoint(lambda c: c * w)(b) + 0)(a)
        w[...] = 0
        return dv.sum(h)

    assert dv.grad(captured)(x()).tolist() == X
    w = x()
    _, pull = dv.vjp(wrap(dv.checkpoint(lambda b: b.reshape((3, 1)) * w.reshape((3, 1)))), x())
    w[...] = 0
    assert pull(dv.ones((3, 1)))[0].tolist() == X
    listed = [x()]

    def changed(a):
        h = wrap(dv.checkpoint(lambda b, more: b * more[0]))(a, listed)
        listed[0] = dv.zeros(3)
        return dv.sum(h)

    assert dv.grad(changed)(x()).tolist() == X


@pytest.mark.parametrize("read", [lambda w: w[1].item(), lambda w: w.numpy()[1], float])
def test_a_checkpoint_has_what_the_host_read_at_its_call(read):
    def captured(a, w):
        h = dv.checkpoint(lambda b: b * float(read(w)))(a)
        w[...] = 0
        return h

    for w in (dv.asarray([2.0, 2.0]), dv.asarray(2)):
        if w.ndim != (read is not float):
            continue
        again = w.clone()
        assert dv.grad(lambda a: dv.sum(captured(a, w)))(x()).tolist() == [2, 2, 2]  # noqa: B023
        _, pull = dv.vjp(dv.checkpoint(lambda b: b * float(read(again))), x())  # noqa: B023
        again[...] = 0
        assert pull(dv.ones(3))[0].tolist() == [2, 2, 2]


def test_a_checkpoint_must_not_write_outside():
    def traced(a):
        buffer = dv.zeros(3)

        def inner(b):
            buffer[...] = b * 5
            return b * 1

        dv.checkpoint(inner)(a)
        return dv.sum(buffer)

    count = dv.zeros(())

    def counted(a):
        def inner(b):
            count[...] = count + 1
            return b * 2

        return dv.sum(dv.checkpoint(inner)(a))

    for loss in (traced, counted):
        text = refused(lambda: dv.grad(loss)(x()), "to what it did not make")  # noqa: B023
        assert "test_writes.py:" in text
    assert count.item() == 0


def test_a_checkpoint_may_write_to_its_own():
    def inner(a):
        y = dv.zeros(3)
        y[:] = a
        stopped = dv.stop_gradient(a)
        stopped += 1
        parts = dv.asarray([1.0, 1.0, 1.0])
        parts[0] = 2.0
        parts += dv.grad(lambda b: dv.sum(b * b))(a)
        y[0] = y[1]
        return y * stopped + parts

    loss, again = [lambda a, f=f: dv.sum(f(a)) for f in (inner, dv.checkpoint(inner))]
    assert dv.grad(again)(x()).tolist() == dv.grad(loss)(x()).tolist()


def test_a_checkpoint_leaves_generators_as_without_it():
    def block(generator):
        def inner(a):
            generator.advance(2)
            (child,) = generator.split(1)
            return a * child.normal((3,)) * generator.normal((3,))

        return inner

    plain, again = dv.random.Generator(5), dv.random.Generator(5)
    expected = dv.grad(lambda a: dv.sum(block(plain)(a)))(x())
    gradient = dv.grad(lambda a: dv.sum(dv.checkpoint(block(again))(a)))(x())
    assert gradient.tobytes() == expected.tobytes()
    assert again.counter == plain.counter


def custom(f, forward, backward):
    f = dv.custom_vjp(f)
    f.defvjp(forward, backward)
    return f


def product(a, b):
    return a * b


def test_custom_gradients_have_what_forward_saved():
    times = custom(product, lambda a, b: (a * b, {"both": (a, b), "k": 2}), twice)

    def loss(a):
        y = dv.zeros(3)
        y[:] = a
        z = times(y, y)
        y[:] = a * 100
        return dv.sum(z)

    assert dv.grad(loss)(x()).tolist() == [4, 8, 12]
    a, b = x(), x()
    _, pull = dv.vjp(times, a, b)
    a[...] = b[...] = 0
    assert [g.tolist() for g in pull(dv.ones(3))] == [[2, 4, 6]] * 2
    kept = dv.checkpoint(times)
    assert dv.grad(lambda a: dv.sum(kept(a, a)))(x()).tolist() == [4, 8, 12]


def twice(saved, g):
    a, b = saved["both"]
    return g * b * saved["k"], g * a * saved["k"]


def test_custom_gradients_of_values_from_outside_are_refused():
    def with_forward(a):
        h = a * 2
        f = custom(lambda b: b * h, lambda b: (b * h, b), lambda b, g: (g * b,))
        return dv.sum(f(a))

    def with_argument(a):
        f = custom(lambda b: b * a, lambda b: (b, a), lambda a, g: (g * a,))
        return dv.sum(f(a * 2))

    def with_backward(a):
        h = a * 2
        f = custom(lambda b: b * 2, lambda b: (b * 2, None), lambda _, g: (g * h,))
        return dv.sum(f(a))

    for loss in (with_forward, with_argument, with_backward):
        refused(lambda: dv.grad(loss)(x()), "must be an argument, and not from outside")  # noqa: B023
    # Their values alone may be used, and another function's gradient flows through arguments.
    scaled = custom(product, lambda a, b: (a * b, dv.stop_gradient(b)), lambda b, g: (g * b, None))
    assert dv.grad(lambda a: dv.sum(scaled(a, a)))(x()).tolist() == X
    square = custom(lambda a: a * a, lambda a: (a * a, a), lambda a, g: (2 * g * a,))
    slope = dv.grad(lambda a: dv.sum(dv.grad(lambda b: dv.sum(square(b) * b))(a)))
    assert slope(x()).tolist() == [6, 12, 18]


def test_custom_gradients_of_keywords_and_their_count():
    times = custom(product, lambda a, b: (a * b, (a, b)), lambda s, g: (g * s[1], g * s[0]))
    assert dv.grad(lambda a: dv.sum(times(b=2 * a, a=a)))(x()).tolist() == [4, 8, 12]
    assert times(x(), b=x()).tolist() == [1, 4, 9]
    named = custom(lambda a, *, b: a * b, lambda a: (a, None), lambda _, g: (g,))
    refused(lambda: dv.grad(lambda a: dv.sum(named(a, b=a)))(x()), "be for keywords alone")
    lone = custom(product, lambda a, b: (a * b, b), lambda b, g: (g * b,))
    text = refused(lambda: dv.grad(lambda a: dv.sum(lone(a, a)))(x()), "as many gradients as")
    assert "gradients=1" in text
    assert "arguments=2" in text


def test_work_of_another_thread_on_an_argument_is_refused():
    def loss(run):
        def inner(a):
            with ThreadPoolExecutor(1) as pool:
                return dv.sum(a + pool.submit(run, lambda: a * a).result())

        return inner

    refused(lambda: dv.grad(loss(lambda f: f()))(x()), "another thread")
    refused(lambda: dv.grad(loss(lambda f: dv.grad(lambda b: dv.sum(b * f()))(x())))(x()), "thread")

    def within(a):
        context = contextvars.copy_context()
        return loss(lambda f: context.run(f))(a)

    assert dv.grad(within)(x()).tolist() == [3, 5, 7]

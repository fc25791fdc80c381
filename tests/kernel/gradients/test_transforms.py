"""What transforms mean: trees, nesting, programs, order, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import GradientError

X = [1.0, 2.0, -3.0]


def x():
    return dml_vk.asarray(X)


def cubes(x):
    return dml_vk.sum(x**3)


def refused(function, *args, match):
    with pytest.raises(dml_vk.DmlVkError, match=match) as caught:
        dml_vk.grad(function)(*(args or (x(),)))
    return str(caught.value)


def test_values_and_gradients():
    value, gradient = dml_vk.value_and_grad(cubes)(x())
    assert value.item() == -18
    assert gradient.tolist() == [3, 12, 27]


def test_several_arguments_and_aux():
    f = dml_vk.grad(lambda a, b, c: (dml_vk.sum(a * b * c), {"b": b}), (0, -1), has_aux=True)
    gradients, aux = f(x(), 2 * x(), 3.0 * x())
    assert [g.tolist() for g in gradients] == [[6, 24, 54], [2, 8, 18]]
    assert aux["b"].tolist() == [2, 4, -6]
    (value, _), gradient = dml_vk.value_and_grad(lambda a: (cubes(a), 1), has_aux=True)(x())
    assert value.item() == -18
    assert gradient.shape == (3,)


def test_trees():
    tree = {"w": [x(), (x(), None)], "n": dml_vk.asarray([1, 2]), "k": 3}
    g = dml_vk.grad(lambda t: dml_vk.sum(t["w"][0] * t["w"][1][0] * 2) * t["k"])(tree)
    assert g["w"][0].tolist() == [6, 12, -18]
    assert g["w"][1][1] is None
    assert g["n"] is None
    assert g["k"] is None
    integers = dml_vk.asarray([1, 2, 3])
    assert dml_vk.grad(lambda n: dml_vk.sum(n * x()))(integers) is None


def test_a_tensor_twice_has_two_gradients():
    same = x()
    a, b = dml_vk.grad(lambda a, b: dml_vk.sum(a * a * b), (0, 1))(same, same)
    assert a.tolist() == [2, 8, 18]
    assert b.tolist() == [1, 4, 9]
    a, b = dml_vk.grad(lambda a, b: dml_vk.sum(a + b), (0, 1))(same, same)
    a += 1
    assert b.tolist() == [1, 1, 1]


def test_what_a_function_has_from_outside_is_constant():
    same = x()
    assert dml_vk.grad(lambda a: dml_vk.sum(a * same))(same).tolist() == X


def test_formats_and_dtypes_stay():
    images = dml_vk.ones((2, 3, 4, 5), dtype="float16", memory_format=dml_vk.channels_last)
    g = dml_vk.grad(lambda t: dml_vk.sum(dml_vk.astype(t, "float32") ** 2))(images)
    assert (g.dtype, g.memory_format) == (dml_vk.float16, dml_vk.channels_last)
    row = dml_vk.asarray([[1.0, 2.0], [3.0, 4.0]])[:, 1]
    assert dml_vk.grad(cubes)(row).tolist() == [12, 48]


def test_an_unused_argument_has_zeros():
    assert dml_vk.grad(lambda a: dml_vk.sum(x()))(x()).tolist() == [0, 0, 0]


def test_nesting():
    second = dml_vk.grad(lambda x: dml_vk.sum(dml_vk.grad(cubes)(x)))
    third = dml_vk.grad(lambda x: dml_vk.sum(second(x)))
    assert second(x()).tolist() == [6, 12, -18]
    assert third(x()).tolist() == [6, 6, 6]
    inner = dml_vk.grad(lambda a: dml_vk.sum(dml_vk.grad(lambda b: dml_vk.sum(a * b))(a) * a))
    assert inner(x()).tolist() == [2, 4, -6]  # a * a, of which each counts


def test_vjp_jvp_jacobian_hessian():
    _y, pull = dml_vk.vjp(lambda a, b: {"p": a * b, "s": [a + b]}, x(), x())
    cotangent = {"p": dml_vk.ones(3), "s": [2 * dml_vk.ones(3)]}
    for _ in range(2):
        assert [g.tolist() for g in pull(cotangent)] == [[3, 4, -1]] * 2
    _value, tangent = dml_vk.jvp(lambda a: (a * a, a), (x(),), (dml_vk.ones(3),))
    assert tangent[0].tolist() == [2, 4, -6]
    assert tangent[1].tolist() == [1, 1, 1]
    w = dml_vk.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert dml_vk.jacobian(lambda a: w @ a)(x()).tolist() == w.tolist()
    rows, columns = dml_vk.jacobian(lambda a, b: a @ b, (0, 1))(w, x())
    assert rows.shape == (2, 2, 3)
    assert columns.tolist() == w.tolist()
    assert dml_vk.hessian(cubes)(x()).tolist() == np.diag([6, 12, -18]).tolist()


def test_stop_gradient_and_custom_vjp():
    stopped = dml_vk.grad(lambda a: dml_vk.sum(a * dml_vk.stop_gradient(a)))
    assert stopped(x()).tolist() == X

    @dml_vk.custom_vjp
    def doubled(a, b):
        return a * b

    with pytest.raises(GradientError, match="defvjp"):
        dml_vk.grad(lambda a: dml_vk.sum(doubled(a, a)))(x())
    doubled.defvjp(lambda a, b: (a * b, a), lambda a, g: (g * 100, None))
    assert doubled(x(), x()).tolist() == [1, 4, 9]
    assert dml_vk.grad(lambda a: dml_vk.sum(doubled(a, a)))(x()).tolist() == [100] * 3
    second = dml_vk.grad(
        lambda a: dml_vk.sum(a * dml_vk.grad(lambda b: dml_vk.sum(doubled(b, b)))(a))
    )
    assert second(x()).tolist() == [100] * 3


def deep(w, x):
    for k in range(3):
        x = dml_vk.tanh(x @ w + dml_vk.max(x, axis=1, keepdims=True)) * (k + 0.5)
    return dml_vk.mean(x * x)


def drawn():
    generator = dml_vk.random.Generator(5)
    return generator.normal((7, 7)), generator.normal((4, 7))


def bits(gradients):
    return [g.tobytes() for g in gradients]


@pytest.mark.parametrize("transposed", [False, True])
def test_programs_and_checkpoints_have_the_bits_of_calls(transposed):
    w, a = drawn()
    if transposed:
        w = w.T.contiguous().T
    gradient = dml_vk.grad(deep, (0, 1))
    eager = bits(gradient(w, a))
    assert bits(dml_vk.compile(gradient)(w, a)) == eager
    assert bits(dml_vk.grad(dml_vk.compile(deep), (0, 1))(w, a)) == eager
    again = dml_vk.grad(dml_vk.checkpoint(deep), (0, 1))
    assert bits(again(w, a)) == bits(dml_vk.compile(again)(w, a)) == eager


def test_contributions_are_added_from_the_last_use():
    big = dml_vk.asarray([1e8])
    g = dml_vk.grad(lambda a: dml_vk.sum(a * 1.0 - a * 1e8 + a * 1e8))(dml_vk.ones(1))
    assert big.shape == (1,)
    assert g.tolist() == [1.0]
    g = dml_vk.grad(lambda a: dml_vk.sum(a * 1e8 - a * 1e8 + a * 1.0))(dml_vk.ones(1))
    assert g.tolist() == [0.0]


@pytest.mark.parametrize("wrap", [lambda f: f, dml_vk.checkpoint])
def test_checkpoint_draws_the_same_again(wrap):
    generator = dml_vk.random.Generator(7)
    block = wrap(lambda a: dml_vk.exp(a * generator.normal((3,))))
    nested = wrap(lambda a: block(a) * block(a) * generator.normal((3,)))

    def loss(a):
        return dml_vk.sum(a * generator.normal((3,)) * nested(a) * generator.normal((3,)))

    gradient = dml_vk.grad(loss)(x())
    generator.counter, after = 0, generator.counter
    draws = [generator.normal((3,)) for _ in range(5)]  # in the order of the program

    def again(a):
        first = a * draws[0]
        both = dml_vk.exp(a * draws[1]) * dml_vk.exp(a * draws[2])
        return dml_vk.sum(first * (both * draws[3]) * draws[4])

    assert generator.counter == after
    assert gradient.tobytes() == dml_vk.grad(again)(x()).tobytes()


def test_checkpoint_of_what_it_has_from_outside():
    def loss(a, b):
        return dml_vk.sum(dml_vk.checkpoint(lambda c: dml_vk.exp(c) * a)(b * a) * a)

    def plain(a, b):
        return dml_vk.sum((dml_vk.exp(b * a) * a) * a)

    own, expected = [dml_vk.grad(f, (0, 1))(x(), x() / 4) for f in (loss, plain)]
    assert bits(own) == bits(expected)


def test_writes_in_place_are_refused_with_their_line():
    def adds(a):
        b = a * 2
        b += 1
        return dml_vk.sum(b)

    def sets(a):
        a[0] = 0.0
        return dml_vk.sum(a)

    for function in (adds, sets, lambda a: dml_vk.sum(dml_vk.exp(a, out=a))):
        assert "test_transforms.py:" in refused(function, match="written in place")
    same = x()

    def outside(a):
        same[0] = 0.0
        return dml_vk.sum(a)

    refused(outside, same, match="written in place")
    assert same.tolist() == X


def test_what_is_not_differentiated_may_be_written():
    total, y = dml_vk.zeros(3), x()

    def loss(a):
        b = a * y
        y[0] = 50.0  # after it was used: the gradient has the old value
        total[...] = total + dml_vk.stop_gradient(a)
        stopped = dml_vk.stop_gradient(a)
        stopped += 1
        return dml_vk.sum(b)

    assert dml_vk.grad(loss)(x()).tolist() == X
    assert total.tolist() == X
    assert y.tolist() == [50, 2, -3]


def test_traced_values_in_fresh_memory():
    def loss(a):
        y = dml_vk.zeros((2, 3))
        y[0] = a * 2
        y[1, :2] = a[1:]
        y[0, 0] = 7.0
        return dml_vk.sum(y * y)

    assert dml_vk.grad(loss)(x()).tolist() == [0, 20, -30]
    assert dml_vk.compile(dml_vk.grad(loss))(x()).tolist() == [0, 20, -30]


def test_values_read_by_the_host_are_refused():
    for read in (float, lambda v: v.item(), lambda v: v.numpy(), lambda v: v.tolist(), np.asarray):
        text = refused(lambda a: dml_vk.sum(a) * read(a[0]), match="where the host reads a value")  # noqa: B023
        assert "test_transforms.py:" in text
    assert dml_vk.grad(lambda a: cubes(a) if a[0] > 0 else -cubes(a))(x()).tolist() == [3, 12, 27]
    assert dml_vk.grad(lambda a: cubes(a) if a[0] else -cubes(a))(x()).tolist() == [3, 12, 27]
    free = dml_vk.grad(lambda a: dml_vk.sum(a) * dml_vk.stop_gradient(a)[1].item())
    assert free(x()).tolist() == [2, 2, 2]
    outside = x()
    assert dml_vk.grad(lambda a: dml_vk.sum(a) * outside[1].item())(outside).tolist() == [2] * 3
    refused(lambda a: dml_vk.grad(lambda b: cubes(b) * float(b[0]))(a)[0], match="host reads")
    refused(lambda a: dml_vk.grad(lambda b: cubes(b) * float(a[0]))(a)[0], match="host reads")


def test_functions_without_a_rule_are_refused():
    assert "unique" in refused(lambda a: dml_vk.unique(a)[0], match="no gradient")
    assert "Kernel" in refused(own_kernel, match="no gradient")
    refused(lambda a: dml_vk.sum(dml_vk.astype(a.view("int32"), "float32")), match="bits")


def own_kernel(a):
    from dml_vk import kernel

    copy = kernel(
        "#version 450\n"
        "layout(local_size_x = 1) in; layout(binding = 0) buffer A { float a[]; };"
        "layout(binding = 1) buffer B { float b[]; };"
        "layout(push_constant) uniform Push { uint a_base, b_base; };"
        "void main() { uint k = gl_GlobalInvocationID.x; b[b_base + k] = a[a_base + k]; }"
    )
    out = dml_vk.zeros(3)
    copy(a, out, groups=3)
    return dml_vk.sum(out)


@pytest.mark.parametrize(
    "call",
    [
        lambda: dml_vk.grad(lambda a: a)(x()),
        lambda: dml_vk.grad(lambda a: 3.0)(x()),
        lambda: dml_vk.grad(lambda a: dml_vk.sum(a + 1j))(x()),
        lambda: dml_vk.grad(cubes, 1)(x()),
        lambda: dml_vk.grad(lambda a, b: cubes(a), (0, -2))(x(), x()),
        lambda: dml_vk.grad(cubes, 0.5)(x()),
        lambda: dml_vk.grad(3),
        lambda: dml_vk.grad(cubes, has_aux=True)(x()),
        lambda: dml_vk.vjp(cubes, x())[1](dml_vk.ones(3)),
        lambda: dml_vk.vjp(lambda a: [a, a], x())[1]([dml_vk.ones(3)]),
        lambda: dml_vk.vjp(lambda a: {"a": a}, x())[1]({"b": dml_vk.ones(3)}),
        lambda: dml_vk.vjp(cubes, x())[1](1.0),
        lambda: dml_vk.jvp(cubes, (x(),), (dml_vk.ones(2),)),
        lambda: dml_vk.jvp(cubes, x(), x()),
        lambda: dml_vk.jacobian(cubes, 2)(x()),
        lambda: dml_vk.jacobian(lambda a: a + 1j)(x()),
        lambda: dml_vk.checkpoint(3),
        lambda: dml_vk.custom_vjp(3),
    ],
)
def test_wrong_use(call):
    with pytest.raises(dml_vk.DmlVkError):
        call()


def test_an_argument_that_outlives_its_function():
    left = []
    dml_vk.grad(lambda a: left.append(a * 1) or left.append(a) or cubes(a))(x())
    assert left[1].tolist() == X
    refused(lambda a: cubes(a * left[1]), match="after the gradient")
    assert dml_vk.grad(lambda a: cubes(a * left[0]))(x()).shape == (3,)


def test_memory_is_freed_on_the_way_back():
    big = dml_vk.ones(2**20)

    def deep(a):
        for _ in range(16):
            a = dml_vk.exp(a * 1e-3)
        return dml_vk.sum(a)

    gradient = dml_vk.grad(deep)
    gradient(big)
    before = dml_vk.memory_stats().in_use
    live = []

    @dml_vk.custom_vjp
    def watched(a):
        return a

    def backward(_, g):
        live.append(dml_vk.memory_stats().in_use - before)
        return (g,)

    watched.defvjp(lambda a: (a, None), backward)
    result = dml_vk.grad(lambda a: deep(watched(a)))(big)
    # At the end of the way back: the argument's copy, and a gradient or two.
    assert live[0] <= 6 * big.nbytes
    assert dml_vk.memory_stats().in_use - before <= result.nbytes + 2**16


def test_ties():
    tied = dml_vk.asarray([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]])
    one = dml_vk.grad(lambda a: dml_vk.sum(dml_vk.max(a, axis=1)))(tied)
    assert one.tolist() == [[0, 1, 0], [1, 0, 0]]
    assert dml_vk.grad(dml_vk.max)(tied).tolist() == [[0, 0.5, 0.5], [0, 0, 0]]
    both = dml_vk.grad(lambda a, b: dml_vk.sum(dml_vk.maximum(a, b)), (0, 1))(x(), x())
    assert [g.tolist() for g in both] == [[0.5] * 3] * 2
    clipped = dml_vk.grad(lambda a: dml_vk.sum(dml_vk.clip(a, 1.0, 2.0)))
    assert clipped(x()).tolist() == [1, 1, 0]
    zero = dml_vk.zeros(1)
    for function in (dml_vk.abs, dml_vk.relu):
        assert dml_vk.grad(lambda a: dml_vk.sum(function(a)))(zero).tolist() == [0]  # noqa: B023

"""Gradients at ties, kinks and edges, where they are chosen: as PyTorch chooses."""

from __future__ import annotations

import pytest

import dml_vk

X = [1.0, 2.0, 3.0]


def gradient(function, *values, argnums=0, dtype=None):
    tensors = [dml_vk.asarray(value, dtype=dtype) for value in values]
    return dml_vk.grad(lambda *x: dml_vk.sum(function(*x)), argnums)(*tensors).tolist()


@pytest.mark.parametrize("is_traced", [False, True])
def test_numbers_that_pad_get_the_sum_over_the_padding(is_traced):
    def padded(values):
        x = dml_vk.asarray(X)
        own = x * values if is_traced and not values.shape else x
        form = (values[0], values[1]) if values.shape == (2,) else values
        return dml_vk.pad(own, (1, 2), constant_values=form)

    assert gradient(padded, 5.0) == 3 + is_traced * sum(X)
    assert gradient(padded, [5.0, 6.0]) == [1, 2]


def test_a_tensor_of_padding_has_the_forms_of_numbers():
    x = dml_vk.zeros((2, 2))
    for values, expected in (
        ([5.0, 6.0], [2 + 4, 2 + 4]),
        ([[5.0, 6.0], [7.0, 8.0]], [[2, 2], [4, 4]]),
    ):
        f = lambda values: dml_vk.pad(x, 1, constant_values=values)  # noqa: E731
        assert f(dml_vk.asarray(values)).tolist() == f(values).tolist()
        assert gradient(f, values) == expected
    assert gradient(lambda v: dml_vk.pad(x, 1, constant_values=((v, 0), (0, v))), 5.0) == 6
    assert gradient(lambda v: dml_vk.pad(x, 1, value=v), 5.0) == 12


NAN, INF = float("nan"), float("inf")
CASES = {
    "median": (dml_vk.median, [1.0, 2, 2, 3], [0, 0.5, 0.5, 0]),
    "median of infinities": (dml_vk.median, [INF, INF], [0.5, 0.5]),
    "median of rows": (lambda x: dml_vk.median(x, axis=1), [[1.0, 2, 2, 3]], [[0, 0.5, 0.5, 0]]),
    "quantile": (lambda x: dml_vk.quantile(x, 0.5), [1.0, 2, 2, 3], [0, 0.5, 0.5, 0]),
    "quantile between": (lambda x: dml_vk.quantile(x, 0.25), [1.0, 1, 2], [0.5, 0.5, 0]),
    "max axis": (lambda x: dml_vk.max(x, axis=0), [1.0, 2, 2], [0, 1, 0]),
    "max axes": (lambda x: dml_vk.max(x, axis=(0,)), [[1.0], [2], [2]], [[0], [1], [0]]),
    "max all": (dml_vk.max, [1.0, 2, 2], [0, 0.5, 0.5]),
    "hard_swish": (dml_vk.hard_swish, [-3.0, 3, -4, 4], [0, 1, 0, 1]),
    "relu": (dml_vk.relu, [NAN, 1.0, 0], [1, 1, 0]),
    "logcumsumexp": (dml_vk.logcumsumexp, [2.0, -INF, -INF], [3, 0, 0]),
    "power 0": (lambda x: dml_vk.pow(x, 0), [0.0, -1.5], [0, 0]),
    "spectral norm": (
        lambda x: dml_vk.linalg.matrix_norm(x, ord=2),
        [[2.0, 0], [0, -2]],
        [[0.5, 0], [0, -0.5]],
    ),
    "angle": (lambda x: dml_vk.angle(x * 1j * 0), [1.0], [0]),
    "vector_norm": (lambda x: dml_vk.linalg.vector_norm(x, ord=-1), [0.0, 2, 3], [0, 0, 0]),
    "empty prod": (lambda x: dml_vk.prod(x.reshape(0, 3), axis=1), [], []),
}


@pytest.mark.parametrize("name", CASES)
def test_of_one_operand(name):
    function, value, expected = CASES[name]
    assert gradient(function, value, dtype=dml_vk.float32) == expected


def test_of_two_operands():
    both = (0, 1)
    atan2 = dml_vk.grad(lambda y, x: dml_vk.sum(dml_vk.atan2(y, x)), both)
    assert [g.tolist() for g in atan2(*[dml_vk.zeros(1)] * 2)] == [[0], [0]]
    half = dml_vk.asarray([0.5] * 3)
    steps = dml_vk.asarray([0.0, 1.0, -1.0])
    heaviside = dml_vk.grad(lambda h: dml_vk.sum(dml_vk.heaviside(steps, h)))
    assert heaviside(half).tolist() == [1, 0, 0]


def test_the_maximum_of_nan_has_nan():
    assert all(g != g for g in gradient(dml_vk.max, [NAN, 1.0]))


@pytest.mark.parametrize("name", ["elu", "celu", "scaled_elu"])
def test_second_derivatives_at_0(name):
    function = getattr(dml_vk, name)
    slopes = dml_vk.grad(lambda x: dml_vk.sum(function(x)))
    assert gradient(slopes, [0.0, 1.0]) == [0, 0]


def test_slopes_of_float64_are_not_rounded():
    assert gradient(dml_vk.leaky_relu, [-1.0, 1.0], dtype=dml_vk.float64) == [0.01, 1]
    assert gradient(lambda x: dml_vk.pow(x, 0), [0.0, 1.0], dtype=dml_vk.float64) == [0, 0]


def test_the_determinant_of_a_singular_matrix_has_no_gradient():
    """PyTorch gives zeros, which are wrong: that of [[1, 2], [2, 4]] is [[4, -2], [-2, 1]]."""
    with pytest.raises(dml_vk.DmlVkError, match="must not be singular"):
        gradient(dml_vk.linalg.det, [[1.0, 2], [2, 4]])


def test_no_counted_class_has_the_gradient_0():
    ignored = dml_vk.asarray([-100, -100])
    loss = lambda x: dml_vk.nn.cross_entropy(x, ignored, ignore_index=-100)  # noqa: E731
    assert gradient(loss, [[1.0, 2.0], [3.0, 4.0]]) == [[0, 0], [0, 0]]


def test_clip_passes_gradients_at_limits_that_are_tensors():
    clip = dml_vk.grad(lambda *x: dml_vk.sum(dml_vk.clip(*x)), (0, 1, 2))
    x = dml_vk.asarray([1.0, 2.0, 3.0, 0.0, 4.0])
    of_x, of_min, of_max = clip(x, dml_vk.full(5, 2.0), dml_vk.full(5, 3.0))
    assert of_x.tolist() == [0, 1, 1, 0, 0]
    assert of_min.tolist() == [1, 0, 0, 1, 0]
    assert of_max.tolist() == [0, 0, 0, 0, 1]
    # Limits in the wrong order: all are the upper one.
    gradients = clip(x, dml_vk.asarray(4.0), dml_vk.asarray(2.0))
    assert [g.tolist() for g in gradients] == [[0] * 5, 0, 5]


def test_the_first_maximum_of_an_image_has_the_gradient():
    image = [[[[1.0, 2.0], [2.0, 2.0]]]]
    assert gradient(dml_vk.nn.global_max_pool, image) == [[[[0, 1], [0, 0]]]]


def test_a_variance_below_the_least_has_a_gradient():
    loss = lambda v: dml_vk.nn.gaussian_nll_loss(  # noqa: E731
        dml_vk.zeros(1), dml_vk.ones(1), v, eps=0.1
    )
    assert gradient(loss, [0.05]) == pytest.approx([-45])


def test_norms_of_zeros_have_finite_gradients():
    other = dml_vk.asarray([[3.0, 4.0]])
    cosine = lambda x: dml_vk.nn.cosine_similarity(x, other)  # noqa: E731
    assert gradient(cosine, [[0.0, 0.0]])[0] == pytest.approx([0.6e8, 0.8e8])
    clipped = lambda x: dml_vk.optim.clip_by_global_norm([x], 1.0)  # noqa: E731
    assert gradient(lambda x: clipped(x)[1], [0.0, 0.0]) == [0, 0]
    assert gradient(lambda x: clipped(x)[0][0], [0.0, 0.0]) == [1, 1]


def test_sinc():
    assert gradient(dml_vk.sinc, [0.0, 1.0, -2.0]) == [0, -1, -0.5]

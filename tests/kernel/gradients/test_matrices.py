"""Gradients of linear algebra beside finite differences in float64."""

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.errors import DmlVkError
from tests import tier
from tests.kernel.gradients.differences import check, drawn


def regular(*shape, kind="f", seed=1):
    """Matrices with singular values that are apart."""
    own = drawn(shape, kind, seed, -1, 1)
    return own + np.eye(shape[-2], shape[-1]) * np.arange(2, 2 + shape[-1])


def hermitian(x):
    return (x + dml_vk.conj(x).mT) * 0.5


def definite(x):
    return dml_vk.matmul(x, dml_vk.conj(x).mT)


def weighted(x):
    """A sum that tells the elements apart, but not the signs or phases of columns."""
    sizes = dml_vk.real(x * dml_vk.conj(x))
    factors = np.arange(1.0, x.shape[-2] * x.shape[-1] + 1).reshape(x.shape[-2:])
    return sizes * dml_vk.asarray(factors)


KINDS = "fc"  # floats and complex numbers


@tier.parametrize(
    "name kind",
    ["inv", "det", "pinv", "sign", "logabsdet", "eigvals", "power", "tensorinv"],
    KINDS,
)
def test_functions_of_square_matrices(name, kind):
    functions = {
        "sign": lambda x: linalg.slogdet(x).sign,
        "logabsdet": lambda x: linalg.slogdet(x).logabsdet,
        "eigvals": lambda x: dml_vk.sum(linalg.eigvals(x) ** 3, axis=-1),
        "power": lambda x: linalg.matrix_power(x, -2),
        "tensorinv": lambda x: linalg.tensorinv(x[0], 1),
    }
    function = functions.get(name) or getattr(linalg, name)
    check(function, [regular(2, 3, 3, kind=kind)], again=name in ("inv", "det"))


SOLVED = [((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 1))]
SOLVED += [((2, 3, 3), (3,))]


@tier.parametrize("shapes kind", SOLVED, KINDS)
def test_solve(shapes, kind):
    first, second = shapes
    check(linalg.solve, [regular(*first, kind=kind), drawn(second, kind, 2)], again=kind == "f")


@tier.parametrize("shape kind", [(4, 2), (2, 4), (3, 3)], KINDS)
def test_pseudo_inverse_and_least_squares(shape, kind):
    a, b = regular(*shape, kind=kind), drawn((shape[0], 2), kind, 3)
    check(linalg.pinv, [a], again=False)
    check(lambda a, b: linalg.lstsq(a, b).x, [a, b], again=False)
    check(lambda a, b: linalg.lstsq(a, b[:, 0]).x, [a, b], again=False)
    check(lambda a, b: linalg.lstsq(a, b).s, [a, b], again=False)
    if shape[0] > shape[1]:
        check(lambda a, b: linalg.lstsq(a, b).residuals, [a, b], again=False)


@tier.parametrize("upper kind", [False, True], KINDS)
def test_cholesky(upper, kind):
    function = lambda x: linalg.cholesky(definite(x), upper=upper)  # noqa: E731
    check(function, [regular(2, 3, 3, kind=kind)], again=kind == "f")


def test_cholesky_of_a_symmetric_matrix_has_a_symmetric_gradient():
    x = dml_vk.asarray(np.array([[4.0, 2.0], [2.0, 5.0]]))
    gradient = dml_vk.grad(lambda x: linalg.cholesky(x)[1, 0])(x).numpy()
    # x10 / sqrt(x00), of which x10 is half of x10 + x01.
    np.testing.assert_allclose(gradient, [[-0.125, 0.25], [0.25, 0.0]], atol=1e-12)


@tier.parametrize("shape kind", [(3, 3), (4, 2), (2, 4)], KINDS)
def test_qr(shape, kind):
    x = regular(*shape, kind=kind)
    for part in (0, 1):
        check(lambda x, part=part: linalg.qr(x)[part], [x], again=False)
    check(lambda x: linalg.qr(x).Q[:, :1] * linalg.qr(x).R[:1], [x], again=kind == "f")


def test_the_complete_decomposition_of_a_tall_matrix_is_refused():
    x = dml_vk.asarray(regular(4, 2))
    with pytest.raises(DmlVkError, match="mode='reduced'"):
        dml_vk.grad(lambda x: dml_vk.sum(linalg.qr(x, mode="complete").R))(x)


@tier.parametrize("triangle kind", ["L", "U"], KINDS)
def test_eigenvalues_of_symmetric_matrices(triangle, kind):
    x = regular(3, 3, kind=kind)
    check(lambda x: linalg.eigvalsh(hermitian(x), triangle), [x], again=kind == "f")
    check(lambda x: linalg.eigh(hermitian(x), triangle).eigenvalues, [x], again=False)
    check(lambda x: weighted(linalg.eigh(hermitian(x)).eigenvectors), [x], again=kind == "f")


@tier.parametrize("shape kind", [(3, 3), (4, 2), (2, 4)], KINDS)
def test_singular_values(shape, kind):
    x = regular(*shape, kind=kind)
    check(linalg.svdvals, [x], again=False)
    check(lambda x: weighted(linalg.svd(x, full_matrices=False).U), [x], again=False)
    check(lambda x: weighted(linalg.svd(x, full_matrices=False).Vh), [x], again=False)

    def restored(x):
        u, s, vh = linalg.svd(x, full_matrices=False)
        return dml_vk.matmul(u * s**2, vh)

    check(restored, [x], again=kind == "f" and shape == (3, 3))


@pytest.mark.parametrize("kind", KINDS)
def test_eigenvectors(kind):
    x = regular(3, 3, kind=kind)
    check(lambda x: linalg.eig(x).eigenvectors, [x], again=False)
    check(lambda x: linalg.eig(x).eigenvalues[:1] * linalg.eig(x).eigenvectors, [x], again=False)


@tier.parametrize("order kind", [1, 2, 3, 1.5, 0.5, np.inf, -np.inf], KINDS)
def test_norms_of_vectors(order, kind):
    x = drawn((3, 4), kind, 4, -1, 1)
    check(lambda x: linalg.vector_norm(x, ord=order, axis=1), [x], again=order == 2)
    check(lambda x: linalg.vector_norm(x, ord=order, keepdims=True), [x], again=False)


@tier.parametrize("order kind", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf], KINDS)
def test_norms_of_matrices(order, kind):
    check(lambda x: linalg.matrix_norm(x, ord=order), [regular(2, 3, 4, kind=kind)], again=False)


def test_norms_have_slopes_of_zero_where_they_have_none():
    zeros = dml_vk.zeros(3)
    for order in (1, 2, 3):
        gradient = dml_vk.grad(lambda x, order=order: linalg.vector_norm(x, ord=order))(zeros)
        assert gradient.tolist() == [0.0, 0.0, 0.0]
    x = dml_vk.asarray([2.0, -2.0, 1.0])
    assert dml_vk.grad(lambda x: linalg.vector_norm(x, ord=np.inf))(x).tolist() == [0.5, -0.5, 0.0]


def test_products_of_vectors():
    a, b = drawn((2, 3), "f", 5), drawn((4, 1, 3), "f", 6)
    check(linalg.cross, [a, b])
    check(linalg.outer, [a[0], b[0, 0]])
    check(linalg.trace, [drawn((2, 3, 3), "f", 7)])
    check(lambda x: linalg.diagonal(x, offset=1), [drawn((2, 3, 3), "f", 7)])


def test_float16_and_out():
    x = dml_vk.asarray(np.array([3.0, 4.0], np.float16))
    assert dml_vk.grad(linalg.vector_norm)(x).tolist() == [0.60009765625, 0.7998046875]

    def written(x):
        y = dml_vk.zeros((2, 2), dtype=dml_vk.float64)
        linalg.inv(x, out=y)
        return dml_vk.sum(y)

    x = dml_vk.asarray(regular(2, 2))
    expected = dml_vk.grad(lambda x: dml_vk.sum(linalg.inv(x)))(x)
    assert dml_vk.grad(written)(x).tolist() == expected.tolist()

"""Complex functions against mpmath, and their special values against NumPy's, which are C99's."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError
from dml_vk.testing.elementwise import ulps_apart
from tests import tier
from tests.kernel.complex.numbers import INF, NAN, SPECIAL, usual

MP = mpmath.MPContext()
MP.prec = 200
FUNCTIONS = {
    "abs": abs,
    "acos": MP.acos,
    "acosh": MP.acosh,
    "asin": MP.asin,
    "asinh": MP.asinh,
    "atan": MP.atan,
    "atanh": MP.atanh,
    "cos": MP.cos,
    "cosh": MP.cosh,
    "exp": MP.exp,
    "expm1": lambda z: MP.exp(z) - 1,
    "log": MP.log,
    "log10": lambda z: MP.log(z) / MP.log(10),
    "log1p": lambda z: MP.log(1 + z),
    "log2": lambda z: MP.log(z) / MP.log(2),
    "sign": lambda z: z / abs(z),
    "sin": MP.sin,
    "sinh": MP.sinh,
    "sqrt": MP.sqrt,
    "tan": MP.tan,
    "tanh": MP.tanh,
}
# One of each kernel, for those of both sizes compute the same, in float64.
SINGLE = ("abs", "acos", "atanh", "exp", "sqrt", "sin")
# Where C99 leaves a sign open, and NumPy has another one, or NaN against the standard.
OPEN = ("expm1",)


def rounded(exact, kind) -> np.ndarray:
    return np.array([float(one) for one in exact]).astype(kind)


def check(found: np.ndarray, exact: list, most: float) -> None:
    """Both parts are so many last places at most from the exact ones."""
    if found.dtype.kind == "f":
        assert ulps_apart(found, rounded(exact, found.dtype)).max() <= most
        return
    for part in ("real", "imag"):
        own = getattr(found, part).copy()
        expected = rounded([getattr(MP.mpc(one), part) for one in exact], own.dtype)
        assert ulps_apart(own, expected).max() <= most, part


def numbers(dtype: str) -> np.ndarray:
    """Of usual sizes; close to 1, i and 0, and to the ends of cuts; large and small ones."""
    near = 2.0**-20
    # None on a cut, where the sign of a zero decides, which mpmath lacks.
    hard = [
        1 + near + near * 1j,
        1 - near * 1j,
        1j + near,
        -1 + near * 1j,
        near + near * 1j,
        -near,
        0.5,
        -0.25,
    ]
    hard += [30 - 20j, -7 + 3j, 1e-6 + 1e6j, 0.6 + 0.8j, 2 - near * 1j, -2 - near * 1j, 2j, -3j]
    # As many as SPECIAL has modulo an invocation's share, so that both take the same kernels.
    return np.concatenate([np.array(hard), usual("complex128", 32, 4)]).astype(dtype)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_within_two_last_places(name):
    for dtype in ("complex128", *(["complex64"] if name in SINGLE else [])):
        z = numbers(dtype)
        found = getattr(dml_vk, name)(dml_vk.asarray(z)).numpy()
        assert found.dtype == (dtype if name != "abs" else np.dtype(dtype).type().real.dtype)
        check(found, [FUNCTIONS[name](MP.mpc(one)) for one in z.tolist()], 1)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_bits_are_the_same_in_any_layout(dtype):
    z = usual(dtype, (6, 8), 1)
    packed = dml_vk.exp(dml_vk.asarray(z)).numpy()
    turned = dml_vk.asarray(np.asfortranarray(z))
    out = dml_vk.zeros((6, 20), dtype)
    dml_vk.exp(turned, out=out[:, 1:17:2])
    found = out.numpy()
    assert found[:, 1:17:2].tobytes() == packed.tobytes()
    assert not found[:, ::2].any()


def test_powers():
    z, w = usual("complex128", 40, 2), usual("complex128", 40, 2)
    w[:5], z[:2] = [2, 3, 0.5, -1, 1j], [1 + 2j, 1j]
    found = dml_vk.pow(dml_vk.asarray(z), dml_vk.asarray(w)).numpy()
    exact = [MP.power(MP.mpc(a), MP.mpc(b)) for a, b in zip(z.tolist(), w.tolist())]
    check(found[2:], exact[2:], 2)
    assert found[0] == -3 + 4j
    assert np.isclose(found[1], -1j, rtol=1e-15)
    x = dml_vk.asarray([3 + 4j, 1j, 0j, 0j], "complex128")
    assert (x**2).tolist() == [-7 + 24j, -1, 0, 0]
    assert (x**0.5).tolist() == dml_vk.sqrt(x).tolist()
    assert (x**-1).tolist()[:2] == dml_vk.reciprocal(x).tolist()[:2]
    assert (x**0j).tolist() == [1] * 4
    assert np.allclose((x ** dml_vk.asarray([1, 1, 2, 0])).numpy(), [3 + 4j, 1j, 0, 1], 1e-15)
    with np.errstate(all="ignore"):
        far = dml_vk.asarray([0j, complex(INF, 0), 1j]) ** dml_vk.asarray([-1, 0.3, NAN])
        assert np.isnan(far.numpy()).all()


@tier.parametrize(
    "dtype way", ["complex64", "complex128"], ["by a number", "of a number", "of a tensor"]
)
def test_powers_of_and_by_numbers(dtype, way):
    z = usual(dtype, 9, 2)
    x, exact = dml_vk.asarray(z), [MP.mpc(one) for one in z.tolist()]
    for number in tier.some((0.85, 3.25, -1.5j, 2.5 + 1j), 2):
        own = MP.mpc(np.asarray(number, dtype).item())
        single = MP.mpc(np.asarray(number, "complex64").item())
        if way == "by a number":
            check((x**number).numpy(), [MP.power(one, own) for one in exact], 2)
        elif way == "of a number":
            check((number**x).numpy(), [MP.power(own, one) for one in exact], 2)
        else:
            found = (dml_vk.asarray(number) ** x).numpy()
            check(found, [MP.power(single, one) for one in exact], 2)


def same(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Equal signs and about equal values, or both NaN."""
    signs = np.signbit(one) == np.signbit(two)
    with np.errstate(invalid="ignore"):
        near = (one == two) | (np.abs(one - two) <= 1e-12)
    return near & signs | np.isnan(one) & np.isnan(two)


def is_open(name: str, z: complex, part: str) -> bool:
    """Whether C99 leaves the sign of a part open."""
    if name == "exp":
        return z.real == -INF and not np.isfinite(z.imag)
    if name == "sinh":
        return part == "real" and not np.isfinite(z.imag)
    if name == "tanh":
        return part == "imag" and abs(z.real) == INF and not np.isfinite(z.imag)
    if name == "sin":
        return part == "imag" and not np.isfinite(z.real)
    if name == "tan":
        return part == "real" and abs(z.imag) == INF and not np.isfinite(z.real)
    return part == "imag" and name in ("cosh", "cos") and (np.isnan(z.imag) or np.isnan(z.real))


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"expm1", "sign"}))
def test_special_values_are_numpys(name):
    z = np.array(SPECIAL)
    found = getattr(dml_vk, name)(dml_vk.asarray(z)).numpy()
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(z)
    for part in ("real", "imag"):
        right = same(getattr(found, part), getattr(expected, part))
        left = [one for one in z[~right] if not is_open(name, complex(one), part)]
        assert not left, (name, part, left[:5])
        # Where only the sign is open, the magnitude is not.
        magnitudes = np.abs(getattr(found, part)), np.abs(getattr(expected, part))
        assert same(*magnitudes).all()


def test_special_values_of_expm1_are_the_standards():
    """NumPy 2 has NaN for all infinities."""
    inputs = [
        *(complex(INF, 0), complex(INF, INF), complex(INF, NAN), complex(-INF, INF)),
        *(complex(-INF, NAN), complex(NAN, 0), complex(1, INF), complex(NAN, 1), complex(-INF, 1)),
    ]
    found = dml_vk.expm1(dml_vk.asarray(np.array(inputs))).numpy()
    expected = [
        *(complex(INF, 0), complex(INF, NAN), complex(INF, NAN), complex(-1, 0), complex(-1, 0)),
        *(complex(NAN, 0), complex(NAN, NAN), complex(NAN, NAN), complex(-1, 0)),
    ]
    for part in ("real", "imag"):
        assert same(getattr(found, part), getattr(np.array(expected), part)).all()


def test_signs():
    found = dml_vk.sign(dml_vk.asarray([0j, 3 + 4j, -2])).numpy()
    assert np.allclose(found, [0, 0.6 + 0.8j, -1])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_signs_of_infinities_are_numpys(dtype):
    z = np.array(SPECIAL, dtype)
    z = z[~np.isfinite(z)]
    with np.errstate(all="ignore"):
        expected = np.where(np.isinf(z.real) & np.isinf(z.imag), NAN, np.sign(z))
    np.testing.assert_array_equal(dml_vk.sign(dml_vk.asarray(z)).numpy(), expected)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_powers_of_and_by_infinities_zeros_and_nan_are_numpys(dtype):
    z, w = (one.ravel().astype(dtype) for one in np.meshgrid(SPECIAL, SPECIAL))
    # NumPy multiplies as often as whole numbers say, which gives NaN for some that are infinite.
    whole = (w.imag == 0) & np.isin(w.real, [-1, 1])
    z, w = z[~whole], w[~whole]
    found = (dml_vk.asarray(z) ** dml_vk.asarray(w)).numpy()
    with np.errstate(all="ignore"):
        expected = z**w
    for part in ("real", "imag"):
        one, other = getattr(found, part), getattr(expected, part)
        np.testing.assert_allclose(
            one, other, 1e-5, 1e-6 * np.abs(expected[np.isfinite(expected)]).max()
        )


def test_angles():
    z = usual("complex64", (3, 4))
    assert np.allclose(dml_vk.angle(dml_vk.asarray(z)).numpy(), np.angle(z), rtol=1e-6)
    assert np.allclose(np.angle(dml_vk.asarray(z)).numpy(), np.angle(z), rtol=1e-6)
    assert dml_vk.angle(dml_vk.asarray(z.astype("complex128"))).dtype is dml_vk.float64
    assert np.allclose(dml_vk.angle(dml_vk.asarray([-2.0, 0.0, 5.0])).numpy(), [np.pi, 0, 0])
    out = dml_vk.empty(2)
    assert dml_vk.angle(dml_vk.asarray([1j, -1j]), out=out) is out


def test_there_are_functions_without_a_complex_meaning():
    for name in ("floor", "trunc", "cbrt", "erf", "rsqrt", "exp2"):
        if hasattr(dml_vk, name):
            with pytest.raises(DTypeError, match=f"^{name}: dtype must be one of"):
                getattr(dml_vk, name)(dml_vk.asarray([1j]))

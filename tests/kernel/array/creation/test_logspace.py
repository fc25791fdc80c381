"""Numbers spaced on a logarithmic scale, against mpmath and NumPy."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, RangeError
from tests import tier
from tests.chance import chance

MP = mpmath.MPContext()
MP.prec = 120
DTYPES = ("float16", "float32", "float64", "complex64", "complex128")
REAL = [(1.0, 1000.0), (1e-3, 6e4), (-5.0, -0.125), (7.0, 7.0)]
SPIRALS = [(1, 1j), (1 + 1j, -3 + 0.5j), (-1j, 5 - 1j), (4, 4j)]
WIDE = {"float16": "float64", "float32": "float64", "complex64": "complex128"}


def between(first: complex, last: complex, num: int, endpoint: bool) -> list:
    """The exact numbers, whose angle turns by at most half a circle."""
    first, last = MP.mpmathify(first), MP.mpmathify(last)
    growth = MP.log(last / (first / abs(first))) - MP.log(abs(first))
    return [first * MP.exp(growth * k / max(1, num - endpoint)) for k in range(num)]


@tier.parametrize("dtype endpoint", DTYPES, [True, False])
def test_each_is_the_same_multiple_of_the_one_before(dtype, endpoint):
    ends = REAL + (SPIRALS if dtype.startswith("c") else [])
    for first, last in ends:
        found = dml_vk.geomspace(first, last, 9, endpoint=endpoint, dtype=dtype)
        assert found.dtype.numpy_name == dtype
        kind = WIDE.get(dtype, dtype)
        exact = np.array([complex(z) for z in between(first, last, 9, endpoint)])
        exact = exact if kind == "complex128" else exact.real
        limits = np.finfo(dtype)
        assert np.allclose(
            found.numpy(), exact, rtol=16 * limits.eps, atol=limits.smallest_subnormal
        )
        theirs = np.geomspace(first, last, 9, endpoint, kind)
        assert np.allclose(found.numpy(), theirs, rtol=max(1e-12, 4 * limits.eps))
        assert found[0].item() == np.array(first, dtype)
        if endpoint:
            assert found[-1].item() == np.array(last, dtype)


def test_ends_may_be_as_far_apart_as_floats_are():
    found = dml_vk.geomspace(1e-300, 1e300, 7, dtype="float64").numpy()
    assert np.allclose(np.log10(found), np.linspace(-300, 300, 7), rtol=1e-14, atol=1e-12)
    down = dml_vk.geomspace(1e30, 1e-30, 61).numpy()
    assert np.array_equal(down, (10.0 ** np.arange(30, -31, -1)).astype("float32"))


@tier.parametrize("dtype base", DTYPES, [10.0, 2.0, 0.5])
def test_powers_of_a_base(dtype, base):
    kind = WIDE.get(dtype, dtype)
    few = 4 * np.finfo(dtype).eps
    for (first, last), endpoint in tier.crossed([(0, 3), (-2.5, 1.5), (4, -4)], (True, False)):
        found = dml_vk.logspace(first, last, 7, endpoint=endpoint, base=base, dtype=dtype)
        assert found.dtype.numpy_name == dtype
        theirs = np.logspace(first, last, 7, endpoint, base, kind)
        assert np.allclose(found.numpy(), theirs, rtol=few, atol=1e-7)
    if kind == "complex128":
        found = dml_vk.logspace(1j, 2 - 1j, 5, base=base, dtype=dtype).numpy()
        assert np.allclose(found, np.logspace(1j, 2 - 1j, 5, base=base), rtol=few)
        found = dml_vk.logspace(0, 2, 5, base=1 + 2j, dtype=dtype).numpy()
        assert np.allclose(found, np.logspace(0, 2, 5, base=1 + 2j), rtol=few)


def test_defaults_and_options_are_numpys():
    for made, theirs in (
        (dml_vk.geomspace(1, 3), np.geomspace(1, 3)),
        (dml_vk.logspace(0, 1), np.logspace(0, 1)),
        (dml_vk.geomspace(1j, 3), np.geomspace(1j, 3)),
        (dml_vk.geomspace(2, 3, 1), np.geomspace(2, 3, 1)),
        (dml_vk.logspace(2, 3, 0), np.logspace(2, 3, 0)),
    ):
        assert made.shape == theirs.shape
        assert np.allclose(made.numpy(), theirs, rtol=1e-6)
        assert made.dtype is (dml_vk.complex64 if theirs.dtype.kind == "c" else dml_vk.float32)
    end = dml_vk.asarray(8.0)
    assert dml_vk.geomspace(np.float32(1), end, 4).tolist() == [1.0, 2.0, 4.0, 8.0]
    assert dml_vk.logspace(0, dml_vk.asarray(1j), 2).dtype is dml_vk.complex64


@pytest.mark.parametrize("ends", [(-2, 3), (2, -3), (1j, -1j)])
def test_half_a_circle_is_turned_as_in_numpy(ends):
    found = dml_vk.geomspace(*ends, 5, dtype="complex128").numpy()
    assert np.allclose(found, np.geomspace(*ends, 5, dtype=complex), atol=1e-12)


def test_what_has_no_logarithmic_scale_says_so():
    with pytest.raises(RangeError, match=r"^geomspace: start and stop must not be 0; got start=0"):
        dml_vk.geomspace(0, 1)
    with pytest.raises(RangeError, match=r"^geomspace: real start and stop must have one sign"):
        dml_vk.geomspace(-1, 1)
    with pytest.raises(RangeError, match=r"^geomspace: num must not be negative"):
        dml_vk.geomspace(1, 2, -1)
    for call in (dml_vk.geomspace, dml_vk.logspace):
        with pytest.raises(DTypeError, match=r"space: dtype must be floating-point; got dtype=dml"):
            call(1, 2, dtype="int32")
        with pytest.raises(DTypeError, match="space: dtype must be complex for complex numbers"):
            call(1, 2j, dtype="float32")
        with pytest.raises(DTypeError, match=r"space: start must be a real number; got start="):
            call("1", 2)


@pytest.mark.parametrize("endpoint", [True, False])
def test_equal_spaces_of_float64_have_numpys_bits(endpoint):
    rng = chance()
    pairs = rng.normal(size=(40, 2)) * 10.0 ** rng.integers(-300, 300, (40, 2))
    pairs = [*pairs, *rng.normal(size=(30, 2)) * 9, *rng.integers(-50, 50, (20, 2)) * 5e-324]
    for first, last in [*pairs, (0.1, 9.1), (3.0, 3.0), (1e308, 1.7e308)]:
        for count in {0, 1, 2, int(rng.integers(3, 40))}:
            expected = np.linspace(first, last, count, endpoint)
            options = {"endpoint": endpoint, "dtype": "float64"}
            found = dml_vk.linspace(float(first), float(last), count, **options)
            assert found.numpy().tobytes() == expected.tobytes(), (first, last, count)
            if max(abs(first), abs(last)) < 1e9:
                whole = dml_vk.linspace(first, last, count, endpoint=endpoint, dtype="int64")
                assert whole.tolist() == np.floor(expected).astype(int).tolist()
    ends = 1.5 - 0.3j, -7.1 + 1e-5j
    found = dml_vk.linspace(*ends, 33, dtype="complex128", endpoint=endpoint).numpy()
    assert found.tobytes() == np.linspace(*ends, 33, endpoint=endpoint).tobytes()


def test_integers_between_floats_are_numpys():
    found = dml_vk.linspace(0.1, 9.1, 11, dtype="int64")
    assert found.tolist() == np.linspace(0.1, 9.1, 11, dtype="int64").tolist()
    assert found[1].item() == 1  # the sum of 0.1 and 0.9 in float64


def test_integers_need_not_hold_an_end_that_is_not_reached():
    assert dml_vk.linspace(0, 128, 4, endpoint=False, dtype="int8").tolist() == [0, 32, 64, 96]
    assert dml_vk.linspace(5, 1000, 1, dtype="int8").tolist() == [5]
    assert dml_vk.linspace(5, 1000, 0, dtype="int8").tolist() == []
    with pytest.raises(DTypeError, match="linspace: elements must fit in int8; got element=128"):
        dml_vk.linspace(0, 128, 4, dtype="int8")


def test_spaces_that_no_float_holds_are_still_equal():
    """NumPy's are NaN."""
    assert dml_vk.linspace(-1.7e308, 1.7e308, 3, dtype="float64").tolist() == [-1.7e308, 0, 1.7e308]

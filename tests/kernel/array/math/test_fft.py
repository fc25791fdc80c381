"""Fourier transforms of tensors, compared with NumPy's of float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, RangeError
from tests import tier
from tests.chance import chance

ALONG_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
OF_SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn")
OF_REAL = ("rfft", "ihfft", "rfftn", "rfft2")
NORMS = ("backward", "ortho", "forward")


def numbers(sizes, dtype="complex64"):
    made = chance().normal(size=sizes) + 1j * chance().normal(size=sizes)
    return (made if dtype[0] == "c" else made.real).astype(dtype)


def check(name, x, *, given=None, **options):
    """A function of ours and NumPy's, on a tensor of the elements of x."""
    x = np.asarray(x)
    with np.errstate(invalid="ignore"):
        expected = getattr(np.fft, name)(
            x.astype("c16" if x.dtype.kind == "c" else "f8"), **options
        )
    found = getattr(dml_vk.fft, name)(dml_vk.asarray(x) if given is None else given, **options)
    wide = x.dtype in ("float64", "complex128")
    assert found.shape == expected.shape
    kinds = {"c": ("complex64", "complex128"), "f": ("float32", "float64")}
    assert found.dtype.name == kinds[expected.dtype.kind][wide]
    scale = np.abs(expected).max(initial=1e-30)
    assert np.abs(found.numpy() - expected).max(initial=0) <= (1e-14 if wide else 4e-6) * scale
    return found


@pytest.mark.parametrize("name", ALONG_ONE)
def test_lengths_are_those_of_the_axis_or_cut_or_filled_with_zeros(name):
    kind = "float32" if name in OF_REAL else "complex64"
    cases, turn = tier.crossed((1, 2, 6, 37), range(5)), ALONG_ONE.index(name)
    for size, which in cases if tier.is_all() else cases[turn % 2 :: 2]:
        n = (None, 1, 2, size // 2 + 1, size + 3)[which]
        if size > 1 or n is not None or name not in ("irfft", "hfft"):
            check(name, numbers((3, size), kind), n=n)
    for size in (1, 2, 6, 37) if tier.is_all() else (6 + turn,):
        check(name, np.moveaxis(numbers((3, size), kind), 0, 1), axis=0, n=2 * size)


@pytest.mark.parametrize("name", ["rfft", "ihfft"])
def test_an_odd_number_of_reals_is_filled_with_zeros_in_any_layout(name):
    wide = numbers((3, 14), "float32")
    x = dml_vk.asarray(wide)
    for steps in (slice(None, None, -2), slice(1, None, 2), slice(6, None, -1), slice(0, 7)):
        check(name, wide[:, steps], given=x[:, steps], n=10)
        check(name, wide[::-1, steps], given=x[::-1, steps], n=22)
    wide = numbers((3, 16), "float32")
    for size in (10, 14):  # two numbers to a point, and an odd number of points
        check(name, wide[:, :size], given=dml_vk.asarray(wide)[:, :size], n=24)


@st.composite
def calls(draw):
    """A function of several axes, an array, a way to lay it out, and options."""
    name = draw(st.sampled_from(OF_SEVERAL))
    sizes = draw(st.lists(st.sampled_from((1, 2, 3, 6)), min_size=1, max_size=4))
    axes = draw(st.permutations(range(len(sizes))))[: draw(st.integers(1, len(sizes)))]
    axes = [axis - len(sizes) * draw(st.booleans()) for axis in axes]
    s = [draw(st.sampled_from((1, 2, 5, 6))) for _ in axes]
    if name != "irfftn" and draw(st.booleans()):
        s = None
    options = {"s": s, "axes": axes, "norm": draw(st.sampled_from(NORMS))}
    return name, sizes, draw(st.permutations(range(len(sizes)))), draw(st.booleans()), options


@tier.examples(40)
@given(calls())
def test_any_axes_lengths_norms_and_layouts(call):
    name, sizes, order, flips, options = call
    dtype = "float32" if name in OF_REAL else "complex64"
    wide = numbers([2 * sizes[dim] for dim in order], dtype)
    steps = (slice(None, None, -2) if flips else slice(1, None, 2),) * len(sizes)
    back = np.argsort(order)
    x = dml_vk.permute_dims(dml_vk.asarray(wide)[steps], [int(dim) for dim in back])
    check(name, wide[steps].transpose(back), given=x, **options)


def test_dtypes_follow_the_librarys_rule():
    dtypes = ("bool", "int8", "int64", "float16", "float32", "float64")
    for dtype, name in tier.crossed(dtypes, ("fft", "rfft", "irfft", "hfft", "ihfft")):
        x = (chance().normal(size=(2, 6)) * 3).astype(dtype)
        wide = x.astype("float64" if dtype == "float64" else "float32")
        check(name, wide, given=dml_vk.asarray(x))
    check("ifftn", numbers((3, 10), "complex128"))
    check("irfft", numbers((3, 10), "complex128"), n=17)


def test_results_keep_the_format_and_may_go_anywhere():
    x = dml_vk.asarray(numbers((2, 3, 4, 6)), memory_format=dml_vk.channels_last)
    expected = dml_vk.fft.fftn(x)
    assert expected.memory_format is dml_vk.channels_last
    out = dml_vk.zeros((6, 4, 3, 2, 2), dtype="complex64")[..., 0].permute(3, 2, 1, 0)
    assert dml_vk.fft.fftn(x, out=out) is out
    assert out.numpy().tobytes() == expected.numpy().tobytes()
    assert dml_vk.fft.fftn(x, out=x) is x  # where it reads
    assert x.numpy().tobytes() == expected.numpy().tobytes()


def test_nothing_is_copied_that_can_be_read_where_it_is():
    x = dml_vk.asarray(numbers((6, 5, 4)))[::-1, :, ::2].permute(2, 0, 1)
    with dml_vk.trace(strict=True):
        found = dml_vk.fft.fftn(x), dml_vk.fft.rfft(dml_vk.real(x), axis=0, n=3)
    assert [one.shape for one in found] == [(2, 6, 5), (2, 6, 5)]


def test_empty_operands():
    x = np.zeros((0, 4), np.complex64)
    for name in ALONG_ONE[:2] + ALONG_ONE[3:5]:
        check(name, x)
        check(name, x.T, axis=0)
    check("fftn", x.T, s=(2, 3), axes=(0, 1))
    assert not dml_vk.fft.irfft(dml_vk.asarray(x), n=5, axis=0).numpy().any()


def test_two_axes():
    x = numbers((2, 4, 6), "float32")
    check("rfft2", x)
    check("fft2", x, s=(3, 3))
    check("ifft2", x, axes=(0, 2))
    check("irfft2", numbers((2, 4, 6)), norm="ortho")


def test_frequencies_and_shifts():
    for n in (1, 4, 9):
        for d in (1.0, 0.3, -2):
            for name in ("fftfreq", "rfftfreq"):
                found = getattr(dml_vk.fft, name)(n, d=d, dtype="float64")
                assert np.array_equal(found.numpy(), getattr(np.fft, name)(n, d=d))
    assert dml_vk.fft.fftfreq(3).dtype is dml_vk.float32
    x = np.arange(60).reshape(3, 4, 5)
    for axes in (None, 1, (0, 2), -1):
        for name in ("fftshift", "ifftshift"):
            found = getattr(dml_vk.fft, name)(dml_vk.asarray(x), axes=axes)
            assert np.array_equal(found.numpy(), getattr(np.fft, name)(x, axes=axes))


def test_numpys_functions_take_tensors():
    z = numbers((4, 6))
    x = dml_vk.asarray(z)
    for name in (*ALONG_ONE, *OF_SEVERAL, "fftshift"):
        given = dml_vk.real(x) if name in OF_REAL else x
        found = getattr(np.fft, name)(given)
        assert isinstance(found, dml_vk.Tensor), name
        assert np.array_equal(found.numpy(), getattr(dml_vk.fft, name)(given).numpy()), name
    assert np.fft.fft(x, 5, 0, "ortho").shape == (5, 6)
    assert np.fft.irfft2(x, (3, 4), (1, 0), None).shape == (4, 3)


def test_errors_say_what_must_hold():
    x, real = dml_vk.asarray(numbers((2, 3))), dml_vk.ones((2, 3))
    fft = dml_vk.fft
    for call, kind, said in (
        (lambda: fft.fft(x, n=0), LayoutError, "fft: there must be at least one point"),
        (lambda: fft.irfft(x[:, :1]), LayoutError, "irfft: there must be at least one point"),
        (lambda: fft.fft(x[:, :0]), LayoutError, "fft: there must be at least one point"),
        (lambda: fft.fft(x, n=2**26 + 1), RangeError, "fft: n must be at most 67108864"),
        (lambda: fft.fft(x, norm="best"), RangeError, "fft: norm must be one of backward, ortho"),
        (lambda: fft.fftn(x, s=(2,), axes=(0, 1)), LayoutError, "fftn: s must have one length"),
        (lambda: fft.fftn(x, s=[np.ones(2), 1]), LayoutError, "fftn: s must be an integer"),
        (lambda: fft.fftn(x, axes=(0, 0)), LayoutError, "fftn: axes must not repeat"),
        (lambda: fft.fftn(x, axes=()), LayoutError, "fftn: there must be at least one axis"),
        (lambda: fft.rfft(x), DTypeError, "rfft: dtype must be one of"),
        (lambda: fft.fft(x, out=real), DTypeError, "fft: out must have the dtype complex64"),
        (lambda: fft.irfft(x, out=real), LayoutError, r"irfft: out must have the shape \(2, 4\)"),
        (lambda: fft.fftfreq(0), RangeError, "fftfreq: n must be from 1 to 67108864"),
        (lambda: fft.rfftfreq(3, d=0), RangeError, "rfftfreq: d must be finite, and not 0"),
        (lambda: fft.fftfreq(3, d=10**400), RangeError, "fftfreq: d must be finite, and not 0"),
        (lambda: fft.fftfreq(3, dtype="int8"), DTypeError, "fftfreq: dtype must be one of"),
    ):
        with pytest.raises(kind, match=said):
            call()

"""Complex tensors in memory: made, moved, viewed by parts, indexed, printed and exchanged."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import channels_last
from dml_vk.ops.parts import as_complex, as_parts
from dml_vk.tensor.core import Tensor
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.kernel.complex.numbers import DTYPES, assert_bits, both, in_layout, part, usual
from tests.kernel.memory import bits, check_writes

IMAGE = (2, 3, 4, 5)


@pytest.mark.parametrize("dtype", DTYPES)
@tier.examples(40)
@given(data=st.data())
def test_copies_and_fills_of_any_layout(dtype, data):
    size = np.dtype(dtype).itemsize
    layout = data.draw(targets(max_rank=5))
    values = usual(dtype, layout.sizes)
    source, seen = in_layout(dtype, data.draw(layouts(sizes=layout.sizes)), values)

    check_writes(lambda y: dml_vk.copy(source, y.view(dtype)), layout, size, bits(seen))
    number = np.full(layout.sizes, 1 - 2j, dtype)

    def filled(y):
        y.view(dtype)[...] = 1 - 2j

    check_writes(filled, layout, size, bits(number))


@pytest.mark.parametrize("dtype", DTYPES)
@tier.examples(25)
@given(data=st.data())
def test_parts_are_views_of_the_same_memory(dtype, data):
    layout = data.draw(layouts(max_rank=4))
    x, seen = in_layout(dtype, layout, usual(dtype, layout.sizes))
    for mine, theirs in ((dml_vk.real(x), seen.real), (dml_vk.imag(x), seen.imag)):
        assert mine.allocation is x.allocation
        assert mine.dtype.name == part(dtype)
        assert mine.layout.order == x.layout.order
        assert np.array_equal(mine.numpy(), theirs, equal_nan=True)
    floats = Tensor(as_parts(x))
    assert floats.shape == (*x.shape, 2)
    assert np.array_equal(floats.numpy(), both(seen), equal_nan=True)
    again = Tensor(as_complex("test", floats))
    assert (again.layout, again.dtype) == (x.layout, x.dtype)


def test_parts_can_be_written_to():
    x = dml_vk.zeros((2, 2), "complex128", memory_format=dml_vk.contiguous_format)
    dml_vk.real(x)[:, 0] = 3
    dml_vk.imag(x)[...] = dml_vk.asarray([[1.0, 2.0], [5.0, 7.0]])
    assert x.tolist() == [[3 + 1j, 2j], [3 + 5j, 7j]]
    dml_vk.add(dml_vk.real(x), 1, out=dml_vk.real(x))
    assert x.tolist() == [[4 + 1j, 1 + 2j], [4 + 5j, 1 + 7j]]


def test_parts_as_attributes():
    x = dml_vk.asarray([1 + 2j, 3 + 4j])
    x.imag[0] = 7
    x.real += 1
    assert x.tolist() == [2 + 7j, 4 + 4j]
    x.real, x.imag = dml_vk.asarray([5, 6]), 0.5
    assert x.tolist() == [5 + 0.5j, 6 + 0.5j]
    for kind in ("bool", "int8", "float64"):
        y = dml_vk.ones((2, 3), kind, memory_format=dml_vk.contiguous_format)
        assert y.real is y
        assert (y.imag.tolist(), y.imag.dtype) == ([[0] * 3] * 2, y.dtype)
        y.real = y != y
        assert y.tolist() == [[0] * 3] * 2
    with pytest.raises(DTypeError, match="imag: x must be complex"):
        y.imag = 1


def test_parts_of_real_tensors():
    x = dml_vk.ones(3, "int16")
    assert dml_vk.real(x) is dml_vk.conj(x) is x
    y = dml_vk.zeros(3, "int16")
    assert dml_vk.conj(x, out=y) is y
    assert y.tolist() == [1, 1, 1]
    with pytest.raises(DTypeError, match=r"^imag: x must be complex: use zeros_like; got dtype="):
        dml_vk.imag(x)
    for function in (dml_vk.real, dml_vk.conj):
        with pytest.raises(DTypeError, match=r": dtype must be numeric; got dtype="):
            function(dml_vk.ones(3, bool))


def test_floats_that_are_no_parts_of_complex_elements():
    x = dml_vk.zeros((4, 2, 3))
    for wrong in (x, x[:, :, :2], dml_vk.zeros((2, 3, 2))[..., ::-1], dml_vk.zeros(7)[1:3]):
        with pytest.raises(LayoutError, match=r"^fft: the last dim must be of size 2 and contig"):
            as_complex("fft", wrong)
    assert as_complex("fft", dml_vk.zeros((0, 2), "float64")).layout.sizes == (0,)


@pytest.mark.parametrize("dtype", DTYPES)
def test_made_as_numpy_makes_them(dtype):
    kind = np.dtype(dtype)
    for made, expected in (
        (dml_vk.zeros(IMAGE, dtype, memory_format=channels_last), np.zeros(IMAGE, kind)),
        (dml_vk.ones(3, dtype), np.ones(3, kind)),
        (dml_vk.full((2, 5), 1.5 - 2j, dtype), np.full((2, 5), 1.5 - 2j, kind)),
        (dml_vk.full(3, np.complex128(2 + 1j), dtype), np.full(3, 2 + 1j, kind)),
        (dml_vk.full(3, dml_vk.asarray(2 + 1j), dtype), np.full(3, 2 + 1j, kind)),
        (dml_vk.full_like(dml_vk.zeros(3), 1j, dtype=dtype), np.full(3, 1j, kind)),
        (dml_vk.eye(3, 4, k=1, dtype=dtype), np.eye(3, 4, 1, kind)),
        (dml_vk.asarray([[1, 2j], [0.5, True]], dtype), np.array([[1, 2j], [0.5, 1]], kind)),
        (dml_vk.asarray([1, 2], dtype), np.array([1, 2], kind)),
        (dml_vk.linspace(1, 3 + 4j, 5, dtype=dtype), np.linspace(1, 3 + 4j, 5, dtype=kind)),
        (dml_vk.arange(1, 3, 0.5, dtype=dtype), np.array([1, 1.5, 2, 2.5], kind)),
        (dml_vk.linspace(0, 1, 3, dtype=dtype, endpoint=False), np.array([0, 1 / 3, 2 / 3], kind)),
        (dml_vk.tril(dml_vk.ones((3, 3), dtype)), np.tril(np.ones((3, 3), kind))),
    ):
        assert_bits(made.numpy(), expected)
    assert dml_vk.asarray(np.zeros(2, kind)).dtype.name == dtype
    assert dml_vk.zeros_like(dml_vk.zeros(3, dtype)).dtype.name == dtype
    assert dml_vk.empty(3, complex).dtype is dml_vk.complex64


def test_python_numbers_make_complex64():
    for made in (dml_vk.asarray(1j), dml_vk.asarray([1, 2.5, 1j]), dml_vk.full(2, 1j)):
        assert made.dtype is dml_vk.complex64
    assert dml_vk.linspace(0, 1j, 3).dtype is dml_vk.complex64
    assert dml_vk.linspace(dml_vk.asarray(1j), 1, 2).tolist() == [1j, 1 + 0j]


@pytest.mark.parametrize(
    ("call", "must"),
    [
        (lambda: dml_vk.arange(3, dtype="bool"), "arange: dtype must be numeric"),
        (lambda: dml_vk.arange(1j), "arange: stop must be a real number"),
        (lambda: dml_vk.linspace(0, 1j, 3, dtype="float32"), "linspace: dtype must be complex"),
        (lambda: dml_vk.asarray([1j], "float32"), "asarray: cannot make an array of numbers"),
        (lambda: dml_vk.asarray(np.ones(2, complex), "int8"), "asarray: cannot cast complex elem"),
        (lambda: dml_vk.full(2, 1j, "float32"), "full: value must be a number that float32 can"),
        (lambda: dml_vk.full(2, "1", "complex64"), "full: value must be a number that float32 can"),
        (lambda: dml_vk.astype(dml_vk.full(2, 1j), "float64"), "astype: cannot cast complex elem"),
        (
            lambda: dml_vk.full(2, 1j).to("int32"),
            "to: cannot cast complex elements to a real",
        ),
        (lambda: float(dml_vk.asarray(1j)), "float: x must be real: use real, imag or abs"),
        (lambda: int(dml_vk.asarray(1j)), "int: x must be real: use real, imag or abs"),
        (lambda: dml_vk.zeros(2).__setitem__(0, 1j), "setitem: cannot store a number of this kind"),
        (lambda: dml_vk.zeros(2).__setitem__(0, np.complex64(1j)), "setitem: cannot cast complex"),
        (
            lambda: dml_vk.zeros(2).__setitem__(0, dml_vk.asarray(1j)),
            "setitem: cannot cast complex elements to a real dtype",
        ),
        (lambda: dml_vk.zeros(2).__setitem__([0, 1], [1j, 2]), "setitem: cannot store a number of"),
    ],
)
def test_what_real_dtypes_cannot_hold_is_an_error(call, must):
    with pytest.raises(DTypeError, match=f"^{must}"):
        call()


CASTS = [
    *(("complex64", "complex128"), ("complex128", "complex64"), ("complex64", "complex64")),
    *(("complex128", "complex128"), ("complex64", "bool"), ("complex128", "bool")),
    *((real, kind) for real in ("bool", "uint8", "int64", "float16", "float64") for kind in DTYPES),
]


@pytest.mark.parametrize(("given", "to"), CASTS)
def test_casts_are_numpys(given, to):
    values = usual("complex128", (3, 40))
    values[0, :4] = complex(np.inf, np.nan), complex(-0.0, 0.0), 1e300 - 1e-300j, 2**60 + 1e-40j
    with np.errstate(all="ignore"):
        own = (values if "complex" in given else np.abs(values.real)).astype(given)
        expected = own.astype(to)
    pairs = (own, expected), (own.T, expected.T), (own[:, ::-2], expected[:, ::-2])
    turn = CASTS.index((given, to))
    for array, wanted in pairs if tier.is_all() else [pairs[turn % 3]]:
        found = dml_vk.astype(dml_vk.asarray(array), to)
        if to == "bool":
            assert np.array_equal(found.numpy(), wanted)
        else:
            assert_bits(found.numpy(), wanted)
        view = dml_vk.asarray(own)[:1, 1:]
        repeated = dml_vk.astype(view.over(view.layout.expand(7, 39)), to)
        assert repeated.tolist()[6][1] == expected[0, 2].item() or to == "bool"


def test_casts_onto_the_memory_of_the_source():
    x = dml_vk.asarray([1 + 2j, 3 + 4j])
    dml_vk.astype(dml_vk.imag(x), "complex64", out=x)
    assert x.tolist() == [2, 4]


@pytest.mark.parametrize("dtype", DTYPES)
def test_keys_read_and_write(dtype):
    array = usual(dtype, (6, 5))
    x, mask, rows = dml_vk.asarray(array), array.real > 0, [4, 0, -1, 4]
    for key in (2, (slice(None), 1), (slice(None, None, -2), slice(1, 4))):
        assert_bits(x[key].numpy(), array[key])
    assert_bits(x[rows].numpy(), array[rows])
    assert_bits(x[mask].numpy(), array[mask])
    assert_bits(dml_vk.take(x, [3, 1], axis=1).numpy(), array[:, [3, 1]])
    order = np.argsort(array.real, 0)
    along = dml_vk.take_along_axis(x, dml_vk.asarray(order), axis=0)
    assert_bits(along.numpy(), np.take_along_axis(array, order, 0))
    for key, value in (
        *(((rows, 1), 7), ((2, 3), 1j), (mask, 2 - 1j), (rows, array[:1] * 2), (5, array[0, 0])),
        *((mask, array[0, 1]), ((slice(None), 2), array[:, 3].copy()), ([1, 2], [[1j]])),
    ):
        array[key] = value
        x[key] = dml_vk.asarray(value) if isinstance(value, np.ndarray) else value
        assert_bits(x.numpy(), array)
    x[0] = dml_vk.asarray(np.arange(5))
    x[1] = dml_vk.ones(5, "float16")
    x[2] = np.float64(0.5)
    assert x.numpy()[:3].tolist() == [[0, 1, 2, 3, 4], [1] * 5, [0.5] * 5]


@pytest.mark.parametrize("dtype", DTYPES)
def test_shapes_joins_and_padding(dtype):
    array = usual(dtype, IMAGE)
    x = dml_vk.asarray(array, memory_format=channels_last)
    assert x.memory_format is channels_last
    for found, expected in (
        (dml_vk.permute_dims(x, (3, 0, 2, 1)), array.transpose(3, 0, 2, 1)),
        (dml_vk.reshape(x, (6, 20)), array.reshape(6, 20)),
        (dml_vk.concat([x, x], axis=1), np.concatenate([array, array], 1)),
        (dml_vk.stack([x, dml_vk.ones(IMAGE)]), np.stack([array, np.ones(IMAGE, dtype)])),
        (dml_vk.flip(x, axis=2).contiguous(), array[:, :, ::-1]),
        (dml_vk.roll(x, 2, axis=3), np.roll(array, 2, 3)),
        (dml_vk.tile(x, (1, 1, 2, 1)), np.tile(array, (1, 1, 2, 1))),
        (dml_vk.repeat(x, 2, axis=0), np.repeat(array, 2, 0)),
        (dml_vk.pad(x, 1, value=1j), np.pad(array, 1, constant_values=1j)),
        (dml_vk.where(dml_vk.asarray(array.real > 0), x, 1j), np.where(array.real > 0, array, 1j)),
    ):
        assert_bits(found.numpy(), expected.astype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_exchange(dtype, tmp_path):
    array = usual(dtype, IMAGE)
    x = dml_vk.asarray(array, memory_format=channels_last)
    dml_vk.save(tmp_path / "x.npy", x)
    for same in (
        *(copy.deepcopy(x), pickle.loads(pickle.dumps(x)), dml_vk.load(tmp_path / "x.npy")),
        *(dml_vk.from_dlpack(x), dml_vk.asarray(x.numpy()), x.clone(), x.to("channels_last")),
    ):
        assert (same.dtype.name, same.layout) == (dtype, x.layout)
        assert_bits(same.numpy(), array)
    for theirs in (np.from_dlpack(x), np.asarray(x), dml_vk.from_dlpack(array).numpy()):
        assert_bits(theirs, array)
    assert x.tolist() == array.tolist()
    assert x.tobytes() == array.tobytes()
    with x.map() as memory:
        memory[0, 0, 0, 0] = 5j
    assert complex(x[0, 0, 0, 0]) == x[0, 0, 0, 0].item() == 5j
    assert bool(x[0, 0, 0, 0])
    assert x.contiguous().view(part(dtype)).shape == (2, 3, 4, 10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_printed_as_numpy_prints(dtype):
    array = np.array([[1 + 2j, -0.5j], [complex(np.inf, np.nan), 1e10]], dtype)
    text = np.array2string(array, separator=", ", prefix="Tensor(")
    assert repr(dml_vk.asarray(array)).startswith(f"Tensor({text}, shape=(2, 2), dtype={dtype}, ")
    assert f"{dml_vk.asarray(1 + 2j):.1f}" == "1.0+2.0j"

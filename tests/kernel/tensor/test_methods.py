"""What a Tensor does by itself: views that share memory, operators, scopes, the memory as it is."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import DTYPES
from dml_vk.errors import DmlVkError, DTypeError, LayoutError, LayoutIndexError
from dml_vk.layout import channels_last, contiguous_format, preserve_format
from dml_vk.tensor import host
from dml_vk.tensor.core import Tensor

ARRAY = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)
VIEWS = {
    "permute": (lambda x: x.permute(2, 0, 3, 1), lambda a: a.transpose(2, 0, 3, 1)),
    "transpose": (lambda x: x.transpose(1, 2), lambda a: a.swapaxes(1, 2)),
    "movedim": (lambda x: x.movedim(0, -1), lambda a: np.moveaxis(a, 0, -1)),
    "squeeze": (lambda x: x[:, :1].squeeze(1), lambda a: a[:, 0]),
    "squeeze all": (lambda x: x[:1, :1].squeeze(), lambda a: a[0, 0]),
    "unsqueeze": (lambda x: x.unsqueeze(1), lambda a: a[:, None]),
    "select": (lambda x: x.select(2, -1), lambda a: a[:, :, -1]),
    "narrow": (lambda x: x.narrow(3, 1, 3), lambda a: a[..., 1:4]),
    "chunk": (lambda x: x.chunk(2, 1)[1], lambda a: a[:, 2:]),
    "split": (lambda x: x.split((1, 3), 2)[1], lambda a: a[:, :, 1:]),
    "unfold": (
        lambda x: x.unfold(3, 2, 2),
        lambda a: np.stack([a[..., 0:2], a[..., 2:4]], 3),
    ),
    "diagonal": (lambda x: x.diagonal(1, 2, 3), lambda a: a.diagonal(1, 2, 3)),
    "flip": (lambda x: x.flip(0, 3), lambda a: a[::-1, :, :, ::-1]),
    "view": (lambda x: x.view(6, -1), lambda a: a.reshape(6, 20)),
    "reshape": (lambda x: x.reshape(2, 60), lambda a: a.reshape(2, 60)),
    "reshape of a tuple": (lambda x: x.reshape((24, 5)), lambda a: a.reshape(24, 5)),
    "flatten": (lambda x: x.flatten(1, 2), lambda a: a.reshape(2, 12, 5)),
    "T": (lambda x: x[0, 0].T, lambda a: a[0, 0].T),
    "mT": (lambda x: x.mT, lambda a: a.swapaxes(2, 3)),
    "index": (lambda x: x[1, ..., ::-2], lambda a: a[1, ..., ::-2]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_shares_memory_launches_nothing_and_writes_through(name):
    ours, numpys = VIEWS[name]
    x, array = dml_vk.asarray(ARRAY), ARRAY.copy()
    dml_vk.synchronize()
    view = ours(x)
    assert x.device.queue.is_idle
    assert view.allocation is x.allocation
    assert np.array_equal(view.numpy(), numpys(array))
    view *= -2.0
    if name not in ("unfold", "diagonal"):  # There NumPy's cannot be written.
        numpys(array)[...] *= -2
        assert np.array_equal(x.numpy(), array)


def test_expanded_tensors_are_read_and_never_written():
    x = dml_vk.asarray(ARRAY[:, :1]).expand(-1, 3, -1, -1)
    assert np.array_equal((x + 1).numpy(), np.broadcast_to(ARRAY[:, :1] + 1, x.shape))
    with pytest.raises(LayoutError, match="out has overlapping elements"):
        x += 1


def test_what_needs_a_copy_says_so_or_makes_one():
    x = dml_vk.asarray(ARRAY).T if ARRAY.ndim == 2 else dml_vk.asarray(ARRAY).permute(3, 2, 1, 0)
    with pytest.raises(LayoutError, match="view: cannot view without a copy; use reshape"):
        x.view(120)
    with dml_vk.trace() as log:
        flat, part = x.reshape(-1), x.flatten(1, 3)
    assert [entry.op for entry in log.entries] == ["reshape", "reshape"]
    assert np.array_equal(flat.numpy(), ARRAY.T.reshape(-1))
    assert np.array_equal(part.numpy(), ARRAY.T.reshape(5, -1))


def test_sizes_to_reshape_to_may_come_one_by_one():
    x = dml_vk.asarray(ARRAY).permute(3, 2, 1, 0)  # which no view will do for
    for found in (dml_vk.reshape(x, iter((6, 20))), x.reshape(iter((6, 20)))):
        assert np.array_equal(found.numpy(), ARRAY.T.reshape(6, 20))
    with pytest.raises(LayoutError, match="reshape: shape must be a sequence of integers; got sha"):
        x.reshape({6, 20})


def test_properties():
    x = dml_vk.asarray(ARRAY, memory_format=channels_last)
    assert (x.ndim, x.size, x.nbytes, x.offset) == (4, 120, 480, 0)
    assert x.strides == (60, 1, 15, 3)
    assert x[1].offset == 60
    assert x.memory_format is channels_last
    assert x.is_contiguous(channels_last)
    assert not x.is_contiguous()
    for call, name in ((lambda: x.T, "T"), (lambda: x[0, 0, 0].mT, "mT")):
        with pytest.raises(LayoutError, match=f"^{name}: x must (be 2-D|have at least two)"):
            call()


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_between_tensors_and_numbers_on_either_side(name):
    call = OPERATORS[name]
    kind = np.float32 if name == "/" else np.int32
    a, b = np.array([1, 5, 3, 7], kind), np.array([2, 5, 1, 3], kind)
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    for found, expected in (
        (call(x, y), call(a, b)),
        (call(x, 3), call(a, kind(3))),
        (call(3, x), call(kind(3), a)),
    ):
        assert found.dtype.numpy_name == expected.dtype.name
        assert np.array_equal(found.numpy(), expected)


def test_operators_in_place_keep_memory_and_dtype():
    x = before = dml_vk.asarray(np.array([17, 40, 9], np.int16))
    x += 3
    x -= dml_vk.asarray(np.int16([1, 2, 3]))
    x *= 5
    x //= 2
    x %= 37
    x **= 2
    x <<= 2
    x >>= 1
    x |= 1
    x &= 0x7F
    x ^= 3
    a = np.array([17, 40, 9], np.int64) + 3 - [1, 2, 3]
    expected = ((((a * 5 // 2 % 37) ** 2 << 2 >> 1) | 1) & 0x7F) ^ 3
    assert x is before
    assert x.tolist() == expected.tolist()
    y = dml_vk.asarray([3.0, 5.0])
    y /= 2
    assert y.tolist() == [1.5, 2.5]
    with pytest.raises(DTypeError, match="bitwise_and: dtype must be one of"):
        y &= y
    must = "^add: cannot cast the in-place result to int16; got"
    with pytest.raises(DTypeError, match=must):
        x += dml_vk.asarray([1, 2, 3], "int32")
    half, single = dml_vk.asarray([1.0], "float16"), dml_vk.asarray([2.0])
    with pytest.raises(DTypeError, match=r"^divide: cannot cast the in-.*=dml_vk.float32$"):
        half /= single
    single += half
    assert (single.dtype, single.tolist()) == (dml_vk.float32, [3.0])
    with pytest.raises(DTypeError, match=r"^divide: cannot cast the in-place .*=dml_vk.float32$"):
        x /= 1
    single += x[:1] - x[:1]
    assert single.tolist() == [3.0]


def test_unary_operators():
    x = dml_vk.asarray(np.int8([3, -4]))
    assert [(-x).tolist(), (+x).tolist(), abs(x).tolist(), (~x).tolist()] == [
        *([-3, 4], [3, -4], [3, 4], [-4, 3])
    ]


def test_weak_numbers_keep_the_dtype():
    for name in ("float16", "float32", "float64"):
        assert (1.0 - dml_vk.full((2,), 3, name)).dtype.name == name
        assert (2 // dml_vk.full((2,), 3, name)).dtype.name == name
    assert (dml_vk.asarray([1, 2]) + 1.5).dtype is dml_vk.float32


def test_what_is_no_number_is_left_to_its_own_class():
    class Other:
        def __radd__(self, other):
            return "mine"

    x = dml_vk.asarray([1.5])
    assert x + Other() == "mine"
    assert (x == "text") is False
    assert x != None  # noqa: E711
    for call in (lambda: x + "text", lambda: "text" - x, lambda: x < None):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError):
        x += "text"
    assert (x == [1.5]).tolist() == [True]
    assert (x != (1.5,)).tolist() == [False]


def test_iteration_length_and_contents():
    x = dml_vk.asarray(ARRAY)
    assert len(x) == 2
    assert [np.array_equal(part.numpy(), a) for part, a in zip(x, ARRAY)] == [True, True]
    assert 7.0 in x
    assert 700.0 not in x
    assert "text" not in x
    for call in (lambda: len(x[0, 0, 0, 0]), lambda: list(x[0, 0, 0, 0])):
        with pytest.raises(DTypeError, match="x must have at least one dim; got shape="):
            call()


def test_item_and_format():
    x = dml_vk.asarray([2.5])
    assert (x.item(), f"{x:.3f}", f"{x}") == (2.5, "2.500", repr(x))
    many = dml_vk.asarray([1, 2])
    for call, what in ((many.item, "item"), (lambda: f"{many:.3f}", "item"), (many.__int__, "int")):
        with pytest.raises(
            LayoutError, match=rf"{what}: x must have exactly one element; got shape=\(2"
        ):
            call()


def test_to_takes_formats_dtypes_and_devices():
    x = dml_vk.asarray(ARRAY)
    assert x.to() is x.to(contiguous_format) is x.to("float32") is x.to(x.device) is x
    assert x.to("channels_last").memory_format is channels_last
    y = x.to(channels_last, "float16", x.device)
    assert (y.memory_format, y.dtype) == (channels_last, dml_vk.float16)
    assert np.array_equal(y.numpy(), ARRAY.astype(np.float16))
    z = y.to(dtype=dml_vk.int32, memory_format=contiguous_format, device=0)
    assert (z.memory_format, z.dtype) == (contiguous_format, dml_vk.int32)
    assert np.array_equal(z.numpy(), ARRAY)
    assert y.to(dml_vk.float32).memory_format is channels_last
    own = x.to(copy=True)
    assert own.allocation is not x.allocation
    assert np.array_equal(own.numpy(), ARRAY)
    assert x.to_device(x.device) is x
    with pytest.raises(DTypeError, match="to_device: stream must be None"):
        x.to_device(x.device, stream=1)
    with pytest.raises(DTypeError, match="to: dtype must be one of"):
        x.to("llvmpipe")


def test_a_device_is_the_default_inside_its_scope():
    first = dml_vk.default_device()
    with dml_vk.device(0) as outer, dml_vk.device(first.index) as inner:
        assert dml_vk.default_device() is inner
        assert dml_vk.empty(3).device is inner
    with pytest.raises(KeyError), outer:
        raise KeyError
    assert dml_vk.default_device() is first


def test_map_is_the_memory_itself():
    x = dml_vk.asarray(ARRAY, memory_format=channels_last)
    x += 1
    with x.map() as a:
        assert np.array_equal(a, ARRAY + 1)
        a[1, 2] = -5
        if x.device.unified:
            assert a.strides == tuple(4 * stride for stride in x.strides)
    y = x * 2
    expected = (ARRAY + 1) * 2
    expected[1, 2] = -10
    assert np.array_equal(y.numpy(), expected)
    with x[:, 1, ::-2].map() as a:
        a[...] = 9
    assert np.array_equal(x.numpy()[:, 1, 3::-2], np.full((2, 2, 5), 9))
    with dml_vk.empty((0, 3)).map() as a:
        assert a.shape == (0, 3)


def test_map_where_the_host_does_not_see_the_memory(monkeypatch):
    x = dml_vk.asarray(ARRAY)
    monkeypatch.setattr(host, "own_memory", lambda *_: None)
    with x[:, :, ::2].map() as a:
        a *= -1
    expected = ARRAY.copy()
    expected[:, :, ::2] *= -1
    assert np.array_equal(x.numpy(), expected)
    with (
        pytest.raises(LayoutError, match=r"map: the tensor has overlapping elements; got tensor="),
        x[0, 0, 0, :1].expand(7).map(),
    ):
        pass


def test_who_keeps_the_mapped_array_keeps_the_memory():
    x = dml_vk.asarray(np.arange(1, 9, dtype=np.int32))
    with x.map() as kept:
        pass
    del x
    gc.collect()
    others = [dml_vk.full((8,), -k, "int32") for k in range(1, 50)]
    assert [one.tolist()[0] for one in others] == [-k for k in range(1, 50)]
    assert kept.tolist() == list(range(1, 9))


def test_copies_and_pickles_keep_layout_format_and_dtype():
    for name, dtype in DTYPES.items():
        x = dml_vk.asarray((ARRAY % 7 > 2).astype(dtype.numpy_name), memory_format=channels_last)
        for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.clone()):
            assert y.allocation is not x.allocation
            assert (y.dtype, y.layout) == (x.dtype, x.layout), name
            assert np.array_equal(y.numpy(), x.numpy())


def test_a_pickle_that_was_changed():
    call, parts = dml_vk.zeros((2, 3)).__reduce_ex__(2)
    with pytest.raises(DTypeError, match="the pickle does not contain an array; got array='int'"):
        call(1, *parts[1:])


def test_rows_beyond_count():
    many = dml_vk.asarray([7]).expand(2**33)
    assert next(iter(many)).item() == 7, "one after another"
    with pytest.raises(LayoutError, match="unstack: cannot make more than 1048576 pieces"):
        dml_vk.unstack(many)
    with pytest.raises(LayoutError, match="empty: sizes must be a sequence of integers"):
        dml_vk.empty(many)


@pytest.mark.parametrize("name", DTYPES)
def test_repr_of_every_dtype_and_size(name):
    kind = DTYPES[name].numpy_name
    small = np.array([[1, 0, 1], [0, 1, 1]], kind)
    shown = np.array2string(small, separator=", ", prefix="Tensor(")
    text = repr(dml_vk.asarray(small))
    assert text.startswith(f"Tensor({shown}, shape=(2, 3), dtype={name}, memory_format=contiguous")
    large = np.arange(37 * 100).reshape(37, 100).astype(kind)
    x = dml_vk.asarray(large)
    shown = np.array2string(large, separator=", ", prefix="Tensor(")
    assert repr(x).startswith(f"Tensor({shown}, ")
    assert repr(x.T).startswith(
        f"Tensor({np.array2string(large.T, separator=', ', prefix='Tensor(')}, shape=(100, 37), "
    )
    assert "order=(1, 0)" in repr(x.T)
    assert repr(dml_vk.empty((3, 0), name)).startswith("Tensor([], shape=(3, 0), ")


def test_a_large_tensor_of_few_rows_is_shown_as_numpy_shows_it():
    for shape in ((2, 3000), (3000, 2), (5, 7, 11, 13)):
        a = np.arange(1, np.prod(shape) + 1, dtype=np.int32).reshape(shape)
        shown = np.array2string(a, separator=", ", prefix="Tensor(")
        assert repr(dml_vk.asarray(a)).startswith(f"Tensor({shown}, ")


def test_errors_name_the_view_and_its_argument():
    x = dml_vk.asarray(ARRAY)
    for call, error, match in (
        (lambda: x.permute(0, 0, 1, 2), LayoutError, "permute"),
        (lambda: x.select(0, 5), LayoutIndexError, "select"),
        (lambda: x.expand(3, 3, 4, 5), LayoutError, "expand"),
        (lambda: x.over(None), LayoutError, "over: layout must be a Layout"),
        (lambda: x.clone(7), DmlVkError, "like"),
    ):
        with pytest.raises(error, match=f"^{match}"):
            call()
    with pytest.raises(DTypeError, match="create tensors with asarray, empty or full"):
        Tensor(None)
    assert x.to(preserve_format) is x


def test_lists_in_place():
    x = dml_vk.asarray([1, 2, 3])
    with pytest.raises(DTypeError, match=r"^add: cannot cast the in-place result to int64"):
        x += [1, 2, 3.5]
    assert x.tolist() == [1, 2, 3]
    x += [1, 2, 3]
    assert x.tolist() == [2, 4, 6]


def test_methods_of_numpys_names():
    values = np.array([[3, 1], [2, 4]])
    x = dml_vk.asarray(values)
    assert x.swapaxes(0, 1).tolist() == values.T.tolist()
    assert x.argsort().tolist() == values.argsort().tolist()
    assert x.dot(x).tolist() == values.dot(values).tolist()
    assert dml_vk.asarray(values * 1j).conj().tolist() == (values * -1j).tolist()
    with pytest.raises(DTypeError, match="add: operands must be tensors or numbers"):
        x += np.array("1")

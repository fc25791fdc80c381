"""einsum: what NumPy's gives, of any number of operands in any layouts."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.array.products.einsum import parse
from dml_vk.dtypes import DTYPES, float32
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import Layout, channels_last
from dml_vk.testing import products
from tests.chance import chance
from tests.kernel.elementwise import source_of
from tests.kernel.memory import bits

INT = DTYPES["int32"]


def operand(layout, dtype=INT):
    if not isinstance(layout, Layout):
        layout = Layout.packed(layout)
    values = chance().integers(1, 100, layout.sizes).astype(dtype.name)
    return source_of(dtype, layout, values)


# Subscripts and the operands' sizes: of integers, whose sums are exact.
CASES = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk->ki", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("ba,cb", (3, 4), (5, 3)),
    ("ij->ji", (3, 4)),
    ("ij->", (3, 4)),
    ("ijk->j", (3, 4, 5)),
    ("ii", (4, 4)),
    ("ii->i", (4, 4)),
    ("iij->ji", (4, 4, 3)),
    ("iji,jk->ik", (3, 4, 3), (4, 5)),
    ("i,j->ji", (3,), (4,)),
    ("ij,ij->ij", (3, 4), (3, 4)),
    ("ij,ij->", (3, 4), (3, 4)),
    ("ij,k->", (3, 4), (5,)),
    ("ij,k->ki", (3, 4), (5,)),
    ("ij,kl,lm->", (3, 4), (5, 6), (6, 2)),
    ("ij,jk,kl->il", (3, 4), (4, 5), (5, 2)),
    ("ij,jk,kl,li->", (3, 4), (4, 5), (5, 2), (2, 3)),
    ("ij,jk,ik->ijk", (3, 4), (4, 5), (3, 5)),
    ("abc,abd,ace->de", (2, 3, 4), (2, 3, 5), (2, 4, 6)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("...ij,jk", (2, 6, 3, 4), (4, 2)),
    ("i...->...", (3, 4, 5)),
    ("...i->i...", (3, 4, 5)),
    ("...,...", (3, 4), ()),
    ("a...a->a...", (3, 4, 5, 3)),
    (" i j , j -> i ", (3, 4), (4,)),
    ("ij,jk->ik", (3, 1), (4, 5)),
    ("ij,jk->ijk", (3, 4), (1, 5)),
    ("ij,jk->ik", (0, 4), (4, 5)),
    ("ij,jk->ik", (3, 0), (0, 5)),
    (",->", (), ()),
    ("Aa,ab->bA", (3, 4), (4, 5)),
]


def test_as_numpys():
    for subscripts, *shapes in CASES:
        pairs = [operand(shape) for shape in shapes]
        expected = np.einsum(subscripts, *[seen for _, seen in pairs])
        found = dml_vk.einsum(subscripts, *[x for x, _ in pairs])
        assert found.layout == Layout(expected.shape), subscripts
        assert np.array_equal(found.numpy(), expected), (subscripts, shapes)
        assert found.dtype is INT


def test_any_layouts():
    image, turned = Layout.packed((2, 3, 4, 5), channels_last), Layout.packed((4, 3)).flip((0, 1))
    for subscripts, *given in (
        ("nchw,cd->ndhw", image, turned.transpose(0, 1)),
        ("nchw->c", image),
        ("nchw,nchw->n", image, image),
        ("nchw,mchw->nm", image, image),
        ("ij,ij->ij", turned, Layout.packed((4, 6)).slice(1, 0, None, 2)),
        ("ij,kj->ik", turned, Layout.packed((1, 3)).expand(5, 3)),
    ):
        pairs = [operand(layout) for layout in given]
        expected = np.einsum(subscripts, *[seen for _, seen in pairs])
        assert np.array_equal(dml_vk.einsum(subscripts, *[x for x, _ in pairs]).numpy(), expected)


def test_sums_are_those_of_products():
    (x, a), (y, b) = operand((5, 7, 13), float32), operand((7, 13, 6), float32)
    a *= np.float32(np.pi)
    x = dml_vk.asarray(a)
    found = dml_vk.einsum("ijk,jkl->il", x, y).numpy()
    assert np.array_equal(bits(found), bits(products.matmul(a.reshape(5, 91), b.reshape(91, 6))))
    found = dml_vk.einsum("ijk->i", x).numpy()
    assert np.array_equal(bits(found), bits(products.sum_of(a.reshape(5, 91))))


def test_dtypes_promote():
    (x, a), (y, b) = operand((3, 4), DTYPES["int8"]), operand((4, 5), DTYPES["int16"])
    z, c = operand((5, 2), DTYPES["int32"])
    found = dml_vk.einsum("ij,jk,kl", x, y, z)
    assert found.dtype is INT
    assert np.array_equal(found.numpy(), np.einsum("ij,jk,kl", a, b, c))
    found = dml_vk.einsum("i,j->ij", x.over(x.layout.select(0, 1)), z.over(z.layout.select(1, 0)))
    assert np.array_equal(found.numpy(), np.multiply.outer(a[1].astype("int32"), c[:, 0]))


def test_a_result_may_be_an_operand():
    for subscripts, shapes in (
        ("ij,jk->ik", [(4, 4), (4, 4)]),
        ("ij->ji", [(4, 4)]),
        ("ij,ji->ij", [(4, 4), (4, 4)]),
        ("ij,jk,kl->il", [(4, 4)] * 3),
    ):
        for at in range(len(shapes)):
            pairs = [operand(shape) for shape in shapes]
            expected = np.einsum(subscripts, *[seen for _, seen in pairs])
            out = pairs[at][0]
            assert dml_vk.einsum(subscripts, *[x for x, _ in pairs], out=out) is out
            assert np.array_equal(out.numpy(), expected), (subscripts, at)
    x, a = operand((3, 4))
    out = dml_vk.empty((), INT)
    assert dml_vk.einsum("ij->", x, out=out) is out
    assert out.tolist() == a.sum()
    assert dml_vk.einsum("ij->", x.over(x.layout.flip(0))).tolist() == a.sum()


def test_only_what_does_not_merge_is_copied():
    x, y = operand(Layout.packed((3, 4, 5)))[0], operand(Layout.packed((4, 5, 6)))[0]
    with dml_vk.trace() as log:
        dml_vk.einsum("ijk,jkl->il", x, y)
        dml_vk.einsum("ijk,jkl->ikl", x, y)
        dml_vk.einsum("ijk,jml->kilm", x, y)
    assert [entry for entry in log.entries if entry.reason == "layout"] == []
    with dml_vk.trace() as log:
        dml_vk.einsum("ijk,jl->kl", x, operand((4, 6))[0])
        dml_vk.einsum("jik,jkl->il", x, operand((3, 5, 6))[0])
    assert [entry.op for entry in log.entries if entry.reason == "layout"] == ["einsum"]


def test_subscripts():
    assert parse("ij,jk", (2, 2)) == ((("i", "j"), ("j", "k")), ("i", "k"))
    assert parse("...i->...", (3,)) == (((-2, -1, "i"),), (-2, -1))
    assert parse("i...,...->...i", (2, 3)) == ((("i", -1), (-3, -2, -1)), (-3, -2, -1, "i"))


def test_wrong_subscripts():
    x, y = operand((3, 4))[0], operand((5, 6))[0]
    for message, given in {
        "subscripts must be a string": (x, "ij"),
        "at least one operand is needed": ("ij",),
        "subscripts must describe 2 operands": ("ij", x, y),
        "sizes of the letter 'j' must agree": ("ij,jk", x, y),
        "sizes of the ellipsis must agree": ("...,...", x, y),
        "subscripts may contain letters, commas, one -> and one ... per operand": ("i1", x),
        "subscripts need one letter per dim, or ... for the rest": ("ijk", x),
        "subscripts need one letter per dim, or ...": ("i", x),
        "letters of the result must occur once there, and in an operand": ("ij->ii", x),
        "letters of the result must occur once .* and in an operand": (
            "ij->k",
            x,
        ),
        "dims of one operand that share the letter 'i'": ("ii", x),
    }.items():
        with pytest.raises(LayoutError, match=f"einsum: {message}"):
            dml_vk.einsum(*given)
    for subscripts in ("ij->i->j", "i......j", "i.j", "ij->k...", "...i->i", "éj"):
        with pytest.raises(LayoutError, match="einsum: "):
            dml_vk.einsum(subscripts, x)
    with pytest.raises(DTypeError, match=r"einsum: operands\[1\] must be a Tensor"):
        dml_vk.einsum("ij,ij", x, 2.0)
    with pytest.raises(LayoutError, match=r"einsum: out must have the shape \(4, 3\)"):
        dml_vk.einsum("ij->ji", x, out=dml_vk.empty((3, 4), INT))

"""NumPy's splits: the parts are views, so that none takes memory, and writes go to the original."""

from __future__ import annotations

from dml_vk.arguments import Ints, is_one, to_axis, to_int, to_ints
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.strides.views import check_pieces
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor

Into = int | Ints | list[int]


@hinted
def split(x: Tensor, /, indices_or_sections: Into, axis: int = 0) -> list[Tensor]:
    """Return views of equal parts of an axis, or of the parts between the given indexes.

    >>> import dml_vk
    >>> x = dml_vk.arange(6)
    >>> [part.tolist() for part in dml_vk.split(x, 2)]
    [[0, 1, 2], [3, 4, 5]]
    >>> [part.tolist() for part in dml_vk.split(x, [1, 4])]
    [[0], [1, 2, 3], [4, 5]]
    """
    return _parts("split", x, indices_or_sections, axis)


@hinted
def array_split(x: Tensor, /, indices_or_sections: Into, axis: int = 0) -> list[Tensor]:
    """Return views as `split` does; parts may differ in size by one, and larger ones come first.

    >>> import dml_vk
    >>> [part.tolist() for part in dml_vk.array_split(dml_vk.arange(5), 3)]
    [[0, 1], [2, 3], [4]]
    """
    return _parts("array_split", x, indices_or_sections, axis, uneven=True)


def hsplit(x: Tensor, /, indices_or_sections: Into) -> list[Tensor]:
    """Return views as `split` does: along the second dim, or the only one.

    >>> import dml_vk
    >>> [part.tolist() for part in dml_vk.hsplit(dml_vk.asarray([[1, 2], [3, 4]]), 2)]
    [[[1], [3]], [[2], [4]]]
    """
    return _parts("hsplit", x, indices_or_sections, min(1, to_tensor("hsplit", "x", x).ndim - 1))


def vsplit(x: Tensor, /, indices_or_sections: Into) -> list[Tensor]:
    """Return views as `split` does, along the first dim.

    >>> import dml_vk
    >>> [part.tolist() for part in dml_vk.vsplit(dml_vk.asarray([[1, 2], [3, 4]]), 2)]
    [[[1, 2]], [[3, 4]]]
    """
    return _parts("vsplit", x, indices_or_sections, 0)


def dsplit(x: Tensor, /, indices_or_sections: Into) -> list[Tensor]:
    """Return views as `split` does, along the third dim.

    >>> import dml_vk
    >>> [part.shape for part in dml_vk.dsplit(dml_vk.zeros((2, 3, 4)), [1])]
    [(2, 3, 1), (2, 3, 3)]
    """
    return _parts("dsplit", x, indices_or_sections, 2)


def _parts(what: str, x: Tensor, into: Into, axis: int, *, uneven: bool = False) -> list[Tensor]:
    x = to_tensor(what, "x", x)
    dim = to_axis(what, "axis", axis, x.ndim)
    size, layout = x.shape[dim], x.layout
    if isinstance(into, int) or is_one(into):
        parts = to_int(what, "indices_or_sections", into)
        if parts < 1 or (size % parts and not uneven):
            rule = "indices_or_sections must be a number of equal parts or a list of split points"
            raise LayoutError(what, rule, indices_or_sections=into, size=size)
        check_pieces(what, parts)
        each, extra = divmod(size, parts)
        cuts = [each * k + min(k, extra) for k in range(1, parts)]
    else:
        cuts = list(to_ints(what, "indices_or_sections", into))
    pieces = []
    for start, stop in zip([0, *cuts], [*cuts, size]):
        start, stop, _ = slice(start, stop).indices(size)
        pieces.append(x.over(layout.narrow(dim, start, max(0, stop - start))))
    return pieces

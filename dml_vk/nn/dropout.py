"""Dropout: elements are zeroed at random, by a stream that does not depend on the format."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.calls import call
from dml_vk.dtypes import bool_, float32, float64
from dml_vk.errors import DTypeError, RangeError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.nn.operands import floats
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import compute
from dml_vk.ops.numbers import element_words, scalar_words
from dml_vk.ops.view import temporary_like
from dml_vk.random import Generator
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import check_out, result_over, to_number
from dml_vk.tracing.formats import operation


@hinted
def dropout(x: Tensor, p: float, *, generator: Generator, out: Tensor | None = None) -> Tensor:
    """Zero elements with the probability p, and multiply the others by 1 / (1 - p).

    An element is kept where `generator.random(x.shape)` is at least p, which it draws: element i in
    logical order is decided by word i of the stream, whatever the format.

    >>> import dml_vk
    >>> x = dml_vk.ones(6)
    >>> dml_vk.nn.dropout(x, 0.5, generator=dml_vk.random.Generator(key=0)).tolist()
    [0.0, 2.0, 2.0, 2.0, 2.0, 0.0]
    """
    what, x = "dropout", floats("dropout", x)
    rate = to_number(what, "p", p)
    if not 0 <= rate <= 1:
        raise RangeError(what, "p must be from 0 to 1", p=p)
    if not isinstance(generator, Generator):
        rule = "generator must be a dml_vk.random.Generator"
        raise DTypeError(what, rule, generator=type(generator).__name__)
    generator._on(what, "x", x)
    if out is not None:
        check_out(what, out, x.shape, x.dtype, x)
    drawn = tensor_over(what, Layout.packed(x.shape, x.layout.order), float32, x.device)
    generator.random(out=drawn)
    # Nothing is kept at p = 1, and there is no 1 / 0.
    return call(_dropped, (x, drawn, float(rate), 1 / (1 - rate) if rate < 1 else 1.0), out)


@operation(flexible="first")
def _dropped(operands: Sequence[Tensor], out: Tensor | None) -> Tensor:
    what, (x, drawn, rate, factor) = "dropout", operands
    result = result_over(what, x.layout.like(), x.dtype, x, out)
    is_kept = temporary_like(what, drawn, bool_)
    words = scalar_words(what, "p", float32, rate)
    compute(what, OPERATORS["greater_equal"], (drawn, None), is_kept, float32, words)
    # Adding -0 changes nothing, not even the sign of a zero.
    kind = float64 if x.dtype is float64 else float32
    words = (*element_words(what, "p", kind, factor), *element_words(what, "p", kind, -0.0))
    source = copy_if_overlapping(what, x, result, in_place=True)
    compute(what, OPERATORS["linear"], (source,), result, x.dtype, words)
    words = (0, *scalar_words(what, "number", x.dtype, 0))
    compute(what, OPERATORS["where"], (is_kept, result, None), result, x.dtype, words)
    return result

"""Philox: random bits and uniform floats, in any layout, and how to advance the state."""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType, uint32
from dml_vk.kernels.plan.base import Plan
from dml_vk.layout import Layout
from dml_vk.ops.indexed import write_indexed
from dml_vk.ops.view import View, access, check_target

BLOCK_WORDS = 4
_ADVANCE = Plan("philox_advance_uint32", (1,), (0, 1, 0, 0), 1, 1000.0, 0, (4, 4), ((0, 0),))
_NO_STATE = Layout((1,))


def blocks_begun(numel: int, dtype: DType) -> int:
    """Return how many blocks these elements take: a word each, or two for 64-bit dtypes."""
    return blocks_of(numel * (2 if dtype.itemsize == 8 else 1))


def blocks_of(words: int) -> int:
    """Return how many blocks these words take, rounded up."""
    return -(-words // BLOCK_WORDS)


def fill_philox(
    what: str,
    target: View,
    dtype: DType,
    state: Ints | View,
    *,
    first: int = 0,
    whole: Ints = (),
) -> None:
    """Fill the target from the start of this state's stream.

    The state is six words, or a view of them on the device. Integers are random bits, floats are
    uniform in [0, 1). With `whole` they are part of a larger array: see `write_indexed`.
    """
    check_target(what, target, "target")
    if not target.layout.numel:
        return
    if isinstance(state, View):
        words: Ints = (_stride(state), 0, 0, 0, 0, 0)
        source, from_buffer = state, 1
    else:
        # The binding needs some buffer; it is not read.
        unread = View(target.device, target.allocation, _NO_STATE, uint32)
        words, source, from_buffer = state, unread, 0
    write_indexed(
        *(what, "philox", dtype.name, target, words),
        first=first,
        whole=whole,
        sources=(source,),
        constants=(("FROM_BUFFER", from_buffer),),
    )


def advance_state(source: View, target: View, blocks: int) -> None:
    """Write the state `blocks` blocks after `source` to `target`, which may be the same."""
    words = (blocks, _stride(source), _stride(target))
    source.device.launch(_ADVANCE, (access(source, False), access(target, True)), words)


def _stride(state: View) -> int:
    """Return the stride of a state, modulo 2**32 as kernels take it."""
    (stride,) = state.layout.strides
    return stride & 0xFFFFFFFF

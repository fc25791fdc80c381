"""Philox: random bits and uniform floats, in any layout, and the state after them."""

from __future__ import annotations

from dml_vk.dtypes import DType
from dml_vk.kernels.plan import Plan
from dml_vk.layout import Layout
from dml_vk.ops.fill import write_indexed
from dml_vk.ops.strided import Strided
from dml_vk.strides.order import Ints

BLOCK_WORDS = 4
_ADVANCE = Plan("philox_advance_uint32", (1,), (0, 1, 0, 0), 1, 1000.0, 0, (4, 4), ((0, 0),))
_NO_STATE = Layout((1,))


def blocks_begun(numel: int, dtype: DType) -> int:
    """How many blocks so many elements take: a word each, or two if they have 64 bits."""
    return blocks_of(numel * (2 if dtype.itemsize == 8 else 1))


def blocks_of(words: int) -> int:
    """How many blocks so many words begin."""
    return -(-words // BLOCK_WORDS)


def fill_philox(what: str, target: Strided, dtype: DType, state: Ints | Strided) -> None:
    """Write what the stream of this state begins with.

    The state is six words, or where they lie on the device. Integers are bits as they come, floats
    are uniform in [0, 1).
    """
    target.check_target(what, "target")
    if not target.layout.numel:
        return
    if isinstance(state, Strided):
        words: Ints = (_stride(state), 0, 0, 0, 0, 0)
        source, from_buffer = state, 1
    else:
        # The binding wants some buffer, and nothing reads it.
        words, source, from_buffer = state, target._replace(layout=_NO_STATE, itemsize=4), 0
    write_indexed(what, "philox", dtype.name, target, words, sources=(source,), spec=(from_buffer,))


def advance_state(source: Strided, target: Strided, blocks: int) -> None:
    """Write the six words of state that come so many blocks after `source`, maybe in place."""
    words = (blocks, _stride(source), _stride(target))
    source.device.queue.launch(_ADVANCE, (source.operand(False), target.operand(True)), words)


def _stride(state: Strided) -> int:
    """From word to word of a state, modulo 2**32 as kernels count."""
    (stride,) = state.layout.strides
    return stride & 0xFFFFFFFF

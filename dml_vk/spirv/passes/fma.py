"""Fuse products and the sums that they are added to, so that both are rounded once."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction, lines_of, packed, words_of


def with_fma(spirv: bytes) -> bytes:
    """The same module with a fused multiply-add for each product that only one sum uses.

    This is not left to drivers, which need not fuse what they may. What was `precise` still is: the
    new instruction is a single operation, whatever is around it.
    """
    words = words_of(spirv)
    lines = list(lines_of(words))
    products = {line[2]: line for line in lines if line[0] & 0xFFFF == op.F_MUL}
    # Where an id is, other than where it is decorated. A product is its own result once.
    places = chain.from_iterable(line[1:] for line in lines if line[0] & 0xFFFF != op.DECORATE)
    counts = Counter(word for word in places if word in products)
    (functions,) = [line[1] for line in lines if line[0] & 0xFFFF == op.EXT_INST_IMPORT]
    gone: set[int] = set()
    changed: list[Words] = []
    for line in lines:
        if line[0] & 0xFFFF == op.F_ADD:
            product, other = sorted(line[3:], key=lambda term: counts[term] != 2)
            if counts[product] == 2:
                gone.add(product)
                factors = products[product][3:]
                line = instruction(op.EXT_INST, *line[1:3], functions, op.Glsl.FMA, *factors, other)
        changed.append(line)
    left = [line for line in changed if not _is_of(line, gone)]
    return packed(words[:5], left)


def _is_of(line: Words, gone: set[int]) -> bool:
    """Whether an instruction makes a product that is gone, or decorates it."""
    kind = line[0] & 0xFFFF
    return (kind == op.F_MUL and line[2] in gone) or (kind == op.DECORATE and line[1] in gone)

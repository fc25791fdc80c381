"""How many rounds of loops a unit of work takes at most, as its shader's source has them.

Some drivers end the loops of an invocation after so many rounds, all of them together, and say
nothing: llvmpipe does after 65535. So every path and plan says here what its longest unit takes,
inner loops and the worst of values included, and dispatches are cut so that no invocation reaches
its device's limit. Loops that the sources mark `[[unroll]]` do not count: a device's limit is found
by a kernel that has some in each round. A test counts the rounds of every kernel beside this.
"""

from __future__ import annotations

from dml_vk.kernels.operators import OPCODES

# The most that a unit may take. Planners cut what takes more, whichever device there is.
MOST = 2**14
# So many rounds a device must go: two units at once, and the end of the two loops over units.
AROUND = 4
LEAST = 2 * (1 + MOST) + AROUND


def loop(turns: int, each: int = 0) -> int:
    """Of a loop of so many turns: one more, which finds that it is over, and one of the driver's.

    Where one loop stands in another, llvmpipe goes the inner or the outer one once more.
    """
    return turns * (1 + each) + 2


# What puts a driver's own quotient or root right, by as far as Vulkan lets that be off.
DIVIDE, SQRT, _RSQRT, _HYPOT = loop(4), loop(6), loop(1, 2 * loop(4)), loop(7)
# Steps of 22 bits, each of which is put right by a few in either direction.
_FMOD = loop(1, loop(13, 2 * loop(2)))
_DOUBLE_FMOD = loop(66)  # steps of 32 bits through 2098 exponents
ELEMENTS: dict[str, dict[str, int]] = {
    "float_arithmetic": {
        "divide": DIVIDE,
        "reciprocal": DIVIDE,
        "sqrt": SQRT,
        "rsqrt": _RSQRT,
        "hypot": _HYPOT,
        "fmod": _FMOD,
        "remainder": _FMOD,
        "floor_divide": _FMOD + DIVIDE,
        "whole_power": loop(3),
    },
    # A bit of the exponent each.
    "int_arithmetic": {"pow": loop(32)},
    "long_arithmetic": {"pow": loop(64)},
    "double_arithmetic": {
        "whole_power": loop(64),
        "sqrt": loop(28),
        "fmod": _DOUBLE_FMOD,
        "remainder": _DOUBLE_FMOD,
        "floor_divide": _DOUBLE_FMOD,
    },
}
# What any function of a kernel takes: a quotient or a root, and for rare arguments another way.
FUNCTIONS = {
    "float_activation": DIVIDE,
    "float_log": SQRT,
    "float_arc": SQRT,
    "float_trig": loop(1),
}
_NAMES = {int(code): name.lower() for name, code in OPCODES.items()}


def computed(kernel: str, opcode: int) -> int:
    """What an element takes besides being read and written."""
    functions = ELEMENTS.get(kernel)
    if functions is None:
        return FUNCTIONS.get(kernel, 0)
    return functions.get(_NAMES[opcode], 0)


def words(unit: int, per: int, sources: int) -> int:
    """Rows of elements that are words: each quad is read, made, put together and stored."""
    return loop(unit // per, (3 + sources) * loop(per)) + loop(unit)


def packed(per: int, sources: int) -> int:
    """A quad of elements that share words, read, made and joined, or stored by masks."""
    return (3 + sources) * loop(per) + loop(4, loop(1)) + 2 * loop(4)


def tile(across: int, per: int, itemsize: int) -> int:
    """Elements of a tile, made and stored; smaller ones than words are moved in pieces alone."""
    return loop(per, 2 * loop(across)) if itemsize >= 4 else 0


def tree(chunks: int) -> int:
    """A reduction by chunks, of which some end a subtree."""
    return loop(chunks, loop(1))


def chain(pairs: int) -> int:
    """A reduction by pairs: each ends one subtree on average, and another loop adds the rest."""
    return loop(pairs, loop(1)) + loop(13)


def scan(span: int, block: int, per: int) -> int:
    """Blocks of elements that go `per` at a time, and what that leaves one by one."""
    return loop(-(-span // block), loop(-(-min(span, block) // per)) + loop(max(1, per - 1)))


def matmul_tile(depth: int, run: int, deep: int) -> int:
    return loop(-(-depth // run), loop(-(-min(depth, run) // deep)))


def matmul_element(depth: int, run: int) -> int:
    return loop(-(-depth // run), loop(min(depth, run)))


def merge(run: int, chunk: int, block: int) -> int:
    """A bisection of a run, then block after block."""
    return loop(run.bit_length() + 1) + loop(-(-chunk // block))


def nonzero(unit: int) -> int:
    """A word's bits of elements each, looked at and written."""
    return loop(-(-unit // 32), 2 * loop(32))


def one_by_one(unit: int) -> int:
    return loop(unit) + loop(1)

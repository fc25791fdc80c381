"""Upper bounds on the loop iterations ("rounds") of a work item, derived from its shader's source.

Some drivers silently end the loops of an invocation after a total number of iterations: llvmpipe
after 65535. So every variant and plan states here how many its longest work item takes, with inner
loops and for the worst values, and dispatches are split so that no invocation reaches the limit of
its device. Loops that the sources mark `[[unroll]]` do not count: the kernel that measures a
device's limit has some of those as well. A test compares these bounds with counts from every
kernel.
"""

from __future__ import annotations

from dml_vk.kernels.operators import OPCODES

# The most per work item on any device: planners split what would take more.
MOST = 2**14
AROUND = 4  # overhead of the two loops over work items
# The limit that a device must have at least, so that an invocation can do two work items.
LEAST = 2 * (1 + MOST) + AROUND


def loop(turns: int, each: int = 0) -> int:
    """Bound a loop of `turns` iterations, whose body takes `each` in inner loops.

    One more iteration evaluates the condition that ends the loop, and in nested loops llvmpipe
    counts another for the inner or the outer one.
    """
    return turns * (1 + each) + 2


# Loops that correct the driver's quotient or root within the error that Vulkan allows.
DIVIDE, SQRT, _RSQRT, _HYPOT = loop(4), loop(6), loop(1, 2 * loop(4)), loop(7)
# Steps of 22 bits, each with a small correction in either direction.
_FMOD = loop(1, loop(13, 2 * loop(2)))
_EXTENDED_SQRT = loop(32)  # one iteration per bit of half the root
_DOUBLE_FMOD = loop(66)  # steps of 32 bits through 2098 exponents
_COMPLEX = {
    **{name: loop(3) for name in ("divide", "reciprocal")},
    "sqrt": 2 * _EXTENDED_SQRT,
    "sign": _EXTENDED_SQRT,
}
_COMPLEX_ARC = 5 * _EXTENDED_SQRT  # two complex roots, and one of an inverse hyperbolic sine
PAIR = DIVIDE + SQRT + _RSQRT  # what elements of a row need is a quotient and a root
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
    # One iteration per bit of the exponent.
    "int_arithmetic": {"pow": loop(32)},
    "long_arithmetic": {"pow": loop(64)},
    "double_arithmetic": {
        "whole_power": loop(64),
        "sqrt": loop(28),
        "fmod": _DOUBLE_FMOD,
        "remainder": _DOUBLE_FMOD,
        "floor_divide": _DOUBLE_FMOD,
        "rsqrt": _EXTENDED_SQRT,
        "hypot": _EXTENDED_SQRT,
    },
    "complex_arithmetic": _COMPLEX,
    "double_complex_arithmetic": _COMPLEX,
    "complex_size": {"abs": _EXTENDED_SQRT},
    "complex_log": dict.fromkeys(("asinh", "acosh"), _COMPLEX_ARC),
    "complex_arc": dict.fromkeys(("asin", "acos"), _COMPLEX_ARC),
    "double_special": {
        **dict.fromkeys(("gammaln", "digamma"), loop(6)),
        **dict.fromkeys(("i0e", "i1e"), _EXTENDED_SQRT),
    },
    "double_log": {"asinh": _EXTENDED_SQRT, "acosh": _EXTENDED_SQRT},
    "double_arc": {"asin": _EXTENDED_SQRT, "acos": _EXTENDED_SQRT},
}
# Kernels whose functions all have the same bound: a quotient, a root, or a branch for rare values.
FUNCTIONS = {
    "float_activation": DIVIDE,
    "float_log": SQRT,
    "pairs": _RSQRT,
    "float_arc": SQRT,
    "float_trig": loop(1),
}
# Activations that are products, sums and choices.
_WITHOUT_LOOPS = {
    *("relu", "leaky_relu", "thresholded_relu", "parameterized_relu", "linear", "shrink"),
    *("hard_sigmoid", "hard_swish"),
}
_NAMES = {int(code): name.lower() for name, code in OPCODES.items()}


def computed(kernel: str, opcode: int, step: int = 0) -> int:
    """The bound for computing one element, without reading and writing it.

    The step of a kernel `finish` is an activation.
    """
    if kernel == "finish" and step:
        return FUNCTIONS["float_activation"]
    functions = ELEMENTS.get(kernel)
    if functions is not None:
        return functions.get(_NAMES[opcode], 0)
    if kernel == "float_activation" and _NAMES[opcode] in _WITHOUT_LOOPS:
        return 0
    return FUNCTIONS.get(kernel, 0)


def words(unit: int, per: int, sources: int) -> int:
    """The bound for rows of words: quads are read, computed, assembled and stored."""
    return loop(unit // per, (3 + sources) * loop(per)) + loop(unit)


def packed(per: int, sources: int) -> int:
    """The bound for a quad of packed elements: read, computed, and joined or stored by masks."""
    return (3 + sources) * loop(per) + loop(4, loop(1)) + 2 * loop(4)


def tile(across: int, per: int, itemsize: int) -> int:
    """The bound for a tile. Elements smaller than a word only move in whole pieces, unrolled."""
    return loop(per, 2 * loop(across)) if itemsize >= 4 else 0


def tree(chunks: int) -> int:
    """The bound for a tree reduction by chunks, some of which complete subtrees."""
    return loop(chunks, loop(1))


def chain(pairs: int) -> int:
    """The bound for a pairwise reduction.

    Each pair completes one subtree on average, and a last loop combines the remaining ones.
    """
    return loop(pairs, loop(1)) + loop(13)


def scan(span: int, block: int, per: int) -> int:
    """The bound for a scan by blocks, `per` elements at a time and the remainder one by one."""
    return loop(-(-span // block), loop(-(-min(span, block) // per)) + loop(max(1, per - 1)))


def matmul_tile(depth: int, run: int, deep: int) -> int:
    return loop(-(-depth // run), loop(-(-min(depth, run) // deep)))


def matmul_team(depth: int, run: int, terms: int) -> int:
    """The bound for tiles of a workgroup: the steps of a run, and quads of terms in each."""
    return loop(-(-depth // run), loop(-(-min(depth, run) // terms), loop(terms // 4)))


def matmul_element(depth: int, run: int) -> int:
    return loop(-(-depth // run), loop(min(depth, run)))


def conv(terms: int, block: int, run: int, deep: int) -> int:
    return loop(-(-terms // block), matmul_tile(min(terms, block), run, deep))


def merge(run: int, chunk: int, block: int) -> int:
    """The bound for a merge: bisection of a run, then block after block."""
    return loop(run.bit_length() + 1) + loop(-(-chunk // block))


def nonzero(unit: int) -> int:
    """The bound for a nonzero work item: 32 elements at a time are tested, then written."""
    return loop(-(-unit // 32), 2 * loop(32))


def one_by_one(unit: int) -> int:
    return loop(unit) + loop(1)

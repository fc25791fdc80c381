"""Upper bounds on the loop iterations ("rounds") of a work item, derived from its shader's source.

Some drivers silently end the loops of an invocation after a total number of iterations: llvmpipe
after 65535. So every variant and plan states here how many its longest work item takes, with inner
loops and for the worst values, and dispatches are split so that no invocation reaches the limit of
its device. Loops that the sources mark `[[unroll]]` do not count: the kernel that measures a
device's limit has some of those as well. A test compares these bounds with counts from every
kernel.
"""

from __future__ import annotations

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
DIVIDE, SQRT, RSQRT = loop(4), loop(6), loop(1, 2 * loop(4))
PAIR = DIVIDE + SQRT + RSQRT  # what elements of a row need is a quotient and a root


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


def team_tree(members: int) -> int:
    """The bound for the tree of a team's nodes, level by level."""
    return loop(members.bit_length() - 1)


def team_sum(members: int) -> int:
    """The bound for a sum over a workgroup, as far as each of its members."""
    return loop(members.bit_length() - 1)


def team_turns(turns: int, members: int) -> int:
    """The bound for the turns of a team, whose nodes are a tree of at most eight levels."""
    return loop(turns, team_tree(members) + loop(8)) + loop(8)


def chain(pairs: int) -> int:
    """The bound for a pairwise reduction.

    Each pair completes one subtree on average, and a last loop combines the remaining ones.
    """
    return loop(pairs, loop(1)) + loop(13)


def scan(span: int, block: int, per: int) -> int:
    """The bound for a scan by blocks, `per` elements at a time and the remainder one by one."""
    return loop(-(-span // block), loop(-(-min(span, block) // per)) + loop(max(1, per - 1)))


def scan_team(turns: int, across: int, span: int, blocks: int, per: int) -> int:
    """The bound for tiles of a workgroup, each of which it may read twice.

    Blocks of up to `span` elements are read by four quads, `across` of them by each invocation; or
    else in runs of eight, of which also four are read and written at once.
    """
    if across:
        sweep = loop(across, loop(-(-span // (4 * per))))
    else:
        sweep = loop(-(-span // (8 * per)), 2 * loop(2) + loop(8))
    return loop(turns, 2 * sweep + loop(-(-blocks // per)) + loop(8))


def matmul_tile(depth: int, run: int, deep: int) -> int:
    return loop(-(-depth // run), loop(-(-min(depth, run) // deep)))


def matmul_team(depth: int, run: int, terms: int) -> int:
    """The bound for tiles of a workgroup: the steps of a run, and quads of terms in each."""
    return loop(-(-depth // run), loop(-(-min(depth, run) // terms), loop(terms // 4)))


def matmul_row(depth: int, run: int, members: int, piece: int) -> int:
    """The bound for rows of a workgroup: pieces of as many runs as members, then all runs."""
    return loop(-(-depth // (members * run)), loop(run // piece)) + loop(-(-depth // run))


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

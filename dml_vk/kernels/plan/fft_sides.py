"""Where the points of Fourier transforms lie, and whether lanes or teams may keep them.

Strides of operands count real numbers: those of the batch, one from a point of a transform to the
next, and one from a real part to its imaginary part, 0 if there is none.
"""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.fft_stages import GROUP, TEAM_POINTS
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.limits import Profile

APART, PAIRED, ALONE, CONJUGATED = 0, 1, 2, 4  # as in glsl/include/families/fft.glsl
PER_LANE = {4: 16, 8: 8}  # points of a workgroup, by bytes of a real number
_MOST_TEAM_POINTS = 4096  # whose float32 numbers take 32 KiB


def kind_of(points: Operand, *, conjugated: bool) -> int:
    """How points are read or written, in memory that starts at a pair."""
    kind = PAIRED if _are_paired(points) else APART if points.strides[-1] else ALONE
    return kind | CONJUGATED if conjugated else kind


def in_quads(points: Operand) -> bool:
    """Whether the first point starts at a quad, and no pair is cut in half."""
    return points.itemsize == 4 and _are_paired(points) and points.offset % 4 == 0


def _are_paired(points: Operand) -> bool:
    *strides, imaginary = points.strides
    return imaginary == 1 and not any(number % 2 for number in (*strides, points.offset))


def by_teams(profile: Profile) -> bool:
    """Whether workgroups do transforms together: barriers take long on a CPU."""
    return profile.coalesces


def team_points(sizes: Ints, source: Operand, target: Operand, profile: Profile) -> int:
    """Return the most points that one workgroup transforms in a launch; 0: none does.

    Long transforms leave no room for neighbours, so only where their own points are adjacent.
    """
    itemsize = source.itemsize
    if not by_teams(profile):
        return 0
    if not _are_adjacent(sizes, source, target):
        return TEAM_POINTS[itemsize]
    invocations = 1 << profile.max_invocations.bit_length() - 1
    most = min(profile.max_shared_bytes // (2 * itemsize), PER_LANE[itemsize] * invocations)
    return max(TEAM_POINTS[itemsize], min(most, _MOST_TEAM_POINTS))


def by_groups(sizes: Ints, source: Operand, target: Operand, profile: Profile) -> bool:
    """Whether lane groups can keep a transform: lanes shuffle, and its points are adjacent."""
    shuffles = profile.shuffles and profile.lanes == GROUP and not profile.coalesces
    return shuffles and _are_adjacent(sizes, source, target)


def _are_adjacent(sizes: Ints, source: Operand, target: Operand) -> bool:
    return all(
        abs(side.strides[-2]) < abs(stride)
        for side in (source, target)
        for size, stride in zip(sizes, side.strides)
        if size > 1
    )

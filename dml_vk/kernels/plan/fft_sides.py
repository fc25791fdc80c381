"""Where the points of Fourier transforms lie, and whether lanes or teams may keep them."""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.fft_stages import GROUP, TEAM_POINTS
from dml_vk.limits import Profile

APART, PAIRED, ALONE, CONJUGATED = 0, 1, 2, 4  # as in glsl/include/families/fft.glsl
PER_LANE = {4: 16, 8: 8}  # points of a workgroup, by bytes of a real number
_MOST_TEAM_POINTS = 4096  # whose float32 numbers take 32 KiB


class Points(NamedTuple):
    """The layout of a batch of transforms in memory. Strides count real numbers."""

    strides: Ints  # of the batch
    step: int  # from one point of a transform to the next
    imaginary: int  # from a real part to its imaginary part; 0: there is none
    kind: int
    in_quads: bool = False  # the first point starts at a quad, if numbers are float32


def points_of(
    strides: Ints, step: int, offset: int, imaginary: int, *, conjugated: bool = False
) -> Points:
    """Describe points whose first one is at this offset in memory that starts at a pair."""
    paired = imaginary == 1 and not any(number % 2 for number in (*strides, step, offset))
    kind = PAIRED if paired else APART if imaginary else ALONE
    kind |= CONJUGATED if conjugated else 0
    return Points(strides, step, imaginary, kind, paired and offset % 4 == 0)


def by_teams(profile: Profile) -> bool:
    """Whether workgroups do transforms together: barriers take long on a CPU."""
    return profile.coalesces


def team_points(
    sizes: Ints, source: Points, target: Points, itemsize: int, profile: Profile
) -> int:
    """Return the most points that one workgroup transforms in a launch; 0: none does.

    Long transforms leave no room for neighbours, so only where their own points are adjacent.
    """
    if not by_teams(profile):
        return 0
    if not _are_adjacent(sizes, source, target):
        return TEAM_POINTS[itemsize]
    invocations = 1 << profile.max_invocations.bit_length() - 1
    most = min(profile.max_shared_bytes // (2 * itemsize), PER_LANE[itemsize] * invocations)
    return max(TEAM_POINTS[itemsize], min(most, _MOST_TEAM_POINTS))


def by_groups(sizes: Ints, source: Points, target: Points, profile: Profile) -> bool:
    """Whether lane groups can keep a transform: lanes shuffle, and its points are adjacent."""
    shuffles = profile.shuffles and profile.lanes == GROUP and not profile.coalesces
    return shuffles and _are_adjacent(sizes, source, target)


def _are_adjacent(sizes: Ints, source: Points, target: Points) -> bool:
    return all(
        abs(side.step) < abs(stride)
        for side in (source, target)
        for size, stride in zip(sizes, side.strides)
        if size > 1
    )

"""Traverse a contiguous range by quads that neighbouring invocations share, as suits a GPU."""

from __future__ import annotations

from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.paths import Path, pack_bits, pack_pairs, row_constants
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Task
from dml_vk.limits import Profile

_APART, _MOST_APART = 2, 4  # see glsl/include/index/quads.glsl
_LANES = 256  # of a workgroup
_RESIDENT = 32  # short work items in place of a long one: 2^18 in all, as an H200 has invocations


def flat(task: Task, ahead: int = 4) -> Path | None:
    """Traverse one range of dst by quads; None where that is unsuitable.

    Sources are contiguous too, or one element. An invocation has up to `ahead` quads of them under
    way, if there is enough work for many invocations.
    """
    (inner, *others), profile, itemsize = task.dims, task.profile, task.itemsize
    steps, per = inner.strides[:-1], QUAD_BYTES // itemsize
    if not profile.coalesces or others or inner.dst != 1 or inner.size < per:
        return None
    moved = [k for k, step in enumerate(steps) if step]
    aligned = [steps[k] == 1 and task.aligned(k, task.run_bytes(k), ()) for k in moved]
    if not all(aligned) or not task.aligned(-1, QUAD_BYTES, ()):
        return None
    full, quads = inner.size // per, min(_MOST_APART, ahead)
    nbytes = sum([per * task.itemsizes[k] for k in moved])
    while quads > 1 and (quads * nbytes > ahead * QUAD_BYTES or full < quads * resident(profile)):
        quads //= 2
    whole, unit, is_packed = full // quads, per * quads, itemsize < 4
    left = inner.size - whole * unit
    # What is left are work items of an element each, or of a quad where elements share words.
    edges = -(-left // per) if is_packed else left
    quad_rounds = (
        rounds.packed(per, len(steps)) if is_packed else rounds.words(per, per, len(steps))
    )
    return Path(
        "packed" if is_packed else "words",
        task.dims,
        {
            **row_constants(1, unit, pack_pairs(steps), 1),
            "SRC_QUADS": pack_bits([step == 1 for step in steps]),
            "DST_QUADS": _APART,
            **({"ENDS": max(1, edges)} if is_packed else {}),
        },
        whole=whole,
        edges=edges,
        groups=max(1, whole * quads),  # quads before those that are left
        extent=inner.size,
        unit_ns=quads * (20.0 * len(steps) if is_packed else 4.0 * len(task.itemsizes)),
        unit_rounds=quads * quad_rounds,
        elements=unit,
        by="quads apart",
        lanes=flat_lanes(profile),
    )


def flat_lanes(profile: Profile) -> int:
    """The invocations of a workgroup that share nothing but a range: a power of two."""
    return min(_LANES, 1 << profile.max_invocations.bit_length() - 1)


def resident(profile: Profile) -> int:
    """The work items that keep a device busy if they are short: more of them may be longer."""
    return _RESIDENT * profile.units_wanted

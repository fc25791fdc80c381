"""Traverse memory by quads or elements that neighbouring invocations share, as suits a GPU."""

from __future__ import annotations

import math

from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.dims import dense
from dml_vk.kernels.plan.paths import (
    MAX_DIVIDEND,
    Path,
    pack_bits,
    pack_pairs,
    row_constants,
    rows,
    steps_of,
)
from dml_vk.kernels.plan.tasks import QUAD_BYTES, Task
from dml_vk.limits import Profile

# See glsl/include/index/quads.glsl.
_APART, _ROWS_APART, _ELEMENTS_APART, _MOST_APART = 2, 3, 4, 4
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


def apart(task: Task, ahead: int = 4) -> Path | None:
    """Traverse any dims by quads of rows, or else by elements; None where that is unsuitable.

    An invocation has up to `ahead` quads of sources under way, or loads as many elements, if there
    is enough work for many invocations. Elements smaller than a word go by rows.
    """
    dims, profile, itemsize = task.dims, task.profile, task.itemsize
    inner, *others = dims
    elements, per = math.prod([dim.size for dim in dims]), QUAD_BYTES // itemsize
    if not profile.coalesces or not 0 < elements < MAX_DIVIDEND:
        return None
    if itemsize < 4:
        return rows(task)._replace(lanes=flat_lanes(profile))
    steps, sources = steps_of(task, 1), task.sources
    aligned = [steps[k] == 1 and task.aligned(k, task.run_bytes(k), others) for k in sources]
    by_quads = inner.dst == 1 and inner.size % per == 0 and task.aligned(-1, QUAD_BYTES, others)
    by_quads = by_quads and all(flag or step == 0 for flag, step in zip(aligned, steps))
    each = per if by_quads else 1
    units, times = elements // each, _MOST_APART
    nbytes = sum([each * task.itemsizes[k] for k in sources if any(d.strides[k] for d in dims)])
    while times > 1 and (times * nbytes > ahead * QUAD_BYTES or units < times * resident(profile)):
        times //= 2
    return Path(
        "words",
        dims,
        {
            **row_constants(
                1 if by_quads else len(dims),
                each * times,
                pack_pairs(steps),
                int(by_quads or dense(dims) == len(dims)),
            ),
            "SRC_QUADS": pack_bits(aligned) if by_quads else 0,
            "DST_QUADS": _ROWS_APART if by_quads else _ELEMENTS_APART,
        },
        whole=-(-units // times),
        edges=0,
        groups=max(1, inner.size // each),
        extent=units,
        unit_ns=times * (4.0 if by_quads else 7.0) * len(task.itemsizes),
        unit_rounds=times * rounds.words(each, each, len(steps)),
        elements=each * times,
        by="quads of rows apart" if by_quads else "elements apart",
        lanes=flat_lanes(profile),
    )


def flat_lanes(profile: Profile) -> int:
    """The invocations of a workgroup that share nothing but a range: a power of two."""
    return min(_LANES, 1 << profile.max_invocations.bit_length() - 1)


def resident(profile: Profile) -> int:
    """The work items that keep a device busy if they are short: more of them may be longer."""
    return _RESIDENT * profile.units_wanted

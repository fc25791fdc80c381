"""Plan decompositions: a team, which is a workgroup, does a matrix of a batch, or several do.

A launch does some steps of the decomposition of row-major matrices. The range of steps is a
parameter, so launches of all steps have the same plan.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType

from dml_vk.arguments import Ints
from dml_vk.kernels.kernel import SUMS, Kernel, by_name, native
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.base import Plan
from dml_vk.limits import Profile

MOST_MEMBERS = 128  # of a team, as in glsl/include/families/team.glsl
# A multiply-add on memory, on one slow core.
_TERM_NS = {"float32": 6.0, "float64": 8.0, "complex64": 12.0, "complex128": 32.0}
_SPEC = ("LOCAL_SIZE",)
_NOTHING: Mapping[str, str] = MappingProxyType({})
_REALS: Mapping[str, Mapping[str, str]] = {"float32": {}, "float64": {"DOUBLE": "1"}}
_SCALARS: Mapping[str, Mapping[str, str]] = {
    **_REALS,
    "complex64": {"COMPLEX": "1"},
    "complex128": {"DOUBLE": "1", "COMPLEX": "1"},
}


def _team(
    name: str,
    bases: str,
    params: str,
    writes: tuple[str, ...],
    *bindings: str,
    scalars: Mapping[str, Mapping[str, str]] = _SCALARS,
    spec: tuple[str, ...] = _SPEC,
    computes: bool = True,
    body: str = "",
    macros: Mapping[str, str] = _NOTHING,
) -> Kernel:
    own = native(spec) if computes else _NOTHING
    push = ("first", "end", *bases.split(), "teams", *params.split())
    return Kernel(
        f"linalg_{name}",
        inlines="it changes matrices in place",
        rests=SUMS if computes else (),
        bindings=bindings,
        writes=writes,
        spec=spec,
        push=tuple([(word, 1) for word in push]),
        variants={
            suffix: {**each, **(own if "DOUBLE" in each else _NOTHING), **macros}
            for suffix, each in scalars.items()
        },
        body=body,
        params=tuple(params.split()),
    )


KERNELS = (
    _team(
        "lu",
        "a_base dst_base",
        "rows row_step pitch pivots_pitch left right from to",
        ("A", "Dst"),
        *("A", "Dst"),
    ),
    _team(
        "swap",
        "a_base pivots_base",
        "row_step pitch pivots_pitch left right from to",
        ("A",),
        *("A", "Pivots"),
        computes=False,
    ),
    _team(
        "cholesky",
        "a_base dst_base",
        "rows row_step pitch right from to",
        ("A", "Dst"),
        *("A", "Dst"),
    ),
    _team(
        "solve",
        "a_base dst_base",
        "rows columns a_row a_column a_pitch row column pitch unit_diagonal",
        ("Dst",),
        *("A", "Dst"),
    ),
    _team(
        "determinant",
        "a_base pivots_base dst_base",
        "matrices rows row_step pitch pivots_pitch",
        ("Dst",),
        *("A", "Pivots", "Dst"),
    ),
    _team(
        "qr",
        "a_base dst_base",
        "rows row_step pitch factors_pitch right from to",
        ("A", "Dst"),
        *("A", "Dst"),
    ),
    _team(
        "vectors",
        "a_base dst_base",
        "rows columns row_step column_step pitch height width",
        ("Dst",),
        *("A", "Dst"),
        computes=False,
    ),
    _team(
        "wy",
        "a_base factors_base dst_base",
        "rows columns factors_pitch",
        ("Dst",),
        *("A", "Factors", "Dst"),
    ),
    _team(
        "largest",
        "a_base dst_base",
        "size parts",
        ("Dst",),
        *("A", "Dst"),
        scalars=_REALS,
        computes=False,
    ),
    _team(
        "scale",
        "a_base largest_base dst_base",
        "size",
        ("A", "Dst"),
        *("A", "Largest", "Dst"),
        scalars=_REALS,
    ),
    _team(
        "order",
        "values_base a_base dst_base sorted_base",
        "rows columns row_step values_pitch descending signs",
        ("Dst", "Sorted"),
        *("Values", "A", "Dst", "Sorted"),
        scalars=_REALS,
        computes=False,
    ),
    *[
        _team(
            name,
            "a_base scratch_base dst_base",
            "rows from to",
            ("A", "Scratch", "Dst"),
            *("A", "Scratch", "Dst"),
        )
        for name in ("tridiagonal", "bidiagonal")
    ],
    *[
        kernel
        for name, macros in (("tridiagonal", {}), ("bidiagonal", {"BIDIAGONAL": "1"}))
        for kernel in (
            _team(
                f"{name}_panel",
                "a_base scratch_base dst_base",
                "rows pitch lines k i right phase last",
                ("A", "Scratch", "Dst"),
                *("A", "Scratch", "Dst"),
                body="linalg_panel",
                macros=macros,
            ),
            _team(
                f"{name}_panel_product",
                "a_base scratch_base",
                "rows pitch lines k i right",
                ("Scratch",),
                *("A", "Scratch"),
                body="linalg_panel_product",
                macros=macros,
            ),
        )
    ],
    *[
        _team(
            f"chase_{name}",
            "a_base state_base dst_base",
            "matrices rows budget runs state_pitch",
            ("A", "States", "Dst"),
            *("A", "States", "Dst"),
            scalars=_REALS,
            body="linalg_chase",
            macros=macros,
        )
        for name, macros in (("tridiagonal", {}), ("bidiagonal", {"BIDIAGONAL": "1"}))
    ],
    _team(
        "schur",
        "a_base dst_base state_base",
        "rows turned budget state_pitch",
        ("A", "Dst", "States"),
        *("A", "Dst", "States"),
        scalars={"complex128": _SCALARS["complex128"]},
    ),
    *[
        _team(
            name,
            "a_base states_base rotations_base",
            "cells row_step pitch state_pitch rotations_pitch side sides",
            ("A",),
            *("A", "States", "Rotations"),
            scalars=_REALS,
            spec=(*_SPEC, "CELLS", "AT_ONCE"),
            body="linalg_rotate",
            macros=macros,
        )
        for name, macros in (("rotate", {}), ("rotate_wide", {"WIDE": "1"}))
    ],
)
_BY_NAME = by_name(KERNELS)
SCHUR_WORDS = 5  # of the state of a matrix in linalg_schur
STATE_WORDS = 14  # of a matrix in QR iterations, before the runs of rotations


def divide_rounds(dtype: str) -> int:
    # A complex quotient takes three real ones.
    return {"float32": rounds.DIVIDE, "complex64": 3 * rounds.DIVIDE}.get(dtype, 0)


def root_rounds(dtype: str) -> int:
    """Bound the rounds of a square root of a real number."""
    return rounds.SQRT if dtype in ("float32", "complex64") else rounds.loop(28)


def team_size(profile: Profile) -> int:
    """The members of a team: on a CPU as many as lanes, which meet at no cost."""
    if profile.coalesces:
        return min(MOST_MEMBERS, profile.max_invocations)
    return min(MOST_MEMBERS, profile.lanes)


def team_rounds(count: int, members: int, task_rounds: int = 0) -> int:
    """Bound the rounds of a loop over tasks that members of a team share."""
    return rounds.loop(-(-count // members), task_rounds)


def steps_at_once(step_rounds: int) -> int:
    """How many steps a launch may do."""
    return max(1, rounds.MOST // (step_rounds + 1) - 1)


def teams_for(tasks: int, profile: Profile) -> int:
    """How many teams share the tasks of a matrix, if they need no barrier."""
    return max(1, -(-tasks // team_size(profile)))


@functools.lru_cache(maxsize=1024)
def plan_teams(
    module: str,
    matrices: int,
    teams: int,
    unit_rounds: int,
    terms: int,
    base_bytes: Ints,
    constants: tuple[tuple[str, int], ...],
    profile: Profile,
) -> Plan:
    """Plan a launch; members take at most `unit_rounds`, and a team does `terms` multiply-adds."""
    kernel = _BY_NAME[module.rpartition("_")[0]]
    return Plan(
        module,
        kernel.constants({"LOCAL_SIZE": team_size(profile), **dict(constants)}),
        kernel.words(0, {"teams": teams}),
        matrices * teams,
        100.0 + terms * _TERM_NS[module.rpartition("_")[2]],
        unit_rounds,
        base_bytes,
        ((0,) * len(base_bytes),),
        by_teams=True,
        path=f"teams of {team_size(profile)}",
        sizes=(matrices, teams),
    )

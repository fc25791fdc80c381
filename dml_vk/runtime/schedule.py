"""Split levels into submissions short enough that signals need not wait long."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from dml_vk.runtime.graph import Step
from dml_vk.runtime.hazards import Access
from dml_vk.runtime.interface import Dispatch


class Due(NamedTuple):
    """A dispatch of a submission, its level, and the accesses of its launch."""

    dispatch: Dispatch
    level: int
    accesses: Sequence[Access]


Submission = list[Due]


def split(
    levels: Iterable[Sequence[Step]], most_ns: float, fresh: Iterable[Any]
) -> list[Submission]:
    """Make submissions of one level each, split where they would take longer than `most_ns`.

    A `fresh` pipeline is compiled when it first runs, which takes long, so it starts a new one.
    """
    submissions: list[Submission] = []
    compiled_late = set(map(id, fresh))
    for number, level in enumerate(levels):
        ns = math.inf
        for step in level:
            for dispatch in step.dispatches:
                if ns + dispatch.ns > most_ns or id(dispatch.bound) in compiled_late:
                    compiled_late.discard(id(dispatch.bound))
                    submissions.append([])
                    ns = 0.0
                submissions[-1].append(Due(dispatch, number, step.accesses))
                ns += dispatch.ns
    return submissions

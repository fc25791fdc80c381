"""Plan copies and fills of one range of bytes, which are commands of Vulkan, not kernels."""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.tasks import Task

COPY, FILL = "transfer copy", "transfer fill"  # in place of a module's name
BYTE_NS = 0.2  # estimated time of a byte on one slow core
_WORD = 4


def copied(task: Task, starts: Ints) -> Plan | None:
    """Plan a copy of one range of bytes, or return None if it is not that simple.

    `starts` are in elements from the operands' bases.
    """
    return _plan(COPY, task, starts) if _is_flat(task) else None


def filled(task: Task, start: int) -> Plan | None:
    """Plan a fill of one range of words with equal words, or return None as above."""
    words = (task.byte_starts[-1] | task.dims[0].size * task.itemsize) % _WORD == 0
    is_simple = _is_flat(task) and words and task.itemsize <= _WORD
    return _plan(FILL, task, (start,)) if is_simple else None


def _is_flat(task: Task) -> bool:
    (inner, *others) = task.dims
    return not (others or task.outer) and all(stride == 1 for stride in inner.strides)


def _plan(module: str, task: Task, starts: Ints) -> Plan:
    nbytes = task.dims[0].size * task.itemsize
    return Plan(
        module=module,
        spec=(),
        push=(),
        units=nbytes,
        unit_ns=BYTE_NS,
        unit_rounds=0,
        base_bytes=(1,) * len(starts),
        launches=(tuple([start * task.itemsize for start in starts]),),
        path="transfer",
        sizes=(nbytes,),
    )

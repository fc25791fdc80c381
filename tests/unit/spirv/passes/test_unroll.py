"""Loops that are no longer marked to be unrolled, in modules that are the same otherwise."""

from __future__ import annotations

import pytest

from dml_vk.kernels.codegen import library
from dml_vk.limits import Profile
from dml_vk.runtime.queue import Queue
from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import lines_of, words_of
from dml_vk.spirv.passes.unroll import unmarked
from tests.unit.runtime.queues import Runtime, arena, make_plan, operand

MODULE = "reduce_tree_along"


def loops(spirv):
    return [line for line in lines_of(words_of(spirv)) if line[0] & 0xFFFF == op.LOOP_MERGE]


def test_no_loop_is_marked_and_all_else_is_the_same():
    spirv = library.load(MODULE)
    marked = [line[3] for line in loops(spirv)]
    assert 1 in marked
    made = unmarked(spirv)
    assert [line[3] for line in loops(made)] == [0] * len(marked)
    changed = sum(a != b for a, b in zip(words_of(made), words_of(spirv), strict=True))
    assert changed == sum(map(bool, marked))


@pytest.mark.parametrize("unrolls", [True, False])
def test_only_drivers_that_cannot_unroll_get_modules_without_marks(monkeypatch, unrolls):
    spirv, given = library.load(MODULE), []
    monkeypatch.setenv("DML_VK_CACHE", "off")  # where kernels are named by their modules
    monkeypatch.setattr(library, "load_for", lambda module, spec, **given: spirv)
    runtime = Runtime()
    plain = runtime.pipeline
    monkeypatch.setattr(
        runtime, "pipeline", lambda code, *rest: given.append(code) or plain(code, *rest)
    )
    queue = Queue(runtime, Profile(unrolls=unrolls), lambda: None)
    queue.launch(make_plan(), [operand(arena(), 0, 16, True)])
    assert given == [spirv if unrolls else unmarked(spirv)]

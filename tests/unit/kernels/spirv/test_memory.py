"""What is known of variables after stores and at merges."""

from __future__ import annotations

from dml_vk.kernels.spirv import memory

A, B = 1, 2  # variables


def known(state, variable, *path):
    found = memory.find(state, variable, path)
    return found and (found[0], *found[1])


def test_a_store_hides_what_it_overlaps_and_nothing_else():
    state = {}
    assert known(state, A) is None
    memory.store(state, A, (), 10)
    assert (known(state, A), known(state, A, 3, 1)) == ((10,), (10, 3, 1))
    memory.store(state, A, (0,), 11)
    assert (known(state, A), known(state, A, 1), known(state, A, 0)) == (None, None, (11,))
    memory.store(state, A, (1, 2), 12)
    memory.store(state, B, (), 13)
    assert (known(state, A, 0), known(state, A, 1, 2), known(state, A, 1)) == ((11,), (12,), None)
    memory.store(state, A, (1,), 14)
    assert known(state, A, 1, 2) == (14, 2)
    memory.store(state, A, None, 15)
    assert (known(state, A, 0), known(state, B)) == (None, (13,))
    memory.forget(state, [B, 9])
    assert state == {}


def test_a_loaded_value_hides_no_parts():
    state = {}
    memory.store(state, A, (0,), 10)
    memory.note(state, A, (), 11)
    assert (known(state, A), known(state, A, 0), known(state, A, 1)) == ((11,), (10,), (11, 1))


def test_states_are_independent():
    first = {}
    memory.store(first, A, (0,), 10)
    second = memory.merged([first])
    memory.note(second, A, (1,), 11)
    memory.store(second, B, (), 12)
    assert (known(first, A, 1), known(first, B)) == (None, None)


def test_merged_states_keep_what_all_agree_on():
    states = [{}, {}]
    for state in states:
        memory.store(state, A, (0,), 10)
    memory.store(states[0], A, (1,), 11)
    memory.store(states[1], A, (1,), 12)
    memory.store(states[0], B, (), 13)
    assert memory.merged(states) == {A: {(0,): 10}}
    memory.store(states[1], B, (), 14)
    assert memory.merged(states) == {A: {(0,): 10}}
    both = {B: {(): 15}}
    assert memory.merged([both, dict(both), dict(both)]) == both

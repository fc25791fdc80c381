"""What is known of variables after stores and at merges."""

from __future__ import annotations

from dml_vk.spirv.passes import stores

A, B = 1, 2  # variables


def known(state, variable, *path):
    found = stores.find(state, variable, path)
    return found and (found[0], *found[1])


def test_a_store_hides_what_it_overlaps_and_nothing_else():
    state = {}
    assert known(state, A) is None
    stores.store(state, A, (), 10)
    assert (known(state, A), known(state, A, 3, 1)) == ((10,), (10, 3, 1))
    stores.store(state, A, (0,), 11)
    assert (known(state, A), known(state, A, 1), known(state, A, 0)) == (None, None, (11,))
    stores.store(state, A, (1, 2), 12)
    stores.store(state, B, (), 13)
    assert (known(state, A, 0), known(state, A, 1, 2), known(state, A, 1)) == ((11,), (12,), None)
    stores.store(state, A, (1,), 14)
    assert known(state, A, 1, 2) == (14, 2)
    stores.store(state, A, None, 15)
    assert (known(state, A, 0), known(state, B)) == (None, (13,))
    stores.forget(state, [B, 9])
    assert state == {}


def test_a_loaded_value_hides_no_parts():
    state = {}
    stores.store(state, A, (0,), 10)
    stores.note(state, A, (), 11)
    assert (known(state, A), known(state, A, 0), known(state, A, 1)) == ((11,), (10,), (11, 1))


def test_states_are_independent():
    first = {}
    stores.store(first, A, (0,), 10)
    second = stores.merged([first])
    stores.note(second, A, (1,), 11)
    stores.store(second, B, (), 12)
    assert (known(first, A, 1), known(first, B)) == (None, None)


def test_merged_states_keep_what_all_agree_on():
    states = [{}, {}]
    for state in states:
        stores.store(state, A, (0,), 10)
    stores.store(states[0], A, (1,), 11)
    stores.store(states[1], A, (1,), 12)
    stores.store(states[0], B, (), 13)
    assert stores.merged(states) == {A: {(0,): 10}}
    stores.store(states[1], B, (), 14)
    assert stores.merged(states) == {A: {(0,): 10}}
    both = {B: {(): 15}}
    assert stores.merged([both, dict(both), dict(both)]) == both

"""What compiled functions check at each call, and when: errors come before harm is done."""

from __future__ import annotations

import pytest

import dml_vk
from dml_vk.errors import LinAlgError
from tests.kernel.compiler.tensors import bits, tensor


def test_indexes_and_matrices_are_checked_at_each_call():
    @dml_vk.compile
    def take(x, index):
        return x[index] + 1

    x = tensor(4)
    assert bits(take(x, dml_vk.asarray([3, 0, -4]))) == bits(x[dml_vk.asarray([3, 0, -4])] + 1)
    with pytest.raises(
        IndexError, match="index is out of bounds for axis 0 with size 4; got index=5"
    ):
        take(x, dml_vk.asarray([3, 5, -4]))
    outside = dml_vk.asarray([0, 9])
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 4; got index=9"):
        dml_vk.compile(lambda x: x[outside])(x)
    solve = dml_vk.compile(lambda a, b: dml_vk.linalg.solve(a, b))
    a, b = tensor(5, 5), tensor(5)
    assert bits(solve(a, b)) == bits(dml_vk.linalg.solve(a, b))
    with pytest.raises(LinAlgError, match="singular"):
        solve(dml_vk.zeros((5, 5)), b)
    assert bits(solve(a, b)) == bits(dml_vk.linalg.solve(a, b))


@pytest.mark.parametrize(("size", "columns"), [(96, 64), (130, 3)])
def test_blocks_are_solved_over_one_another(size, columns):
    """What is left of the right side is updated in place by products of what is solved."""
    a = tensor(size, size) / size + 3 * dml_vk.eye(size)
    b = tensor(size, columns)
    assert bits(dml_vk.compile(dml_vk.linalg.solve)(a, b)) == bits(dml_vk.linalg.solve(a, b))


def test_a_check_comes_before_what_follows_it():
    written = dml_vk.zeros(3)

    @dml_vk.compile
    def function(x, index):
        taken = x[index]
        written[...] = 1
        return taken

    with pytest.raises(IndexError):
        function(tensor(3), dml_vk.asarray([0, 7]))
    assert written.tolist() == [0, 0, 0]
    function(tensor(3), dml_vk.asarray([0, 1]))
    assert written.tolist() == [1, 1, 1]
    _, last = function.programs[0].parts
    assert not any("gather_words" in str(launch.work) for launch in last.launches)


def test_checks_wait_for_the_end_of_what_they_do_no_harm_to():
    scores, classes = tensor(6, 4), dml_vk.asarray([3, 1, 0, 2, 1, 0])
    loss = dml_vk.compile(lambda x, index: dml_vk.nn.cross_entropy(dml_vk.exp(x), index) * 2)
    expected = loss.__wrapped__(scores, classes)
    for _ in range(2):
        assert bits(loss(scores, classes)) == bits(expected)
        with pytest.raises(IndexError, match=r"must not be negative, and be less than 4; got .*=4"):
            loss(scores, classes + 1)
    (part,) = loss.programs[0].parts
    assert part.verify is not None


def test_a_check_comes_before_what_trusts_it():
    def function(x, index):
        picked = x[index]
        picked[index[:2]] = dml_vk.ones(2)  # which writes where the index says
        return picked

    compiled = dml_vk.compile(function)
    index = dml_vk.asarray([0, 1, 2])
    assert bits(compiled(tensor(3), index)) is not None
    for wrong in (3, 2**30):
        with pytest.raises(IndexError):
            compiled(tensor(3), dml_vk.asarray([0, wrong, 2]))
    writing = [
        any("scatter" in launch.work.module for launch in part.launches)
        for part in compiled.programs[0].parts
    ]
    assert not writing[0]
    assert writing[-1]


def test_a_failed_check_leaves_arguments_alone():
    @dml_vk.compile
    def function(x, index):
        y = x[index]
        x *= 2
        return y

    x = tensor(3)
    before = bits(x)
    with pytest.raises(IndexError):
        function(x, dml_vk.asarray([0, 3]))
    assert bits(x) == before


def test_a_late_check_tells_the_index_that_was_wrong():
    def shared(x, index):
        y = x[index + 1]  # whose memory temporaries that follow may take
        for _ in range(3):
            y = dml_vk.cumulative_sum(y * 2, axis=0)
        return y

    def overwritten(x, index):
        own = index + 1
        y = x[own]
        own[...] = 0
        return y, own

    def lost(x, index):
        x[index + 1]
        return dml_vk.cumulative_sum(x * 2, axis=0)

    for function in (shared, overwritten, lost):
        compiled = dml_vk.compile(function)
        for _ in range(2):
            with pytest.raises(IndexError, match=r"out of bounds .* size 3; got index=78$"):
                compiled(tensor(3), dml_vk.asarray([0, 77, 1]))

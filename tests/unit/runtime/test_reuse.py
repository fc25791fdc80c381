"""Things that are handed out again once their users are gone."""

from __future__ import annotations

import gc

from dml_vk.runtime.vulkan.reuse import Reuse


class User:
    def __init__(self, reuse, make):
        self.thing = reuse.take(self, make)


def test_a_thing_is_used_again_once_its_user_is_gone():
    reuse, make = Reuse(), iter("abc").__next__
    first, second = User(reuse, make), User(reuse, make)
    assert (first.thing, second.thing) == ("a", "b")
    del first
    third, fourth = User(reuse, make), User(reuse, make)
    assert (third.thing, fourth.thing) == ("a", "c")


def test_a_thing_outlives_a_user_in_a_cycle():
    class Thing:
        ends = 0

        def __del__(self):
            Thing.ends += 1

    reuse = Reuse()
    user = User(reuse, Thing)
    user.itself = user
    del user
    gc.collect()
    assert Thing.ends == 0
    assert isinstance(User(reuse, None).thing, Thing)

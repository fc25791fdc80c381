"""Things that are lent to objects, and come back with their end."""

from __future__ import annotations

import gc

from dml_vk.runtime.vulkan.lending import Lending


class Borrower:
    def __init__(self, lending, make):
        self.thing = lending.lend(self, make)


def test_a_thing_is_lent_again_once_its_borrower_is_gone():
    lending, make = Lending(), iter("abc").__next__
    first, second = Borrower(lending, make), Borrower(lending, make)
    assert (first.thing, second.thing) == ("a", "b")
    del first
    third, fourth = Borrower(lending, make), Borrower(lending, make)
    assert (third.thing, fourth.thing) == ("a", "c")


def test_a_thing_outlives_a_borrower_in_a_cycle():
    class Thing:
        ends = 0

        def __del__(self):
            Thing.ends += 1

    lending = Lending()
    borrower = Borrower(lending, Thing)
    borrower.itself = borrower
    del borrower
    gc.collect()
    assert Thing.ends == 0
    assert isinstance(Borrower(lending, None).thing, Thing)

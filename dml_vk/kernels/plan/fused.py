"""Plan chains of elementwise operations as one kernel."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.kernels.plan.base import Plan
from dml_vk.kernels.plan.chain import Chain
from dml_vk.limits import Profile
from dml_vk.strides.order import Ints


def plan_fused(chain: Chain, profile: Profile) -> Plan | None:
    """Plan one kernel for a chain; None where there must be several.

    A launch takes the accesses of what is read, then of what is written, and `params_of` as its
    params.
    """
    del chain, profile
    return None


def params_of(chain: Chain, words: Sequence[Ints]) -> Ints:
    """The params of a launch, from those that each node would have in a launch of its own."""
    del chain
    return tuple([word for one in words for word in one])

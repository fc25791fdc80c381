"""What plans are asked for, whichever device there is: a CPU's limits, and the least of a GPU's."""

from __future__ import annotations

from dml_vk.limits import Limits

CPU = Limits(unified=True, max_invocations=1024, groups_wanted=16)
LIMITS = {"CPU": CPU, "GPU": Limits(unified=True)}

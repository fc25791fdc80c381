"""What plans go by, whichever device there is: a CPU's profile, and the least of a GPU's."""

from __future__ import annotations

import dataclasses

from dml_vk.driver.probe import suited
from dml_vk.limits import MINIMUM, Profile

CPU = Profile(unified=True, max_invocations=1024, **suited("cpu", 2))
GPU = dataclasses.replace(MINIMUM, unified=True, subgroup=32, **suited("discrete", 2))
SHUFFLING = dataclasses.replace(CPU, shuffles=True, subgroup=8)  # a CPU whose lanes share rows
# What an H200 reports.
H200 = dataclasses.replace(
    GPU, unified=False, max_invocations=1024, max_shared_bytes=49152, processors=132
)
PROFILES = {"CPU": CPU, "GPU": GPU}

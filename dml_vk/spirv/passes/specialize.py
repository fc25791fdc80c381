"""Modules for one set of specialization constants.

Drivers inline all functions of a module before they evaluate constants: of a switch over thirty
operators they would compile all thirty, and then drop all but one.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.spirv.module import Module
from dml_vk.spirv.passes.dead_code import written
from dml_vk.spirv.passes.fold import Folder


def specialized(module: Module, spec: Sequence[int], *, unrolls: bool = True) -> bytes:
    """A module that does what this one does under these specialization constants."""
    return written(Folder(module, spec, unrolls=unrolls))

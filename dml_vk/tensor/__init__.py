"""Tensor: a view of device memory, its methods, and access to its elements on the host."""

import sys

from dml_vk.aliases import NamesakePackage
from dml_vk.tensor import methods  # so that tensors have theirs, whichever file is imported first

__all__ = ["methods"]

sys.modules[__name__].__class__ = NamesakePackage

"""The array namespace: the functions of the array API standard, and others of NumPy."""

import sys

from dml_vk.aliases import NamesakePackage
from dml_vk.tensor import methods  # so that tensors have methods, whichever file is imported first

__all__ = ["methods"]

sys.modules[__name__].__class__ = NamesakePackage

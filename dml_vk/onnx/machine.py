"""Where a model runs: its device, what was uploaded to it, and its generators."""

from __future__ import annotations

import threading

import numpy as np

from dml_vk import dtypes
from dml_vk.array.creation.arrays import asarray
from dml_vk.context import unrecorded
from dml_vk.dtypes import DType
from dml_vk.onnx.element_types import to_dtype
from dml_vk.random import Generator
from dml_vk.runtime.device import Device
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


class Machine:
    """What the runs of a model share."""

    def __init__(self, device: Device, dtype: DType | None) -> None:
        self.device = device
        self.dtype = dtype  # in place of float32, or None
        # The arrays are kept with their tensors, so that no other array gets their ids.
        self._kept: dict[int, tuple[Array, Tensor | None]] = {}
        self._generators: dict[int, Generator] = {}
        self._lock = threading.Lock()

    def keep(self, array: Array) -> Array:
        """Note an array that stays as it is: it is uploaded once."""
        self._kept.setdefault(id(array), (array, None))
        return array

    def tensor(self, array: Array) -> Tensor:
        """Return a tensor on the device, which is uploaded once if the array is kept."""
        if id(array) not in self._kept:
            return self.uploaded(array)
        with self._lock:
            owner, tensor = self._kept[id(array)]
            if tensor is None:
                with unrecorded():
                    tensor = self.uploaded(owner)
                self._kept[id(array)] = owner, tensor
        return tensor

    def uploaded(self, value: Array | Tensor) -> Tensor:
        """Return a tensor for a constant, and keep nothing."""
        if isinstance(value, Tensor):
            return value
        return asarray(self.wanted(value), device=self.device)

    def wanted(self, array: Array) -> Array:
        """The array in the model's dtype instead of float32."""
        if self.dtype is not None and array.dtype == np.float32:
            return array.astype(self.dtype.numpy_name)
        return array

    def to_dtype(self, what: str, number: int) -> DType:
        """The dtype of a number of TensorProto.DataType."""
        dtype = to_dtype(what, number)
        return self.dtype if self.dtype is not None and dtype is dtypes.float32 else dtype

    def generator(self, node: object, seed: float | None) -> Generator:
        """The generator of a node, which goes on from run to run."""
        with self._lock:
            generator = self._generators.get(id(node))
            if generator is None:
                number = None if seed is None else int(np.float32(seed).view(np.uint32))
                with unrecorded():  # else it would begin anew at each run of a program
                    generator = Generator(number, device=self.device)
                self._generators[id(node)] = generator
        return generator

"""The libraries that are timed beside each other, as far as they are installed."""

from __future__ import annotations

import importlib
from typing import Protocol

import numpy as np

import dml_vk as dv
from dml_vk.commands.cases.case import Array, Module, Values
from dml_vk.runtime.device import Device


class Library(Protocol):
    """What a case needs of a library."""

    name: str
    about: str
    """Its version, and where it computes."""

    module: Module

    def array(self, values: Array) -> Values:
        """Its array of these values, in the same memory order."""

    def wait(self) -> None:
        """Return when all is computed."""

    def values(self, result: Values) -> Array:
        """The elements of a result, in order."""

    def release(self) -> None:
        """Release cached memory."""


class Ours:
    name = "dml_vk"
    module: Module = dv

    def __init__(self, device: Device) -> None:
        self._device = device
        self.about = f"dml_vk {dv.__version__} on {device.name}"

    def array(self, values: Array) -> Values:
        return dv.asarray(values, device=self._device)

    def wait(self) -> None:
        self._device.synchronize()

    def values(self, result: Values) -> Array:
        return np.asarray(result.numpy() if isinstance(result, dv.Tensor) else result).reshape(-1)

    def release(self) -> None:
        self._device.release_cached()


class NumPy:
    """NumPy, on the CPU."""

    name = "numpy"
    module: Module = np
    about = f"NumPy {np.__version__}"

    def array(self, values: Array) -> Values:
        return values

    def wait(self) -> None:
        """NumPy computes at once."""

    def values(self, result: Values) -> Array:
        return np.asarray(result).reshape(-1)

    def release(self) -> None:
        """NumPy caches no memory."""


class Torch:
    """PyTorch, on the GPU that CUDA or ROCm finds, or else on the CPU."""

    name = "torch"

    def __init__(self, may_use_gpu: bool = True) -> None:
        self.module = torch = importlib.import_module("torch")
        self._is_gpu = may_use_gpu and bool(torch.cuda.is_available())
        self._where = "cuda" if self._is_gpu else "cpu"
        # float32 means float32.
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        where = torch.cuda.get_device_name() if self._is_gpu else "the CPU"
        self.about = f"PyTorch {torch.__version__} on {where}"

    def array(self, values: Array) -> Values:
        return self.module.from_numpy(values).to(self._where)

    def wait(self) -> None:
        if self._is_gpu:
            self.module.cuda.synchronize()

    def values(self, result: Values) -> Array:
        return np.asarray(result.cpu() if hasattr(result, "cpu") else result).reshape(-1)

    def release(self) -> None:
        if self._is_gpu:
            self.module.cuda.empty_cache()


class CuPy:
    name = "cupy"

    def __init__(self) -> None:
        self.module = cupy = importlib.import_module("cupy")
        cupy.cuda.runtime.getDeviceCount()  # an error where there is none
        self.about = f"CuPy {cupy.__version__}"

    def array(self, values: Array) -> Values:
        return self.module.asarray(values)

    def wait(self) -> None:
        self.module.cuda.get_current_stream().synchronize()

    def values(self, result: Values) -> Array:
        return np.asarray(self.module.asnumpy(result)).reshape(-1)

    def release(self) -> None:
        self.module.get_default_memory_pool().free_all_blocks()


def opened(names: tuple[str, ...], device: Device) -> tuple[list[Library], list[str]]:
    """(dml_vk and those of these libraries that work here, reasons why others do not)."""
    libraries: list[Library] = [Ours(device)]
    lacking = []
    for make in (Torch, CuPy):
        if make.name not in names:
            continue
        try:
            libraries.append(make())
        except Exception as error:  # a library without its GPU has errors of its own
            lacking.append(f"{make.name}: {type(error).__name__}: {error}")
    return libraries, lacking

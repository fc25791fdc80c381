"""The driver's compiled pipelines, saved in one file per driver for later processes."""

from __future__ import annotations

import sys
from ctypes import byref, c_size_t, create_string_buffer

from dml_vk import cache_files
from dml_vk.driver.structures import PipelineCacheCreateInfo
from dml_vk.driver.vulkan import DeviceProperties
from dml_vk.environment import cache_folder, saves
from dml_vk.runtime.vulkan.opened import Opened, Owned

MOST_BYTES = 256 * 2**20  # of a file


class PipelineCache:
    """A VkPipelineCache that starts from the saved file, if that can be read."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._path = cache_folder() / "pipelines" / _file_name(opened.properties)
        # `read` checks the contents: some drivers crash on truncated or altered data.
        self._saved = cache_files.read(self._path, MOST_BYTES) if saves() else b""
        request = PipelineCacheCreateInfo(nbytes=len(self._saved), data=self._saved)
        self._owned = Owned(opened, "vkCreatePipelineCache", byref(request))
        self.handle = self._owned.handle

    def save(self) -> None:
        """Write the file if there is anything new."""
        data = self._data() if saves() else b""
        if data != self._saved and 0 < len(data) <= MOST_BYTES:
            cache_files.write(self._path, data)

    def _data(self) -> bytes:
        size, get = c_size_t(), self._opened.calls.vkGetPipelineCacheData
        if get(self._opened.handle, self.handle, byref(size), None):
            return b""
        data = create_string_buffer(size.value)
        if get(self._opened.handle, self.handle, byref(size), data):
            return b""
        return data.raw[: size.value]


def _file_name(device: DeviceProperties) -> str:
    # Another version of this package has other kernels, and the file would only grow.
    version = vars(sys.modules["dml_vk"])["__version__"]
    uuid = bytes(device.pipeline_cache_uuid).hex()
    ids = f"{device.vendor_id:x}-{device.device_id:x}-{device.driver_version:x}"
    return f"{version}-{ids}-{uuid}"

"""The runtime on Vulkan itself, by ctypes."""

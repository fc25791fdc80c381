"""The machine's Vulkan: devices, their properties, and free memory."""

"""One open Vulkan device: its memory, host transfers, and the queue of work that runs on it."""

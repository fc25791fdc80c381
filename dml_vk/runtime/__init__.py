"""One Vulkan device at work: its memory, the way into it, and what runs on it."""

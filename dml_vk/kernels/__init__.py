"""Kernel descriptions, the planners that choose among them, and their SPIR-V modules."""

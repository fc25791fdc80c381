"""SPIR-V modules: building, reading, checking, and folding specialization constants in."""

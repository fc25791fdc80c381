"""SPIR-V modules: building, reading, checking, and specializing to one operator."""

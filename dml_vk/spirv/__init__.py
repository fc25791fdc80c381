"""SPIR-V modules of any kernel: read, look up, edit and write them, and passes over them."""

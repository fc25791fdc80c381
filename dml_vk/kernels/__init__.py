"""From a call to recorded work: the kernels as data, the plans, and their launch."""

"""The kernels as data, the plans of calls, and the shaders that are built of both."""

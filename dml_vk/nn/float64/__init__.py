"""Networks in float64: a second implementation, since the kernels of `nn` compute in float32.

Functions of `dml_vk.nn` check arguments and make results for all dtypes, and call this package with
those of float64. There are no kernels here: only launches of elementwise operations, sums, means
and products of matrices, each of which rounds to float64.
"""

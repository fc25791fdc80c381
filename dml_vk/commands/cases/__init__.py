"""The cases that commands and benchmarks time, in one table.

`bench` and `bench --gpu` compare those of `NAMES` with NumPy, into memory that is there;
`bench --gpu --beside` and `bench/test_beside.py` time all that have a call into new memory.
"""

NAMES = (
    *("copy", "nchw_to_nhwc", "nhwc_to_nchw", "flip", "every_other", "normalise", "add"),
    *("add_bias", "abs", "exp"),
    *("to_float16", "to_float32", "sum", "sum_channels", "cumulative_sum", "take", "sort"),
    *("matmul", "philox_bits", "philox_normal"),
)

"""The cases that commands and benchmarks time, in one table."""

"""Stride arithmetic on plain tuples of ints, on which `dml_vk.layout` is built."""

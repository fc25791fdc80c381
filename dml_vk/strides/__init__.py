"""Stride maths on plain tuples of ints. `dml_vk.layout` is the value type over it."""

"""Functions of elements, and of neighbours along an axis."""

"""Sums of products: of matrices, of vectors, and by `einsum`."""

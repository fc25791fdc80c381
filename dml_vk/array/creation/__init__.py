"""Tensors made from scratch, from arrays, and from indexes."""

"""Distinct elements, and tensors as sets."""

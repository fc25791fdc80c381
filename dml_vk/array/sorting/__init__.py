"""Sorted elements, partial orders, and searches."""

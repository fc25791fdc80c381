"""The same elements in other shapes and orders: joined, split, padded, repeated."""

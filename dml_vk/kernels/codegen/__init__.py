"""Modules of our kernels: those in the package, and those that chains are made into."""

"""How each public operation passes gradients on, by NumPy's chapters."""

"""`x[key]`, `take` and `take_along_axis`: the meaning of keys and the elements they select."""

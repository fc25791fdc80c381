"""`./dev gpu`: everything that is to be known of a GPU, on a machine that has little else.

`--pack` gathers on this machine what the other needs; without it the steps run. Only the standard
library is imported here, since that is all that the other machine has.
"""

"""Windows over memory as views, and windows of weights for signals."""

"""Planners: pure, cached functions from layouts to launch plans, without a device."""

"""Passes over the steps of a captured function, each of which gives steps that do the same."""

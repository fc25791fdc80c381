"""Reductions along axes, and what is composed of them: moments, quantiles, histograms."""

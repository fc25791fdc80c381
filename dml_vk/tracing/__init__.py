"""Traces: what calls and compiled functions do on a device, recorded as steps and run later."""

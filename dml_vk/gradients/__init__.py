"""Gradients: functions are recorded on a tape, and their operations are gone through backwards."""

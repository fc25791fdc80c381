"""Logs of dispatches and copies, by the user's source line."""

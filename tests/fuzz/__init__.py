"""Random public calls with hostile arguments: `python -m tests.fuzz`."""

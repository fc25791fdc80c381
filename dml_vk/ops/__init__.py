"""What can be done to elements in device memory: each checks, plans and launches."""

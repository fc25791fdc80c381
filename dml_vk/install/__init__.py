"""Requirements of the system, and their installation."""

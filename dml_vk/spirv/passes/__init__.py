"""What makes another module of one, by the name of each."""

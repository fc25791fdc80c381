"""Random draws into tensors."""

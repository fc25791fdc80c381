"""Operations on elements in device memory: each checks its operands, plans and launches."""

"""What native code needs while it runs: contexts, tape memory, accounting. Knows no IR."""

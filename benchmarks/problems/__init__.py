"""The problems: each a plain Python program, the same loops in C, and data of three sizes."""

"""What the frontend knows of Python's built-ins, `math` and NumPy, object by object."""

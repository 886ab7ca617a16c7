"""What the frontend knows of operators, methods, built-ins, `math` and NumPy, object by object."""

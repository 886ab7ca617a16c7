"""Derivatives inside of programs: `grad` and its like, and functions with rules of their own."""

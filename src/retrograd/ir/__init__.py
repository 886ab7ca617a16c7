"""The typed language: terms, names, construction, traversal, text form and checker."""

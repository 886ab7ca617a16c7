"""The walk over the syntax: expressions, statements, control flow, functions and their calls."""

"""The reference evaluator of the typed language."""

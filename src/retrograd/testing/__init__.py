"""Checks of derivatives, for the project's own tests and for its users."""

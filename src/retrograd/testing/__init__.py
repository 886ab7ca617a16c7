"""Checks of derivatives, for the project's own tests and for its users."""

from retrograd.testing.gradcheck import GradientMismatch, GradReport, Identity, check_grads

__all__ = ["GradReport", "GradientMismatch", "Identity", "check_grads"]

"""What sweeps that take turns need beside their program: residuals, splits, nested gradients."""

"""Reverse mode: a program becomes a forward program that leaves residuals and a reverse one.

`lower_vjp_nodes` replaces every `Vjp` node by calls of the two. See `reverse` for the method.
"""

from retrograd.transforms.ad.vjp.lower import lower_vjp_nodes

__all__ = ["lower_vjp_nodes"]

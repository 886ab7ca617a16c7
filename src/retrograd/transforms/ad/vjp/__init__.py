"""Reverse mode: a program becomes a forward program that leaves residuals and a reverse one.

`lower_vjp_nodes` replaces every `Vjp` node by calls of the two. See `reverse` for the method.
Before that, `inline_pullbacks` puts the code itself in the place of nodes of straight-line code.
"""

from retrograd.transforms.ad.vjp.lower import lower_vjp_nodes
from retrograd.transforms.ad.vjp.straight_lines import inline_pullbacks, straight_pullbacks

__all__ = ["inline_pullbacks", "lower_vjp_nodes", "straight_pullbacks"]

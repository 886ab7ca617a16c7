"""Reverse mode: a program becomes a forward program that leaves residuals and a reverse one.

`lower_vjp_nodes` replaces every `Vjp` node by calls of the two. See `reverse` for the method.
Before that, `inline_pullbacks` puts the code itself in the place of nodes of straight-line code and
`reach_into_calls` has the policies of checkpoints hold for functions that are called.
"""

from retrograd.transforms.ad.vjp.called import reach_into_calls
from retrograd.transforms.ad.vjp.lower import lower_vjp_nodes
from retrograd.transforms.ad.vjp.straight_lines import inline_pullbacks, straight_pullbacks

__all__ = ["inline_pullbacks", "lower_vjp_nodes", "reach_into_calls", "straight_pullbacks"]

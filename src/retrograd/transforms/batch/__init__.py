"""Several directions at once: a loop over directions runs `WIDTH` of its iterations as one.

Loops that are marked `directions` compute derivatives of one program at one point, in one direction
after the other. `batch_directions` makes each of them a loop over bundles of directions: what
depends on the direction becomes a bundle (`ir.types`), with its elements side by side in registers
and memory; the primal, its control flow and its residuals are there once for the whole bundle.
`patterns` finds what depends on the direction, `rewrite` gives it its new type.

Where a program does with a tangent what bundles cannot do (a custom rule that branches on it, say),
the loop stays as it is. That is decided here, before any code is generated.
"""

from retrograd.transforms.batch.loops import batch_directions

__all__ = ["batch_directions"]

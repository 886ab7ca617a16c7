"""The public functions: they string the stages together. `retrograd` re-exports them."""

from retrograd.api.functions import (
    grad, hessian, hvp, jacfwd, jacrev, jit, jvp, stop_gradient, value_and_grad, vjp,
)  # fmt: skip

__all__ = [
    "grad", "hessian", "hvp", "jacfwd", "jacrev", "jit", "jvp", "stop_gradient", "value_and_grad", "vjp",
]  # fmt: skip

"""The public functions: they string the stages together. `retrograd` re-exports them."""

from retrograd.api.custom import custom_jvp, custom_vjp
from retrograd.api.functions import grad, hessian, jacfwd, jacrev, jit, value_and_grad
from retrograd.api.products import hvp, jvp, linearize, stop_gradient, vjp

__all__ = [
    "custom_jvp", "custom_vjp", "grad", "hessian", "hvp", "jacfwd", "jacrev", "jit", "jvp",
    "linearize", "stop_gradient", "value_and_grad", "vjp",
]  # fmt: skip

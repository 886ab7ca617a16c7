"""How programs see retrograd's own functions: handlers for the frontend, by qualified name.

By name, so that this module does not import the functions, which need it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrograd.frontend.derivatives import intrinsics
from retrograd.frontend.derivatives.pullback import vjp
from retrograd.frontend.derivatives.vectorised import vmap
from retrograd.frontend.library.args import bind
from retrograd.frontend.syntax.rows import build
from retrograd.frontend.syntax.strips import stripmine
from retrograd.frontend.values.kinds import Transform, Value, parts
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["HANDLERS"]


def _hvp(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The tangent of the gradient."""
    fun, primals, tangents = bind(t, "hvp", args, kwargs, "fun primals tangents", 3)
    assert fun is not None
    assert primals is not None
    assert tangents is not None
    return parts(intrinsics.jvp(t, (Transform("grad", fun), primals, tangents), {}))[1]


_FUNCTIONS: Mapping[str, Handler] = {
    "grad": intrinsics.transform("grad"),
    "value_and_grad": intrinsics.transform("value_and_grad"),
    "jit": intrinsics.transform("jit", ""),
    **{k: intrinsics.transform(k, "argnums") for k in ("jacfwd", "jacrev", "hessian")},
}
_PRODUCTS: Mapping[str, Handler] = {
    "jvp": intrinsics.jvp,
    "vjp": vjp,
    "hvp": _hvp,
    "stop_gradient": intrinsics.stop_gradient,
}
HANDLERS: Mapping[str, Handler] = {
    **{f"retrograd.api.functions.{name}": handler for name, handler in _FUNCTIONS.items()},
    "retrograd.constructs.maps.build": build,
    "retrograd.constructs.stripmining.stripmine": stripmine,
    "retrograd.constructs.vectorised.vmap": vmap,
    **{f"retrograd.api.products.{name}": handler for name, handler in _PRODUCTS.items()},
}
"""The handler of each public function that may be called inside a program."""

"""How programs see retrograd's own functions: handlers for the frontend, by identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module

from retrograd.frontend import intrinsics
from retrograd.frontend.core import Handler, Tracer
from retrograd.frontend.library.args import bind
from retrograd.frontend.pullback import vjp
from retrograd.frontend.values import Transform, Value, parts

__all__ = ["handlers"]


@cache
def handlers() -> Mapping[int, Handler]:
    """The handler of each public function that may be called inside a program."""
    # These two import this module: they are looked up when the first program is translated.
    functions = import_module("retrograd.api.functions")
    products = import_module("retrograd.api.products")
    return {
        id(functions.grad): intrinsics.transform("grad"),
        id(functions.value_and_grad): intrinsics.transform("value_and_grad"),
        id(functions.jit): intrinsics.transform("jit", "fun"),
        **{
            id(getattr(functions, kind)): intrinsics.transform(kind, "fun argnums")
            for kind in ("jacfwd", "jacrev", "hessian")
        },
        id(products.jvp): intrinsics.jvp,
        id(products.vjp): vjp,
        id(products.hvp): _hvp,
        id(products.stop_gradient): intrinsics.stop_gradient,
    }


def _hvp(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The tangent of the gradient."""
    fun, primals, tangents = bind(t, "hvp", args, kwargs, "fun primals tangents", 3)
    assert fun is not None
    assert primals is not None
    assert tangents is not None
    return parts(intrinsics.jvp(t, (Transform("grad", fun), primals, tangents), {}))[1]

"""How programs see retrograd's own functions: handlers for the frontend, by qualified name.

By name, so that this module does not import the functions, which need it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrograd.frontend.derivatives import intrinsics, reversing, trees
from retrograd.frontend.derivatives.pullback import cotangents, linearize, vjp
from retrograd.frontend.derivatives.purity import own, pure
from retrograd.frontend.derivatives.rerun import POLICIES, checkpoint, checkpoint_name
from retrograd.frontend.derivatives.vectorised import vmap
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.output import debug_print
from retrograd.frontend.syntax.rows import build, put_once
from retrograd.frontend.syntax.strips import stripmine
from retrograd.frontend.values.kinds import Transform, Value, parts
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["HANDLERS"]


def _hvp(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The tangent of the gradient."""
    names = "fun primals tangents memory checkpointing"
    fun, primals, tangents, memory, checkpointing = bind(t, "hvp", args, kwargs, names, 3)
    assert fun is not None
    assert primals is not None
    assert tangents is not None
    gradient = Transform("grad", fun, way=intrinsics.way_of(t, memory, checkpointing))
    return parts(intrinsics.jvp(t, (gradient, primals, tangents), {}))[1]


_ROWS = "argnums memory checkpointing"
_FUNCTIONS: Mapping[str, Handler] = {
    "grad": intrinsics.transform("grad"),
    "value_and_grad": intrinsics.transform("value_and_grad"),
    "jit": intrinsics.transform("jit", ""),
    "jacfwd": intrinsics.transform("jacfwd", "argnums"),
    **{k: intrinsics.transform(k, _ROWS) for k in ("jacrev", "hessian")},
}
_PRODUCTS: Mapping[str, Handler] = {
    "jvp": intrinsics.jvp,
    "vjp": vjp,
    "hvp": _hvp,
    "linearize": linearize,
    "stop_gradient": intrinsics.stop_gradient,
}
HANDLERS: Mapping[str, Handler] = {
    **{f"retrograd.api.functions.{name}": handler for name, handler in _FUNCTIONS.items()},
    "retrograd.api.debug.print": debug_print,
    "retrograd.api.rerunning.checkpoint": checkpoint,
    "retrograd.api.rerunning.checkpoint_name": checkpoint_name,
    "retrograd.constructs.maps.build": build,
    "retrograd.constructs.maps.put_once": put_once,
    "retrograd.constructs.stripmining.stripmine": stripmine,
    "retrograd.constructs.vectorised.vmap": vmap,
    "retrograd.inversion.adjoints.adjoint": reversing.adjoint,
    "retrograd.inversion.adjoints.call_adjoint": reversing.call_adjoint,
    "retrograd.inversion.functions.adjoint_of": reversing.adjoint_of,
    "retrograd.inversion.functions.adjoint_of_objects": reversing.adjoint_of_objects,
    "retrograd.inversion.functions.inverse": reversing.inverse,
    "retrograd.inversion.functions.reversible": reversing.reversible,
    "retrograd.inversion.methods.as_read": reversing.as_read,
    "retrograd.inversion.methods.fits_call": reversing.fits_call,
    "retrograd.inversion.pairs.inverse_pair": reversing.reversible,
    "retrograd.inversion.support.alike": reversing.alike,
    "retrograd.inversion.support.cotangents": cotangents,
    "retrograd.inversion.support.each_attribute": reversing.each_attribute,
    "retrograd.inversion.support.has_attributes": reversing.has_attributes,
    "retrograd.inversion.support.own": own,
    "retrograd.inversion.support.pure": pure,
    **{f"retrograd.options.checkpoint_policies.{k}": handler for k, handler in POLICIES.items()},
    **{f"retrograd.api.tree.{name}": handler for name, handler in trees.HANDLERS.items()},
    **{f"retrograd.api.products.{name}": handler for name, handler in _PRODUCTS.items()},
}
"""The handler of each public function that may be called inside a program."""

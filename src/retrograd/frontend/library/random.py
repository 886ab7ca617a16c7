"""Random words inside of programs, and who else draws random numbers, which is refused."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from retrograd.frontend.library.args import bind, is_none, shape_of
from retrograd.frontend.library.plain import drawing
from retrograd.frontend.values.kinds import Scalar, Static, Value
from retrograd.frontend.values.scalars import as_int
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["TABLE", "is_stateful", "seeded"]


def _drawn(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    key, counter, shape = bind(t, "rg.random.bits", args, kwargs, "key counter shape", 2)
    assert key is not None
    assert counter is not None
    place = [as_int(t, key, "the key").atom, as_int(t, counter, "the counter").atom]
    if shape is None or is_none(shape):
        return Scalar(t.prim("random_bits", *place))
    extents = shape_of(t, shape)
    count = extents[0]
    for extent in extents[1:]:
        count = t.prim("mul", count, extent)
    words = t.prim("random_bits", *place, count)
    return t.new(words if len(extents) == 1 else t.prim("reshape", words, *extents))


TABLE: Mapping[object, Handler] = {drawing.drawn: _drawn}


def seeded(
    t: Tracer, obj: object, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value | None:
    """The generator of a call of `default_rng` or `RandomState`; None of other calls."""
    module = sys.modules.get("numpy.random")
    if module is None or obj not in (module.default_rng, module.RandomState):
        return None
    # Its tables take a hundredth of a second.
    from retrograd.frontend.library.plain import mersenne, pcg

    older = obj is module.RandomState
    name, made = ("RandomState", mersenne) if older else ("default_rng", pcg)
    (seed,) = bind(t, f"np.random.{name}", args, kwargs, "seed", 0)
    return t.call(Static(made.seeded), () if seed is None else (seed,), {})


def is_stateful(obj: Any) -> bool:
    """Whether a function or class of NumPy, or of the module `random`, draws from a state."""
    owner: Any = getattr(obj, "__self__", None)
    modules = [sys.modules.get(name) for name in ("random", "numpy.random")]
    if owner is not None and type(owner).__module__.startswith(("numpy.random", "random")):
        return True
    module = str(getattr(obj, "__module__", None) or "")
    if not module.startswith(("numpy.random", "random")):
        return False
    return any(getattr(m, getattr(obj, "__name__", ""), None) is obj for m in modules)

"""Where functions of `math` raise ValueError in Python, for a handler that catches it.

Outside of such a `try` they follow NumPy: the result is `nan` or infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from retrograd.frontend.values.jumps import is_caught
from retrograd.frontend.values.kinds import Scalar, Value
from retrograd.frontend.values.scalars import compare, logical_not
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import flit

__all__ = ["check_domain"]

Bound = tuple[str, float]

_DOMAINS: Mapping[Callable[..., float], tuple[Bound, ...]] = {
    math.sqrt: (("lt", 0.0),),
    math.log: (("le", 0.0),),
    math.log2: (("le", 0.0),),
    math.log10: (("le", 0.0),),
    math.log1p: (("le", -1.0),),
    math.acos: (("lt", -1.0), ("gt", 1.0)),
    math.asin: (("lt", -1.0), ("gt", 1.0)),
    math.acosh: (("lt", 1.0),),
    math.atanh: (("le", -1.0), ("ge", 1.0)),
}
"""What the first argument must not be."""


def check_domain(t: Tracer, function: object, args: Sequence[Value]) -> None:
    """Checks the arguments of a function of `math`, where a handler catches ValueError."""
    known = next((bad for f, bad in _DOMAINS.items() if f is function), ())
    if not known or not is_caught(t, "ValueError"):
        return
    for argument in args:
        if isinstance(argument, Scalar):
            for op, bound in known:
                outside = compare(t, op, argument, Scalar(flit(bound))).atom
                t.check(logical_not(t, outside), "ValueError", "math domain error")

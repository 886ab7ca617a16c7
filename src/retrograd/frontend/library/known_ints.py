"""`math.factorial`, `comb` and `perm` of ints that are known while a program is translated.

They may need more than 64 bits, as other known ints do (`retrograd.frontend.values.large_ints`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from retrograd.frontend.values.kinds import Value
from retrograd.frontend.values.large_ints import known_int, of_int
from retrograd.frontend.values.tracer import Handler, PathEnds, Tracer

__all__ = ["COUNTS", "of_known_ints"]

COUNTS: Mapping[object, Callable[..., int]] = {
    math.factorial: math.factorial, math.comb: math.comb, math.perm: math.perm,
}  # fmt: skip
_MOST = 1000
"""Up to here their values are calculated."""


def of_known_ints(count: Callable[..., int], otherwise: Handler) -> Handler:
    """The handler of a function of ints, and `otherwise` of what is known at run time only."""

    def handler(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        known = [number for arg in args if (number := known_int(arg)) is not None]
        if kwargs or len(known) != len(args) or any(abs(number) > _MOST for number in known):
            return otherwise(t, args, kwargs)
        try:
            return of_int(count(*known))
        except ValueError as error:
            t.stop("ValueError", str(error))
            raise PathEnds from None

    return handler

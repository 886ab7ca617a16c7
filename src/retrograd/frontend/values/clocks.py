"""Times that clocks tell, as values: only sums, differences and multiples of them are taken.

What depends on a clock is another thing in each execution, and executions are repeated. So a time
is no number here: what would look at it is refused at that place.
"""

from __future__ import annotations

from retrograd.frontend.identity.clocks import TIME
from retrograd.frontend.values.kinds import Scalar, Static, Value
from retrograd.frontend.values.tracer import Tracer

__all__ = ["combined_times", "is_time", "refuse_times"]

_OPERATORS = ("add", "sub", "mul", "div", "floordiv")


def is_time(value: Value) -> bool:
    """Whether a value is what a clock told, or was calculated of that."""
    return isinstance(value, Static) and value.obj is TIME


def combined_times(op: str, a: Value, b: Value) -> Value | None:
    """`a op b` where one is a time, and the other one a time or a number; None of all else."""
    known = all(is_time(value) or isinstance(value, Scalar) for value in (a, b))
    timed = is_time(a) or is_time(b)
    return Static(TIME) if known and timed and op in _OPERATORS else None


def refuse_times(t: Tracer, *values: Value) -> None:
    """Refuses times where something depends on them."""
    if any(map(is_time, values)):
        raise t.error(
            "RG0134", "what a clock tells is looked at here",
            "measure around the call: a compiled function knows no time",
        )  # fmt: skip

"""What is refused, and is an error in Python as well: the path where it is ends with it.

That is so in the body of a `try` with a handler for it, and where it is assumed of which kind a
value is: what a statement does with that kind may be in a branch that is never taken.
"""

from __future__ import annotations

from retrograd.errors import UserError
from retrograd.frontend.syntax.trial import Unfinished
from retrograd.frontend.values.jumps import caught_static
from retrograd.frontend.values.tracer import Tracer

__all__ = ["ends_path", "unfinished"]


def unfinished(t: Tracer) -> Unfinished | None:
    """What `ends_path` needs of before."""
    return Unfinished.of(t.ctx) if t.kinds_known else None


def ends_path(t: Tracer, error: UserError, before: Unfinished | None) -> bool:
    """Whether the path ends with the error; otherwise it is the user's to mend."""
    if caught_static(t, error):
        return True
    if error.python is None or before is None:
        return False
    before.restore(t.ctx)
    t.kind_errors.append(error)
    t.stop(error.python.__name__, error.message)
    return True

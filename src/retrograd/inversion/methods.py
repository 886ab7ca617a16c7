"""Functions that reversible functions call: whether they are what these were read with."""

from __future__ import annotations

from types import MethodType

from retrograd.errors import UserError
from retrograd.frontend.identity.transformed import Reversible

__all__ = ["as_read", "fits_call"]


def as_read(method: object, changed: str, returned: str | None) -> None:
    """Refuses a method that changes or returns something else than was read from the class.

    Args:
        method: what stands for a method in a statement of a reversible function.
        changed: the parameters that it was read to change, joined by commas.
        returned: those that it was read to return.

    Raises:
        UserError: it is none, or another one (RG0509).
    """
    function = _reversible(method)
    why = function.other_than(changed, returned)
    if why is not None:
        raise UserError(
            "RG0509", f"the method {function.__name__!r} {why} when the function that calls "
            "it was read", way_out="name the class of the object: def f(b: Body, ..)",
        )  # fmt: skip


def fits_call(function: object, put: str | None, *args: object, **words: object) -> None:
    """Refuses a function, of which nothing was known, that does not fit the call of it.

    Args:
        function: what stands for a function, or a method, in a statement.
        put: the arguments that the result is put back to, by position or keyword, joined by commas;
            None where it is not.
        args: the arguments.
        words: those with keywords.

    Raises:
        UserError: it is not reversible, changes its object, or returns something else (RG0509).
    """
    found = _reversible(function)
    own = isinstance(function, MethodType)
    given = {**dict(zip(found.parameters[own:], args, strict=False)), **words}
    numbers = [name for name, value in given.items() if isinstance(value, bool | int | float)]
    why = found.unfit(own, put, [*given], numbers)
    if why is not None:
        raise UserError("RG0509", f"{found.__name__!r} {why[0]}", way_out=why[1])


def _reversible(function: object) -> Reversible:
    found = function.__func__ if isinstance(function, MethodType) else function
    if isinstance(found, Reversible):
        return found
    raise UserError(
        "RG0509", f"{getattr(function, '__name__', function)!r} is no reversible function",
        way_out="decorate it with rg.reversible",
    )  # fmt: skip

"""Methods that reversible functions call: whether they are what these were read with."""

from __future__ import annotations

from types import MethodType

from retrograd.errors import UserError
from retrograd.frontend.identity.transformed import Reversible

__all__ = ["as_read"]


def as_read(method: object, changed: str | None, returned: str | None) -> None:
    """Refuses a method that changes or returns something else than was read from the class.

    Args:
        method: what stands for a method in a statement of a reversible function.
        changed: the parameters that it was read to change, joined by commas; None where nothing is
            known of it but that it leaves its object as it is.
        returned: those that it was read to return.

    Raises:
        UserError: it is none, or another one (RG0509).
    """
    if not isinstance(method, MethodType) or not isinstance(method.__func__, Reversible):
        raise UserError(
            "RG0509", f"{getattr(method, '__name__', method)!r} is no reversible method",
            way_out="decorate a method of the class with rg.reversible",
        )  # fmt: skip
    function = method.__func__
    why = function.other_than(changed, returned)
    if why is not None:
        raise UserError(
            "RG0509", f"the method {function.__name__!r} {why} when the function that calls "
            "it was read", way_out="name the class of the object: def f(b: Body, ..)",
        )  # fmt: skip

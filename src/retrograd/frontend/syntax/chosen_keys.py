"""Dicts whose keys are known, looked up by one that is known at run time only: a branch for each.

That is how a dict is translated whose items cannot be in a list: functions, objects, lists of
different lengths.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from retrograd.errors import UserError
from retrograd.frontend.identity.keyed_by_run import looked_up
from retrograd.frontend.library.operators import compare_values
from retrograd.frontend.syntax.branches import branch, choose
from retrograd.frontend.syntax.raising import stop_with
from retrograd.frontend.syntax.static_errors import refuse_there
from retrograd.frontend.values.dicts import key_of, key_value, note_site, possible_items
from retrograd.frontend.values.kinds import Failure, Scalar, Static, Text, Value
from retrograd.frontend.values.lists import list_of
from retrograd.frontend.values.scalars import truth
from retrograd.frontend.values.text_choices import is_text, options_of
from retrograd.frontend.values.tracer import PathEnds, Tracer

__all__ = ["for_key", "is_chosen", "number_of_key", "of_key", "without_key"]

_MOST = 16
"""Among how many keys one is chosen."""


def is_chosen(t: Tracer, owner: Value, index: Value) -> bool:
    """Whether a key is known at run time only, of a dict whose items are looked up by branches: of
    one from outside, which is made nowhere, they always are."""
    site = possible_items(t, owner).site
    if site is not None and site not in t.ctx.way.chosen:
        return False
    try:
        key_of(t, index)
    except UserError:
        return True
    return False


def _keys(t: Tracer, owner: Value, index: Value) -> list[Value]:
    """The keys that may be meant: the texts of which a text is one, or the numbers there are."""
    options = options_of(index) if is_text(index) else None
    numbers = [key for key in possible_items(t, owner).keys if isinstance(key, int | float)]
    keys = list[object](numbers if options is None else options)
    if len(keys) > _MOST or (options is None and not isinstance(index, Scalar)):
        raise _keyed(t, owner)
    return [key_value(key) for key in keys]


def _keyed(t: Tracer, owner: Value) -> UserError:
    note_site(t, possible_items(t, owner).site)
    what, way_out = "a dict with keys known at run time only", "number the keys and use an array"
    return t.error("RG0109", what, way_out)


def of_key(
    t: Tracer, owner: Value, index: Value, ask: Callable[[Value], Value],
    otherwise: Callable[[], Value],
) -> Value:  # fmt: skip
    """What `ask` says of the key that is meant; `otherwise` where there is no such number."""

    def among(keys: list[Value]) -> Value:
        if not keys:
            return otherwise()
        if len(keys) == 1 and isinstance(index, Static | Text):
            return ask(keys[0])
        meant = truth(t, compare_values(t, "eq", index, keys[0]))
        return choose(t, meant, lambda: ask(keys[0]), lambda: among(keys[1:]))

    return among(_keys(t, owner, index))


def for_key(
    t: Tracer, owner: Value, index: Value, run: Callable[[Value], None], is_there: bool = False
) -> None:
    """Does something with the key that is meant, which may be a new one unless it `is_there`;
    refused where a number may be a new key, and in a dict from outside where it is one."""
    known = _keys(t, owner, index)
    given = bool(known) and possible_items(t, owner).site is None

    def among(keys: list[Value]) -> None:
        if not keys and is_there:
            raise without_key(t, index)
        if not keys and given:
            refuse_there(t, _keyed(t, owner))
            raise PathEnds
        if not keys:
            raise _keyed(t, owner)
        if len(keys) == 1 and isinstance(index, Static | Text):
            run(keys[0])
            return
        meant = truth(t, compare_values(t, "eq", index, keys[0]))
        branch(t, meant, partial(run, keys[0]), lambda: among(keys[1:]))

    among(known)


def without_key(t: Tracer, index: Value) -> PathEnds:
    """Raises KeyError at run time: what follows on this path is never reached."""
    stop_with(t, Failure(KeyError, (index,)))
    return PathEnds()


def number_of_key(t: Tracer, owner: Value, index: Value) -> Value | None:
    """The item of a number among more keys than there are branches for, where all are ints, or all
    floats: they are looked through one after the other. None of other dicts."""
    content = possible_items(t, owner)
    alike = any(all(type(key) is kind for key in content.keys) for kind in (int, float))
    keys = [key_value(key) for key in content.keys] if alike else []
    items = [item for item in content.items if isinstance(item, Scalar)]
    few = not _MOST < len(keys) == len(items) == len(content.keys)
    if few or len({item.type for item in items}) > 1 or not isinstance(index, Scalar):
        return None
    return t.call(Static(looked_up), (list_of(t, keys), list_of(t, items), index), {})

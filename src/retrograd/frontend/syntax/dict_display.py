"""Dicts as they are written: displays and comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from retrograd.frontend.identity.keyed_by_run import Table
from retrograd.frontend.identity.lists_by_key import DictOfLists
from retrograd.frontend.identity.nodes import nodes_in
from retrograd.frontend.identity.sets import Set
from retrograd.frontend.syntax.branches import branch
from retrograd.frontend.syntax.comprehension import own_names
from retrograd.frontend.syntax.dict_objects import as_object
from retrograd.frontend.syntax.dicts import set_of, update
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.values.dicts import (
    dict_of,
    doubtful_items,
    items_of,
    key_in,
    note_site,
    set_entry,
)
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import Bound, Scalar, Static, Value
from retrograd.frontend.values.liveness import stored_names
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit, ilit

__all__ = ["comprehend_dict", "comprehend_set", "display", "set_display"]


def display(t: Tracer, node: ast.Dict) -> Value:
    """`{key: value, **other}`."""
    if t.b.prov.span in t.ctx.way.tables:
        return _table(t, node, DictOfLists if _has_lists(t, node) else Table)
    made = dict_of(t, (), ())
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            update(t, made, t.eval(value))
        else:
            index = t.eval(key)
            item = t.eval(value)
            set_entry(t, made, key_in(t, made, index), item)
    return as_object(t, made)


def _has_lists(t: Tracer, node: ast.Dict) -> bool:
    """Whether lists are put into the dict, by the name that it is given in the function."""
    names: set[str] = set()
    for stm in nodes_in(t.frame.source.node):
        if isinstance(stm, ast.Assign | ast.AnnAssign) and stm.value is node:
            names |= stored_names([stm])
    for one in nodes_in(t.frame.source.node):
        match one:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=name))],
                value=ast.List() | ast.ListComp() | ast.Call(func=ast.Name(id="list")),
            ) if name in names:
                return True
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="setdefault"),
                args=[_, ast.List() | ast.Call(func=ast.Name(id="list"))],
            ) if name in names:
                return True
            case _:
                pass
    return False


def _table(t: Tracer, node: ast.Dict, cls: type) -> Value:
    """A dict that keeps its keys in a list."""
    made = t.call(Static(cls), (), {})
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            t.call(Bound(made, "update"), (t.eval(value),), {})
        else:
            index = t.eval(key)
            t.call(Bound(made, "__setitem__"), (index, t.eval(value)), {})
    return made


def set_display(t: Tracer, node: ast.Set) -> Value:
    """`{a, b}`."""
    return set_of(t, [t.eval(element) for element in node.elts])


def comprehend_set(t: Tracer, node: ast.SetComp) -> Value:
    """`{item for ...}`."""
    items = t.eval(ast.copy_location(ast.ListComp(node.elt, node.generators), node))
    return t.call(Static(Set), (items,), {})


_UNROLLED = 64
"""So many items of a literal range are known one by one."""


def comprehend_dict(t: Tracer, node: ast.DictComp) -> Value:
    """`{key: value for ...}`."""
    if t.b.prov.span in t.ctx.way.tables:
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        pairs = t.eval(ast.copy_location(ast.ListComp(pair, node.generators), node))
        return t.call(Static(Table), (pairs,), {})
    made = dict_of(t, (), ())
    t.frame.roots.append(made)
    _fill(t, node, node.generators, made)
    t.frame.roots.pop()
    return as_object(t, made)


def _fill(t: Tracer, node: ast.DictComp, generators: list[ast.comprehension], made: Value) -> None:
    if not generators:
        index = t.eval(node.key)
        item = t.eval(node.value)
        set_entry(t, made, key_in(t, made, index), item)
        return
    one, *rest = generators

    def run(items: Sequence[Value]) -> None:
        with own_names(t, one.target):
            for item in items:
                assign(t, one.target, item)
                _fill_where(t, one.ifs, lambda: _fill(t, node, rest, made))

    iterable = t.eval(one.iter)
    if not one.is_async and (found := doubtful_items(t, iterable)):
        for flag, some in found:
            branch(t, flag, partial(run, some), lambda: None)
        return
    steps = steps_of(t, iterable)
    items = steps.items
    if items is None and isinstance(steps.trips, Lit) and int(steps.trips.value) <= _UNROLLED:
        at = steps.at
        assert at is not None
        items = tuple(at(Scalar(ilit(k), True)) for k in range(int(steps.trips.value)))
    if items is None or one.is_async:
        note_site(t, items_of(t, made).site)
        raise t.error(
            "RG0109", "a dict with keys known at run time only",
            "number the keys and use an array",
        )  # fmt: skip
    run(items)


def _fill_where(t: Tracer, tests: Sequence[ast.expr], fill: Callable[[], None]) -> None:
    """`fill` where all tests hold: where that is known at run time only, a key may be there."""
    if not tests:
        fill()
        return
    then = partial(_fill_where, t, tests[1:], fill)
    branch(t, t.test(tests[0]), then, lambda: None)

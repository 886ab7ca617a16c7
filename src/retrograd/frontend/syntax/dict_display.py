"""Dicts as they are written: displays and comprehensions."""

from __future__ import annotations

import ast

from retrograd.frontend.syntax.comprehension import own_names
from retrograd.frontend.syntax.dicts import update
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.values.dicts import dict_of, key_of, set_entry
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import Scalar, Value
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit, ilit

__all__ = ["comprehend_dict", "display"]


def display(t: Tracer, node: ast.Dict) -> Value:
    """`{key: value, **other}`."""
    made = dict_of(t, (), ())
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            update(t, made, t.eval(value))
        else:
            index = t.eval(key)
            item = t.eval(value)
            set_entry(t, made, key_of(t, index), item)
    return made


_UNROLLED = 64
"""So many items of a literal range are known one by one."""


def comprehend_dict(t: Tracer, node: ast.DictComp) -> Value:
    """`{key: value for ...}`, whose keys are known."""
    made = dict_of(t, (), ())
    t.frame.roots.append(made)
    _fill(t, node, node.generators, made)
    t.frame.roots.pop()
    return made


def _fill(t: Tracer, node: ast.DictComp, generators: list[ast.comprehension], made: Value) -> None:
    if not generators:
        index = t.eval(node.key)
        item = t.eval(node.value)
        set_entry(t, made, key_of(t, index), item)
        return
    one, *rest = generators
    steps = steps_of(t, t.eval(one.iter))
    items = steps.items
    if items is None and isinstance(steps.trips, Lit) and int(steps.trips.value) <= _UNROLLED:
        at = steps.at
        assert at is not None
        items = tuple(at(Scalar(ilit(k), True)) for k in range(int(steps.trips.value)))
    if items is None or one.is_async:
        raise t.error(
            "RG0109", "a dict with keys known at run time only",
            "number the keys and use an array",
        )  # fmt: skip
    with own_names(t, one.target):
        for item in items:
            assign(t, one.target, item)
            tests = [t.test(test) for test in one.ifs]
            if any(not isinstance(test, Lit) for test in tests):
                raise t.error(
                    "RG0109", "which keys a dict has is known at run time only",
                    "keep the key, with a value that says that it is not there",
                )  # fmt: skip
            if all(isinstance(test, Lit) and test.value for test in tests):
                _fill(t, node, rest, made)

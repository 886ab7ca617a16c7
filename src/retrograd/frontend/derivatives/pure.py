"""Functions as derivatives and callers from Python need them: results by value, nothing shared.

Inside the program a result may be an argument's own array. The entry of a program and a function
that is differentiated instead return copies, and say which of their parameters they have written.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from retrograd.errors import Limitation
from retrograd.frontend.identity.buffers import ListItems, ValueOrNone
from retrograd.frontend.identity.specs import ArgSpec, DictSpec, LeafSpec, StaticSpec, TupleSpec
from retrograd.frontend.syntax.specialise import Body, Request, translate_body
from retrograd.frontend.values.arrays import read
from retrograd.frontend.values.dicts import items_of
from retrograd.frontend.values.kinds import (
    ArrayRef,
    DictValue,
    Instance,
    Option,
    Scalar,
    Static,
    TupleValue,
    Undef,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.lists import content_of
from retrograd.frontend.values.optional import sure
from retrograd.frontend.values.tracer import Context, Tracer
from retrograd.ir.terms import Atom, Function, Prov

__all__ = ["Pure", "flat_results", "pure_function"]


@dataclass(frozen=True, slots=True)
class Pure:
    """A function of the program with the tree of its results.

    `results` counts the results; after them come the final versions of the parameters in `written`
    (positions), if they were asked for. `apart` are the positions of pairs of parameters that may
    not share memory, because of derivatives inside: see `Frame`. `changes`: it changes dicts that
    it is given.
    """

    function: Function
    output: ArgSpec
    results: int
    written: tuple[int, ...]
    apart: tuple[tuple[int, int], ...] = ()
    changes: bool = False


def pure_function(
    ctx: Context,
    name: str,
    request: Request,
    *,
    write_back: bool,
) -> Pure:
    """Translates a function whose results are values; adds it to the program."""
    body = translate_body(ctx, request)
    t = body.t
    atoms: list[Atom] = []
    seen: set[int] = set()
    output = flat_results(t, _as_result(t, body.result, write_back), atoms, seen)
    count, changed = len(atoms), _changed(body)
    if write_back:
        atoms += [atom for _, atom in changed]
    prov = Prov(t.frame.source.span(t.frame.source.node))
    function = Function(name, body.params, t.b.block(atoms), prov=prov)
    ctx.functions[name] = function
    written = tuple(position for position, _ in changed)
    return Pure(function, output, count, written, _apart(body), _changes(body, write_back))


def _changes(body: Body, write_back: bool) -> bool:
    """Whether objects that the function is given are other ones in the end."""
    t, initial = body.t, body.initial.cells
    changed = any(t.state.cells.get(cell) != initial.get(cell) for cell in body.cells.values())
    if changed and write_back:
        raise Limitation(
            "RG0120", "a dict from outside of the program is changed", t.span,
            "change a copy, and return it: d = dict(d)",
        )  # fmt: skip
    return changed


def _apart(body: Body) -> tuple[tuple[int, int], ...]:
    """Positions of the pairs of array parameters that may not share memory."""
    places: dict[Atom, int] = {p: k for k, p in enumerate(body.params)}
    own = {loc: places[body.initial.arrays[loc]] for loc in body.locs.values()}
    pairs = {(own[a], own[b]) for a, b in body.t.frame.apart if a in own and b in own}
    return tuple(sorted(pairs))


def _changed(body: Body) -> list[tuple[int, Atom]]:
    """Positions of the array parameters that were written, with their final versions."""
    found: list[tuple[int, Atom]] = []
    for loc in body.locs.values():
        before, now = body.initial.arrays[loc], body.t.state.arrays[loc]
        if now is not before:
            position = next(k for k, p in enumerate(body.params) if p is before)
            found.append((position, now))
    return sorted(found, key=lambda pair: pair[0])


def _as_result(t: Tracer, value: Value, from_python: bool) -> Value:
    """A result with its lists and dicts as what they hold."""
    match value:
        case Instance() if value.cls is dict:
            held = items_of(t, value)
            items = tuple(_as_result(t, item, from_python) for item in held.items)
            return DictValue(held.keys, items)
        case Instance() if value.cls is list:
            content = content_of(t, value)
            if content.cls is ListItems:
                items = tuple(_as_result(t, item, from_python) for item in content.items)
                return TupleValue(items, list)
            if not from_python:
                raise Limitation(
                    "RG0103", "a list of run-time length is the result of what is differentiated",
                    t.span, "return np.array(l)",
                )  # fmt: skip
            return content
        case TupleValue():
            items = tuple(_as_result(t, item, from_python) for item in value.items)
            return TupleValue(items, value.cls)
        case Option() if from_python:
            return TupleValue((Scalar(value.flag), _as_result(t, value.value, True)), ValueOrNone)
        case Option():
            return _as_result(t, sure(t, value, _NONE), from_python)
        case _:
            return value


_NONE = "the function that is differentiated returns None"


def flat_results(t: Tracer, value: Value, atoms: list[Atom], seen: set[int]) -> ArgSpec:
    """Appends the leaves of a result, each array its own; gives the tree."""
    match value:
        case Scalar():
            atoms.append(value.atom)
            return LeafSpec(value.type)
        case ArrayRef():
            atom = read(t, value)
            if value.view is None:
                if value.loc in t.frame.owned or value.loc in seen:
                    atom = t.prim("copy", atom)
                seen.add(value.loc)
            atoms.append(atom)
            return LeafSpec(value.type)
        case TupleValue():
            items = [flat_results(t, item, atoms, seen) for item in value.items]
            return TupleSpec(tuple(items), value.cls)
        case DictValue():
            items = [flat_results(t, item, atoms, seen) for item in value.items]
            return DictSpec(value.keys, tuple(items))
        case Undef() | Static(obj=None):
            return StaticSpec(None)
        case Static(obj=str() | Enum() as known):
            return StaticSpec(known)
        case _:
            raise t.error(
                "RG0103", f"the result is {describe(value)}", "return numbers, arrays or tuples"
            )

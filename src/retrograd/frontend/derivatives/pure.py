"""Functions as derivatives and callers from Python need them: results by value, nothing shared.

Inside the program a result may be an argument's own array. The entry of a program and a function
that is differentiated instead return copies, and say which of their parameters they have written.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from retrograd.errors import Limitation
from retrograd.frontend.derivatives.results import Results
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.frontend.identity.surroundings import Update
from retrograd.frontend.syntax.specialise import Body, Request, translate_body
from retrograd.frontend.values.kinds import UNBOUND, Maybe, Unbound, Undef
from retrograd.frontend.values.tracer import Context
from retrograd.ir.terms import Atom, Function, Prov

__all__ = ["Pure", "pure_function"]


@dataclass(frozen=True, slots=True)
class Pure:
    """A function of the program with the tree of its results.

    `results` counts the results; after them come the final versions of the parameters in `written`
    (positions), if they were asked for. `apart` are the positions of pairs of parameters that may
    not share memory, because of derivatives inside: see `Frame`. `changes`: it changes dicts and
    objects that it is given, or compares them. Last come the leaves of `updates`.
    """

    function: Function
    output: ArgSpec
    results: int
    written: tuple[int, ...]
    apart: tuple[tuple[int, int], ...] = ()
    changes: bool = False
    updates: tuple[Update, ...] = ()


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
    objects = [body.cells[one.place] for one in request.objects or ()]
    results = Results(t, request.objects is not None, write_back)
    if write_back:
        results.numbers.update((place, k) for k, place in enumerate(objects))
    output = results.flat(body.result)
    atoms = results.atoms
    count, changed = len(atoms), _changed(body)
    updates: tuple[Update, ...] = ()
    if write_back:
        atoms += [atom for _, atom in changed]
        updates = _updates(body, request, results)
    prov = Prov(t.frame.source.span(t.frame.source.node))
    function = Function(name, body.params, t.b.block(atoms), prov=prov)
    ctx.functions[name] = function
    written = tuple(position for position, _ in changed)
    attributes = {body.cells[cell] for one in request.objects or () for cell in one.cells}
    changes = _changes(body, write_back, attributes) or ctx.compared
    return Pure(function, output, count, written, _apart(body), changes, updates)


def _updates(body: Body, request: Request, results: Results) -> tuple[Update, ...]:
    """What the function leaves in the attributes of the caller's objects; appends the leaves."""
    t, initial = body.t, body.initial
    params: dict[Atom, int] = {p: k for k, p in enumerate(body.params)}
    places = {loc: params[initial.arrays[loc]] for loc in body.locs.values()}
    found: list[Update] = []
    for number, one in enumerate(request.objects or ()):
        for name, cell in zip(one.names, one.cells, strict=True):
            own = body.cells[cell]
            now = t.state.cells.get(own, UNBOUND)
            if now == initial.cells.get(own, UNBOUND) or isinstance(now, Undef | Unbound):
                continue
            sure = not isinstance(now, Maybe)
            if isinstance(now, Maybe):
                results.atoms.append(now.flag)
                now = now.value
            found.append(Update(number, name, results.update(now, places), sure))
    return tuple(found)


def _changes(body: Body, write_back: bool, attributes: Collection[int]) -> bool:
    """Whether objects that the function is given are other ones in the end."""
    t, initial = body.t, body.initial.cells
    cells = [c for c in body.cells.values() if t.state.cells.get(c) != initial.get(c)]
    if write_back and any(cell not in attributes for cell in cells):
        raise Limitation(
            "RG0120", "a dict from outside of the program is changed", t.span,
            "change a copy, and return it: d = dict(d)",
        )  # fmt: skip
    return bool(cells)


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

"""Functions as derivatives and callers from Python need them: results by value, nothing shared.

Inside the program a result may be an argument's own array. A function that is differentiated
returns a copy instead. So does the entry of a program, but for a result that is a whole argument:
it says which one that is. Both say which of their parameters they have written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from retrograd.errors import Limitation, UserError
from retrograd.frontend.derivatives.results import Results
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.frontend.identity.surroundings import Store, Update
from retrograd.frontend.syntax.specialise import Body, Request, translate_body
from retrograd.frontend.values.globals import must_be_restored
from retrograd.frontend.values.kinds import UNBOUND, DictValue, Maybe, Scalar, Unbound, Undef
from retrograd.frontend.values.object_rows import has_rows
from retrograd.frontend.values.objects import reachable
from retrograd.frontend.values.tracer import Context
from retrograd.ir.terms import Atom, Function, Prov, flit

__all__ = ["Pure", "pure_function"]


@dataclass(frozen=True, slots=True)
class Pure:
    """A function of the program with the tree of its results.

    `results` counts the results; after them come the final versions of the parameters in `written`
    (positions), if they were asked for. `apart` are the positions of pairs of parameters that may
    not share memory, because of derivatives inside: see `Frame`. `changes`: it changes dicts and
    objects that it is given, or compares them. Last come the leaves of `updates` and of `stores`.
    """

    function: Function
    output: ArgSpec
    results: int
    written: tuple[int, ...]
    apart: tuple[tuple[int, int], ...] = ()
    changes: bool = False
    updates: tuple[Update, ...] = ()
    stores: tuple[Store, ...] = ()


def pure_function(
    ctx: Context,
    name: str,
    request: Request,
    *,
    write_back: bool,
) -> Pure:
    """Translates a function whose results are values; adds it to the program.

    One that never returns is a function to floats where it is differentiated: so its exception is
    raised there, too.
    """
    _given_no_rows(request)
    body = translate_body(ctx, replace(request, tables=True))
    t = body.t
    must_be_restored(t, dict(request.globals))
    objects = [body.cells[one.place] for one in request.objects or ()]
    results = Results(t, request.objects is not None, write_back)
    if write_back:
        results.numbers.update((place, k) for k, place in enumerate(objects))
        cells = (cell for one in request.objects or () for cell in one.cells)
        results.own = frozenset(body.cells[cell] for cell in cells)
        results.given = _given_arrays(body)
    never = isinstance(body.result, Undef) and not write_back
    output = results.flat(Scalar(flit(0.0)) if never else body.result)
    atoms = results.atoms
    count, changed = len(atoms), _changed(body)
    updates: tuple[Update, ...] = ()
    stores: tuple[Store, ...] = ()
    if write_back:
        atoms += [atom for _, atom in changed]
        updates = _updates(body, request, results)
        stores = _stores(body, request, results)
    prov = Prov(t.frame.source.span(t.frame.source.node))
    function = Function(name, body.params, t.b.block(atoms), prov=prov)
    ctx.functions[name] = function
    written = tuple(position for position, _ in changed)
    changes = _changes(body) or ctx.compared
    return Pure(function, output, count, written, _apart(body), changes, updates, stores)


def _given_no_rows(request: Request) -> None:
    """Refuses objects that are rows of tables of the function around."""
    if has_rows((request.fun, request.extra, *request.values, *request.contents)):
        raise UserError(
            "RG0103", "an object that a list of run-time length holds is given to a function that "
            "is differentiated", request.callee.source.span(request.callee.source.node),
            "give it the numbers and arrays that it needs",
        )  # fmt: skip


def _updates(body: Body, request: Request, results: Results) -> tuple[Update, ...]:
    """What the function leaves in the attributes of the caller's objects; appends the leaves."""
    t, initial, places = body.t, body.initial, _given_arrays(body)
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


def _given_arrays(body: Body) -> dict[int, int]:
    """The parameters that are arrays, by location."""
    params: dict[Atom, int] = {p: k for k, p in enumerate(body.params)}
    return {loc: params[body.initial.arrays[loc]] for loc in body.locs.values()}


def _stores(body: Body, request: Request, results: Results) -> tuple[Store, ...]:
    """What the function leaves in the caller's dicts; appends the leaves."""
    t, places = body.t, _given_arrays(body)
    _same_factories(body, request)
    own = {body.cells[one.place] for one in request.dicts}
    found: list[Store] = []
    for number, one in enumerate(request.dicts):
        cell = body.cells[one.cells[0]]
        now, before = t.state.cells.get(cell), body.initial.cells.get(cell)
        if now == before or not isinstance(now, DictValue) or not isinstance(before, DictValue):
            continue
        held = dict(zip(before.keys, before.items, strict=True))
        items: list[ArgSpec | None] = []
        for key, item in zip(now.keys, now.items, strict=True):
            if key in held and held[key] == item:
                items.append(None)
                continue
            if not reachable(t.state.cells, [item]).isdisjoint(own):
                raise Limitation(
                    "RG0120", "a dict of the caller is put into a dict of the caller", t.span,
                    "put a copy into it: dict(d)",
                )  # fmt: skip
            items.append(results.update(item, places))
        found.append(Store(number, now.keys, tuple(items)))
    return tuple(found)


def _same_factories(body: Body, request: Request) -> None:
    """Refuses to give a caller's `defaultdict` another factory."""
    now, before = body.t.state.cells, body.initial.cells
    cells = [body.cells[cell] for one in request.standing for cell in one.cells]
    if any(now.get(cell) != before.get(cell) for cell in cells):
        raise Limitation(
            "RG0120", "a defaultdict of the caller is given another factory", body.t.span,
            "change a copy: d.copy()",
        )  # fmt: skip


def _changes(body: Body) -> bool:
    """Whether objects that the function is given are other ones in the end."""
    t, initial = body.t, body.initial.cells
    return any(t.state.cells.get(cell) != initial.get(cell) for cell in body.cells.values())


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

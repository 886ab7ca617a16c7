"""Functions as derivatives and callers from Python need them: results by value, nothing shared.

Inside the program a result may be an argument's own array. A function that is differentiated
returns a copy instead. So does the entry of a program, but for a result that is a whole argument:
it says which one that is. Both say which of their parameters they have written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from retrograd.errors import Limitation, UserError
from retrograd.frontend.derivatives.results import Results
from retrograd.frontend.identity.buffers import ListBuffer, ListItems
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.frontend.identity.surroundings import ListStore, Store, Update
from retrograd.frontend.syntax.specialise import Body, Request, translate_body
from retrograd.frontend.values.globals import must_be_restored
from retrograd.frontend.values.kinds import (
    UNBOUND,
    DictValue,
    Maybe,
    Scalar,
    TupleValue,
    Unbound,
    Undef,
    locations,
)
from retrograd.frontend.values.object_rows import has_rows
from retrograd.frontend.values.objects import instances
from retrograd.frontend.values.tracer import Context, Tracer
from retrograd.ir.terms import Atom, Function, Prov, flit

__all__ = ["Pure", "pure_function"]


@dataclass(frozen=True, slots=True)
class Pure:
    """A function of the program with the tree of its results.

    `results` counts the results; after them come the final versions of the parameters in `written`
    (positions), if they were asked for. `apart` are the positions of pairs of parameters that may
    not share memory, because of derivatives inside: see `Frame`. `changes`: it changes dicts and
    objects that it is given, or compares them. Last come the leaves of `updates`, of
    `stores` and of `list_stores`.
    """

    function: Function
    output: ArgSpec
    results: int
    written: tuple[int, ...]
    apart: tuple[tuple[int, int], ...] = ()
    changes: bool = False
    updates: tuple[Update, ...] = ()
    stores: tuple[Store, ...] = ()
    list_stores: tuple[ListStore, ...] = ()


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
    places = (*(request.objects or ()), *request.dicts, *request.lists)
    results = Results(t, request.objects is not None, write_back)
    if write_back:
        results.numbers.update((body.cells[one.place], k) for k, one in enumerate(places))
        cells = (cell for one in request.objects or () for cell in one.cells)
        results.own = frozenset(body.cells[cell] for cell in cells)
        results.given = _given_arrays(body, request)
    never = isinstance(body.result, Undef) and not write_back
    output = results.flat(Scalar(flit(0.0)) if never else body.result)
    atoms = results.atoms
    rows = _rows(body, request)
    count, changed = len(atoms), _changed(body, rows)
    updates: tuple[Update, ...] = ()
    stores: tuple[Store, ...] = ()
    list_stores: tuple[ListStore, ...] = ()
    if write_back:
        results.same = True
        atoms += [atom for _, atom in changed]
        updates = _updates(body, request, results)
        stores = _stores(body, request, results)
        list_stores = _list_stores(body, request, results)
    prov = Prov(t.frame.source.span(t.frame.source.node))
    function = Function(name, body.params, t.b.block(atoms), prov=prov)
    ctx.functions[name] = function
    written = tuple(position for position, _ in changed)
    changes = _changes(body) or ctx.compared
    return Pure(
        function, output, count, written, _apart(body), changes, updates, stores, list_stores
    )


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
    t, initial, places = body.t, body.initial, _given_arrays(body, request)
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


def _given_arrays(body: Body, request: Request) -> dict[int, int]:
    """The parameters that are arrays of the caller, by location."""
    params: dict[Atom, int] = {p: k for k, p in enumerate(body.params)}
    own = set(body.locs.values()) - _rows(body, request)
    return {loc: params[body.initial.arrays[loc]] for loc in own}


def _rows(body: Body, request: Request) -> set[int]:
    """The locations of the arrays in which the items of the caller's lists are given."""
    held = (body.initial.cells[body.cells[one.cells[0]]] for one in request.lists)
    found = (one for one in held if isinstance(one, TupleValue) and one.cls is ListBuffer)
    return {loc for one in found for loc in locations(one)}


def _stores(body: Body, request: Request, results: Results) -> tuple[Store, ...]:
    """What the function leaves in the caller's dicts; appends the leaves."""
    t, places = body.t, _given_arrays(body, request)
    _same_factories(body, request)
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
            items.append(results.entry(item, places))
        found.append(Store(number, now.keys, tuple(items)))
    return tuple(found)


def _list_stores(body: Body, request: Request, results: Results) -> tuple[ListStore, ...]:
    """What the function leaves in the caller's lists; appends the leaves."""
    t, places = body.t, _given_arrays(body, request)
    found: list[ListStore] = []
    for number, one in enumerate(request.lists):
        cell = body.cells[one.cells[0]]
        now, before = t.state.cells.get(cell), body.initial.cells.get(cell)
        if isinstance(before, TupleValue) and isinstance(now, TupleValue) and not _same_list(
            body, now, before
        ):  # fmt: skip
            items = _items_left(t, now, before, results, places)
            found.append(ListStore(number, items))
    return tuple(found)


def _same_list(body: Body, now: TupleValue, before: TupleValue) -> bool:
    """Whether a list has been left as it was."""
    arrays, initial = body.t.state.arrays, body.initial.arrays
    return now == before and (
        now.cls is ListItems or all(arrays[loc] is initial[loc] for loc in locations(now))
    )


def _items_left(
    t: Tracer, now: TupleValue, before: TupleValue, results: Results, given: dict[int, int]
) -> tuple[int | ArgSpec, ...] | ArgSpec:
    """The items of a list: those that it had, by position, and new ones."""
    if now.cls is ListItems:
        held = before.items if before.cls is ListItems else ()
        known = {item: k for k, item in reversed(list(enumerate(held)))}
        return tuple(
            known[item] if item in known else results.update(item, given) for item in now.items
        )
    # What is put into an array among the items makes that array stale, which is refused.
    if before.cls is ListItems and any(any(True for _ in instances(item)) for item in before.items):
        raise Limitation(
            "RG0120", "a list of the caller that holds lists, dicts or objects changes its length, "
            "or is changed at an index, in a way that is known at run time only", t.span,
            "put new items into a list of the function, and return it",
        )  # fmt: skip
    return results.items(now)


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


def _changed(body: Body, rows: set[int]) -> list[tuple[int, Atom]]:
    """Positions of the array parameters that were written, with their final versions."""
    found: list[tuple[int, Atom]] = []
    for loc in (loc for loc in body.locs.values() if loc not in rows):
        before, now = body.initial.arrays[loc], body.t.state.arrays[loc]
        if now is not before:
            position = next(k for k, p in enumerate(body.params) if p is before)
            found.append((position, now))
    return sorted(found, key=lambda pair: pair[0])

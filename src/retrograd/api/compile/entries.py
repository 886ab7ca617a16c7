"""The text of a stored function: JSON in which objects are numbers, types their names.

Objects (classes, functions that are arguments) are those that the reader's own surroundings give
for the questions of the translation; nothing is made from what is written here but plain data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from enum import Enum
from itertools import accumulate, pairwise
from typing import Any, Protocol, cast

from retrograd.api.compile.artefact import Argnums, Image, Ready, Trees
from retrograd.backends.llvm.sites import ErrorSite
from retrograd.errors import Span
from retrograd.frontend.identity.fingerprint import Scribe
from retrograd.frontend.identity.given_lists import Opens
from retrograd.frontend.identity.lookups import Lookup, Recorder, replay
from retrograd.frontend.identity.specs import (
    ArgSpec,
    ComplexSpec,
    DictSpec,
    GivenSpec,
    LeafSpec,
    Met,
    OpaqueSpec,
    SameSpec,
    StaticSpec,
    TreeSpec,
    TupleSpec,
    spec_of,
)
from retrograd.frontend.identity.surroundings import Guard, Hidden, Interface, find, whole_numbers
from retrograd.ir.types import DType, Type

__all__ = ["Call", "Entry", "decoded", "encoded"]


class Call(Protocol):
    """The arguments for which an entry is looked for."""

    @property
    def args(self) -> tuple[ArgSpec, ...]: ...
    @property
    def keywords(self) -> tuple[tuple[str, ArgSpec], ...]: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored function: what `Ready` holds, but for the link to native code."""

    traced: Interface
    task: Trees
    product: Trees
    base: Trees
    levels: tuple[Argnums, ...]
    image: Image
    silent: bool
    sized: bool


class _NoNumber(Exception):
    """An object that has not come from an answer."""


def encoded(recorder: Recorder, ready: Ready, image: Image) -> bytes | None:
    """The text, None where something in it could not be found again."""
    traced, numbers = ready.traced, recorder.scribe.numbers
    hidden = [recorder.place(h.kind, h.holder, h.name) for h in traced.hidden]
    guards = [recorder.guard_place(guard) for guard in traced.guards]
    if None in hidden or None in guards or traced.updates or traced.stores or traced.list_stores:
        return None
    try:
        trees = {
            name: [[_spec(s, numbers) for s in tree.args], _spec(tree.out, numbers), tree.extra]
            for name, tree in (
                ("task", ready.task),
                ("product", ready.product),
                ("base", ready.base),
            )
        }
        output = _spec(traced.output, numbers)
    except _NoNumber:
        return None
    text = {
        "lookups": [astuple(lookup) for lookup in recorder.lookups],
        "hidden": [
            (place, h.literal, h.opens) for place, h in zip(hidden, traced.hidden, strict=True)
        ],
        "guards": guards,
        "output": output,
        "results": traced.results,
        "written": traced.written,
        "apart": traced.apart,
        "changes": traced.changes,
        "levels": ready.levels,
        "sizes": list(map(len, image.codes)),
        "entry": image.entry,
        "types": [list(map(str, image.params)), list(map(str, image.results))],
        "errors": [[e.kind, e.message, e.span and astuple(e.span), e.types] for e in image.errors],
        "consumed": sorted(image.consumed),
        "taped": image.taped,
        "folders": image.folders,
        "silent": ready.silent,
        "sized": ready.sized,
        **trees,
    }
    return json.dumps(text).encode()


def decoded(header: bytes, code: bytes, call: Call, scribe: Scribe) -> Entry | None:
    """The entry, None where a question has another answer here."""
    try:
        text: dict[str, Any] = json.loads(header)
        lookups = [Lookup(*row) for row in text["lookups"]]
        if not replay(lookups, scribe):
            return None
        return _entry(text, lookups, code, call, scribe.objects)
    except (ValueError, KeyError, IndexError, TypeError):  # not what was written
        return None


def _entry(
    text: dict[str, Any], lookups: Sequence[Lookup], code: bytes, call: Call,
    objects: Sequence[object],
) -> Entry:  # fmt: skip
    positions: list[tuple[int, bool, int]] = text["hidden"]
    hidden = tuple(_hidden(lookups[k], met, objects) for k, *met in positions)
    guards = tuple(_guard(kind, k, lookups, objects) for kind, k in text["guards"])
    written: tuple[int, ...] = tuple(text["written"])
    traced = Interface(
        call.args, call.keywords, hidden, _read(text["output"], objects), text["results"], written,
        guards, tuple((one, other) for one, other in text["apart"]), text["changes"],
    )  # fmt: skip
    params, results = (tuple(map(_type, names)) for names in text["types"])
    errors = tuple(
        ErrorSite(kind, _as_tuples(message), None if span is None else Span(*span), tuple(types))
        for kind, message, span, types in text["errors"]
    )
    ends = list(accumulate(text["sizes"], initial=0))
    codes = tuple(code[start:end] for start, end in pairwise(ends))
    image = Image(
        codes, text["entry"], params, results, errors, frozenset(text["consumed"]), text["taped"],
        tuple(text["folders"]),
    )  # fmt: skip
    levels = tuple(level if isinstance(level, int) else tuple(level) for level in text["levels"])
    task, product, base = (_trees(text[name], objects) for name in ("task", "product", "base"))
    return Entry(traced, task, product, base, levels, image, text["silent"], text["sized"])


def _trees(text: Any, objects: Sequence[object]) -> Trees:
    args, out, extra = text
    return Trees(tuple(_read(arg, objects) for arg in args), _read(out, objects), extra)


def _hidden(lookup: Lookup, met: Sequence[int], objects: Sequence[object]) -> Hidden:
    holder, literal, opens = objects[lookup.holder], bool(met[0]), Opens(met[1])
    found = find(lookup.kind, holder, lookup.name)
    spec = spec_of(found, met=Met.read(lookup.name, literal, opens))
    return Hidden(lookup.kind, holder, lookup.name, spec, literal, opens)


def _guard(kind: str, k: int, lookups: Sequence[Lookup], objects: Sequence[object]) -> Guard:
    if kind == "object":
        return Guard.of("direct", None, "", objects[k])
    lookup = lookups[k]
    holder = objects[lookup.holder]
    if kind == "numbers":
        numbers = whole_numbers(find(lookup.kind, holder, lookup.name)) or ()
        return Guard.numbered(lookup.kind, holder, lookup.name, numbers)
    return Guard.of(lookup.kind, holder, lookup.name, find(lookup.kind, holder, lookup.name))


def _as_tuples(data: Any) -> Any:
    """Data of which JSON has made lists."""
    items = cast("list[Any]", data)
    return tuple(_as_tuples(item) for item in items) if isinstance(data, list) else data


def _type(text: str) -> Type:
    dtype, _, rank = text.partition("[")
    return Type(DType(dtype), int(rank[:-1]) if rank else 0)


def _spec(spec: ArgSpec, numbers: dict[int, int]) -> Any:
    """A tree as JSON: a type, [class, items], {"keys", "items"}, {"constant"}, {"given"} or
    {"object"}."""
    match spec:
        case LeafSpec():
            return str(spec.type)
        case TupleSpec():
            plain = spec.cls in (tuple, list)
            cls = spec.cls.__name__ if plain else _number(spec.cls, numbers)
            return [cls, [_spec(item, numbers) for item in spec.items]]
        case ComplexSpec():
            return {"complex": [_spec(item, numbers) for item in spec.items]}
        case DictSpec():
            keys = [_key(key, numbers) for key in spec.keys]
            known = {"keys": keys, "items": [_spec(item, numbers) for item in spec.items]}
            if spec.cls is not dict:
                default = None if spec.default is None else _number(spec.default, numbers)
                known["class"] = [_number(spec.cls, numbers), default]
            return known
        case GivenSpec():
            return {"given": spec.position}
        case TreeSpec() | SameSpec() | OpaqueSpec():
            raise _NoNumber
        case StaticSpec():
            if type(spec.obj) in (bool, int, float, str):
                return {"constant": spec.obj}
            return {"object": None if spec.obj is None else _number(spec.obj, numbers)}


def _key(key: Any, numbers: dict[int, int]) -> Any:
    """A key as JSON: as it is, [keys] for a tuple, or {"object": number} for an Enum member."""
    if isinstance(key, tuple):
        return [_key(part, numbers) for part in cast("tuple[Any, ...]", key)]
    return {"object": _number(key, numbers)} if isinstance(key, Enum) else key


def _read_key(text: Any, objects: Sequence[Any]) -> Any:
    match text:
        case list():
            return tuple(_read_key(part, objects) for part in cast("list[Any]", text))
        case dict():
            return objects[cast("dict[str, int]", text)["object"]]
        case _:
            return text


def _number(obj: object, numbers: dict[int, int]) -> int:
    if id(obj) not in numbers:
        raise _NoNumber
    return numbers[id(obj)]


def _read(text: Any, objects: Sequence[Any]) -> ArgSpec:
    if isinstance(text, str):
        return LeafSpec(_type(text))
    if isinstance(text, dict):
        known = cast("dict[str, Any]", text)
        if "keys" in known:
            keys = tuple(_read_key(key, objects) for key in known["keys"])
            cls, default = known.get("class", (None, None))
            kind: Any = dict if cls is None else objects[cls]
            factory = None if default is None else objects[default]
            items = tuple(_read(item, objects) for item in known["items"])
            return DictSpec(keys, items, kind, factory)
        if "complex" in known:
            return ComplexSpec(tuple(_read(item, objects) for item in known["complex"]))
        if "given" in known:
            return GivenSpec(known["given"])
        if "constant" in known:
            return StaticSpec(known["constant"])
        number: int | None = known["object"]
        return StaticSpec(None if number is None else objects[number])
    cls, items = text
    plain: dict[str, type[Any]] = {"tuple": tuple, "list": list}
    found = plain[cls] if isinstance(cls, str) else objects[cls]
    return TupleSpec(tuple(_read(item, objects) for item in items), found)

"""Objects as text, such that equal texts mean: a translation sees no difference between them.

Code that was translated in another process is used again only where everything that the translation
looked at has the same text. So an object whose kind is not listed here has no text at all
(`Unwritable`), and what depends on it is translated anew in every process.
"""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import Enum, EnumType
from types import CodeType, EllipsisType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from retrograd.errors import UserError
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.identity.specs import (
    CACHED,
    ArgSpec,
    ComplexSpec,
    DictSpec,
    LeafSpec,
    Met,
    StaticSpec,
    TupleSpec,
    is_static,
    spec_of,
)
from retrograd.frontend.identity.surroundings import Absent
from retrograd.frontend.identity.transformed import Rerun, Ruled, Transformed, Vectorised
from retrograd.options.saving import Policy

__all__ = ["Scribe", "Unwritable", "code_digest", "layers"]


_OWN = "retrograd."


class Unwritable(Exception):
    """An object of which nobody can say in text what a translation sees of it."""

    def __init__(self, obj: object) -> None:
        super().__init__(f"a {type(obj).__module__}.{type(obj).__qualname__}")


def code_digest(code: CodeType) -> str:
    """The hash of everything in a code object, the code inside it and all places included."""
    return hashlib.sha256("\0".join(_code_parts(code)).encode(errors="surrogatepass")).hexdigest()


def _code_parts(code: CodeType) -> Iterator[str]:
    counts = (
        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_nlocals,
        code.co_stacksize, code.co_flags, code.co_firstlineno,
    )  # fmt: skip
    yield repr(counts)
    yield repr((code.co_name, code.co_qualname, code.co_filename))
    yield repr((code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars))
    for part in (code.co_code, code.co_linetable, code.co_exceptiontable):
        yield part.hex()
    yield from map(_constant, code.co_consts)


def _constant(value: object) -> str:
    """A constant of a code object: unlike `==`, it tells 1, 1.0, True, 0.0 and -0.0 apart."""
    match value:
        case CodeType():
            return f"code {code_digest(value)}"
        case tuple():
            return f"({', '.join(map(_constant, cast('tuple[object, ...]', value)))})"
        case frozenset():
            return f"{{{', '.join(sorted(map(_constant, cast('frozenset[object]', value))))}}}"
        case float():
            return f"float {value.hex()}"
        case complex():
            return f"complex {value.real.hex()} {value.imag.hex()}"
        case bool() | int() | str() | bytes() | None | EllipsisType():
            return f"{type(value).__name__} {value!r}"
        case _:
            raise Unwritable(value)


def _genuine(obj: Any) -> bool:
    """Whether an object is what its module has under the object's own name."""
    found: object = sys.modules.get(obj.__module__ or "")
    for name in obj.__qualname__.split("."):
        found = None if found is None else getattr(found, name, None)
    return found is obj


def _library_name(obj: Any) -> str:
    """Where a function that is not written in Python is found again."""
    if type(obj).__module__.partition(".")[0] not in ("builtins", "numpy"):
        raise Unwritable(obj)
    name: object = getattr(obj, "__name__", None)
    own: object = getattr(obj, "__module__", None)
    for module in (own, "numpy", "math", "scipy.special"):
        space = sys.modules.get(module) if isinstance(module, str) else None
        if isinstance(name, str) and getattr(space, name, None) is obj:
            return f"{module}.{name}"
    raise Unwritable(obj)


@dataclass(slots=True)
class Scribe:
    """Writes objects as text.

    Whatever has an identity (functions, classes, modules, cells, dicts of globals) gets a number
    when it is first met, and is its number from then on; so the text says which of the objects are
    the same one. Two scribes that are asked the same questions in the same order number alike.
    """

    objects: list[object] = field(default_factory=list[object])
    numbers: dict[int, int] = field(default_factory=dict[int, int])

    def number(self, obj: object) -> int:
        """The number of an object, the next one if it is new."""
        found = self.numbers.get(id(obj))
        if found is None:
            found = self.numbers[id(obj)] = len(self.objects)
            self.objects.append(obj)
        return found

    def static(self, obj: object) -> str:
        """An object that is baked into programs as it is."""
        match obj:
            case None | EllipsisType() | range():
                return repr(obj)
            case _ if type(obj) is slice:
                return repr(obj)
            case str() if type(obj) is str:
                return f"str {obj!r}"
            case np.dtype():
                return f"dtype {obj.str} {obj.name}"
            case Absent():
                return "absent"
            case _:
                pass
        if id(obj) in self.numbers:
            return f"#{self.numbers[id(obj)]}"
        number = self.number(obj)
        return f"#{number} {'object' if type(obj) is object else self._description(obj)}"

    def value(self, obj: object) -> str:
        """A number that is baked in as a literal; anything else as `static`."""
        if isinstance(obj, bool | int | float):
            kind = type(obj)
            if kind not in (bool, int, float, np.float64):
                raise Unwritable(obj)
            text = float(obj).hex() if isinstance(obj, float) else repr(obj)
            return f"{kind.__name__} {text}"
        return self.static(obj)

    def data(self, obj: object, name: str) -> str:
        """Numbers that are read at every call: their type matters, and which extents are equal."""
        try:
            return self.spec(spec_of(obj, met=Met.read(name)))
        except UserError:
            raise Unwritable(obj) from None

    def spec(self, spec: ArgSpec) -> str:
        """The types of an argument."""
        match spec:
            case LeafSpec():
                known = (
                    "" if k is None else f" {k}" for k in (spec.extents, spec.alike, spec.numpy)
                )
                return str(spec.type) + ";".join(known) + " late" * spec.late
            case TupleSpec():
                plain = spec.cls in (tuple, list)
                cls = spec.cls.__name__ if plain else self.static(spec.cls)
                return f"{cls}({', '.join(map(self.spec, spec.items))})"
            case ComplexSpec():
                return f"complex({', '.join(map(self.spec, spec.items))})"
            case DictSpec():
                pairs = zip(map(self.key, spec.keys), map(self.spec, spec.items), strict=True)
                cls = "dict" if spec.cls is dict else self.static(spec.cls)
                default = "" if spec.default is None else f" {self.static(spec.default)}"
                return f"{cls}{default}({', '.join(f'{key}: {item}' for key, item in pairs)})"
            case StaticSpec():
                return self.constant(spec.obj)
            case _:
                raise Unwritable(spec)

    def constant(self, obj: object) -> str:
        """A baked argument: a number, text, a tuple or record of these, or any other object."""
        if isinstance(obj, tuple):
            items = map(self.constant, cast("tuple[object, ...]", obj))
            cls = type(cast("object", obj))
            kind = "tuple" if cls is tuple else self.static(cls)
            return f"{kind}({', '.join(items)})"
        if not is_static(obj) and (names := fields_of(type(obj))) is not None:
            items = (self.constant(getattr(obj, name)) for name in names)
            return f"{self.static(type(obj))}({', '.join(items)})"
        return self.value(obj)

    def key(self, key: object) -> str:
        """A key of a dict."""
        if isinstance(key, tuple):
            return f"({', '.join(map(self.key, cast('tuple[object, ...]', key)))})"
        return self.value(key)

    def _description(self, obj: object) -> str:
        match obj:
            case Enum():
                return f"member {self.static(type(obj))} {obj.name}"
            case FunctionType():
                return self._function(obj)
            case ModuleType():
                if sys.modules.get(obj.__name__) is not obj:
                    raise Unwritable(obj)
                return f"module {obj.__name__}"
            case type():
                return self._class(cast("type[Any]", obj))
            case Transformed() | Vectorised() | Rerun() | Ruled():
                return self._record(obj)
            case Policy() if all(one.function is None for one in obj.every()):
                return f"policy {obj.text}"
            case re.Pattern():
                return f"pattern {cast('re.Pattern[str]', obj).pattern!r} {obj.flags}"
            case property():
                return f"property {self.static(obj.fget)}"
            case functools.partial() if type(cast("object", obj)) is functools.partial:
                return self._partial(cast("functools.partial[Any]", obj))
            case _ if type(obj) is CACHED:
                return f"cached {self.static(cast('Any', obj).__wrapped__)}"
            case _:
                return f"library {_library_name(obj)}"

    def _function(self, f: FunctionType) -> str:
        # Our public functions have the code of a wrapper in common: their names tell them apart.
        own = f"{f.__module__}.{f.__qualname__}" if (f.__module__ or "").startswith(_OWN) else "no"
        cells = [self.number(cell) for cell in f.__closure__ or ()]
        defaults = "" if f.__defaults__ is None else f"{self.number(f.__defaults__)}"
        named: dict[str, object] | None = f.__kwdefaults__
        if named is not None:
            defaults += f" and {self.number(named)} {list(named)}"
        if f.__defaults__ is not None:
            defaults += f" of {len(f.__defaults__)}"
        return (
            f"function {code_digest(f.__code__)} own={own} genuine={_genuine(f)} "
            f"globals={self.number(f.__globals__)} cells={cells} defaults={defaults}"
        )

    def _class(self, cls: type[Any]) -> str:
        bases = ", ".join(map(self.static, cls.__mro__[1:]))
        name = f"{cls.__module__}.{cls.__qualname__} genuine={_genuine(cls)}"
        called = any("__call__" in vars(base) for base in cls.__mro__)
        members = [*cls] if isinstance(cls, EnumType) else []
        made = f" members={[m.name for m in cast('list[Enum]', members)]}"
        return f"class {name} fields={fields_of(cls)} callable={called}{made} bases=({bases})"

    def _record(self, obj: Transformed | Vectorised | Rerun | Ruled) -> str:
        """A transformed function: all its fields but those that do not count for equality."""
        kind = "transformed" if isinstance(obj, Transformed) else "ruled"
        parts: list[str] = []
        for name, held in _compared(obj):
            parts.append(f"{name}={held!r}" if _plain(held) else f"{name}={self.static(held)}")
        return f"{kind} ({', '.join(parts)})"

    def _partial(self, made: functools.partial[Any]) -> str:
        """Its numbers; all arguments are asked for one by one, as far as they are used."""
        given = f"{self.number(made.args)}:{[_number(value) for value in made.args]}"
        items = {name: _number(value) for name, value in made.keywords.items()}
        named = f"{self.number(made.keywords)}:{items}"
        return f"partial {self.static(made.func)} {given} {named}"


def _number(value: object) -> str:
    """A plain number as text; "" for all else."""
    return repr(value) if type(value) in (bool, int, float) else ""


def _compared(obj: Transformed | Vectorised | Rerun | Ruled) -> Iterator[tuple[str, object]]:
    for part in fields(obj):
        if part.compare:
            yield part.name, getattr(obj, part.name)


def _plain(held: object) -> bool:
    """Whether `repr` says all: None, a bool, an int, a string, or a tuple of ints and strings."""
    if isinstance(held, tuple):
        return all(type(item) in (int, str) for item in cast("tuple[object, ...]", held))
    return held is None or type(held) in (bool, int, str)


def layers(fun: object) -> tuple[str, object]:
    """What transformations a function is made of, outermost first, and the function inside."""
    found: list[str] = []
    while isinstance(fun, Transformed):
        for name, held in _compared(fun):
            if name != "fun":
                if not _plain(held):
                    raise Unwritable(held)
                found.append(f"{name}={held!r}")
        fun = fun.fun
    return "; ".join(found), fun

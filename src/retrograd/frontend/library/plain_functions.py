"""Calls of functions that are written out in `plain`: arguments by the real function's names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrograd.frontend.library.args import is_none
from retrograd.frontend.library.plain.told import (
    UNSEEDED,
    constant,
    gradient_of,
    jacobian_of,
    linked,
    once,
    one_of_several,
    pair,
    refuse,
    refuse_if,
    unseeded,
)
from retrograd.frontend.library.reduce import linked as link
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.complexes import paired
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Value,
)
from retrograd.frontend.values.late_refusals import refuse_unless
from retrograd.frontend.values.scalars import logical_not, truth
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Var
from retrograd.options.saving import BATCHED

__all__ = ["TOLD", "Plain", "compiled"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]
Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Plain:
    """A library function and the program that stands for it.

    `parameters` are the real one's, as words, where Python cannot be asked for them. What the
    program has no parameter for is refused by name. `literals` are parameters whose ints have to be
    known at compile time, `needed` those that may not be left out here, each with the way out.
    `label` is its name where that does not follow from the object. `stacks`: its first argument may
    have more than three axes, of which the last two are those of matrices. `open_ended`: it takes
    any further arguments, which it hands on.
    """

    real: Any
    program: Function
    parameters: str = ""
    literals: tuple[str, ...] = ()
    needed: tuple[tuple[str, str], ...] = ()
    label: str = ""
    stacks: bool = False
    renamed: bool = False
    open_ended: bool = False

    @property
    def name(self) -> str:
        """As users write it."""
        if self.label:
            return self.label
        module = str(getattr(self.real, "__module__", None) or "numpy")
        short = "np.linalg" if "linalg" in module else "np"
        return f"{short}.{self.real.__name__}"

    def real_parameters(self) -> tuple[tuple[str, ...], bool]:
        """The names of the real function's positional parameters and others, and whether it takes
        any number of arguments."""
        if self.parameters:
            words = self.parameters.split()
            return tuple(w.lstrip("*") for w in words), words[0].startswith("*")
        kinds = inspect.signature(self.real).parameters
        starred = any(p.kind is p.VAR_POSITIONAL for p in kinds.values())
        return tuple(kinds), starred

    def own_parameters(self) -> tuple[str, ...]:
        """The names that the program has, as users write them."""
        if self.renamed:
            return self.real_parameters()[0]
        return tuple(inspect.signature(self.program).parameters)


_AXES = ("axis", "axis1", "axis2", "axes", "source", "destination")


def compiled(plain: Plain) -> Handler:
    """The translation of calls of a function."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        real, starred = plain.real_parameters()
        given: dict[str, Value] = {}
        more: Args = args if starred else ()
        if plain.open_ended:
            args, more = args[: len(real)], args[len(real) :]
        if not starred:
            if len(args) > len(real):
                takes = f"it takes {', '.join(real)}"
                raise t.error("RG0108", f"{plain.name} with {len(args)} arguments", takes)
            given = dict(zip(real, args, strict=False))
        for name, value in kwargs.items():
            if name in given:
                raise t.error(
                    "RG0108",
                    f"{plain.name} is given {name!r} twice",
                    f"give {name!r} by position or by name, not both",
                )
            given[name] = value
        own = plain.own_parameters()
        passed = {
            k: _checked(t, plain, k, v) for k, v in given.items() if _known(t, plain, own, k, v)
        }
        for name, way_out in plain.needed:
            if is_none(passed.get(name)):
                raise t.error("RG0108", f"{plain.name} without {name!r} is not accepted", way_out)
        if plain.stacks and (first := next(iter(passed), None)) is not None:
            return _of_matrices(t, plain, first, passed)
        if plain.renamed:
            names = tuple(inspect.signature(plain.program).parameters)
            passed = {names[own.index(k)]: v for k, v in passed.items()}
        if more and not starred:
            return t.call(Static(plain.program), [*map(passed.pop, real), *more], passed)
        return t.call(Static(plain.program), more, passed)

    return handler


def _of_matrices(t: Tracer, plain: Plain, name: str, passed: Mapping[str, Value]) -> Value:
    """A call whose program is given matrices along one axis; its results along those there are."""
    value = passed[name]
    if not isinstance(value, ArrayRef) or value.type.rank <= 3:
        return t.call(Static(plain.program), (), passed)
    atom = value_atom(t, value)
    *shape, rows, columns = t.b.dims(atom)
    n = shape[0]
    for extent in shape[1:]:
        n = t.prim("mul", n, extent)
    matrices = t.new(t.prim("reshape", atom, n, rows, columns))
    found = t.call(Static(plain.program), (), {**passed, name: matrices})

    def back(result: Value) -> Value:
        made = value_atom(t, result)
        return t.new(t.prim("reshape", made, *shape, *t.b.dims(made)[1:]))

    if isinstance(found, TupleValue):
        return replace(found, items=tuple(map(back, found.items)))
    return back(found)


def _known(t: Tracer, plain: Plain, own: tuple[str, ...], name: str, value: Value) -> bool:
    """Whether the program takes a parameter; refused if it does not and that would matter."""
    if name in own or plain.open_ended:
        return True
    if is_none(value):
        return False
    message = f"{plain.name} with the argument {name!r} is not accepted"
    raise t.error("RG0108", message, f"accepted are {', '.join(own)}")


def _checked(t: Tracer, plain: Plain, name: str, value: Value) -> Value:
    if name not in _AXES and name not in plain.literals:
        return value
    return _literal(t, plain, name, value)


def _literal(t: Tracer, plain: Plain, name: str, value: Value) -> Value:
    match value:
        case TupleValue() if name in _AXES:
            items = tuple(_literal(t, plain, name, item) for item in value.items)
            return TupleValue(items, tuple)
        case Scalar():
            number = known_int(t, value)
            if number is None:
                message = f"{name!r} of {plain.name} must be a literal"
                raise t.error(
                    "RG0113",
                    message,
                    "write the number out, or name its argument in static_argnames",
                )
            return literal(number)
        case _:
            return value


def _refuse(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    what, way_out = (arg.obj if isinstance(arg, Static) else None for arg in args)
    raise t.error("RG0108", str(what), str(way_out))


def _refuse_if(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """Nothing where it is known that it is not so."""
    good = logical_not(t, truth(t, args[0]))
    what, way_out = (str(arg.obj) if isinstance(arg, Static) else "" for arg in args[1:])
    refuse_unless(t, good, "RG0107", what, way_out)
    return NONE


def _linked(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    made, of = args
    return link(t, made, of) if isinstance(of, ArrayRef) else made


def _constant(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    atom = value_atom(t, args[0])
    return t.new(t.prim("stop_gradient", atom)) if atom.type.is_float else args[0]


def _once(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = args
    if isinstance(value, Scalar):
        return Scalar(t.prim("rounded", value.atom))
    return t.new(t.prim("rounded", value_atom(t, value)))


def _one_of_several(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    product = value_atom(t, args[0])
    if isinstance(product, Var):
        t.ctx.named.setdefault(product, []).append(BATCHED)
    return args[0]


def _pair(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    real, imag = args
    assert isinstance(real, Scalar | ArrayRef)
    assert isinstance(imag, Scalar | ArrayRef)
    return paired(t, real, imag)


def _derived(kind: str) -> Handler:
    return lambda t, args, kwargs: Transform(kind, args[0])


def _unseeded(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    message, _, way_out = UNSEEDED
    raise t.error("RG0134", message, way_out)


TOLD: Mapping[object, Handler] = {
    linked: _linked, refuse: _refuse, refuse_if: _refuse_if, constant: _constant,
    unseeded: _unseeded, one_of_several: _one_of_several, once: _once,
    pair: _pair, jacobian_of: _derived("jacfwd"), gradient_of: _derived("grad"),
}  # fmt: skip

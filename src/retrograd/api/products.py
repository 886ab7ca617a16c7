"""`jvp`, `vjp` and `hvp`: products with Jacobians and Hessians at a point."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.api.calls.arguments import Known, Specs, argument_specs, compiled_for
from retrograd.api.calls.output import show_output
from retrograd.api.calls.runner import Runner
from retrograd.api.calls.sharing import place_of, refuse_sharing
from retrograd.api.compile.artefact import Ready
from retrograd.api.compile.compile_cache import compiling, remember
from retrograd.api.compile.lookup import obtain
from retrograd.api.compile.shapes import arrange, arranged, describe, matrices
from retrograd.api.functions import Calls, checked, grad, not_finite
from retrograd.errors import UserError
from retrograd.frontend.identity.flattening import (
    cotangent_specs,
    items_in,
    leaf_types,
    leaves,
    unflatten,
)
from retrograd.frontend.identity.given_lists import GivenItems
from retrograd.frontend.identity.objects import attributes
from retrograd.frontend.identity.specs import (
    ArgSpec,
    ComplexSpec,
    Compound,
    DictSpec,
    LeafSpec,
    TreeSpec,
    TupleSpec,
)
from retrograd.options.checkpointing import Checkpointing
from retrograd.options.durability import Resume
from retrograd.options.memory import chosen
from retrograd.tracebacks import SHOWN, shorten, shows_user_frames

__all__ = ["Products", "hvp", "jvp", "linearize", "stop_gradient", "vjp"]


@dataclass(slots=True)
class Products:
    """Compiled products, kept by function, kind and argument types.

    `literal` are those for which ints of objects are part of the programs.
    """

    made: dict[object, tuple[Ready, Calls]] = field(
        default_factory=dict[object, "tuple[Ready, Calls]"]
    )
    known: dict[object, Known] = field(default_factory=dict[object, Known])

    def get(
        self,
        kind: str,
        fun: Callable[..., Any],
        args: Sequence[Any],
        way: Checkpointing | None = None,
    ) -> tuple[Ready, Calls]:
        """The product of that kind for these arguments, compiled if need be."""

        def specs_of(known: Known) -> Specs:
            return argument_specs(fun, args, {}, known, rows=False)

        types = (kind, fun, specs_of(Known.TYPES)[0], way)
        known = self.known.get(types, Known.TYPES)
        key = (kind, fun, specs_of(known)[0], way) if known else types
        found = self.made.get(key)
        if found is not None and found[0].traced.fits():
            return found
        with compiling():
            found = self.made.get(key)
            if found is None or not found[0].traced.fits():
                known, used, found = compiled_for(
                    fun, known, specs_of, lambda types, _: self._compiled(kind, fun, types, way)
                )
                if known:
                    remember(self.known, types, known)
                remember(self.made, (kind, fun, used[0], way), found)
        return found

    def how(self, kind: str, fun: Callable[..., Any], args: Sequence[Any]) -> Known:
        """What of these arguments is part of the product for them."""
        types = (kind, fun, argument_specs(fun, args, {})[0], None)
        return self.known.get(types, Known.TYPES)

    def _compiled(
        self,
        kind: str,
        fun: Callable[..., Any],
        specs: Sequence[ArgSpec],
        way: Checkpointing | None,
    ) -> tuple[Ready, Calls]:
        ready = None if way is not None else obtain(fun, specs, {}, kind)
        if ready is not None and ready.sized and kind != "value":
            from retrograd.api.saving.saving_within import within_budget

            return ready, within_budget(fun, specs, {}, ready, kind)
        if ready is not None:
            return ready, Runner(ready.built, False)
        from retrograd.api.checkpoint.checkpointed import budgeted

        return budgeted(fun, specs, {}, way, kind)


_PRODUCTS = Products()


def _matching(spec: ArgSpec, primal: Any, given: Any, what: str) -> list[Any]:
    """Leaves of a direction structured like `primal`; for what is no float, its own leaf."""
    match spec:
        case LeafSpec():
            return [_leaf(spec, primal, given, what)]
        case TupleSpec() | DictSpec() | TreeSpec() | ComplexSpec():
            _check_compound(spec, given, what)
            found: list[Any] = []
            pairs = zip(items_in(spec, primal), items_in(spec, given), strict=True)
            for item, label, (one, other) in zip(spec.items, _labels(spec), pairs, strict=True):
                found += _matching(item, one, other, f"{what}{label}")
            return found
        case _:
            return []


def _labels(spec: Compound) -> list[str]:
    match spec:
        case DictSpec():
            return [f"[{key!r}]" for key in spec.keys]
        case TreeSpec():
            return [f".{name}" for name in spec.names]
        case ComplexSpec():
            return [".real", ".imag"]
        case TupleSpec():
            return [f"[{k}]" for k in range(len(spec.items))]


def _check_compound(spec: Compound, given: Any, what: str) -> None:
    """UserError where a direction is no compound of that kind, with as many items."""
    if isinstance(spec, TreeSpec):
        if type(given) is not spec.cls or not set(spec.names) <= set(attributes(given)):
            raise _misfit(f"{what} must be a {spec.cls.__name__} with {list(spec.names)}")
        return
    if isinstance(spec, DictSpec):
        if not isinstance(given, dict) or set(cast("dict[Any, Any]", given)) != set(spec.keys):
            keys = list(spec.keys)
            raise _misfit(f"{what} must be a dict with the keys {keys}, as what it belongs to")
        return
    if isinstance(spec, ComplexSpec):
        if not isinstance(given, int | float | complex | np.generic | np.ndarray):
            raise _misfit(f"{what} is {type(given).__name__!r} and belongs to {describe(spec)}")
        return
    cls: type[Any] = spec.cls
    count = len(spec.items)
    cls = list if cls is GivenItems else cls
    plain = cls in (tuple, list)
    fits = isinstance(given, tuple | list if plain else cls)
    if not fits or (issubclass(cls, tuple | list) and len(given) != count):
        raise _misfit(f"{what} must be a {cls.__name__} of {count}, as what it belongs to")


def _leaf(spec: LeafSpec, primal: Any, given: Any, what: str) -> Any:
    if not spec.type.is_float:
        return primal
    if not isinstance(given, int | float | np.generic | np.ndarray):
        raise _misfit(f"{what} is {type(given).__name__!r} and belongs to {describe(spec)}")
    value = np.asarray(cast("Any", given))
    if value.dtype.kind not in "biuf":
        raise _misfit(f"{what} has dtype {value.dtype} and belongs to {describe(spec)}")
    if value.shape != (want := np.shape(primal)):
        raise _misfit(f"{what} has shape {value.shape}, what it belongs to {want}")
    return float(value) if spec.type.is_scalar else value.astype(np.float64, copy=False)


def _misfit(message: str) -> UserError:
    way_out = "give tangents and cotangents the structure and shapes of what they belong to"
    return UserError("RG0305", message, way_out=way_out)


def _check_pair(primals: object, tangents: object) -> None:
    """Both must be tuples (or lists) of the same length."""
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise UserError(
                "RG0305", f"the {what} are a {type(given).__name__}, not a tuple",
                way_out="write (x,) for a single argument",
            )  # fmt: skip
    one, two = cast("Sequence[Any]", primals), cast("Sequence[Any]", tangents)
    if len(one) != len(two):
        raise UserError(
            "RG0305", f"{len(one)} primals but {len(two)} tangents",
            way_out="give one tangent for each argument",
        )  # fmt: skip


def _value(fun: Callable[..., Any], args: Sequence[Any]) -> Any:
    """What a function returns, without the changes that it makes to its arguments."""
    ready, runner = _PRODUCTS.get("value", fun, args)
    flat = ready.traced.flatten(args)
    refuse_sharing(fun, ready.traced, flat)
    results = runner(flat)
    if ready.levels:
        return arrange(ready.base, ready.levels, flat, results)
    return unflatten(ready.task.out, iter(results))


def _no_levels(ready: Ready, fun: Callable[..., Any]) -> None:
    if ready.levels:
        raise UserError(
            "RG0303", "has_aux=True with a Jacobian, which returns no pair (value, aux)",
            place_of(fun), "leave has_aux out",
        )  # fmt: skip


@shows_user_frames
def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False,
    debug_nans: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """The value of `fun` and its derivative in one direction, by forward mode.

    Args:
        fun: a function as for `jit`.
        primals: the arguments.
        tangents: the direction, structured like `primals`; those of ints and bools are not read.
        has_aux: whether `fun` returns a pair (value, aux) of which the value is differentiated.
        debug_nans: as for `jit`.

    Returns:
        (y, y_dot), y_dot structured like y; 0.0 where y is no float. With `has_aux`
        (y, y_dot, aux). It takes up to about three times as long as `fun`, and twice the memory.

    Raises:
        UserError: the function is not accepted, or `tangents` is not structured like `primals`.

    >>> import retrograd as rg
    >>> rg.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)
    """
    fun = checked(fun, "jvp")
    _check_pair(primals, tangents)
    kind = "jvp aux" if has_aux else "jvp"
    ready, runner = _PRODUCTS.get(kind, fun, primals)
    flat = ready.traced.flatten(primals)
    refuse_sharing(fun, ready.traced, flat)
    count = sum(len(list(leaf_types(s))) for s in ready.task.args)
    dots: list[Any] = []
    for k, (spec, primal, given) in enumerate(zip(ready.task.args, primals, tangents, strict=True)):
        dots += _matching(spec, primal, given, f"tangent {k}")
    if has_aux:
        _no_levels(ready, fun)
    entry = [*flat[:count], *dots, *flat[count:]]
    if ready.silent:
        show_output(fun, primals, {}, _PRODUCTS.how(kind, fun, primals))
    results = runner(entry)
    if debug_nans and (numbers := not_finite(tuple(results))):
        from retrograd.api.calls.debugging import find_origin_of_tangent

        find_origin_of_tangent(fun, argument_specs(fun, primals, {})[0], entry, numbers)
    if not ready.levels:
        y, y_dot = unflatten(ready.product.out, iter(results))
        return (y[0], y_dot[0], y[1]) if has_aux else (y, y_dot)
    half = (len(results) - ready.product.extra) // 2
    extents = results[2 * half :]
    y, y_dot = (
        arrange(ready.base, ready.levels, flat, [*part, *extents])
        for part in (results[:half], results[half : 2 * half])
    )
    return y, y_dot


@shows_user_frames
def linearize(fun: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of `fun`, and its derivative at a point as a function of the direction.

    Args:
        fun: a function as for `jit`.
        primals: the arguments.

    Returns:
        (y, f_dot). `f_dot(*tangents)`, with a tangent structured like each argument, is what `jvp`
        gives as y_dot. Each call runs `fun` along again, on the arguments as they were.

    Raises:
        UserError: the function is not accepted; at a call of `f_dot`, where the tangents are not
            structured like `primals`.

    >>> import retrograd as rg
    >>> y, f_dot = rg.linearize(lambda x, y: x * y, 2.0, 3.0)
    >>> y, f_dot(1.0, 0.0), f_dot(0.0, 1.0)
    (6.0, 3.0, 2.0)
    """
    fun = checked(fun, "linearize")
    kept = copy.deepcopy(primals)
    y = _value(fun, kept)

    def f_dot(*tangents: Any) -> Any:
        try:
            return jvp(fun, kept, tangents)[1]
        except SHOWN as error:  # not in a wrapper, which warnings would point to
            shorten(error)
            raise

    return y, f_dot


@shows_user_frames
def vjp(
    fun: Callable[..., Any],
    *primals: Any,
    has_aux: bool = False,
    memory: int | str | None = None,
    checkpointing: Checkpointing | None = None,
    resume: Resume | None = None,
) -> tuple[Any, ...]:
    """The value of `fun` and its pullback, by reverse mode.

    Args:
        fun: a function as for `jit`.
        primals: the arguments.
        has_aux: whether `fun` returns a pair (value, aux) of which the value is differentiated.
        memory: the most bytes that a call of the pullback may have, as for `grad`.
        checkpointing: as for `grad`.
        resume: as for `grad`, for a call of the pullback.

    Returns:
        (y, pullback), with `has_aux` (y, pullback, aux). `pullback(y_bar)`, with y_bar structured
        like y, returns a tuple with the cotangent of each argument, structured like it (None for
        what is no float). It may be called any number of times; each call runs both sweeps on the
        arguments as they were.

    Raises:
        UserError: the function is not accepted; at a call of the pullback, where `y_bar` is not
            structured like y, or for what `grad` refuses at a call.

    >>> import retrograd as rg
    >>> y, pullback = rg.vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> y, pullback(1.0)
    (6.0, (3.0, 2.0))
    """
    fun = checked(fun, "vjp")
    product = "vjp aux" if has_aux else "vjp"
    ready, runner = _PRODUCTS.get(product, fun, primals, chosen(memory, checkpointing, resume))
    given = ready.traced.flatten(primals)
    refuse_sharing(fun, ready.traced, given)
    if has_aux:
        _no_levels(ready, fun)
    flat = [_own(value) for value in given]
    y = _value(fun, primals)
    kept = copy.deepcopy(y)  # for the structure and shapes, whatever becomes of y
    count = sum(len(list(leaf_types(s))) for s in ready.task.args)
    base, levels = ready.base, ready.levels
    out = arranged(base, levels) if levels else ready.task.out

    def pullback(y_bar: Any) -> tuple[Any, ...]:
        try:
            bars = _bars(out, kept, y_bar, has_aux)
            if levels:
                bars = matrices(base, levels, flat, bars)
            found = iter(runner([*flat[:count], *bars, *flat[count:]]))
            trees = cotangent_specs(ready.task.args, range(len(ready.task.args)))
            return unflatten(TupleSpec(trees), found)
        except SHOWN as error:  # not in a wrapper, which warnings would point to
            shorten(error)
            raise

    return (y[0], pullback, y[1]) if has_aux else (y, pullback)


def _bars(out: ArgSpec, kept: Any, y_bar: Any, has_aux: bool) -> list[Any]:
    """The leaves of a cotangent; of aux there is none, so what stands for it is not read."""
    if not has_aux:
        return _matching(out, kept, y_bar, "the cotangent")
    assert isinstance(out, TupleSpec)
    own = _matching(out.items[0], kept[0], y_bar, "the cotangent")
    return [*own, *leaves(out.items[1], kept[1])]


def _own(value: Any) -> Any:
    """An array that the caller cannot change."""
    return cast("NDArray[Any]", value).copy() if isinstance(value, np.ndarray) else value


@shows_user_frames
def hvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any],
    memory: int | str | None = None, checkpointing: Checkpointing | None = None,
) -> Any:  # fmt: skip
    """The product of the Hessian of a scalar function with a direction, forward over reverse.

    Args:
        fun: a function of one float result; the Hessian is that of its first argument.
        primals: the arguments.
        tangents: the direction, structured like `primals`.
        memory, checkpointing: as for `grad`, for the gradient that is differentiated.

    Returns:
        The product, structured like the first argument. It takes as long as a few gradients, and
        twice the tape.

    Raises:
        UserError: as `grad` does, or where `tangents` is not structured like `primals`.

    Source: Pearlmutter 1994, "Fast exact multiplication by the Hessian".

    >>> import numpy as np, retrograd as rg
    >>> rg.hvp(lambda x: np.sum(x ** 3.0), (np.array([1.0, 2.0]),), (np.array([1.0, 1.0]),))
    array([ 6., 12.])
    """
    fun = checked(fun, "hvp")
    return jvp(grad(fun, memory=memory, checkpointing=checkpointing), primals, tangents)[1]


def stop_gradient(x: Any) -> Any:
    """`x` itself; in a differentiated program it counts as a constant.

    Args:
        x: any value.

    Returns:
        The same value, whose tangent is zero.

    >>> import retrograd as rg
    >>> rg.grad(lambda x: x * rg.stop_gradient(x))(3.0)
    3.0
    """
    return x

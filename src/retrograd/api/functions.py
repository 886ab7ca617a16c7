"""`jit`, `grad` and the rest: callables that compile on the first call with new argument types.

Names and argument orders follow JAX. A transformed function is itself a function of the language:
it can be transformed again, and called inside programs that are.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from retrograd.api.calls.arguments import (
    MANY,
    Key,
    Known,
    Names,
    Numbers,
    Specs,
    argument_specs,
    chosen_arguments,
    compiled_for,
    key_of,
    static_arguments,
    warn_of,
)
from retrograd.api.calls.output import show_output
from retrograd.api.calls.places import call_with_places
from retrograd.api.calls.quick_keys import Quick, holds, quick_hidden, quick_key
from retrograd.api.calls.runner import Runner, Stats
from retrograd.api.calls.sharing import refuse_sharing, shared
from retrograd.api.calls.written import write_back
from retrograd.api.compile.artefact import Ready
from retrograd.api.compile.compile_cache import compiling, remember
from retrograd.api.compile.lookup import obtain
from retrograd.api.compile.shapes import arrange
from retrograd.errors import UserError
from retrograd.frontend.identity.attached import with_source
from retrograd.frontend.identity.flattening import leaves, unflatten
from retrograd.frontend.identity.objects import called
from retrograd.frontend.identity.specs import ArgSpec, LeafSpec, spec_of
from retrograd.frontend.identity.transformed import Transformed
from retrograd.options.checkpointing import Checkpointing
from retrograd.options.durability import Resume
from retrograd.options.memory import chosen
from retrograd.tracebacks import SHOWN, USER_FRAMES, shorten, shows_user_frames

__all__ = [
    "Calls", "Compiled", "checked", "grad", "hessian", "jacfwd", "jacrev", "jit",
    "not_finite", "value_and_grad",
]  # fmt: skip


def checked(fun: Callable[..., Any], what: str) -> Callable[..., Any]:
    """`fun`, or the bound `__call__` of an object; UserError where it is not a function."""
    if not callable(fun):
        raise UserError(
            "RG0107", f"{what} needs a Python function, not {type(fun).__name__}",
            way_out=f"write {what}(f), with f a function",
        )  # fmt: skip
    return called(fun)


class Calls(Protocol):
    """What runs one compilation."""

    @property
    def through(self) -> bool:
        """Whether it writes to its arguments."""
        ...

    @property
    def stats(self) -> Stats | None: ...

    def __call__(self, flat: Sequence[Any]) -> Sequence[Any]: ...


@dataclass(frozen=True, slots=True)
class Compiled(Transformed):
    """A function that runs as native code; one compilation for each tree of argument types.

    The compilations are kept in `made`, by types (in `quick` by a key that is found faster, for
    numbers, arrays and plain trees of them); each is valid as long as the functions that
    it has compiled in are what they were. `known` are the types for which more than these is part
    of the programs.
    """

    made: dict[Key, tuple[Ready, Calls]] = field(
        default_factory=dict["Key", "tuple[Ready, Calls]"], compare=False, repr=False
    )
    quick: dict[Quick, tuple[Ready, Calls, Quick]] = field(
        default_factory=dict[Quick, "tuple[Ready, Calls, Quick]"], compare=False, repr=False
    )

    known: dict[Key, Known] = field(default_factory=dict["Key", Known], compare=False, repr=False)

    @property
    def __name__(self) -> str:
        return f"{self.kind}({getattr(self.fun, '__name__', self.fun)})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            found = quick_key(args, kwargs)
            quick = self.quick.get(found[0]) if found is not None else None
            if found is not None and quick is not None and holds(quick[0].traced, quick[2]):
                ready, runner, read = quick
                flat = args if found[1] and not read else ready.traced.flatten(args, kwargs)
                if ready.direct:
                    return runner(flat)[0]
            else:
                ready, runner = self.specialise(args, kwargs)
                flat = ready.traced.flatten(args, kwargs)
                read = quick_hidden(ready.traced.hidden)
                by_values = self.known or self.baked or read is None
                if found is not None and read is not None and not by_values:
                    remember(self.quick, found[0], (ready, runner, read))
            traced = ready.traced
            if (traced.written or traced.apart) and self._shares(ready, runner, flat):
                return self._by_python(args, kwargs)
            if ready.silent:
                show_output(self, args, kwargs, self.how(args, kwargs))
            if runner.through and traced.needs_places:
                return call_with_places(self, ready, runner, flat, args, kwargs)
            results = runner(flat)
            if ready.levels:
                return arrange(ready.base, ready.levels, flat, results)
            if runner.through and traced.written:
                write_back(traced, flat, results)
            out = ready.task.out
            if isinstance(out, LeafSpec):
                return results[0]
            return unflatten(out, iter(results), None, flat)
        except SHOWN as error:
            shorten(error)
            raise

    def specialise(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Ready, Calls]:
        """The compilation for the types of these arguments, made if need be."""

        def specs_of(known: Known) -> Specs:
            return argument_specs(self, args, kwargs, known)

        types, known = self._types(specs_of)
        key = types if known in (Known.TYPES, Known.LISTS) else key_of(specs_of(known))
        found = self.made.get(key)
        if found is not None and found[0].traced.fits():
            return found
        with compiling():
            found = self.made.get(key)
            if found is None or not found[0].traced.fits():
                known, used, found = compiled_for(self, known, specs_of, self._compiled)
                if known:  # lists are not kept by how many items they have
                    self.known[key_of(used) if known is Known.LISTS else types] = known
                self.made[key_of(used)] = found
                if len(self.made) == MANY + 1:
                    warn_of(self, list(self.made))
        return found

    def how(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Known:
        """What of these arguments is part of the program for them."""
        return self._types(lambda known: argument_specs(self, args, kwargs, known))[1]

    def _types(self, specs_of: Callable[[Known], Specs]) -> tuple[Key, Known]:
        """What `known` has for arguments: with lists that may be changed, they have another key."""
        if Known.LISTS in self.known.values():
            opened = key_of(specs_of(Known.LISTS))
            if opened in self.known:
                return opened, self.known[opened]
        types = key_of(specs_of(Known.TYPES))
        return types, self.known.get(types, Known.TYPES)

    @property
    def baked(self) -> bool:
        """Whether values of arguments are part of its programs."""
        inner: object = self
        while isinstance(inner, Transformed):
            if inner.static:
                return True
            inner = inner.fun
        return False

    def _compiled(
        self, specs: tuple[ArgSpec, ...], named: Mapping[str, ArgSpec]
    ) -> tuple[Ready, Calls]:
        # Rows of Jacobians are derivatives in the program, which are paid for one by one.
        way = self.checkpointing if self.kind in ("grad", "value_and_grad") else None
        ready = None if way is not None else obtain(self, specs, named)
        if ready is not None and ready.sized:
            from retrograd.api.saving.saving_within import within_budget

            return ready, within_budget(self, specs, named, ready, plain=_plain(self))
        if ready is not None:
            return ready, Runner(ready.built, _plain(self))
        # The compiler: nothing of this is in the disk cache above tracing.
        from retrograd.api.checkpoint.checkpointed import budgeted

        return budgeted(self, specs, named, way, through=_plain(self))

    def _shares(self, ready: Ready, runner: Calls, flat: Sequence[Any]) -> bool:
        """Whether Python has to do the call, as arrays that it writes to share memory. UserError
        where that has no derivative, and where one is read-only."""
        if not runner.through:
            refuse_sharing(self, ready.traced, flat)
            return False
        _writable(flat, ready.traced.written)
        return shared(ready.traced, flat) is not None

    def _by_python(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The call by Python: native code takes arrays that it writes to be apart from others."""
        warnings.warn(
            f"{self.__name__} writes to an array that overlaps another argument: run by Python",
            RuntimeWarning, stacklevel=3,
        )  # fmt: skip
        with USER_FRAMES:
            return self.fun(*args, **kwargs)

    def stats(self) -> Stats | None:
        """Bytes and compile time of the last call, None before the first.

        `tape_bytes` is the high-water mark of the residuals, `peak_bytes` that of all arrays.
        """
        found = [runner.stats for _, runner in self.made.values() if runner.stats is not None]
        return found[-1] if found else None


def _plain(fun: Transformed) -> bool:
    """Whether it is `jit` all the way down, so that it writes to its arguments as Python does."""
    inner = fun
    while isinstance(inner, Transformed):
        if inner.kind != "jit":
            return False
        inner = inner.fun
    return True


def _writable(flat: Sequence[Any], written: Sequence[int]) -> None:
    """NumPy's error, before anything is run, where a program writes to a read-only array."""
    for position in written:
        if not flat[position].flags.writeable:
            raise ValueError(
                f"assignment destination is read-only: the function writes to array {position} of "
                "its arguments; pass a copy"
            )


@dataclass(frozen=True, slots=True)
class Searching(Compiled):
    """A compiled function that says where a NaN in its results comes from."""

    @shows_user_frames
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = copy.deepcopy((args, kwargs)) if _plain(self) else (args, kwargs)
        found = Compiled.__call__(self, *args, **kwargs)
        numbers = not_finite(found)
        if numbers:
            specs, named = argument_specs(self, *given, self.how(*given))
            from retrograd.api.calls.debugging import find_origin

            find_origin(self, specs, named, *given, numbers)
        return found


def _made(debug_nans: bool) -> type[Compiled]:
    return Searching if debug_nans else Compiled


def not_finite(found: Any) -> list[Any]:
    """The floats and float arrays of a result that have a NaN or an infinity."""
    every = [np.asarray(leaf) for leaf in leaves(spec_of(found), found)]
    return [leaf for leaf in every if leaf.dtype.kind == "f" and not np.isfinite(leaf).all()]


@shows_user_frames
def jit(
    fun: Callable[..., Any], *, static_argnums: Numbers = None, static_argnames: Names = None,
    debug_nans: bool = False, source: str | None = None,
) -> Compiled:  # fmt: skip
    """`fun` as native code, compiled on the first call for each tree of argument types.

    Args:
        fun: a plain Python function of floats, ints, bools, float64/int64/bool arrays of rank 0 to
            3, and tuples, lists, dicts, NamedTuples and frozen dataclasses of them.
        static_argnums, static_argnames: arguments, by position and by name, whose values are part
            of the program: ints, texts, tuples and the like, which have a hash. There is one
            program for each value and type of value (1, 1.0 and True are three).
        debug_nans: whether a call whose results have a NaN or an infinity looks for the first one
            that the program has made, and raises it as an error at its line. Such a call runs once
            more, in native code that looks at every number and takes a few times as long; others
            take no longer than without. What comes from arguments and literals is no error.
        source: the whole text in which `fun` is defined, for a function that is in no file: made by
            `exec`, or typed at a bare prompt. Functions that it calls are looked for there, too.

    Returns:
        A function with the same arguments and results. It writes to array arguments as `fun` does.

    Raises:
        UserError: at the first call, where the program is outside the accepted subset, or a static
            argument has no hash.
        FloatingPointError: with `debug_nans`.

    >>> import numpy as np, retrograd as rg
    >>> rg.jit(lambda x, y: x * y + 1.0)(2.0, 3.0)
    7.0
    >>> rg.jit(lambda x, n: x.reshape(n, -1).ndim, static_argnums=1)(np.ones(6), 3)
    2
    """
    fun = checked(fun, "jit")
    if source is not None:
        fun = with_source(fun, source)
    return _made(debug_nans)("jit", fun, static=static_arguments(static_argnums, static_argnames))


@shows_user_frames
def grad(
    fun: Callable[..., Any], argnums: Numbers = None, has_aux: bool = False,
    memory: int | str | None = None, checkpointing: Checkpointing | None = None,
    resume: Resume | None = None, *, argnames: Names = None, static_argnums: Numbers = None,
    static_argnames: Names = None, debug_nans: bool = False,
) -> Compiled:  # fmt: skip
    """The gradient of a function that returns one float, by reverse mode.

    Args:
        fun: a function as for `jit`. Its arguments are never modified.
        argnums: which positional argument (or arguments) to differentiate with respect to; 0 where
            neither this nor `argnames` is given. Of trees all floats are differentiated.
        has_aux: whether `fun` returns a pair (value, aux) of which the value is differentiated.
        memory: the most bytes that a call may have in arrays, tape and snapshots at any time, as an
            int or a text ("64MB" is 64*10**6, "64MiB" 64*2**20). Where the whole tape would be
            more, parts of the run are done again; the result is the same to the bit. Later calls of
            what is returned expect a run like the last one, and do less again where it is.
        checkpointing: another way to choose what is done again, from `rg.checkpointing`.
        resume: a file (or `rg.durable`) that is written every few seconds. A call that was killed
            continues from it when it is made again, and returns the same bits; the file is removed
            at the end. Without `memory` and `checkpointing` the run has all memory that there is.
        argnames: arguments to differentiate with respect to, by name: a text or a tuple of them.
        static_argnums, static_argnames: as for `jit`.
        debug_nans: as for `jit`: FloatingPointError at the line of the first NaN or infinity, of
            the forward or the reverse sweep. The call that looks for it has a full tape.

    Returns:
        A function of the same arguments that returns the gradient, of the tree and shapes of the
        argument, None for what is no float in it (a tuple for several arguments); with `has_aux` a
        pair (gradient, aux).

    Raises:
        UserError: where an argument to differentiate is no float, the result no scalar, or `memory`
            no number of bytes; at a call, where `memory` is too little, or where the file of
            `resume` is another run's or cannot be written.

    Source of `memory`: Siskind and Pearlmutter 2018, "Divide-and-conquer checkpointing for
    arbitrary programs with no user annotation"; the schedule is in decisions/0011.

    >>> import retrograd as rg
    >>> rg.grad(lambda x: x ** 3.0)(2.0)
    12.0
    >>> def decay(x):
    ...     for _ in range(100_000):
    ...         x = x - 0.0001 * x * x
    ...     return x
    >>> rg.grad(decay, memory="100kB")(0.5) == rg.grad(decay)(0.5)
    True
    """
    fun = checked(fun, "grad")
    way = chosen(memory, checkpointing, resume)
    static = static_arguments(static_argnums, static_argnames)
    which = chosen_arguments(argnums, argnames)
    return _made(debug_nans)("grad", fun, which, bool(has_aux), way, static)


@shows_user_frames
def value_and_grad(
    fun: Callable[..., Any], argnums: Numbers = None, has_aux: bool = False,
    memory: int | str | None = None, checkpointing: Checkpointing | None = None,
    resume: Resume | None = None, *, argnames: Names = None, static_argnums: Numbers = None,
    static_argnames: Names = None, debug_nans: bool = False,
) -> Compiled:  # fmt: skip
    """Value and gradient in one run.

    Args:
        fun, argnums, has_aux, memory, checkpointing, resume, argnames, debug_nans: as for `grad`.
        static_argnums, static_argnames: as for `jit`.

    Returns:
        A function that returns (value, gradient), or ((value, aux), gradient) with `has_aux`.

    Raises:
        UserError: as `grad` does.

    >>> import retrograd as rg
    >>> rg.value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    fun = checked(fun, "value_and_grad")
    way = chosen(memory, checkpointing, resume)
    static = static_arguments(static_argnums, static_argnames)
    which = chosen_arguments(argnums, argnames)
    return _made(debug_nans)("value_and_grad", fun, which, bool(has_aux), way, static)


@shows_user_frames
def jacfwd(
    fun: Callable[..., Any], argnums: Numbers = None, *, argnames: Names = None,
    static_argnums: Numbers = None, static_argnames: Names = None,
) -> Compiled:  # fmt: skip
    """The Jacobian by forward mode, one direction for each element of the argument.

    Args:
        fun: a function as for `jit`; its result is a float, a float array or a tree of them.
        argnums, argnames: as for `grad`.
        static_argnums, static_argnames: as for `jit`.

    Returns:
        A function that returns arrays of shape (result shape) + (argument shape), in the tree of
        the result, and within each leaf in the tree of `argnums`. It takes about as many times as
        long as `fun` as the argument has elements; sixteen directions are calculated at once.

    Raises:
        UserError: where an argument to differentiate is no float, or the result has no floats.

    >>> import numpy as np, retrograd as rg
    >>> rg.jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    fun = checked(fun, "jacfwd")
    static = static_arguments(static_argnums, static_argnames)
    return Compiled("jacfwd", fun, chosen_arguments(argnums, argnames), static=static)


@shows_user_frames
def jacrev(
    fun: Callable[..., Any], argnums: Numbers = None, *, argnames: Names = None,
    static_argnums: Numbers = None, static_argnames: Names = None,
    memory: int | str | None = None, checkpointing: Checkpointing | None = None,
) -> Compiled:  # fmt: skip
    """The Jacobian by reverse mode, one direction for each element of the result.

    Args:
        fun: a function as for `jit`; its result is a float, a float array or a tree of them.
        argnums, argnames: as for `grad`.
        static_argnums, static_argnames: as for `jit`.
        memory, checkpointing: as for `grad`, for the reverse sweep of each row, besides the result.

    Returns:
        A function that returns what that of `jacfwd` does, in a time that grows with the elements
        of the result.

    Raises:
        UserError: where an argument to differentiate is no float, or the result has no floats.

    >>> import numpy as np, retrograd as rg
    >>> rg.jacrev(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    fun = checked(fun, "jacrev")
    static = static_arguments(static_argnums, static_argnames)
    way = chosen(memory, checkpointing, None)
    return Compiled("jacrev", fun, chosen_arguments(argnums, argnames), False, way, static)


@shows_user_frames
def hessian(
    fun: Callable[..., Any], argnums: Numbers = None, *, argnames: Names = None,
    static_argnums: Numbers = None, static_argnames: Names = None,
    memory: int | str | None = None, checkpointing: Checkpointing | None = None,
) -> Compiled:  # fmt: skip
    """The second derivative: `jacfwd` of `jacrev`.

    Args:
        fun: a function as for `jit`; its result is a float, a float array or a tree of them.
        argnums, argnames: as for `grad`.
        static_argnums, static_argnames: as for `jit`.
        memory, checkpointing: as for `grad`, for the reverse sweep of each row, besides the result.

    Returns:
        A function that returns arrays of the result's shape + the argument's shape, twice. Of n
        elements it takes about n times as long as a gradient; `hvp` takes as long as a few.

    Raises:
        UserError: where an argument to differentiate is no float, or the result has no floats.

    >>> import numpy as np, retrograd as rg
    >>> rg.hessian(lambda x: x[0] * x[0] * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    fun = checked(fun, "hessian")
    static = static_arguments(static_argnums, static_argnames)
    way = chosen(memory, checkpointing, None)
    return Compiled("hessian", fun, chosen_arguments(argnums, argnames), False, way, static)

"""Policies: what of a checkpointed function is saved for the reverse sweep, as data.

A policy is asked about each value, which it sees as a `Residual`, and gives an `Answer`. In
programs it is a text, which `policy_named` reads back. The names are those of JAX's
`jax.checkpoint_policies`; `retrograd.options.checkpoint_policies` has them for users.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, cast

from retrograd.errors import CompilerBug, UserError
from retrograd.options.checkpointing import Checkpointing

__all__ = [
    "BATCHED", "BUDGET", "DOTS", "EVERY", "NUMBERED", "Answer", "Decision", "Offloadable", "Policy",
    "Residual", "custom", "policy_named", "policy_of",
]  # fmt: skip


class Answer(Enum):
    """What is to become of a value: saved where the reverse sweep reads it, never saved, or what
    retrograd would choose without a policy."""

    SAVE = "save"
    RECOMPUTE = "recompute"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Residual:
    """One value that a derivative keeps, or may keep, between its two sweeps.

    What is not known before the program runs is None.

    Attributes:
        primitive: the operation that gives it, as in docs/prims.md; "argument" for an argument.
        dtype: "f64", "i64" or "bool".
        shape: its extents, () for a number.
        bytes: what it takes, once.
        cost: what calculating one element of it takes, in additions; of a product one term.
        batched: whether it is one of several products that one operation of NumPy's gives.
        names: those that `rg.checkpoint_name` has given to it.
        line, expression, function: where it is calculated in the user's file, what stands there,
            and the function that this is in. What a loop carries or branches give is calculated
            where it is assigned.
        times: how many of it there are, in loops.
        file: the user's file.
        total: the bytes of all of them, which may differ.

    >>> import retrograd as rg
    >>> rg.Residual("sin", "f64", (3, 4), bytes=96).shape
    (3, 4)
    """

    primitive: str
    dtype: str = "f64"
    shape: tuple[int, ...] | None = None
    bytes: int | None = None
    cost: float | None = None
    batched: bool = False
    names: tuple[str, ...] = ()
    line: int | None = None
    expression: str = ""
    times: int | None = None
    function: str = ""
    file: str = ""
    total: int | None = None


BATCHED = "\1batched"
"""The name, which no user gives, of one of several products that one operation gives."""

_MEMORY = frozenset(("device", "pinned_host", "unpinned_host"))
"""JAX's kinds of memory, which are all one here."""


@dataclass(frozen=True, slots=True)
class Offloadable:
    """The answer of a policy that a value is saved, outside of memory if it is large.

    Attributes:
        src: where the value is; not looked at.
        dst: a folder, to whose disk arrays of 64 KiB and more are moved; or one of JAX's kinds of
            memory ("device", "pinned_host", "unpinned_host"), which leaves all in memory.

    >>> import retrograd as rg
    >>> rg.checkpoint_policies.Offloadable("device", "/scratch").folder
    '/scratch'
    """

    src: str
    dst: str | os.PathLike[str]

    @property
    def folder(self) -> str | None:
        """The folder that `dst` names, None for a kind of memory."""
        place = os.fspath(self.dst)
        return None if place in _MEMORY else place


Decision = Answer | Offloadable
"""What a policy says of a value. What is offloadable is saved."""


DOTS = frozenset(("matmul",))
"""The primitives that sum products: what `np.dot`, `@`, `np.matmul`, `np.einsum` and the like are
made of."""

_NAMED = (
    "save_anything_except_these_names", "save_any_names_but_these", "save_only_these_names",
)  # fmt: skip
_PLAIN = (
    "everything_saveable", "nothing_saveable", "dots_saveable", "dots_with_no_batch_dims_saveable",
)  # fmt: skip
_BOTH, _OFFLOADED = "save_from_both_policies", "save_and_offload_only_these_names"
_OFFLOADED_DOTS = "offload_dot_with_no_batch_dims"
BUDGET, EVERY, NUMBERED = "budget", "save_every_value", "save_only_these_numbers"
"""A number of bytes, which saves nothing until sizes are known; and what it becomes to find out
what there is to save, and when that has been chosen."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be saved; made by the functions of `rg.checkpoint_policies`.

    `names` are those that it is about; `parts` the two policies of `save_from_both_policies`, the
    names to save and to offload, or the two kinds of memory. `function` is the user's own.
    """

    kind: str
    names: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    both: tuple[Policy, ...] = ()
    function: Callable[[Residual], object] | None = field(default=None, compare=False)
    known: dict[Residual, Decision] = field(
        default_factory=dict["Residual", "Decision"], compare=False, repr=False
    )

    @property
    def text(self) -> str:
        """What programs call it; equal texts are equal policies."""
        given: list[object] = [*self.names, *map(list, self.parts), *(p.text for p in self.both)]
        return self.kind + (json.dumps(given) if given else "")

    def __reduce__(self) -> tuple[Callable[..., Policy], tuple[object, ...]]:
        """The number of a user's policy is another one in another process."""
        if self.function is not None:
            return custom, (self.function,)
        if self.both:
            return _of_both, self.both
        return policy_named, (self.text,)

    def every(self) -> Iterator[Policy]:
        """The policy and those that it is made of."""
        yield self
        for part in self.both:
            yield from part.every()

    def every_name(self) -> Iterator[str]:
        """The names that it, or one that it is made of, is about."""
        for policy in self.every():
            if policy.kind != NUMBERED:
                yield from policy.names
            if policy.kind == _OFFLOADED:
                yield from (name for names in policy.parts[:2] for name in names)

    def answer(self, residual: Residual) -> Answer:
        """What is to become of a value, wherever it is saved. Raises what a call does."""
        found = self(residual)
        return Answer.SAVE if isinstance(found, Offloadable) else found

    def folder(self, residual: Residual) -> str | None:
        """Where a value is moved to, if it is saved; None for memory. Raises what a call does."""
        found = self(residual)
        return found.folder if isinstance(found, Offloadable) else None

    def __call__(self, residual: Residual) -> Decision:
        """What is to become of a value; a user's policy can ask another one so.

        Raises:
            UserError: a user's policy gives no answer that there is, or two for equal records. What
                such a policy raises comes through.
        """
        named = any(name in self.names for name in residual.names)
        match self.kind:
            case "everything_saveable":
                return Answer.AUTO
            case "nothing_saveable" | "budget":
                return Answer.RECOMPUTE
            case "dots_saveable":
                return _saved(residual.primitive in DOTS)
            case "dots_with_no_batch_dims_saveable":
                return _saved(residual.primitive in DOTS and not residual.batched)
            case "save_anything_except_these_names":
                return Answer.RECOMPUTE if named else Answer.AUTO
            case "save_any_names_but_these":
                return _saved(any(name not in self.names for name in residual.names))
            case "save_only_these_names" | "save_only_these_numbers":
                return _saved(named)
            case "save_from_both_policies":
                return min((part(residual) for part in self.both), key=_rank)
            case "save_every_value":
                return Answer.SAVE
            case "offload_dot_with_no_batch_dims" | "save_and_offload_only_these_names":
                return self._offloaded(residual)
            case _:
                return self._asked(residual)

    def _offloaded(self, residual: Residual) -> Decision:
        """The answer of a policy that moves what it saves."""
        if self.kind == _OFFLOADED_DOTS:
            moved = residual.primitive in DOTS and not residual.batched
        elif not set(self.parts[0]).isdisjoint(residual.names):
            return Answer.SAVE
        else:
            moved = not set(self.parts[1]).isdisjoint(residual.names)
        return Offloadable(*self.parts[-1]) if moved else Answer.RECOMPUTE

    def _asked(self, residual: Residual) -> Decision:
        """The answer of the user's function, which is asked twice about a record, and then never
        again."""
        if self.function is None:
            raise CompilerBug(f"no policy {self.kind!r}")
        found = self.known.get(residual)
        if found is None:
            found = _as_answer(self.function, residual)
            if _as_answer(self.function, residual) != found:
                raise UserError(
                    "RG4101", f"the policy {_name(self.function)!r} answers differently when it is "
                    "asked again about the same value",
                    way_out="decide by the record alone: policy(residual)",
                )  # fmt: skip
            self.known[residual] = found
        return found


def _saved(saved: bool) -> Answer:
    return Answer.SAVE if saved else Answer.RECOMPUTE


def _rank(decision: Decision) -> int:
    """What counts of two decisions is the lower one."""
    match decision:
        case Answer.SAVE:
            return 0
        case Offloadable():
            return 1
        case Answer.AUTO:
            return 2
        case Answer.RECOMPUTE:
            return 3


def _as_answer(function: Callable[[Residual], object], residual: Residual) -> Decision:
    answer = function(residual)
    match answer:
        case Answer():
            return answer
        case bool():
            return _saved(answer)
        case Offloadable() if _is_path(answer.dst):
            return answer
        case _ if type(answer).__module__ == "numpy" and type(answer).__name__.startswith("bool"):
            return _saved(bool(answer))
        case _:
            raise UserError(
                "RG4101", f"the policy {_name(function)!r} answers {answer!r} about the result of "
                f"{residual.primitive!r}",
                way_out="return True or False, or Saveable, Recompute, AUTO or Offloadable of "
                "rg.checkpoint_policies",
            )  # fmt: skip


def _is_path(place: object) -> bool:
    """Whether something is a path as a text, or has one."""
    if isinstance(place, os.PathLike):
        place = os.fspath(cast("os.PathLike[Any]", place))
    return isinstance(place, str)


def _name(function: object) -> str:
    name: object = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


@dataclass(frozen=True, slots=True)
class _Customs:
    """The users' policies, by the texts that programs have for them, which are those of this
    process only, and by the `id` of the function."""

    by_text: dict[str, Policy] = field(default_factory=dict[str, Policy])
    by_function: dict[int, Policy] = field(default_factory=dict[int, Policy])


_CUSTOMS = _Customs()


def custom(function: Callable[[Residual], object]) -> Policy:
    """The policy that asks a user's function, one for each function."""
    found = _CUSTOMS.by_function.get(id(function))
    if found is None:
        kind = f"custom {len(_CUSTOMS.by_text)} {_name(function)}"
        found = Policy(kind, function=function)
        _CUSTOMS.by_text[kind] = _CUSTOMS.by_function[id(function)] = found
    return found


def _of_both(*both: Policy) -> Policy:
    return Policy(_BOTH, both=both)


def policy_of(given: object) -> Policy:
    """What `policy=` of `rg.checkpoint` says; None is `nothing_saveable`.

    Raises:
        UserError: it is no policy and no function.
    """
    if given is None:
        return Policy("nothing_saveable")
    if isinstance(given, Policy):
        return given
    if callable(given):
        return custom(cast("Callable[[Residual], object]", given))
    if isinstance(given, Checkpointing):
        own = f"rg.checkpointing.{given.kind}"
        raise UserError(
            "RG4102", f"policy= is given a schedule ({own}), which divides the time of a run",
            way_out=f"pass it to a derivative, checkpointing={own}(...), or choose among values: "
            "policy=rg.checkpoint_policies.budget(...)",
        )  # fmt: skip
    raise UserError(
        "RG4102", f"policy={given!r} is no policy",
        way_out="use one of rg.checkpoint_policies, or a function of a residual",
    )  # fmt: skip


def policy_named(text: str) -> Policy:
    """The policy of that text."""
    if text in _CUSTOMS.by_text:
        return _CUSTOMS.by_text[text]
    kind, bracket, rest = text.partition("[")
    given: list[Any] = json.loads(bracket + rest) if bracket else []
    if kind in _PLAIN and not given:
        return Policy(kind)
    if kind in (BUDGET, EVERY, NUMBERED):
        numbers = tuple(item for item in given if isinstance(item, str))
        return Policy(
            kind, numbers, tuple(tuple(cast("list[str]", i)) for i in given if isinstance(i, list))
        )
    if kind in _NAMED:
        return Policy(kind, names=tuple(given))
    if kind == _BOTH:
        return Policy(kind, both=tuple(map(policy_named, given)))
    if kind in (_OFFLOADED, _OFFLOADED_DOTS):
        return Policy(kind, parts=tuple(map(tuple, given)))
    raise CompilerBug(f"no policy {text!r}")

"""What each line of a program costs that its text does not show.

Everything is read off the programs that are compiled: the loops before anything is derived, copies
and checks in what plain machine code is made from, and the residuals in the sweeps of a gradient.
How many bytes a line has on the tape is counted by a program that is made from the forward sweep.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retrograd.api.calls.sharing import refuse_sharing
from retrograd.api.compile.derive import pullback_task
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.api.functions import checked
from retrograd.errors import Span
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.named_constants import constant_extents
from retrograd.frontend.identity.specs import specs_of
from retrograd.ir.terms import Atom, Block, Call, For, If, Prim, Program, Stm, While
from retrograd.ir.traverse import blocks, stms_deep
from retrograd.prims.core import Effect
from retrograd.report.explanation import Explanation, Finding, Line
from retrograd.report.loops import loops
from retrograd.report.residuals import nothing, residuals_of
from retrograd.tracebacks import shows_user_frames
from retrograd.transforms.analysis.effects import prim_effect, reachable
from retrograd.transforms.analysis.loop_kinds import Kind
from retrograd.transforms.driver import PLAIN

__all__ = ["explain"]


@shows_user_frames
def explain(fun: Callable[..., Any], *args: Any) -> Explanation:
    """Says of each line of a program what it costs that its text does not show.

    Of a loop whether it is a map, a reduction or serial, and whether anything keeps it out of
    vector registers; which arrays are copied; what is checked at run time, since nothing proves it;
    and what a gradient of the function has on its tape, in bytes and for what.

    A program that counts what the forward sweep records runs once on the arguments; lines
    count with what is inlined into them.

    Args:
        fun: a function as for `jit`.
        args: its arguments.

    Returns:
        An `Explanation`, which `print` shows as a table.

    Raises:
        UserError: where the program is outside the accepted subset.

    >>> import math, retrograd as rg
    >>> def swing(x):
    ...     for _ in range(1000):
    ...         x = x + 0.01 * math.sin(x)
    ...     return x
    >>> found = rg.explain(swing, 0.5)
    >>> found.tape_bytes, [line.text for line in found.of("taped")]
    (8000, ['x = x + 0.01 * math.sin(x)'])
    """
    fun = checked(fun, "explain")
    notes = _Notes()
    specs = specs_of(args, constant_extents(fun))
    kinds: dict[Span | None, Kind] = {}
    for loop in loops(fun, args):
        notes.add(loop.prov.span, loop.kind.value, loop.why)
        kinds[loop.prov.span] = loop.kind
    primal = prepare(fun, specs, {}, derivative=False)
    _of_program(PLAIN.run(primal.task.program, known()), notes, kinds)
    total = _of_gradient(fun, args, notes)
    name = getattr(fun, "__name__", str(fun))
    return Explanation(name, notes.lines(), total)


@dataclass(slots=True)
class _Notes:
    """Findings by file and line, none twice."""

    found: dict[tuple[str, int], dict[Finding, None]] = field(
        default_factory=dict["tuple[str, int]", "dict[Finding, None]"]
    )

    def add(self, span: Span | None, kind: str, why: str, size: int | None = None) -> None:
        if span is not None:
            self.found.setdefault((span.file, span.line), {})[Finding(kind, why, size)] = None

    def lines(self) -> tuple[Line, ...]:
        return tuple(
            Line(file, line, linecache.getline(file, line).strip(), tuple(self.found[file, line]))
            for file, line in sorted(self.found)
        )


# The primal.


def _of_program(program: Program, notes: _Notes, kinds: Mapping[Span | None, Kind]) -> None:
    kept = reachable(program)
    vectors: dict[Span, str | None] = {}
    for function in program.functions:
        if function.name not in kept:
            continue
        for stm, inside in _with_loops(function.body, 0):
            if isinstance(stm.expr, Prim):
                _of_statement(stm, stm.expr, inside, function.params, notes)
            elif isinstance(stm.expr, For | While) and stm.prov.span is not None:
                why = _scalar_only(stm.expr, kinds.get(stm.prov.span))
                if why is not None or stm.prov.span not in vectors:
                    vectors[stm.prov.span] = why
    for span, why in vectors.items():
        if why:
            notes.add(span, "not vectorised", why)


def _with_loops(block: Block, depth: int) -> Iterator[tuple[Stm, int]]:
    """Every statement, with the number of loops around it in its function."""
    for stm in block.stms:
        yield stm, depth
        inner = depth + isinstance(stm.expr, For | While)
        for one in blocks(stm.expr):
            yield from _with_loops(one, inner)


def _of_statement(stm: Stm, expr: Prim, inside: int, params: Sequence[Atom], notes: _Notes) -> None:
    span = stm.prov.span
    if prim_effect(expr, known()) is Effect.CHECK:
        place = dict(expr.params).get("span")
        where = "in each iteration" if inside else "once"
        notes.add(place if isinstance(place, Span) else span, "checked", f"{_check(expr)}, {where}")
    elif expr.op == "copy" and not stm.prov.via:
        notes.add(span, "copied", _copy(span, expr.args[0] in params))


def _check(expr: Prim) -> str:
    """What a check is about."""
    params = dict(expr.params)
    facts = known()[expr.op].facts
    if facts.access is not None or expr.op == "check_index":
        return "IndexError: nothing proves that the index is in bounds"
    if isinstance(facts.held, str):
        return "OverflowError: nothing proves that the int stays in 64 bits"
    message = params.get("message")
    text = message.replace("{0}", "..").replace("{1}", "..") if isinstance(message, str) else ""
    kind = params.get("kind", "ValueError")
    return f"{kind}: {text}" if text else f"{kind}"


def _copy(span: Span | None, argument: bool) -> str:
    text = linecache.getline(span.file, span.line) if span is not None else ""
    if any(word in text for word in ("copy(", "array(", "flatten(")):
        return "an array, as the line says"
    if argument:
        return "an argument, whose memory is not this loop's to write to"
    return "an array whose memory is written to later, and that is needed as it was"


def _scalar_only(expr: For | While, kind: Kind | None) -> str | None:
    """Why the iterations of a loop do not go into vector registers; None where nothing is known to
    keep them out, and of loops around others, "" where it is said already."""
    if isinstance(expr, While):
        return "" if kind is not None else None
    every = list(stms_deep(expr.body))
    if any(isinstance(stm.expr, For | While) for stm in every):
        return ""
    for stm in every:
        if isinstance(stm.expr, Call):
            return "an iteration calls a function that is not inlined"
        if isinstance(stm.expr, Prim) and prim_effect(stm.expr, known()) is Effect.CHECK:
            line = "" if stm.prov.span is None else f" of line {stm.prov.span.line}"
            return f"an iteration has a check{line}"
        if isinstance(stm.expr, If) and any(_writes(b) for b in blocks(stm.expr)):
            return "an iteration writes to an array on one side of a branch"
    if kind is Kind.SERIAL:
        return "the loop is serial"
    if kind is Kind.REDUCTION and not expr.sums and any(v.type.is_scalar for v in expr.carried):
        return "its order is Python's; np.sum and rg.reduce put parts together in vectors"
    return None


def _writes(block: Block) -> bool:
    prims = known()
    return any(
        isinstance(stm.expr, Prim) and prims[stm.expr.op].facts.writes for stm in stms_deep(block)
    )


# The gradient.


def _of_gradient(fun: Callable[..., Any], args: Sequence[Any], notes: _Notes) -> int | None:
    """Notes what a gradient records and copies; the bytes of its tape."""
    specs = specs_of(args, constant_extents(fun))
    prepared = prepare(fun, specs, {}, derivative=True)
    inner = prepared.task
    given = [type_ for spec in inner.args for type_ in leaf_types(spec)]
    made = [type_ for type_ in leaf_types(inner.out)]
    if not any(t.is_float for t in given) or not any(t.is_float for t in made):
        return None
    task = pullback_task(inner)
    program = PLAIN.run(task.program, known())
    flat = prepared.traced.flatten(args)
    refuse_sharing(fun, prepared.traced, flat)
    _copies(program, notes)
    first, params = len(given), task.main.params
    made_of = params[first : first + len(params) - len(flat)]
    every = [*flat[:first], *map(nothing, made_of), *flat[first:]]
    found, total = residuals_of(task, program, every, made_of)
    for one in found:
        what = ", ".join(one.what)
        needed = f", for {'; '.join(one.readers[:2])}" if one.readers else ""
        notes.found.setdefault(one.place, {})[Finding("taped", f"{what}{needed}", one.bytes)] = None
    return total


def _copies(program: Program, notes: _Notes) -> None:
    kept = reachable(program)
    for function in program.functions:
        for stm in stms_deep(function.body) if function.name in kept else ():
            if isinstance(stm.expr, Prim) and stm.expr.op == "copy":
                why = _copied_for(stm, stm.expr.args[0] in program.main.params)
                if why is not None:
                    notes.add(stm.prov.span, "copied", why)


def _copied_for(stm: Stm, argument: bool) -> str | None:
    """Why the sweeps of a gradient copy an array; None of copies that the primal makes as well."""
    if "vjp" in stm.prov.via:
        if argument:
            return "an argument that is written to, which derivatives leave as it is"
        return "a cotangent that is used twice, in the reverse sweep"
    if "_kept" in stm.outs[0].name:
        return "an array that is overwritten later, for the reverse sweep"
    return None

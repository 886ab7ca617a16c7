"""The text of the LLVM functions that a program needs.

`@rg_NAME` is always an `alwaysinline` function of scalars. It holds the code itself, or, with
`inline=False` and for functions with a scalar routine for rare arguments, a call of an out-of-line
copy. That call names the vector variants of the copy, and the loop vectoriser uses them; so loops
with such calls are vectorised too. All copies come from one writer and give the same bits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Final

from retrograd.backends.llvm.math.builder import Body, Float
from retrograd.backends.llvm.math.kernels import KERNELS, Kernel, Rare
from retrograd.backends.llvm.math.trigonometry import huge_quadrant
from retrograd.errors import CompilerBug

__all__ = ["MathText", "emit", "emit_apart", "emit_parts", "math_functions"]

PURE: Final = "nounwind willreturn memory(none) speculatable"
UNLIKELY: Final = '!{!"branch_weights", i32 1, i32 100000}'
# Not for every argument: the table of digits is read in bounds for huge arguments only.
RARE: Final = "nounwind willreturn memory(none)"


@dataclass(frozen=True, slots=True)
class MathText:
    """Definitions, and the declarations that they need (one line each, none twice)."""

    definitions: tuple[str, ...]
    declarations: frozenset[str]


def math_functions() -> Mapping[str, str]:
    """The primitives that have a function here, and its name."""
    return MappingProxyType({name: f"rg_{name}" for name in KERNELS})


@dataclass(frozen=True, slots=True)
class _Collector:
    definitions: list[str] = field(default_factory=list[str])
    declarations: set[str] = field(default_factory=set[str])

    def function(self, head: str, body: Body, tail: Sequence[str]) -> None:
        """Adds a definition made of a header, straight-line code and closing lines."""
        self.declarations.update(body.declarations)
        self.definitions.append("\n".join([f"define {head} {{", *body.lines, *tail, "}"]))


def _arguments(body: Body, kernel: Kernel) -> tuple[Float, ...]:
    return tuple(Float(body, name) for name in ("%x", "%y")[: kernel.arity])


def _list(type_: str, names: Iterable[str]) -> str:
    return ", ".join(f"{type_} {name}" for name in names)


def _copy_name(kernel: Kernel, lanes: int) -> str:
    return f"rg_{kernel.name}_{lanes}"


def _inline(out: _Collector, kernel: Kernel) -> None:
    body = Body()
    args = _arguments(body, kernel)
    result = kernel.write(body, *args)
    params = _list("double", (arg.text for arg in args))
    out.function(
        f"internal double @rg_{kernel.name}({params}) alwaysinline {PURE}",
        body,
        [f"  ret double {result.text}"],
    )


def _copy(out: _Collector, kernel: Kernel, lanes: int) -> None:
    """An out-of-line copy for some number of lanes.

    Not `internal`: vector copies have no caller before the vectoriser runs, and of the scalar copy
    LLVM would drop a parameter that all calls agree on, so that its vector variants no longer fit.
    """
    body = Body(lanes)
    args = _arguments(body, kernel)
    result = kernel.write(body, *args)
    params = _list(body.f64, (arg.text for arg in args))
    head = f"weak_odr hidden {body.f64} @{_copy_name(kernel, lanes)}({params}) noinline {PURE}"
    if kernel.rare is None:
        out.function(head, body, [f"  ret {body.f64} {result.text}"])
        return
    test = kernel.rare.test(body, *args).text
    operands = [arg.text for arg in args]
    callee = f"@rg_{kernel.name}_rare"
    call = f"call double {callee}({_list('double', operands)})"
    if lanes > 1:
        reduce = f"@llvm.vector.reduce.or.v{lanes}i1"
        out.declarations.add(f"declare i1 {reduce}({body.i1})")
        any_lane = body.emit(f"call i1 {reduce}({body.i1} {test})")
        lanes_args = f"{_list(body.f64, operands)}, {body.f64} {result.text}, {body.i1} {test}"
        call = f"call {body.f64} {callee}_{lanes}({lanes_args})"
        test = any_lane
    out.function(head, body, [
        f"  br i1 {test}, label %rare, label %usual, !prof {UNLIKELY}",
        "usual:",
        f"  ret {body.f64} {result.text}",
        "rare:",
        f"  %fixed = {call}",
        f"  ret {body.f64} %fixed",
    ])  # fmt: skip


def _rare(out: _Collector, kernel: Kernel, rare: Rare) -> None:
    """The scalar routine."""
    body = Body()
    args = _arguments(body, kernel)
    result = rare.write(body, *args)
    params = _list("double", (arg.text for arg in args))
    head = f"internal double @rg_{kernel.name}_rare({params}) cold noinline {RARE}"
    out.function(head, body, [f"  ret double {result.text}"])


def _rare_lanes(out: _Collector, kernel: Kernel, lanes: int) -> None:
    """Replaces the lanes for which the test holds by what the scalar routine gives."""
    vector, mask = Body(lanes).f64, Body(lanes).i1
    names = ("%x", "%y")[: kernel.arity]
    items = [f"%item{k}" for k in range(kernel.arity)]
    params = f"{_list(vector, names)}, {vector} %usual, {mask} %test"
    out.function(
        f"internal {vector} @rg_{kernel.name}_rare_{lanes}({params}) cold noinline {RARE}",
        Body(),
        [
            "entry:",
            "  br label %lane",
            "lane:",
            "  %k = phi i64 [ 0, %entry ], [ %next, %after ]",
            f"  %so_far = phi {vector} [ %usual, %entry ], [ %merged, %after ]",
            f"  %hit = extractelement {mask} %test, i64 %k",
            "  br i1 %hit, label %fix, label %after",
            "fix:",
            *(
                f"  {item} = extractelement {vector} {name}, i64 %k"
                for item, name in zip(items, names, strict=True)
            ),
            f"  %fixed = call double @rg_{kernel.name}_rare({_list('double', items)})",
            f"  %replaced = insertelement {vector} %so_far, double %fixed, i64 %k",
            "  br label %after",
            "after:",
            f"  %merged = phi {vector} [ %so_far, %lane ], [ %replaced, %fix ]",
            "  %next = add i64 %k, 1",
            f"  %more = icmp ult i64 %next, {lanes}",
            "  br i1 %more, label %lane, label %done",
            "done:",
            f"  ret {vector} %merged",
        ],
    )


def _wrapper(out: _Collector, kernel: Kernel, widths: Sequence[int]) -> None:
    names = ("%x", "%y")[: kernel.arity]
    scalar = _copy_name(kernel, 1)
    variants = ",".join(
        f"_ZGV_LLVM_N{lanes}{'v' * kernel.arity}_{scalar}({_copy_name(kernel, lanes)})"
        for lanes in widths
    )
    attribute = f' "vector-function-abi-variant"="{variants}"' if widths else ""
    out.function(
        f"internal double @rg_{kernel.name}({_list('double', names)}) alwaysinline {PURE}",
        Body(),
        [
            f"  %r = call double @{scalar}({_list('double', names)}) "
            f"nounwind willreturn memory(none){attribute}",
            "  ret double %r",
        ],
    )


def _out_of_line(out: _Collector, kernel: Kernel, widths: Sequence[int]) -> None:
    _wrapper(out, kernel, widths)
    for lanes in (1, *widths):
        _copy(out, kernel, lanes)
    if kernel.rare is not None:
        _rare(out, kernel, kernel.rare)
        for lanes in widths:
            _rare_lanes(out, kernel, lanes)


def _text(out: _Collector) -> str:
    return "\n".join([*sorted(out.declarations), "", *out.definitions, ""])


@cache
def _copies(name: str, widths: tuple[int, ...]) -> tuple[str, tuple[str, ...]]:
    """The copies of a function as a module of their own, and the declarations of them."""
    kernel, out = KERNELS[name], _Collector()
    for lanes in (1, *widths):
        _copy(out, kernel, lanes)
    heads = [text.split(" {", 1)[0].removeprefix("define ") for text in out.definitions]
    if kernel.rare is not None:
        _rare(out, kernel, kernel.rare)
        for lanes in widths:
            _rare_lanes(out, kernel, lanes)
        if kernel.rare.needs_digits:
            text, declarations = huge_quadrant()
            out.definitions.append(text)
            out.declarations.update(declarations)
    declared = [re.sub(" %[xy]| noinline|weak_odr hidden ", "", head) for head in heads]
    return _text(out), tuple(f"declare {head} nofree nosync" for head in declared)


def emit_apart(
    names: Iterable[str], widths: tuple[int, ...] = (2, 4, 8)
) -> tuple[str, tuple[str, ...]]:
    """The text for a module, and texts of modules to be linked with it.

    What is not inlined has a module of its own for each function, which is the same for all
    programs.
    """
    out, modules, used = _Collector(), list[str](), list[str]()
    for name in sorted(set(names)):
        kernel = KERNELS.get(name)
        if kernel is None:
            raise CompilerBug(f"no elementary function {name!r} for the machine code")
        if kernel.rare is None:
            _inline(out, kernel)
            continue
        _wrapper(out, kernel, widths)
        text, declared = _copies(name, widths)
        modules.append(text)
        out.declarations.update(declared)
        used += [f"ptr @{_copy_name(kernel, lanes)}" for lanes in widths]
    if used:
        # The vectoriser looks for declarations, which nothing has called until then.
        kept = f"appending global [{len(used)} x ptr] [{', '.join(used)}]"
        out.definitions.append(f'@llvm.compiler.used = {kept}, section "llvm.metadata"')
    return _text(out), tuple(modules)


def emit_parts(
    names: Iterable[str], *, inline: bool = True, widths: Sequence[int] = (2, 4, 8)
) -> MathText:
    """Definitions of `@rg_NAME` for some primitives, and what they declare.

    `widths` are the vector lengths for which out-of-line copies exist. A loop vectorised with
    another length would call the scalar copy lane by lane.
    """
    out = _Collector()
    needs_digits = False
    for name in sorted(set(names)):
        kernel = KERNELS.get(name)
        if kernel is None:
            raise CompilerBug(f"no elementary function {name!r} for the machine code")
        if inline and kernel.rare is None:
            _inline(out, kernel)
        else:
            _out_of_line(out, kernel, widths)
        needs_digits = needs_digits or (kernel.rare is not None and kernel.rare.needs_digits)
    if needs_digits:
        text, declarations = huge_quadrant()
        out.definitions.append(text)
        out.declarations.update(declarations)
    return MathText(tuple(out.definitions), frozenset(out.declarations))


def emit(names: Iterable[str], *, inline: bool = True, widths: Sequence[int] = (2, 4, 8)) -> str:
    """The same as one text."""
    parts = emit_parts(names, inline=inline, widths=widths)
    return "\n".join([*sorted(parts.declarations), "", *parts.definitions, ""])

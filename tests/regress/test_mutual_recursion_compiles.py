"""The time to compile `grad` of N functions that call each other grew exponentially with N.

What a function records was estimated along every way of calls, and each function of the recursion
repeated the iterations of all the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from retrograd.ir.names import NameSupply
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Function, Program
from retrograd.ir.traverse import names_of
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.vjp import lower_vjp_nodes
from retrograd.transforms.ad.vjp.estimates import Estimates
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import POINTS


def calling_each_other(count: int) -> Program:
    """Functions that all call each other; each needs more of its parameters than the one before."""
    lines = [
        "program main", "", "function main(x: f64, k: i64) -> (f64, f64):",
        "  y: f64, x_bar: f64 = vjp f0(x, k; cotangents=(1.0), wrt=(0))",
        "  return y, x_bar", "",
    ]  # fmt: skip
    for i in range(count):
        lines += [f"function f{i}(x: f64, k: i64) -> (f64):", "  ended: bool = le(k, 0)"]
        lines += ["  r: f64 = if ended:", "      s: f64 = sin(x)", "      yield s", "    else:"]
        lines += ["      y0: f64 = mul(x, x)"]
        for j in range(count):
            lines += [f"      k{j}: i64 = sub(k, {j + 1})"]
            lines += [f"      z{j}: f64 = call f{j}(y{j}, k{j})"]
            lines += [f"      y{j + 1}: f64 = mul(y{j}, z{j})"]
        lines += [f"      yield y{count}", "  return r", ""]
    return parse_program("\n".join(lines))


class Counted(NameSupply):
    """Counts the reverse functions that are begun."""

    begun = 0

    def name(self, hint: str) -> str:
        self.begun += hint.endswith("_rev")
        return super().name(hint)


class Seen(Mapping[str, Function]):
    """Counts how often functions are looked at."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self.functions = functions
        self.looks = 0

    def __getitem__(self, name: str) -> Function:
        self.looks += 1
        return self.functions[name]

    def __contains__(self, name: object) -> bool:
        return name in self.functions

    def __iter__(self) -> Iterator[str]:
        return iter(self.functions)

    def __len__(self) -> int:
        return len(self.functions)


def lowered(count: int) -> tuple[Program, int]:
    program = run_pipeline(POINTS, calling_each_other(count), DEFAULT, check=True)
    taken = {name for f in program.functions for name in (f.name, *names_of(f))}
    names = Counted(frozenset(taken))
    found = lower_vjp_nodes(program, names, DEFAULT)
    return found, names.begun


def test_each_function_is_swept_a_few_times() -> None:
    _, few = lowered(2)
    _, begun = lowered(8)
    assert few <= 2 * 3
    assert begun <= 8 * 8


def test_each_function_is_estimated_once() -> None:
    program, _ = lowered(6)
    table = {f.name: f for f in program.functions}
    seen = Seen(table)
    estimates = Estimates(seen, DEFAULT.costs.extent)
    assert estimates.recorded(table[program.entry].body) > 0.0
    assert seen.looks <= len(table)
    estimates.again(table[program.entry].body)
    assert seen.looks <= 3 * len(table)

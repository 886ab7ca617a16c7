"""Whole programs: imports, globals, helpers, the entry function and its arguments."""

from __future__ import annotations

import ast

from hypothesis import strategies as st

from tests.random.programs.arrays import Arrays
from tests.random.programs.choices import HypothesisSource, SeededSource, Source
from tests.random.programs.faults import Faults
from tests.random.programs.features import PLAIN, Features
from tests.random.programs.functions import Functions
from tests.random.programs.model import ACCUMULATED, Slot, Var
from tests.random.programs.module import RandomProgram
from tests.random.programs.scalars import Scalars
from tests.random.programs.statements import Statements

__all__ = ["Generator", "from_seed", "generate", "programs"]

HEADER = """import math
from typing import NamedTuple

import numpy as np


class Pair(NamedTuple):
    first: float
    second: float
"""


class Generator(Scalars, Arrays, Statements, Functions, Faults):
    """Writes one program."""

    def program(self) -> RandomProgram:
        header = [HEADER]
        if self.features.inner_grad:
            header.insert(0, "import retrograd as rg")
            both = self.pick(((0, 1), (1, 0), (1, 1)))
            header.append(f"WHICH = {self.choices.integer(0, 1)}\nBOTH = {both}")
        if self.flag(40, "globals_"):
            header.append(self._globals())
        for _ in range(self.choices.weighted(((3, 0), (4, 1), (3, 2), (2, 3)))):
            if self.on("helpers"):
                self.helper()
        args = self._entry()
        functions = ["\n".join(lines) for lines in self.functions]
        if self.choices.flag(20):
            functions.reverse()
        functions += [self._objective(), self._outputs()]
        source = ast.unparse(ast.parse("\n\n".join((*header, *functions)))) + "\n"
        return RandomProgram(
            source, "entry", args, frozenset(self.tags), self.smooth, self.expected
        )

    def _globals(self) -> str:
        self.use("globals_")
        value = self.choices.constant()
        self.module_vars.append(Var("SCALE", Slot("f"), locked=True))
        lines = [f"SCALE = {value:.3f}"]
        if self.flag(50, "arrays"):
            n = self.choices.integer(1, 3)
            items = ", ".join(f"{self.choices.constant():.3f}" for _ in range(n))
            lines.append(f"TABLE = np.array([{items}])")
            slot = Slot("f", (n,), -2.1, 2.1)
            var = Var("TABLE", slot, group=self.group(), locked=True, writable=False, local=False)
            self.module_vars.append(var)
        return "\n".join(lines)

    # the entry function

    def _entry(self) -> str:
        specs = [(self.fresh("p"), self._entry_param(k)) for k in range(self.choices.integer(1, 4))]
        results = self._entry_results()
        frame = self.open_function("entry", results)
        if len(results) == 2 and all(s == Slot("f") for s in results):
            if self.flag(40, "namedtuples"):
                self.use("namedtuples")
                frame.result_class = "Pair"
        self.parameters(list(specs), writable=self.on("write_args"))
        self.body(self.choices.weighted(((2, 2), (3, 4), (4, 7), (3, 10), (2, 15))))
        self.close_function(list(specs))
        self.signature = tuple(name for name, _ in specs), results
        texts = [self._argument(kind) for _, kind in specs]
        return f"({', '.join(texts)},)"

    def _objective(self) -> str:
        """A scalar made from all float results, for gradients and second derivatives."""
        names, results = self.signature
        lines = [f"def objective({', '.join(names)}):", f"    y = entry({', '.join(names)})"]
        terms: list[str] = []
        for k, slot in enumerate(results):
            part = "y" if len(results) == 1 else f"y[{k}]"
            weight = round(0.7 - 0.4 * k, 1)
            if slot.dtype == "f":
                terms.append(
                    f"{weight} * np.sum({part} * {part} + {part})"
                    if slot.shape
                    else f"{weight} * {part}"
                )
        return "\n".join([*lines, f"    return {' + '.join(terms)}"])

    def _outputs(self) -> str:
        """The float results alone, for Jacobians."""
        names, results = self.signature
        parts = [
            "y" if len(results) == 1 else f"y[{k}]"
            for k, slot in enumerate(results)
            if slot.dtype == "f"
        ]
        lines = [f"def outputs({', '.join(names)}):", f"    y = entry({', '.join(names)})"]
        return "\n".join([*lines, f"    return ({', '.join(parts)},)"])

    def _entry_param(self, position: int) -> Slot | str:
        if position == 0:
            return self.pick((Slot("f"), Slot("f", (self.choices.integer(1, 4),))))
        if self.flag(12, "int_arrays"):
            self.use("int_arrays")
            return Slot("i", (self.choices.integer(1, 4),), 0, 3)
        if self.flag(5, "bool_arrays"):
            self.use("bool_arrays")
            return Slot("b", (self.choices.integer(1, 4),), 0, 1)
        param = self.some_param()
        if isinstance(param, Slot) and param.shape and self.flag(100, "empty_arrays"):
            if self.choices.flag(40):
                self.use("empty_arrays")
                return Slot("f", (0, *param.shape[1:]), param.low, param.high)
        return param

    def _entry_results(self) -> tuple[Slot, ...]:
        big = Slot("f", (), -ACCUMULATED, ACCUMULATED)
        match self.choices.integer(0, 9):
            case 4 if self.on("arrays"):
                shape = self.pick(((3,), (2, 2), (2, 1, 2)) if self.on("rank3") else ((3,),))
                return (Slot("f", shape, -ACCUMULATED, ACCUMULATED),)
            case 5 | 6 if self.on("tuples"):
                self.use("tuples")
                return (Slot("f"), Slot("f"))
            case 7 if self.on("tuples") and self.on("arrays"):
                self.use("tuples")
                return (Slot("f"), Slot("f", (2,)))
            case 8 if self.on("tuples") and self.on("integers"):
                self.use("tuples")
                return (Slot("f"), Slot("i", (), -9, 9), Slot("b", (), 0, 1))
            case _:
                return (big,)

    # arguments

    def _argument(self, kind: Slot | str) -> str:
        """Text that makes one argument; floats are irregular, so that nothing is at a tie."""
        if kind == "Pair":
            return f"Pair({self._number()}, {self._number()})"
        assert isinstance(kind, Slot)
        match kind.dtype, kind.shape:
            case "f", ():
                return self._number()
            case "i", ():
                return str(self.choices.integer(int(max(kind.low, -3)), int(min(kind.high, 4))))
            case "b", ():
                return self.pick(("True", "False"))
            case "f", shape:
                seed = self.choices.integer(0, 999)
                return f"np.random.default_rng({seed}).uniform(-1.5, 1.5, {shape})"
            case "i", (n,):
                items = [str(self.choices.integer(0, 3)) for _ in range(n)]
                return f"np.array([{', '.join(items)}], dtype=np.int64)"
            case "b", (n,):
                items = [self.pick(("True", "False")) for _ in range(n)]
                return f"np.array([{', '.join(items)}], dtype=np.bool_)"
            case _:
                raise AssertionError(kind)

    def _number(self) -> str:
        return f"{self.choices.constant(-1.5, 1.5) + 0.00071:.5f}"


def generate(source: Source, features: Features) -> RandomProgram:
    """The program that these decisions make."""
    return Generator(source, features).program()


def from_seed(seed: int, features: Features = PLAIN) -> RandomProgram:
    """The program of a seed."""
    return generate(SeededSource(seed), features)


@st.composite
def programs(draw: st.DrawFn, features: Features = PLAIN) -> RandomProgram:
    """Random programs for hypothesis; they shrink towards few simple statements."""
    return generate(HypothesisSource(draw), features)

"""Loops that read much of an array and overwrite little of it: what logging is for.

Sweeps of Gauss-Seidel, substitutions, tables whose entries are computed from earlier ones,
permutations in place; inside other loops, left early, under conditions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.random.programs.core import Core
from tests.random.programs.model import Expr, Slot, Var

__all__ = ["Sweeps"]


class Sweeps(Core):
    """Productions of sweeps over an array."""

    def sweep(self) -> bool:
        """Rounds of visits to some places of an array, each of which reads others."""
        own = [v for v in self.frame.variables if v.writable and v.slot.shape]
        found = [v for v in own if v.slot.dtype == "f" and 0 not in v.slot.shape]
        found = [v for v in found if len(v.slot.shape) < 3]
        if not found or self.frame.nesting > 1:
            return False
        var = self.pick(found)
        n = var.slot.shape[0]
        rounds = self.choices.integer(1, 3)
        if not self.affordable(rounds * n * n):
            return False
        with self._sweep_rounds(rounds):
            if self.choices.flag(20):
                self.statement_inside()
            place = self.fresh("i")
            self.line(f"for {place} in range({n}):")
            with self.block(n, loop=True):
                self.define(place, Slot("i", (), 0, n - 1), locked=True)
                total = self._weighted_sum(var, place)
                if self.choices.flag(20):
                    self.statement_inside()
                self._guarded_write(var, place, total)
                if self.choices.flag(15):
                    self.statement_inside()
        self.wrote(var)
        return True

    def statement_inside(self) -> None:
        """Any statement, so that sweeps meet everything else."""
        self.body(1)

    @contextmanager
    def _sweep_rounds(self, rounds: int) -> Iterator[None]:
        count = self.fresh("n")
        match self.choices.integer(0, 3):
            case 0:
                yield
            case 1 if self.on("while_loop"):
                self.line(f"{count} = 0")
                counter = self.define(count, Slot("i", (), 0, rounds), locked=True)
                self.line(f"while {count} < {rounds} and {self.boolean(1).text}:")
                counter.slot = Slot("i", (), 0, rounds + 1)
                with self.block(rounds, loop=True):
                    self.line(f"{count} += 1")
                    yield
            case _:
                self.line(f"for {count} in range({rounds}):")
                with self.block(rounds, loop=True):
                    self.define(count, Slot("i", (), 0, rounds - 1), locked=True)
                    yield
                    if self.flag(25, "break_"):
                        self.use("break_")
                        self.line(f"if {self.boolean(1).text}:")
                        with self.block():
                            self.line("break")

    def _weighted_sum(self, var: Var, place: str) -> Expr:
        """A sum over elements of the array."""
        n = var.slot.shape[0]
        total, other = self.fresh("s"), self.fresh("j")
        self.line(f"{total} = {self.fit(self.floating(1)).text}")
        first = f"range({place})" if self.choices.flag(30) else f"range({n})"
        self.line(f"for {other} in {first}:")
        with self.block(n, loop=True):
            self.define(other, Slot("i", (), 0, n - 1), locked=True)
            read = self._item_at(var, other)
            mag = max(abs(var.slot.low), abs(var.slot.high))
            match self.choices.integer(0, 3):
                case 0 if self.on("math_calls"):
                    term, mag = f"math.sin({read})", 1.0
                case 1:
                    term, mag = f"{read} * {self._item_at(var, place)}", mag * mag
                case 2:
                    factor = self.fit(self.floating(1), -1.0, 1.0)
                    term = f"{factor.text} * {read}"
                case _:
                    term = f"{self.choices.constant(-1.0, 1.0):.3f} * {read}"
            if self.flag(30, "if_statement"):
                self.line(f"if {other} != {place}:")
                with self.block():
                    self.line(f"{total} += {term}")
            else:
                self.line(f"{total} += {term}")
        return Expr(total, -2.0 - n * mag, 2.0 + n * mag)

    def _item_at(self, var: Var, place: str) -> str:
        rest = [self.index(extent, 0) for extent in var.slot.shape[1:]]
        return f"{var.name}[{', '.join((place, *rest))}]"

    def _guarded_write(self, var: Var, place: str, total: Expr) -> None:
        if self.flag(30, "if_statement"):
            self.line(f"if {self.boolean(1).text}:")
            with self.block():
                self._overwrite(var, place, total)
            if self.choices.flag(40):
                self.line("else:")
                with self.block():
                    self._overwrite(var, place, total)
        else:
            self._overwrite(var, place, total)

    def _overwrite(self, var: Var, place: str, total: Expr) -> None:
        """Overwrites one place, two of them, or a slice."""
        n = var.slot.shape[0]
        low, high = var.slot.low, var.slot.high
        new = self.fit(total, low, high).text
        match self.choices.integer(0, 5):
            case 0 if self.on("swap"):
                a, b = self._item_at(var, place), self._item_at(var, f"({n - 1} - {place})")
                self.line(f"{a}, {b} = {b}, {a}")
            case 1 if self.on("slice_store"):
                if len(var.slot.shape) > 1:
                    self.line(f"{var.name}[{place}] = {new}")
                else:
                    self.line(f"{var.name}[{place}:{place} + 1] = {new}")
            case 2 if self.on("augmented"):
                half = self.fit(total, low / 2, high / 2).text
                target = self._item_at(var, place)
                self.line(f"{target} *= 0.5")
                self.line(f"{target} += {half}")
            case 3:
                self.line(f"{self._item_at(var, f'(3 * {place}) % {n}')} = {new}")
            case _:
                self.line(f"{self._item_at(var, place)} = {new}")

"""Statements that raise when they are reached, to compare exceptions."""

from __future__ import annotations

from tests.random.programs.core import Core

__all__ = ["Faults"]


class Faults(Core):
    """Productions of faults; a program has at most one."""

    def fault(self) -> bool:
        kinds = (
            (4, self._bad_index),
            (3, self._division_by_zero),
            (2, self._failing_assertion),
            (3, self._raised),
            (2, self._unbound),
            (2, self._bad_broadcast),
            (1, self._bad_product),
            (1, self._bad_reshape),
            (1, self._bad_slice_store),
            (1, self._negative_extent),
            (1, self._empty_extremum),
            (1, self._overflow),
        )
        return self.choices.weighted(kinds)()

    def _guarded(self, text: str) -> bool:
        """The statement itself, or under a condition."""
        if self.choices.flag(60):
            self.line(text)
            return True
        self.line(f"if {self.boolean(1).text}:")
        with self.block():
            self.line(text)
        return True

    def _used(self, text: str) -> bool:
        """A statement that defines a value, with or without a use of it."""
        name = self.fresh("v")
        used = self.choices.flag()
        if self.choices.flag(40):
            self.line(f"if {self.boolean(1).text}:")
        elif self.choices.flag(40):
            self.line(f"for {self.fresh('i')} in range({self.limited_index()}):")
        else:
            self._lines(name, text, used)
            return True
        with self.block():
            self._lines(name, text, used)
        return True

    def _lines(self, name: str, text: str, used: bool) -> None:
        self.line(f"{name} = {text}")
        if used:
            self.line(f"assert np.sum({name}) < 1e9")

    def _bad_product(self) -> bool:
        found = [v for v in self.arrays("f") if len(v.slot.shape) < 3]
        if not found:
            return self._raised()
        var = self.pick(found)
        return self._used(f"{var.name} @ np.ones({var.slot.shape[-1] + 1})")

    def _bad_reshape(self) -> bool:
        found = self.arrays("f")
        if not found:
            return self._raised()
        var = self.pick(found)
        size = 1
        for n in var.slot.shape:
            size *= n
        return self._used(f"{var.name}.reshape({size + 1})")

    def _bad_index(self) -> bool:
        found = [v for v in self.arrays("f") if v.slot.shape[0] > 0]
        if not found:
            return self._raised()
        var = self.pick(found)
        place = self.choices.integer(0, len(var.slot.shape) - 1)
        parts = [self.index(max(1, n)) for n in var.slot.shape]
        n = var.slot.shape[place]
        parts[place] = self.pick(
            (str(n), str(-n - 1), f"{n} + {self.limited_index()}", f"len({var.name}) + {n + 7}")
        )
        target = f"{var.name}[{', '.join(parts)}]"
        own = any(v is var for v in self.frame.variables) and var.writable
        if own and self.choices.flag():
            self.wrote(var)
            return self._guarded(f"{target} {self.pick(('=', '+='))} 0.5")
        return self._guarded(f"{self.fresh('x')} = {target}")

    def limited_index(self) -> str:
        """An int that is never negative."""
        return self.fit_int(self.integer(1), 0, 3).text

    def _division_by_zero(self) -> bool:
        name, zero = self.fresh("k"), self.fresh("k")
        self.line(f"{zero} = {self.choices.integer(1, 3)}")
        self.line(f"{zero} = {zero} - {zero}")
        left = self.choices.integer(0, 9)
        op = self.pick(("//", "%"))
        return self._guarded(f"{name} = {left} {op} {zero}")

    def _failing_assertion(self) -> bool:
        message = ', "too small"' if self.choices.flag() else ""
        return self._guarded(f"assert {self.fit(self.floating(1)).text} > 50.0{message}")

    def _raised(self) -> bool:
        kind = self.pick(
            ("ValueError", "IndexError", "ZeroDivisionError", "RuntimeError", "OverflowError",
             "ArithmeticError", "KeyError", "TypeError", "AssertionError")
        )  # fmt: skip
        self.use("raises")
        return self._guarded(
            f'raise {kind}("wanted")' if self.choices.flag(80) else f"raise {kind}"
        )

    def _unbound(self) -> bool:
        """A name that one branch, or no iteration, defines."""
        name, used = self.fresh("x"), self.fresh("x")
        if self.choices.flag():
            self.line(f"if {self.boolean(1).text}:")
        else:
            self.line(
                f"for {self.fresh('i')} in range({self.fit_int(self.integer(1), 0, 2).text}):"
            )
        with self.block():
            self.line(f"{name} = {self.fit(self.floating(1)).text}")
        self.use("unbound")
        self.line(f"{used} = 0.5 * {name}")
        return True

    def _bad_broadcast(self) -> bool:
        found = [v for v in self.arrays("f") if v.slot.shape[-1] > 1]
        if not found:
            return self._raised()
        var = self.pick(found)
        n = var.slot.shape[-1] + 1
        return self._used(f"{var.name} * np.ones({n})")

    def _bad_slice_store(self) -> bool:
        found = [
            v for v in self.frame.variables
            if v.slot.dtype == "f" and v.slot.shape and v.writable and v.slot.shape[-1] > 1
        ]  # fmt: skip
        if not found:
            return self._raised()
        var = self.pick(found)
        self.wrote(var)
        return self._guarded(f"{var.name}[:] = np.ones({var.slot.shape[-1] + 1})")

    def _negative_extent(self) -> bool:
        return self._used(f"np.zeros({self.limited_index()} - 5)")

    def _empty_extremum(self) -> bool:
        text = f"np.max(np.zeros({self.choices.integer(0, 1)}))"
        return self._used(text)

    def _overflow(self) -> bool:
        """Plain Python goes on with a big int here; retrograd raises."""
        if self.frame.nesting or len(self.frames) > 1 or self.frame.name != "entry":
            return self._raised()
        a, b = self.fresh("k"), self.fresh("k")
        self.line(f"{a} = {2**62 + self.choices.integer(0, 5)}")
        self.line(f"{b} = {a} {self.pick(('+', '*'))} {a}")
        self.expected = "OverflowError"
        return True

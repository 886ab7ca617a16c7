"""Branches, loops, and the ways out of them."""

from __future__ import annotations

import math

from tests.random.programs.core import Core
from tests.random.programs.model import BOUND, INT_BOUND, Expr, Slot, Var

__all__ = ["Control"]


class Control(Core):
    """Productions of control statements. Each says whether it wrote something."""

    # branches

    def branch(self) -> bool:
        self.line(f"if {self.boolean(2).text}:")
        with self.block():
            self.body(self.some())
        for _ in range(self.choices.weighted(((6, 0), (2, 1), (1, 2)))):
            self.line(f"elif {self.boolean(1).text}:")
            with self.block():
                self.body(self.some(2))
        if self.choices.flag(45):
            self.line("else:")
            with self.block():
                self.body(self.some(2))
        return True

    def both_branches(self) -> bool:
        """A variable that both branches define, used after them."""
        name = self.fresh("x")
        slot = Slot("f")
        self.line(f"if {self.boolean(1).text}:")
        for last in (False, True):
            with self.block():
                self.body(self.some(2) - 1)
                self.line(f"{name} = {self.value(slot, 2).text}")
            if not last:
                self.line("else:")
        self.define(name, slot)
        return True

    # loops over ranges

    def _range(self) -> tuple[str, int, int, int] | None:
        """The text of a range, its most trips, and the bounds of its variable."""
        found = self.arrays("f") + self.arrays("i")
        match self.choices.integer(0, 8):
            case 0 | 1:
                n = self.choices.integer(0, 4)
                return f"range({n})", n, 0, max(0, n - 1)
            case 2 | 3 if found:
                var = self.pick(found)
                n = var.slot.shape[0]
                text = f"len({var.name})" if self.choices.flag(60) else f"{var.name}.shape[0]"
                if self.flag(15, "reversed_range"):
                    self.use("reversed_range")
                    return f"reversed(range({text}))", n, 0, max(0, n - 1)
                if self.flag(25, "range_step"):
                    self.use("range_step")
                    return f"range({text} - 1, -1, -1)", n, 0, max(0, n - 1)
                if self.choices.flag(25) and n > 1:
                    return f"range(1, {text})", n - 1, 1, n - 1
                return f"range({text})", n, 0, max(0, n - 1)
            case 4 | 5 if self.on("range_step"):
                self.use("range_step")
                start, stop = self.choices.integer(-2, 4), self.choices.integer(-2, 5)
                step = self.pick((1, 2, -1, 3, -2))
                values = range(start, stop, step)
                low, high = (min(values), max(values)) if values else (0, 0)
                return f"range({start}, {stop}, {step})", len(values), low, high
            case 8 if self.on("integers") and self.on("range_step"):
                return self._run_time_range()
            case 6 if self.on("integers"):
                bound = self.fit_int(self.integer(1), -2, 5)
                n = max(0, int(bound.high))
                return f"range({bound.text})", n, 0, max(0, n - 1)
            case _:
                n = self.choices.integer(1, 3)
                return f"range({n})", n, 0, n - 1

    def _run_time_range(self) -> tuple[str, int, int, int]:
        """A range whose bounds, and perhaps steps, are only known when the program runs."""
        self.use("range_step")
        start = self.fit_int(self.integer(1), -2, 4)
        stop = self.fit_int(self.integer(1), -2, 5)
        steps = (("1", 1), ("2", 2), ("-1", -1), (f"{self.fit_int(self.integer(0), 1, 3).text}", 1))
        step, size = self.pick(steps)
        text = f"range({start.text}, {stop.text}, {step})"
        if self.flag(25, "reversed_range"):
            self.use("reversed_range")
            text = f"reversed({text})"
        low, high = min(start.low, stop.low), max(start.high, stop.high)
        return text, math.ceil((high - low) / abs(size)), int(low), int(high)

    def for_range(self) -> bool:
        found = self._range()
        if found is None or not self.affordable(found[1]):
            return False
        text, trips, low, high = found
        name = self.fresh("i")
        self.line(f"for {name} in {text}:")
        start = len(self.frame.lines)
        with self.block(trips, loop=True):
            self.define(name, Slot("i", (), low, high), locked=True)
            self.body(self.some(4))
        leaves = any("return" in line for line in self.frame.lines[start:])
        certain = trips > 0 and text.startswith("range(") and text[6:-1].isdigit()
        if certain and not leaves and self.flag(20, "after_loop"):
            self.use("after_loop")
            self.define(name, Slot("i", (), low, high))
        return True

    def for_array(self) -> bool:
        found = [v for v in self.arrays("f") if self.affordable(v.slot.shape[0])]
        if self.flag(15, "int_arrays"):
            found = [v for v in self.arrays("i") if self.affordable(v.slot.shape[0])] or found
        if not self.on("for_rows"):
            found = [v for v in found if len(v.slot.shape) == 1]
        if not found:
            return False
        var = self.pick(found)
        name, slot = self._item(var)
        self.line(f"for {name} in {var.name}:")
        with self.block(var.slot.shape[0], loop=True):
            self._define_item(name, slot, var)
            self.body(self.some())
        return True

    def for_enumerate(self) -> bool:
        found = [v for v in self.arrays("f") if self.affordable(v.slot.shape[0])]
        if not self.on("for_rows"):
            found = [v for v in found if len(v.slot.shape) == 1]
        if not found:
            return False
        var = self.pick(found)
        name, slot = self._item(var)
        index = self.fresh("i")
        n = var.slot.shape[0]
        self.line(f"for {index}, {name} in enumerate({var.name}):")
        with self.block(n, loop=True):
            self.define(index, Slot("i", (), 0, max(0, n - 1)), locked=True)
            self._define_item(name, slot, var)
            self.body(self.some())
        return True

    def for_zip(self) -> bool:
        found = [v for v in self.arrays("f") if self.affordable(v.slot.shape[0])]
        if not self.on("for_rows"):
            found = [v for v in found if len(v.slot.shape) == 1]
        if len(found) < 2:
            return False
        pair = [self.pick(found), self.pick(found)]
        items = [self._item(var) for var in pair]
        heads = f"{items[0][0]}, {items[1][0]}"
        trips = min(var.slot.shape[0] for var in pair)
        text = f"zip({pair[0].name}, {pair[1].name})"
        if self.flag(25, "for_enumerate"):
            index = self.fresh("i")
            self.line(f"for {index}, ({heads}) in enumerate({text}):")
        else:
            index = ""
            self.line(f"for {heads} in {text}:")
        with self.block(trips, loop=True):
            if index:
                self.define(index, Slot("i", (), 0, max(0, trips - 1)), locked=True)
            for (name, slot), var in zip(items, pair, strict=True):
                self._define_item(name, slot, var)
            self.body(self.some())
        return True

    def _item(self, var: Var) -> tuple[str, Slot]:
        slot = Slot(var.slot.dtype, var.slot.shape[1:], var.slot.low, var.slot.high)
        prefix = "r" if slot.shape else "k" if slot.dtype == "i" else "x"
        if slot.shape:
            self.use("for_rows")
        return self.fresh(prefix), slot

    def _define_item(self, name: str, slot: Slot, var: Var) -> None:
        var.shared = True
        if slot.shape:
            owned = any(v is var for v in self.frame.variables)
            writable = var.writable and owned
            self.define(name, slot, group=var.group, shared=True, local=False, writable=writable)
        else:
            self.define(name, slot, locked=True)

    def while_loop(self) -> bool:
        """A loop that its data ends, and a counter at the latest."""
        most = self.choices.integer(1, 4)
        if not self.affordable(most):
            return False
        name = self.fresh("n")
        self.line(f"{name} = 0")
        counter = self.define(name, Slot("i", (), 0, most), locked=True)
        cond = self.boolean(1).text
        match self.choices.integer(0, 3):
            case 0:
                head, exit_ = f"{name} < {most}", None
            case 1 if self.on("bool_ops"):
                head, exit_ = f"{cond} and {name} < {most}", None
            case 2 if self.on("break_"):
                head, exit_ = "True", f"{name} > {most} or {cond}"
            case 3 if self.on("break_"):
                head, exit_ = f"{name} < {most}", cond
            case _:
                head, exit_ = f"{name} < {most}", None
        self.line(f"while {head}:")
        counter.slot = Slot("i", (), 0, most + 1)
        with self.block(most + 1, loop=True):
            self.line(f"{name} += 1")
            if exit_ is not None:
                self.use("break_")
                self.line(f"if {exit_}:")
                with self.block():
                    self.line("break")
            self.body(self.some())
        return True

    # ways out

    def guarded_break(self) -> bool:
        return self._way_out("break")

    def guarded_continue(self) -> bool:
        return self._way_out("continue")

    def _way_out(self, word: str) -> bool:
        if self.frame.loops == 0:
            return False
        self.line(f"if {self.boolean(2).text}:")
        with self.block():
            self.body(self.some(2) - 1)
            self.line(word)
        return True

    def guarded_return(self) -> bool:
        self.line(f"if {self.boolean(2).text}:")
        with self.block():
            self.body(self.some(2) - 1)
            self.line(f"return {self.result_text(1)}")
        return True

    def result_text(self, depth: int) -> str:
        """What this function returns, as text."""
        texts: list[str] = []
        for slot in self.frame.results:
            locals_ = [
                v
                for v in self.frame.variables
                if v.slot.key == slot.key
                and v.local
                and v.param is None
                and slot.low <= v.slot.low
                and v.slot.high <= slot.high
            ]
            if slot.shape and locals_ and self.choices.flag(60):
                texts.append(self.pick(locals_).name)
                continue
            if depth > 1 and slot.key == ("f", ()):
                texts.append(self.gathered(slot))
                continue
            e = self.value(slot, depth)
            if depth > 1 and slot.shape and slot.high > BOUND:
                e = Expr(f"({e.text} + {self.gathered(Slot('f'))})")
            texts.append(e.text if e.fresh or not slot.shape else f"1.0 * {e.text}")
        if self.frame.result_class:
            return self.struct_text(("first", "second"), texts)
        return ", ".join(texts)

    def gathered(self, slot: Slot) -> str:
        """A float made from several variables, so that few of them are dead."""
        parts: list[Expr] = []
        own = self.frame.variables
        scalars = [v for v in own if v.slot.key == ("f", ())]
        arrays = [v for v in own if v.slot.dtype == "f" and v.slot.shape]
        for var in scalars[:1] + scalars[1:][-3:] + arrays[:1] + arrays[1:][-2:]:
            scale = self.choices.constant(-1.0, 1.0)
            if not var.slot.shape:
                parts.append(Expr(f"{scale:.3f} * {var.name}", -var.expr.mag, var.expr.mag))
            elif self.on("reductions"):
                size = math.prod(var.slot.shape)
                mag = size * var.expr.mag
                parts.append(Expr(f"{scale:.3f} * np.sum({var.name})", -mag, mag))
        parts.append(self.floating(1))
        text = "(" + " + ".join(p.text for p in parts) + ")"
        mag = sum(p.mag for p in parts)
        return self.fit(Expr(text, -mag, mag), slot.low, slot.high).text

    def assertion(self) -> bool:
        """An assertion that holds."""
        k = self.integer(1)
        cond = self.pick(
            (f"{k.text} >= {k.low:.0f}", f"abs({self.fit(self.floating(1)).text}) < {BOUND + 1}")
        )
        message = ', "bounds"' if self.choices.flag(40) else ""
        self.line(f"assert {cond}{message}")
        return True

    def guarded_raise(self) -> bool:
        """An exception that is never reached."""
        a = self.fit(self.floating(1))
        kind = self.pick(("ValueError", "RuntimeError", "IndexError", "ArithmeticError"))
        self.line(f"if {a.text} > {BOUND + 1.5}:")
        with self.block():
            self.line(f'raise {kind}("out of bounds")')
        return True

    def limited_int(self, low: int, high: int) -> Expr:
        """An int expression within bounds."""
        return self.fit_int(self.integer(1), max(low, -INT_BOUND), min(high, INT_BOUND))

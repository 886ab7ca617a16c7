"""Assignment statements in all their forms."""

from __future__ import annotations

from tests.random.programs.core import Core
from tests.random.programs.model import ACCUMULATED, BOUND, INT_BOUND, Expr, Slot, Struct, Var

__all__ = ["Assignments"]

Shape = tuple[int, ...]


class Assignments(Core):
    """Productions of assignments. Each says whether it wrote something."""

    # scalars

    def new_float(self) -> bool:
        e = self.fit(self.floating(3))
        name = self.fresh("x")
        self.line(f"{name} = {e.text}")
        self.define(name, Slot("f"))
        return True

    def _plain_floats(self) -> list[Var]:
        return [v for v in self.own("f", array=False) if v.slot.high <= BOUND]

    def assign_float(self) -> bool:
        found = self._plain_floats()
        if not found:
            return False
        var = self.pick(found)
        self.line(f"{var.name} = {self.value(var.slot, 3).text}")
        return True

    def new_int(self) -> bool:
        e = self.fit_int(self.integer(2))
        name = self.fresh("k")
        self.line(f"{name} = {e.text}")
        self.define(name, Slot("i", (), -INT_BOUND, INT_BOUND))
        return True

    def assign_int(self) -> bool:
        found = self.own("i", array=False)
        if not found:
            return False
        var = self.pick(found)
        low, high = int(var.slot.low), int(var.slot.high)
        if self.flag(30, "augmented"):
            self.use("augmented")
            op = self.pick(("+=", "-="))
            self.line(f"{var.name} {op} {self.fit_int(self.integer(1)).text}")
            self.line(f"{var.name} = {self.fit_int(Expr(var.name, -99, 99), low, high).text}")
            return True
        self.line(f"{var.name} = {self.fit_int(self.integer(2), low, high).text}")
        return True

    def new_bool(self) -> bool:
        name = self.fresh("b")
        self.line(f"{name} = {self.boolean(2).text}")
        self.define(name, Slot("b", (), 0, 1))
        return True

    def augment(self) -> bool:
        """`s += e` on an accumulator, or an augmented assignment that keeps the bounds."""
        sums = [v for v in self.own("f", array=False) if v.slot.high > BOUND]
        if sums and self.frame.increments < 5 and self.choices.flag(70):
            var = self.pick(sums)
            self.frame.increments += 1
            self.line(f"{var.name} {self.pick(('+=', '-='))} {self.fit(self.floating(3)).text}")
            return True
        if self.frame.loops == 0 and self.choices.flag(60):
            name = self.fresh("s")
            self.line(f"{name} = {self.pick(('0.0', '1.0', '0.5'))}")
            self.define(name, Slot("f", (), -ACCUMULATED, ACCUMULATED))
            return True
        found = self._plain_floats()
        if not found:
            return False
        var = self.pick(found)
        if self.choices.flag():
            self.line(f"{var.name} *= {self.fit(self.floating(2), -1.0, 1.0).text}")
        else:
            a = self.floating(1)
            self.line(f"{var.name} /= 1.0 + {a.text} * {a.text}")
        return True

    def chained_assign(self) -> bool:
        a, b = self.fresh("x"), self.fresh("x")
        self.line(f"{a} = {b} = {self.fit(self.floating(2)).text}")
        self.define(a, Slot("f"))
        self.define(b, Slot("f"))
        return True

    def swap(self) -> bool:
        arrays = self.writable()
        if arrays and self.flag(50, "store"):
            var = self.pick(arrays)
            first, second = self.element_of(var), self.element_of(var)
            self.line(f"{first}, {second} = {second}, {first}")
            self.wrote(var)
            return True
        found = self._plain_floats()
        if len(found) < 2:
            return False
        a = self.pick(found)
        b = self.pick([v for v in found if v is not a])
        other = self.fit(self.floating(2)).text if self.choices.flag(30) else a.name
        self.line(f"{a.name}, {b.name} = {b.name}, {other}")
        return True

    def join(self) -> bool:
        """A variable that starts as an int and becomes a float in a loop."""
        if self.frame.nesting > 1 or not self.affordable(3):
            return False
        name = self.fresh("x")
        self.line(f"{name} = {self.choices.integer(0, 2)}")
        var = self.define(name, Slot("f"), locked=True)
        index = self.fresh("i")
        self.line(f"for {index} in range({self.choices.integer(1, 3)}):")
        with self.block(3, loop=True):
            self.define(index, Slot("i", (), 0, 3), locked=True)
            self.line(f"{name} = 0.5 * {name} + {self.fit(self.floating(1), -1.0, 1.0).text}")
        var.locked = False
        return True

    # arrays

    def some_shape(self) -> Shape:
        """A shape, preferably one that is around already."""
        ranks = [1] + [2] * self.on("rank2") + [3] * self.on("rank3")
        seen = [v.slot.shape for v in self.arrays("f") if len(v.slot.shape) in ranks]
        if seen and self.choices.flag(65):
            return self.pick(seen)
        rank = self.choices.weighted([(w, r) for w, r in ((6, 1), (3, 2), (1, 3)) if r in ranks])
        return tuple(self.choices.integer(1, 4 if rank < 3 else 2) for _ in range(rank))

    def new_array(self, shape: Shape, dtype: str = "f") -> Var:
        """Defines an array of that shape that belongs to nobody else."""
        e = self.array(shape, 2, dtype)
        low, high = e.low, e.high
        if dtype == "f":
            big = self.choices.flag(35)
            low, high = (-ACCUMULATED, ACCUMULATED) if big else (-BOUND, BOUND)
            e = self.fit(e, low, high, array=True)
        text = e.text if e.fresh else self.pick((f"np.copy({e.text})", f"1.0 * {e.text}"))
        if dtype != "f" and not e.fresh:
            text = f"{e.text}.copy()"
        name = self.fresh({"f": "v", "i": "w", "b": "m"}[dtype])
        if dtype == "f" and self.flag(8, "empty_then_filled"):
            self.use("empty_then_filled")
            extents = str(shape[0]) if len(shape) == 1 else str(shape)
            self.line(f"{name} = np.empty({extents})")
            self.line(f"{name}[:] = {text}")
        else:
            self.line(f"{name} = {text}")
        return self.define(name, Slot(dtype, shape, low, high))

    def any_array(self) -> bool:
        if self.flag(12, "int_arrays"):
            self.use("int_arrays")
            self.new_array((self.choices.integer(1, 4),), "i")
        elif self.flag(10, "bool_arrays"):
            self.use("bool_arrays")
            self.new_array(self.some_shape(), "b")
        else:
            shape = self.some_shape()
            self.use(*(("rank2",) if len(shape) == 2 else ("rank3",) if len(shape) == 3 else ()))
            self.new_array(shape)
        return True

    def writable(self, dtype: str = "f") -> list[Var]:
        """Arrays that may be written here."""
        found = [v for v in self.frame.variables if v.slot.dtype == dtype and v.slot.shape]
        for outer in self.frames[:-1] if self.on("closure_store") else []:
            found += [v for v in outer.variables if v.slot.dtype == dtype and v.slot.shape]
        return [v for v in found if v.writable and 0 not in v.slot.shape]

    def wrote(self, var: Var) -> None:
        """Notes the write for those who call this function."""
        if var.param is not None and any(v is var for v in self.frame.variables):
            self.frame.writes.add(var.param)
            self.use("write_args")
        elif not any(v is var for v in self.frame.variables):
            self.frame.captured_writes.add(var.group)
            self.use("closure_store")
        for own in self.frame.variables:
            if own.group == var.group and own.param is not None:
                self.frame.writes.add(own.param)

    def element_of(self, var: Var) -> str:
        between = "][" if self.choices.flag(15) else ", "
        return f"{var.name}[{between.join(self.index(n) for n in var.slot.shape)}]"

    def store(self) -> bool:
        if self.flag(12, "int_arrays") and (ints := self.writable("i")):
            var = self.pick(ints)
            e = self.fit_int(self.integer(1), int(var.slot.low), int(var.slot.high))
            self.line(f"{self.element_of(var)} = {e.text}")
            self.wrote(var)
            return True
        found = self.writable()
        if not found:
            return False
        var = self.pick(found)
        target = self.element_of(var)
        self.line(f"{target} = {self.fit(self.floating(3), var.slot.low, var.slot.high).text}")
        self.wrote(var)
        return True

    def aug_store(self) -> bool:
        found = self.writable()
        if not found:
            return False
        var = self.pick(found)
        target = self.element_of(var)
        if var.slot.high > BOUND:
            op = self.pick(("+=", "-="))
            self.line(f"{target} {op} {self.fit(self.floating(3)).text}")
        else:
            self.line(f"{target} *= {self.fit(self.floating(2), -1.0, 1.0).text}")
        self.wrote(var)
        return True

    def slice_store(self) -> bool:
        found = self.writable()
        if not found:
            return False
        var = self.pick(found)
        shape = self._part_of(var.slot.shape)
        target = self.subscript_text(var, shape)
        if target is None:
            return False
        low, high = var.slot.low, var.slot.high
        wide = True
        match self.choices.integer(0, 3):
            case 0:
                e, wide = self.fit(self.floating(2), low, high), False
            case 1 if len(shape) > 1 and self.on("broadcasting"):
                self.use("broadcasting")
                e = self.fit(self.array(shape[1:], 1), low, high, array=True)
            case 2 if (text := self.subscript_text(var, shape)) is not None:
                e = Expr(text, low, high)
            case _:
                e = self.fit(self.array(shape, 2), low, high, array=True)
        if self.flag(30, "array_augmented"):
            self.use("array_augmented")
            if high > BOUND:
                self.line(f"{target} += {self.fit(e, array=wide).text}")
            else:
                self.line(f"{target} *= {self.fit(e, -1.0, 1.0, array=wide).text}")
        else:
            self.line(f"{target} = {e.text}")
        self.wrote(var)
        return True

    def _part_of(self, shape: Shape) -> Shape:
        """The shape of some part of an array of that shape."""
        kept = [n for n in shape if self.choices.flag(70)] or [shape[-1]]
        return tuple(self.choices.integer(max(1, n - 2), n) for n in kept)

    def subscript_text(self, var: Var, shape: Shape) -> str | None:
        inner = self.subscript(var.slot.shape, shape)
        return None if inner is None else f"{var.name}[{inner}]"

    def new_view(self) -> bool:
        found = self.arrays("f")
        own = [v for v in found if any(v is w for w in self.frame.variables)]
        if not own:
            return False
        base = self.pick(own)
        shape = self._part_of(base.slot.shape)
        text = self.subscript_text(base, shape)
        if text is None:
            return False
        name = self.fresh("u")
        self.line(f"{name} = {text}")
        self._share(name, shape, base)
        return True

    def new_alias(self) -> bool:
        own = [v for v in self.frame.variables if v.slot.dtype == "f" and v.slot.shape]
        if not own:
            return False
        base = self.pick(own)
        name = self.fresh("u")
        self.line(f"{name} = {base.name}")
        self._share(name, base.slot.shape, base)
        return True

    def _share(self, name: str, shape: Shape, base: Var) -> None:
        base.shared = True
        slot = Slot("f", shape, base.slot.low, base.slot.high)
        self.define(name, slot, group=base.group, shared=True, writable=base.writable, local=False)

    def rebind(self) -> bool:
        found = [
            v for v in self.own("f", array=True) if not v.shared and v.param is None and v.writable
        ]
        if not found:
            return False
        var = self.pick(found)
        e = self.fit(self.array(var.slot.shape, 2), var.slot.low, var.slot.high, array=True)
        text = e.text if e.fresh else f"1.0 * {e.text}"
        self.line(f"{var.name} = {text}")
        return True

    def array_augment(self) -> bool:
        found = self.writable()
        found = [v for v in found if any(v is w for w in self.frame.variables)]
        if not found:
            return False
        var = self.pick(found)
        if var.slot.high > BOUND:
            e = self.fit(self.array(var.slot.shape, 2), array=True)
            self.line(f"{var.name} {self.pick(('+=', '-='))} {e.text}")
        else:
            e = self.fit(self.array(var.slot.shape, 1), -1.0, 1.0, array=True)
            self.line(f"{var.name} *= {e.text}")
        self.wrote(var)
        return True

    # structures

    def new_struct(self) -> bool:
        """A tuple or a NamedTuple, new or assigned again."""
        found = [s for s in self.frame.structs]
        if found and self.choices.flag(40):
            struct = self.pick(found)
            texts = [self.value(slot, 2).text for slot in struct.slots]
            self.line(f"{struct.name} = {self.struct_text(struct.fields, texts)}")
            return True
        named = self.flag(40, "namedtuples")
        slots = (Slot("f"), Slot("f")) if named else tuple(Slot("f") for _ in range(self.some()))
        texts = [self.value(slot, 2).text for slot in slots]
        struct = Struct(self.fresh("t"), slots, ("first", "second") if named else ())
        self.use("namedtuples" if named else "tuples")
        self.line(f"{struct.name} = {self.struct_text(struct.fields, texts)}")
        self.frame.structs.append(struct)
        return True

    def struct_text(self, fields: tuple[str, ...], texts: list[str]) -> str:
        """The text that makes a tuple or a NamedTuple of these parts."""
        if fields:
            if self.flag(30, "keywords"):
                return f"Pair({fields[0]}={texts[0]}, {fields[1]}={texts[1]})"
            return f"Pair({', '.join(texts)})"
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"

    def unpack(self) -> bool:
        structs = self.visible_structs()
        callees = [c for c in self.visible_callees() if len(c.results) > 1 and self.can_call(c)]
        if callees and self.choices.flag(60):
            callee = self.pick(callees)
            slots, text = callee.results, self.call_text(callee, 1)
            if text is None:
                return False
        elif structs:
            struct = self.pick(structs)
            slots, text = struct.slots, struct.name
            self.use("namedtuples" if struct.fields else "tuples")
        else:
            parts = [self.value(Slot("f"), 1), self.fit_int(self.integer(1))]
            slots = (Slot("f"), Slot("i", (), -INT_BOUND, INT_BOUND))
            text = ", ".join(p.text for p in parts)
        names = [self.fresh({"f": "x", "i": "k", "b": "b"}[s.dtype]) for s in slots]
        targets = ", ".join(names) + ("," if len(names) == 1 else "")
        if self.choices.flag(15):
            targets = f"({targets})"
        self.line(f"{targets} = {text}")
        for name, slot in zip(names, slots, strict=True):
            self.define(name, slot)
        return True

    def call_statement(self) -> bool:
        """A call for what it writes into its arguments."""
        found = [c for c in self.visible_callees() if (c.writes or c.captured_writes)]
        found = [c for c in found if self.can_call(c)]
        if not found:
            return False
        callee = self.pick(found)
        text = self.call_text(callee, 1)
        if text is None:
            return False
        if len(callee.results) == 1 and callee.results[0] == Slot("f") and self.choices.flag():
            name = self.fresh("x")
            self.line(f"{name} = {text}")
            self.define(name, Slot("f"))
        else:
            self.line(text)
        return True

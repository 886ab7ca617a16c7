"""Array expressions of a wanted shape, and everything about indices and slices."""

from __future__ import annotations

from tests.random.programs.core import Core
from tests.random.programs.model import INT_BOUND, Expr, Slot, Var

__all__ = ["Arrays"]

Shape = tuple[int, ...]
UFUNCS = (
    ("sin", 8.0, -1.0, 1.0),
    ("cos", 8.0, -1.0, 1.0),
    ("tanh", 8.0, -1.0, 1.0),
    ("exp", 1.5, 0.2, 4.5),
    ("arctan", 20.0, -1.58, 1.58),
    ("sinh", 1.5, -2.2, 2.2),
    ("square", 3.0, 0.0, 9.0),
    ("expm1", 1.5, -0.8, 3.5),
)
POSITIVE_UFUNCS = (("log", -1.0, 4.0), ("sqrt", 0.5, 6.0), ("log1p", 0.3, 4.0))


class Arrays(Core):
    """Productions of array expressions."""

    def array(self, shape: Shape, depth: int, dtype: str = "f") -> Expr:
        if dtype == "b":
            return self._mask(shape, depth)
        if dtype == "i":
            return self._int_array(shape, depth)
        leaves = (
            (1, "", lambda: self._filled(shape)),
            (8, "", lambda: self._array_variable(shape)),
            (3, "slices", lambda: self.slice_of(shape)),
            (1, "array_literal", lambda: self._literal(shape)),
            (1, "allocate", lambda: self._arange(shape)),
        )
        if depth <= 0 or self.choices.flag(25):
            return self.choose(leaves)
        d = depth - 1
        return self.choose(
            (
                *leaves,
                (10, "", lambda: self._binary(shape, d)),
                (6, "ufuncs", lambda: self._ufunc(shape, d)),
                (2, "power", lambda: self._squared(shape, d)),
                (1, "array_conditional", lambda: self._either(shape, d)),
                (1, "int_arrays", lambda: self._scaled_ints(shape)),
                (2, "where", lambda: self._where(shape, d)),
                (3, "matmul", lambda: self._matmul(shape, d)),
                (3, "axis_reductions", lambda: self._axis_reduction(shape, d)),
                (1, "transpose", lambda: self._transposed(shape, d)),
                (1, "extrema", lambda: self._elementwise_extremum(shape, d)),
                (3, "helpers", lambda: self.call(Slot("f", shape), d)),
            )
        )

    # leaves

    def extents(self, shape: Shape, whole: bool = True) -> str:
        """A shape as text: literals, or read from an array that has them."""
        same = self.arrays("f", shape)
        if whole and same and self.flag(25, "shapes"):
            self.use("shapes")
            return f"{self.pick(same).name}.shape"
        parts: list[str] = []
        for n in shape:
            sources = [v for v in self.arrays("f") if v.slot.shape[0] == n]
            if sources and self.flag(40, "shapes"):
                self.use("shapes")
                parts.append(f"len({self.pick(sources).name})")
            else:
                parts.append(str(n))
        if len(parts) == 1:
            return parts[0]
        return f"({', '.join(parts)})"

    def _filled(self, shape: Shape) -> Expr:
        self.use("allocate")
        extents = self.extents(shape)
        same = self.arrays("f", shape)
        match self.choices.integer(0, 4):
            case 0:
                return Expr(f"np.zeros({extents})", 0.0, 0.0)
            case 1:
                return Expr(f"np.ones({extents})", 1.0, 1.0)
            case 2:
                a = self.fit(self.floating(0))
                return Expr(f"np.full({extents}, {a.text})", a.low, a.high)
            case 3 if same:
                return Expr(f"np.zeros_like({self.pick(same).name})", 0.0, 0.0)
            case 4 if same:
                var = self.pick(same)
                text = f"np.copy({var.name})" if self.choices.flag(60) else f"{var.name}.copy()"
                return Expr(text, var.slot.low, var.slot.high)
            case _:
                return Expr(f"np.ones({extents})", 1.0, 1.0)

    def _array_variable(self, shape: Shape) -> Expr | None:
        found = self.recent(self.arrays("f", shape))
        return self.pick(found).expr if found else None

    def _literal(self, shape: Shape) -> Expr | None:
        size = 1
        for n in shape:
            size *= n
        if size == 0 or size > 6 or len(shape) > 2:
            return None
        items = [self.fit(self.floating(0)) for _ in range(size)]
        texts = [item.text for item in items]
        if len(shape) == 2:
            n = shape[1]
            rows = [texts[k : k + n] for k in range(0, size, n)]
            inner = ", ".join(f"[{', '.join(row)}]" for row in rows)
        else:
            inner = ", ".join(texts)
        self.use("array_literal")
        return Expr(f"np.array([{inner}])", min(i.low for i in items), max(i.high for i in items))

    def _arange(self, shape: Shape) -> Expr | None:
        if len(shape) != 1:
            return None
        n = shape[0]
        scale = round(1.5 / max(1, n), 2)
        if self.choices.flag(30):
            start = self.choices.integer(-2, 2)
            text = f"np.arange({start}, {start + 2 * n}, 2)"
            return Expr(f"({scale / 4} * {text})", -2.0, 2.0)
        return Expr(f"({scale} * np.arange({self.extents(shape, whole=False)}))", 0.0, scale * n)

    # slices

    def index(self, extent: int, depth: int = 1) -> str:
        """An index inside an axis of that extent."""
        low = -extent if self.on("negative_index") else 0
        found = [v for v in self.scalars("i") if low <= v.slot.low and v.slot.high < extent]
        match self.choices.integer(0, 9):
            case 0 | 1:
                return str(self.choices.integer(0, extent - 1))
            case 2 if self.on("negative_index"):
                self.use("negative_index")
                return str(-self.choices.integer(1, extent))
            case 3 | 4 if depth > 0 and self.on("integers"):
                return f"({self.integer(depth - 1).text}) % {extent}"
            case 5 if found:
                var = self.pick(found)
                if var.slot.low >= 0:
                    return f"{extent - 1} - {var.name}"
                return var.name
            case _ if found:
                var = self.pick(found)
                if var.slot.low < 0:
                    self.use("negative_index")
                return var.name
            case _:
                return str(self.choices.integer(0, extent - 1))

    def bounds(self, extent: int, wanted: int) -> str:
        """A basic slice of an axis of `extent` with `wanted` elements."""
        if extent == wanted and self.choices.flag(40):
            return "::-1" if self.choices.flag(25) and extent else ":"
        if wanted == 0:
            start = self.choices.integer(0, extent)
            return f"{start}:{start}"
        steps = [s for s in (1, 2, 3) if (wanted - 1) * s + 1 <= extent]
        step = self.choices.weighted([(4 if s == 1 else 2, s) for s in steps])
        span = (wanted - 1) * step + 1
        start = self.choices.integer(0, extent - span)
        stop = start + span
        if step == 1:
            return self._unit_slice(extent, start, stop)
        if self.choices.flag(30):
            first = stop - 1
            end = "" if start < step else str(start - 1 if start > 0 else "")
            return f"{first}:{end}:{-step}"
        return f"{start or ''}:{stop}:{step}"

    def _unit_slice(self, extent: int, start: int, stop: int) -> str:
        starts = [
            v
            for v in self.scalars("i")
            if 0 <= v.slot.low and v.slot.high + (stop - start) <= extent
        ]
        if starts and self.choices.flag(30):
            var = self.pick(starts)
            return f"{var.name}:{var.name} + {stop - start}"
        first = "" if start == 0 else str(start)
        if start and self.flag(20, "negative_index"):
            self.use("negative_index")
            first = str(start - extent)
        last = str(stop)
        if stop == extent:
            last = "" if self.choices.flag(70) else str(extent + 2)
        elif self.flag(40, "negative_index"):
            self.use("negative_index")
            last = str(stop - extent)
        return f"{first}:{last}"

    def subscript(self, of: Shape, wanted: Shape) -> str | None:
        """What goes into the brackets to take an array of shape `of` to `wanted`, if it can be."""
        if len(wanted) > len(of) or 0 in of:
            return None
        dropped = len(of) - len(wanted)
        parts: list[str] = []
        rest = list(wanted)
        for position, extent in enumerate(of):
            left = len(of) - position
            if dropped and (left == dropped or not rest or self.choices.flag()):
                parts.append(self.index(extent))
                dropped -= 1
            elif rest and rest[0] <= extent:
                parts.append(self.bounds(extent, rest.pop(0)))
            elif dropped:
                parts.append(self.index(extent))
                dropped -= 1
            else:
                return None
        while len(parts) > 1 and parts[-1] == ":":
            parts.pop()
        return ", ".join(parts)

    def slice_of(self, shape: Shape) -> Expr | None:
        """A view of some array, of that shape."""
        found = self.arrays("f")
        for var in found[: self.choices.integer(1, 4)] if found else []:
            text = self.view_text(var, shape)
            if text is not None:
                return Expr(text, var.slot.low, var.slot.high, fresh=False)
        return None

    def view_text(self, var: Var, shape: Shape) -> str | None:
        """The text of a view of `var` with that shape."""
        if 1 in shape and self.flag(60, "newaxis"):
            at = shape.index(1)
            inner = self.subscript(var.slot.shape, shape[:at] + shape[at + 1 :])
            if inner is not None and len(shape) > 1:
                parts = inner.split(", ")
                kept = [k for k, part in enumerate(parts) if ":" in part]
                missing = len(var.slot.shape) - len(parts)
                kept += list(range(len(parts), len(parts) + missing))
                parts += [":"] * missing
                place = kept[at] if at < len(kept) else len(parts)
                self.use("newaxis")
                parts.insert(place, self.pick(("None", "np.newaxis")))
                return f"{var.name}[{', '.join(parts)}]"
        inner = self.subscript(var.slot.shape, shape)
        return None if inner is None else f"{var.name}[{inner}]"

    # nodes

    def _partner(self, shape: Shape, depth: int) -> Expr:
        """An operand that broadcasts to `shape`."""
        match self.choices.integer(0, 5):
            case 0 | 1:
                return self.floating(depth)
            case 2 if self.on("broadcasting") and len(shape) > 1:
                self.use("broadcasting")
                return self.array(shape[1:], depth)
            case 3 if self.on("broadcasting") and len(shape) > 1:
                self.use("broadcasting")
                at = self.choices.integer(0, len(shape) - 1)
                return self.array((*shape[:at], 1, *shape[at + 1 :]), depth)
            case _:
                return self.array(shape, depth)

    def _binary(self, shape: Shape, depth: int) -> Expr:
        a, b = self.array(shape, depth), self._partner(shape, depth)
        if self.choices.flag(40):
            a, b = b, a
        match self.pick(("+", "*", "-", "/")):
            case "+":
                return Expr(f"({a.text} + {b.text})", a.low + b.low, a.high + b.high)
            case "-":
                return Expr(f"({a.text} - {b.text})", a.low - b.high, a.high - b.low)
            case "*":
                corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
                return Expr(f"({a.text} * {b.text})", min(corners), max(corners))
            case _:
                return Expr(f"({a.text} / (1.2 + {b.text} * {b.text}))", -a.mag, a.mag)

    def _ufunc(self, shape: Shape, depth: int) -> Expr:
        a = self.array(shape, depth)
        if self.choices.flag(15):
            return Expr(f"(-{a.text})", -a.high, -a.low)
        if self.choices.flag(25):
            name, low, high = self.pick(POSITIVE_UFUNCS)
            a = self.fit(a, -7.0, 7.0, array=True)
            return Expr(f"np.{name}(1.0 + {a.text} * {a.text})", low, high)
        name, limit, low, high = self.pick(UFUNCS)
        a = self.fit(a, -limit, limit, array=True)
        return Expr(f"np.{name}({a.text})", low, high)

    def _squared(self, shape: Shape, depth: int) -> Expr:
        a = self.fit(self.array(shape, depth), -3.0, 3.0, array=True)
        if self.choices.flag(30):
            return Expr(f"({a.text} ** 3)", -27.0, 27.0)
        return Expr(f"({a.text} ** 2)", 0.0, 9.0)

    def _either(self, shape: Shape, depth: int) -> Expr:
        a, b = self.array(shape, depth), self.array(shape, depth)
        text = f"({a.text} if {self.boolean(1).text} else {b.text})"
        return Expr(text, min(a.low, b.low), max(a.high, b.high), fresh=False)

    def _scaled_ints(self, shape: Shape) -> Expr | None:
        found = self.arrays("i", shape)
        if not found:
            return None
        var = self.pick(found)
        scale = self.choices.constant(-1.0, 1.0)
        mag = abs(scale) * var.expr.mag
        return Expr(f"({scale:.3f} * {var.name})", -mag, mag)

    def _where(self, shape: Shape, depth: int) -> Expr:
        mask = self._mask(shape, 0)
        a, b = self.array(shape, depth), self._partner(shape, depth)
        text = f"np.where({mask.text}, {a.text}, {b.text})"
        return Expr(text, min(a.low, b.low), max(a.high, b.high))

    def _elementwise_extremum(self, shape: Shape, depth: int) -> Expr | None:
        if self.smooth:
            return None
        a, b = self.array(shape, depth), self._partner(shape, depth)
        match self.choices.integer(0, 2):
            case 0:
                text = f"np.maximum({a.text}, {b.text})"
            case 1:
                text = f"np.minimum({a.text}, {b.text})"
            case _:
                return Expr(f"np.abs({a.text})", 0.0, a.mag)
        return Expr(text, min(a.low, b.low), max(a.high, b.high))

    def _matmul(self, shape: Shape, depth: int) -> Expr | None:
        k = self.choices.integer(1, 3)
        match shape:
            case (n,) if self.on("rank2") and self.choices.flag():
                left, right = (n, k), (k,)
            case (n,) if self.on("rank2"):
                left, right = (k,), (k, n)
            case (n, m):
                left, right = (n, k), (k, m)
            case _:
                return None
        a, b = self.array(left, depth), self.array(right, depth)
        mag = k * a.mag * b.mag
        text = f"({a.text} @ {b.text})" if self.choices.flag(60) else f"np.dot({a.text}, {b.text})"
        return Expr(text, -mag, mag)

    def _axis_reduction(self, shape: Shape, depth: int) -> Expr | None:
        if len(shape) > 2 or not self.on("rank3" if len(shape) == 2 else "rank2"):
            return None
        k = self.choices.integer(1, 3)
        at = self.choices.integer(0, len(shape))
        a = self.array((*shape[:at], k, *shape[at:]), depth)
        names = ["sum", "mean"]
        if not self.smooth and self.on("extrema"):
            names += ["max", "min"]
        name = self.pick(names)
        axis = at - len(shape) - 1 if self.choices.flag(30) else at
        low, high = (k * a.low, k * a.high) if name == "sum" else (a.low, a.high)
        return Expr(f"np.{name}({a.text}, axis={axis})", min(low, 0.0), max(high, 0.0))

    def _transposed(self, shape: Shape, depth: int) -> Expr | None:
        if len(shape) != 2:
            return None
        a = self.array(shape[::-1], depth)
        return Expr(f"{a.text}.T", a.low, a.high, fresh=False)

    # other element types

    def _mask(self, shape: Shape, depth: int) -> Expr:
        found = self.arrays("b", shape)
        if found and self.choices.flag(40):
            self.use("bool_arrays")
            return self.pick(found).expr
        a = self.array(shape, min(depth, 1))
        op = self.pick(("<", ">", "<=", ">="))
        mask = Expr(f"({a.text} {op} {self.choices.constant():.3f})", 0, 1)
        if depth > 0 and self.choices.flag(30):
            other = self._mask(shape, depth - 1)
            return Expr(f"({mask.text} {self.pick(('&', '|', '^'))} {other.text})", 0, 1)
        return Expr(f"(~{mask.text})", 0, 1) if self.choices.flag(10) else mask

    def _int_array(self, shape: Shape, depth: int) -> Expr:
        found = self.arrays("i", shape)
        if found and self.choices.flag(60):
            var = self.pick(found)
            if self.choices.flag(40):
                return Expr(f"(({var.name} * 3 + {self.fit_int(self.integer(0)).text}) % 4)", 0, 3)
            return var.expr
        if len(shape) == 1 and self.choices.flag(60):
            items = [str(self.choices.integer(0, 3)) for _ in range(shape[0])]
            if items:
                return Expr(f"np.array([{', '.join(items)}])", 0, 3)
        if len(shape) == 1 and shape[0] <= INT_BOUND:
            return Expr(f"np.arange({self.extents(shape, whole=False)})", 0, max(0, shape[0] - 1))
        return Expr(f"np.zeros({self.extents(shape)}, dtype=np.int64)", 0, 0)

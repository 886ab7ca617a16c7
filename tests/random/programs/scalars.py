"""Scalar expressions: f64, i64 and bool."""

from __future__ import annotations

from tests.random.programs.core import Core
from tests.random.programs.model import BOUND, INT_BOUND, Expr, Slot, Struct

__all__ = ["Scalars"]

# name, bounds of the argument, bounds of the result; the argument is brought into its bounds
MATH = (
    ("sin", -8.0, 8.0, -1.0, 1.0),
    ("cos", -8.0, 8.0, -1.0, 1.0),
    ("tanh", -8.0, 8.0, -1.0, 1.0),
    ("exp", -3.0, 1.5, 0.049, 4.5),
    ("atan", -20.0, 20.0, -1.58, 1.58),
    ("sinh", -1.5, 1.5, -2.2, 2.2),
    ("cosh", -1.5, 1.5, 1.0, 2.4),
    ("tan", -1.0, 1.0, -1.56, 1.56),
    ("expm1", -2.0, 1.5, -0.87, 3.5),
    ("erf", -3.0, 3.0, -1.0, 1.0),
)
POSITIVE = (
    ("log", -1.0, 4.0),
    ("sqrt", 0.5, 6.0),
    ("log1p", 0.3, 4.0),
    ("log2", -1.0, 6.0),
    ("log10", -0.5, 2.0),
)
COMPARISONS = ("<", ">", "<=", ">=")
INT_COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")


class Scalars(Core):
    """Productions of scalar expressions."""

    # floats

    def floating(self, depth: int) -> Expr:
        leaf = self.choices.flag(30) if depth > 0 else True
        leaves = (
            (2, "", self._float_constant),
            (8, "", self._float_variable),
            (3, "arrays", lambda: self._element("f")),
            (1, "tuples", self._field),
        )
        if leaf:
            return self.choose(leaves)
        d = depth - 1
        return self.choose(
            (
                *leaves,
                (14, "", lambda: self._float_binary(d)),
                (1, "", lambda: self._negated(d)),
                (6, "math_calls", lambda: self._math(d)),
                (3, "power", lambda: self._power(d)),
                (2, "integers", lambda: self._mixed(d)),
                (3, "if_expression", lambda: self._conditional("f", d)),
                (1, "bool_values", lambda: self._bool_value(d)),
                (2, "extrema", lambda: self._extremum(d)),
                (
                    1,
                    "conversions",
                    lambda: self._as_float(d),
                ),
                (1, "rounding", lambda: self._rounded_float(d)),
                (5, "reductions", lambda: self._reduction(d)),
                (2, "matmul", lambda: self._inner_product(d)),
                (5, "helpers", lambda: self.call(Slot("f"), d)),
                (2, "inner_grad", lambda: self.inner_gradient(d)),
            )
        )

    def _float_constant(self) -> Expr:
        value = self.choices.constant()
        return Expr(repr(round(value, 3)), value, value)

    def _float_variable(self) -> Expr | None:
        found = self.recent(self.scalars("f"))
        return self.pick(found).expr if found else None

    def _field(self) -> Expr | None:
        found = [
            (s, k)
            for s in self.visible_structs()
            for k, slot in enumerate(s.slots)
            if slot.key == ("f", ())
        ]
        if not found:
            return None
        struct, k = self.pick(found)
        self._use_struct(struct)
        return Expr(struct.field(k), struct.slots[k].low, struct.slots[k].high)

    def _use_struct(self, struct: Struct) -> None:
        self.use("namedtuples" if struct.fields else "tuples")

    def _element(self, dtype: str) -> Expr | None:
        found = self.recent([v for v in self.arrays(dtype) if 0 not in v.slot.shape])
        if not found:
            return None
        var = self.pick(found)
        parts = [self.index(n) for n in var.slot.shape]
        text = ", ".join(parts) if self.choices.flag(80) else "][".join(parts)
        return Expr(f"{var.name}[{text}]", var.slot.low, var.slot.high)

    def _float_binary(self, depth: int) -> Expr:
        a, b = self.floating(depth), self.floating(depth)
        match self.pick(("+", "*", "-", "/")):
            case "+":
                return Expr(f"({a.text} + {b.text})", a.low + b.low, a.high + b.high)
            case "-":
                return Expr(f"({a.text} - {b.text})", a.low - b.high, a.high - b.low)
            case "*":
                corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
                return Expr(f"({a.text} * {b.text})", min(corners), max(corners))
            case _:
                below = self._positive(b)
                mag = a.mag / below.low
                return Expr(f"({a.text} / {below.text})", -mag, mag)

    def _positive(self, b: Expr) -> Expr:
        """Something of at least 0.5 made from `b`."""
        if b.low >= 0.5:
            return b
        if len(b.text) < 25:
            return Expr(f"(1.0 + {b.text} * {b.text})", 1.0, 1.0 + b.mag * b.mag)
        top = b.mag + 1.0
        return Expr(f"({top:.1f} + {b.text})", 0.9, 2.1 + 2 * b.mag)

    def _negated(self, depth: int) -> Expr:
        a = self.floating(depth)
        return Expr(f"(-{a.text})", -a.high, -a.low)

    def _math(self, depth: int) -> Expr:
        a = self.floating(depth)
        lib = "math" if self.choices.flag(80) or not self.on("ufuncs") else "np"
        if self.choices.flag(30):
            name, low, high = self.pick(POSITIVE)
            a = self._positive(self.fit(a, -7.0, 7.0))
            return Expr(f"{lib}.{name}({a.text})", low, high)
        name, low, high, out_low, out_high = self.pick(MATH)
        a = self.fit(a, low, high)
        if lib == "np":
            name = "arctan" if name == "atan" else "tanh" if name == "erf" else name
        return Expr(f"{lib}.{name}({a.text})", out_low, out_high)

    def _power(self, depth: int) -> Expr:
        a = self.fit(self.floating(depth), -3.0, 3.0)
        match self.choices.integer(0, 5):
            case 0 | 1:
                return Expr(f"({a.text} ** 2)", 0.0, 9.0)
            case 2:
                return Expr(f"({a.text} ** 3)", -27.0, 27.0)
            case 3:
                b = self.fit(self.floating(0))
                return Expr(f"({self._positive(a).text} ** {b.text})", 0.0, 100.0)
            case 4 if self.on("math_calls"):
                b = self.fit(self.floating(0))
                name = self.pick(("pow", "hypot", "atan2"))
                return Expr(f"math.{name}({self._positive(a).text}, {b.text})", -100.0, 100.0)
            case _:
                return Expr(f"({a.text} ** 2.0)", 0.0, 9.0)

    def _mixed(self, depth: int) -> Expr:
        """Integers where floats are wanted."""
        k = self.fit_int(self.integer(depth))
        a = self.floating(depth)
        match self.choices.integer(0, 2):
            case 0:
                return Expr(f"({k.text} * {a.text})", -9 * a.mag, 9 * a.mag)
            case 1:
                return Expr(f"({a.text} + {k.text})", a.low + k.low, a.high + k.high)
            case _:
                return Expr(f"({k.text} / {self.choices.integer(2, 9)})", -4.5, 4.5)

    def _conditional(self, dtype: str, depth: int) -> Expr:
        cond = self.boolean(min(depth, 1))
        make = self.floating if dtype == "f" else self.integer
        a, b = make(depth), make(depth)
        text = f"({a.text} if {cond.text} else {b.text})"
        return Expr(text, min(a.low, b.low), max(a.high, b.high))

    def _as_float(self, depth: int) -> Expr:
        return Expr(f"float({self.fit_int(self.integer(depth)).text})", -9, 9)

    def _bool_value(self, depth: int) -> Expr:
        """`a or b` with values: both are floats, and neither is near zero by accident."""
        a, b = self.floating(depth), self.floating(depth)
        text = f"({a.text} {self.pick(('or', 'and'))} {b.text})"
        return Expr(text, min(a.low, b.low, 0.0), max(a.high, b.high, 0.0))

    def _tie(self) -> Expr | None:
        """A tie of two numbers that have the same derivative, so that halves of it make it up."""
        x = self._float_variable()
        if x is None:
            return None
        pair = [x.text, f"1.0 * {x.text}"]
        if self.choices.flag():
            pair.reverse()
        name = self.pick(("max", "min", "np.maximum", "np.minimum"))
        return Expr(f"{name}({', '.join(pair)})", x.low, x.high)

    def _extremum(self, depth: int) -> Expr | None:
        if self.smooth or self.choices.flag(15):
            return self._tie()
        a, b = self.floating(depth), self.floating(depth)
        low, high = min(a.low, b.low), max(a.high, b.high)
        match self.choices.integer(0, 4):
            case 0:
                return Expr(f"abs({a.text})", 0.0, a.mag)
            case 1:
                return Expr(f"max({a.text}, {b.text})", low, high)
            case 2:
                return Expr(f"min({a.text}, {b.text})", low, high)
            case 3:
                c = self.floating(0)
                text = f"max({a.text}, {b.text}, {c.text})"
                return Expr(text, min(low, c.low), max(high, c.high))
            case _:
                return Expr(f"math.fabs({a.text})", 0.0, a.mag)

    def _rounded_float(self, depth: int) -> Expr | None:
        if self.smooth:
            return None
        a = self.fit(self.floating(depth))
        match self.choices.integer(0, 2):
            case 0:
                return Expr(f"np.floor({a.text})", -3.0, 3.0)
            case 1:
                return Expr(f"np.sign({a.text})", -1.0, 1.0)
            case _:
                return Expr(f"({a.text} % 0.753)", 0.0, 0.8)

    def _reduction(self, depth: int) -> Expr | None:
        shape = self._some_shape()
        if shape is None:
            return None
        a = self.array(shape, depth)
        size = 1
        for n in shape:
            size *= n
        names = ["sum", "mean"] if size else ["sum"]
        if size and not self.smooth and self.on("extrema"):
            names += ["max", "min"]
        name = self.pick(names)
        low, high = (size * a.low, size * a.high) if name == "sum" else (a.low, a.high)
        text = f"np.{name}({a.text})"
        if self.flag(10, "methods"):
            self.use("methods")
            text = f"{a.text}.{name}()"
        return Expr(text, min(low, 0.0), max(high, 0.0))

    def _some_shape(self) -> tuple[int, ...] | None:
        found = [v.slot.shape for v in self.arrays("f")]
        return self.pick(found) if found else None

    def _inner_product(self, depth: int) -> Expr | None:
        found = [v for v in self.arrays("f") if len(v.slot.shape) == 1]
        if not found:
            return None
        a = self.pick(found)
        b = self.array(a.slot.shape, min(depth, 1))
        mag = a.expr.mag * b.mag * a.slot.shape[0]
        text = self.pick((f"np.dot({a.name}, {b.text})", f"({a.name} @ {b.text})"))
        return Expr(text, -mag, mag)

    # integers

    def integer(self, depth: int) -> Expr:
        leaves = (
            (2, "", self._int_constant),
            (6, "", self._int_variable),
            (1, "shapes", self._extent),
            (1, "int_arrays", lambda: self._element("i")),
        )
        if depth <= 0 or self.choices.flag(40):
            return self.choose(leaves)
        d = depth - 1
        return self.choose(
            (
                *leaves,
                (6, "integers", lambda: self._int_binary(d)),
                (2, "integers", lambda: self._int_division(d)),
                (1, "int_power", lambda: self._int_power(d)),
                (1, "int_arrays", self._int_sum),
                (1, "if_expression", lambda: self._conditional("i", d)),
                (1, "bit_ops", lambda: self._bits(d)),
                (1, "extrema", lambda: self._int_extremum(d)),
                (1, "conversions", lambda: Expr(f"int({self.boolean(d).text})", 0, 1)),
                (1, "rounding", lambda: self._rounded_int(d)),
                (2, "helpers", lambda: self.call(Slot("i", (), -INT_BOUND, INT_BOUND), d)),
            )
        )

    def _int_constant(self) -> Expr:
        value = self.choices.integer(0, 7)
        return Expr(str(value), value, value)

    def _int_variable(self) -> Expr | None:
        found = self.scalars("i")
        return self.pick(found).expr if found else None

    def _extent(self) -> Expr | None:
        found = self.arrays("f") + self.arrays("i")
        if not found:
            return None
        var = self.pick(found)
        k = self.choices.integer(0, len(var.slot.shape) - 1)
        n = var.slot.shape[k]
        text = f"len({var.name})" if k == 0 and self.choices.flag() else f"{var.name}.shape[{k}]"
        return Expr(text, n, n)

    def _int_binary(self, depth: int) -> Expr:
        a, b = self.integer(depth), self.integer(depth)
        match self.pick(("+", "-", "*")):
            case "+":
                return Expr(f"({a.text} + {b.text})", a.low + b.low, a.high + b.high)
            case "-":
                return Expr(f"({a.text} - {b.text})", a.low - b.high, a.high - b.low)
            case _:
                corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
                return Expr(f"({a.text} * {b.text})", min(corners), max(corners))

    def _int_division(self, depth: int) -> Expr:
        a = self.integer(depth)
        by = self.choices.integer(1, 5) * (-1 if self.choices.flag(25) else 1)
        if self.choices.flag():
            return Expr(f"({a.text} // {by})", -a.mag - 1, a.mag + 1)
        return Expr(f"({a.text} % {by})", min(0, by + 1), max(0, by - 1))

    def _int_power(self, depth: int) -> Expr:
        a = self.fit_int(self.integer(depth), -4, 4)
        if self.choices.flag(30):
            return Expr(f"({a.text} ** 3)", -64, 64)
        return Expr(f"({a.text} ** 2)", 0, 16)

    def _int_sum(self) -> Expr | None:
        found = [v for v in self.arrays("i") if v.slot.shape[0] > 0]
        if not found:
            return None
        var = self.pick(found)
        size = var.slot.shape[0]
        return Expr(f"np.sum({var.name})", size * var.slot.low, size * var.slot.high)

    def _bits(self, depth: int) -> Expr:
        a, b = self.fit_int(self.integer(depth), 0, 15), self.fit_int(self.integer(depth), 0, 15)
        match self.choices.integer(0, 4):
            case 0:
                return Expr(f"({a.text} & {b.text})", 0, 15)
            case 1:
                return Expr(f"({a.text} | {b.text})", 0, 15)
            case 2:
                return Expr(f"({a.text} ^ {b.text})", 0, 15)
            case 3:
                return Expr(f"({a.text} << {self.choices.integer(0, 3)})", 0, 120)
            case _:
                return Expr(f"({a.text} >> {self.choices.integer(0, 3)})", 0, 15)

    def _int_extremum(self, depth: int) -> Expr:
        a, b = self.integer(depth), self.integer(depth)
        match self.choices.integer(0, 2):
            case 0:
                return Expr(f"min({a.text}, {b.text})", min(a.low, b.low), min(a.high, b.high))
            case 1:
                return Expr(f"max({a.text}, {b.text})", max(a.low, b.low), max(a.high, b.high))
            case _:
                return Expr(f"abs({a.text})", 0, a.mag)

    def _rounded_int(self, depth: int) -> Expr | None:
        if self.smooth:
            return None
        a = self.fit(self.floating(depth))
        name = self.pick(("int", "math.floor", "math.ceil"))
        return Expr(f"{name}({a.text})", -BOUND - 1, BOUND + 1)

    # booleans

    def boolean(self, depth: int) -> Expr:
        leaves = (
            (5, "", self._float_comparison),
            (1, "booleans", lambda: Expr(self.pick(("True", "False")))),
            (3, "booleans", self._bool_variable),
            (3, "integers", lambda: self._int_comparison(0)),
            (1, "bool_arrays", lambda: self._element("b")),
            (1, "any_all", self._any_all),
        )
        if depth <= 0 or self.choices.flag(40):
            return self.choose(leaves)
        d = depth - 1
        return self.choose(
            (
                *leaves,
                (3, "integers", lambda: self._int_comparison(d)),
                (3, "bool_ops", lambda: self._logic(d)),
                (2, "chained", self._chained),
                (1, "helpers", lambda: self.call(Slot("b"), d)),
            )
        )

    def _any_all(self) -> Expr | None:
        shape = self._some_shape()
        if shape is None:
            return None
        return Expr(f"np.{self.pick(('any', 'all'))}({self.array(shape, 0, 'b').text})")

    def _bool_variable(self) -> Expr | None:
        found = self.scalars("b")
        return self.pick(found).expr if found else None

    def _float_comparison(self) -> Expr:
        a = self._float_variable() or self._float_constant()
        if self.choices.flag(30):
            a = self.floating(1)
        return Expr(f"({a.text} {self.pick(COMPARISONS)} {self._float_constant().text})")

    def _int_comparison(self, depth: int) -> Expr:
        a, b = self.integer(depth), self.integer(0)
        if not self.flag(25, "conversions"):
            return Expr(f"({a.text} {self.pick(INT_COMPARISONS)} {b.text})")
        if self.choices.flag():
            # With a float, exactly: there are ints between two neighbouring floats here.
            near = f"float({b.text}) + {2.0**53!r}" if self.choices.flag() else f"{2.0**53!r}"
            return Expr(f"({a.text} + {2**53} {self.pick(INT_COMPARISONS)} {near})")
        other = self._float_variable() or self._float_constant()
        pair = [a.text, other.text]
        if self.choices.flag():
            pair.reverse()
        return Expr(f"({pair[0]} {self.pick(COMPARISONS)} {pair[1]})")

    def _logic(self, depth: int) -> Expr:
        a = self.boolean(depth)
        match self.choices.integer(0, 2):
            case 0:
                return Expr(f"(not {a.text})")
            case 1:
                return Expr(f"({a.text} and {self.boolean(depth).text})")
            case _:
                return Expr(f"({a.text} or {self.boolean(depth).text})")

    def _chained(self) -> Expr:
        a, b = sorted((self.choices.constant(), self.choices.constant()))
        mid = self.floating(1)
        ops = self.pick((("<", "<"), ("<=", "<"), ("<", "<=")))
        if self.choices.flag(25):
            k = self.integer(1)
            return Expr(f"({self.choices.integer(-2, 2)} <= {k.text} < {self.integer(0).text})")
        return Expr(f"({a:.3f} {ops[0]} {mid.text} {ops[1]} {b:.3f})")

"""Writes straight-line LLVM IR on doubles, for one element or for a vector of `lanes` elements.

Every function of this package is written once against `Body`, and emitted for any number of lanes.
Nothing is contracted or reassociated: one operator is one instruction and `fma` is explicit, so the
same argument gives the same bits whatever the number of lanes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Body", "Bool", "Float", "Int"]


@dataclass(frozen=True, slots=True)
class Bool:
    """An i1 per lane."""

    body: Body
    text: str

    def __and__(self, other: Bool) -> Bool:
        return Bool(self.body, self.body.binary("and", self.body.i1, self.text, other.text))

    def __or__(self, other: Bool) -> Bool:
        return Bool(self.body, self.body.binary("or", self.body.i1, self.text, other.text))

    def __xor__(self, other: Bool) -> Bool:
        return Bool(self.body, self.body.binary("xor", self.body.i1, self.text, other.text))


@dataclass(frozen=True, slots=True)
class Int:
    """An i64 per lane; `>>` is logical."""

    body: Body
    text: str

    def _op(self, op: str, other: Int | int) -> Int:
        right = self.body.int(other).text
        return Int(self.body, self.body.binary(op, self.body.i64, self.text, right))

    def __add__(self, other: Int | int) -> Int:
        return self._op("add", other)

    def __sub__(self, other: Int | int) -> Int:
        return self._op("sub", other)

    def __and__(self, other: Int | int) -> Int:
        return self._op("and", other)

    def __or__(self, other: Int | int) -> Int:
        return self._op("or", other)

    def __xor__(self, other: Int | int) -> Int:
        return self._op("xor", other)

    def __lshift__(self, other: int) -> Int:
        return self._op("shl", other)

    def __rshift__(self, other: int) -> Int:
        return self._op("lshr", other)

    def nonzero(self) -> Bool:
        return Bool(self.body, self.body.binary("icmp ne", self.body.i64, self.text, "0"))

    def negative(self) -> Bool:
        return Bool(self.body, self.body.binary("icmp slt", self.body.i64, self.text, "0"))

    def as_float(self) -> Float:
        """The double with these bits."""
        return Float(self.body, self.body.cast("bitcast", self.text, self.body.i64, self.body.f64))


@dataclass(frozen=True, slots=True)
class Float:
    """A double per lane."""

    body: Body
    text: str

    def _op(self, op: str, left: Float | float, right: Float | float) -> Float:
        a, b = self.body.float(left).text, self.body.float(right).text
        return Float(self.body, self.body.binary(op, self.body.f64, a, b))

    def _compare(self, condition: str, other: Float | float) -> Bool:
        right = self.body.float(other).text
        return Bool(
            self.body, self.body.binary(f"fcmp {condition}", self.body.f64, self.text, right)
        )

    def __add__(self, other: Float | float) -> Float:
        return self._op("fadd", self, other)

    def __radd__(self, other: float) -> Float:
        return self._op("fadd", other, self)

    def __sub__(self, other: Float | float) -> Float:
        return self._op("fsub", self, other)

    def __rsub__(self, other: float) -> Float:
        return self._op("fsub", other, self)

    def __mul__(self, other: Float | float) -> Float:
        return self._op("fmul", self, other)

    def __rmul__(self, other: float) -> Float:
        return self._op("fmul", other, self)

    def __truediv__(self, other: Float | float) -> Float:
        return self._op("fdiv", self, other)

    def __rtruediv__(self, other: float) -> Float:
        return self._op("fdiv", other, self)

    def __neg__(self) -> Float:
        text = self.body.emit(f"fneg {self.body.f64} {self.text}")
        return Float(self.body, text)

    def __abs__(self) -> Float:
        return self.body.intrinsic("fabs", self)

    def lt(self, other: Float | float) -> Bool:
        return self._compare("olt", other)

    def le(self, other: Float | float) -> Bool:
        return self._compare("ole", other)

    def gt(self, other: Float | float) -> Bool:
        return self._compare("ogt", other)

    def eq(self, other: Float | float) -> Bool:
        return self._compare("oeq", other)

    def ne(self, other: Float | float) -> Bool:
        """Different or unordered."""
        return self._compare("une", other)

    def not_lt(self, other: Float | float) -> Bool:
        """Not less: greater, equal or unordered."""
        return self._compare("uge", other)

    def not_ge(self, other: Float | float) -> Bool:
        """Less or unordered."""
        return self._compare("ult", other)

    def eq_or_nan(self, other: Float | float) -> Bool:
        return self._compare("ueq", other)

    def unordered(self, other: Float) -> Bool:
        """Whether one of both is NaN."""
        return self._compare("uno", other)

    def bits(self) -> Int:
        return Int(self.body, self.body.cast("bitcast", self.text, self.body.f64, self.body.i64))


@dataclass(slots=True)
class Body:
    """The instructions written so far, and the intrinsics that they call."""

    lanes: int = 1
    lines: list[str] = field(default_factory=list[str])
    declarations: set[str] = field(default_factory=set[str])

    def _type(self, element: str) -> str:
        return element if self.lanes == 1 else f"<{self.lanes} x {element}>"

    @property
    def f64(self) -> str:
        return self._type("double")

    @property
    def i64(self) -> str:
        return self._type("i64")

    @property
    def i1(self) -> str:
        return self._type("i1")

    def emit(self, instruction: str) -> str:
        """Writes an instruction and returns the name of its result."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def binary(self, op: str, type_: str, left: str, right: str) -> str:
        if right == "0" and self.lanes > 1:
            right = "zeroinitializer"
        return self.emit(f"{op} {type_} {left}, {right}")

    def cast(self, op: str, text: str, source: str, target: str) -> str:
        return self.emit(f"{op} {source} {text} to {target}")

    def _constant(self, element: str, literal: str) -> str:
        return literal if self.lanes == 1 else f"splat ({element} {literal})"

    def float(self, value: Float | float) -> Float:
        """A constant in every lane."""
        if isinstance(value, Float):
            return value
        (bits,) = struct.unpack("<Q", struct.pack("<d", value))
        return Float(self, self._constant("double", f"0x{bits:016X}"))

    def int(self, value: Int | int) -> Int:
        """A constant in every lane; taken modulo 2^64."""
        if isinstance(value, Int):
            return value
        wrapped = (value + 2**63) % 2**64 - 2**63
        return Int(self, self._constant("i64", str(wrapped)))

    def intrinsic(self, name: str, *args: Float) -> Float:
        """Calls `llvm.name` on doubles."""
        suffix = "f64" if self.lanes == 1 else f"v{self.lanes}f64"
        callee = f"@llvm.{name}.{suffix}"
        types = ", ".join([self.f64] * len(args))
        self.declarations.add(f"declare {self.f64} {callee}({types})")
        operands = ", ".join(f"{self.f64} {arg.text}" for arg in args)
        return Float(self, self.emit(f"call {self.f64} {callee}({operands})"))

    def fma(self, a: Float | float, b: Float | float, c: Float | float) -> Float:
        """a*b + c, rounded once."""
        return self.intrinsic("fma", self.float(a), self.float(b), self.float(c))

    def select(self, condition: Bool, then: Float | float, other: Float | float) -> Float:
        """`then` where the condition holds, else `other`."""
        a, b = self.float(then).text, self.float(other).text
        return Float(
            self, self.emit(f"select {self.i1} {condition.text}, {self.f64} {a}, {self.f64} {b}")
        )

    def select_int(self, condition: Bool, then: Int, other: Int) -> Int:
        """`then` where the condition holds, else `other`."""
        arms = f"{self.i64} {then.text}, {self.i64} {other.text}"
        return Int(self, self.emit(f"select {self.i1} {condition.text}, {arms}"))

    def copysign(self, magnitude: Float, sign: Float) -> Float:
        return self.intrinsic("copysign", magnitude, sign)

    def clamp_above(self, x: Float, bound: float) -> Float:
        """The smaller of both; NaN stays NaN."""
        return self.select(x.gt(bound), bound, x)

    def poly(self, x: Float, coefs: Sequence[float]) -> Float:
        """A polynomial, lowest order first, by Estrin's scheme: few steps depend on each other."""
        terms = [self.float(c) for c in coefs]
        power = x
        while len(terms) > 1:
            paired = [self.fma(terms[k + 1], power, terms[k]) for k in range(0, len(terms) - 1, 2)]
            terms = paired + terms[len(paired) * 2 :]
            if len(terms) > 1:
                power = power * power
        return terms[0]

    def two_sum(self, a: Float, b: Float) -> tuple[Float, Float]:
        """a + b as a rounded sum and its error, whatever their order."""
        total = a + b
        shadow = total - a
        return total, (a - (total - shadow)) + (b - shadow)

    def fast_two_sum(self, a: Float, b: Float) -> tuple[Float, Float]:
        """The same where |a| >= |b| or a is zero."""
        total = a + b
        return total, b - (total - a)

    def two_prod(self, a: Float, b: Float | float) -> tuple[Float, Float]:
        """a * b as a rounded product and its error."""
        product = a * b
        return product, self.fma(a, b, -product)

    def quotient(self, a: Float, a_low: Float, d: Float, d_low: Float) -> Float:
        """(a + a_low) / (d + d_low) with one division and one correction."""
        reciprocal = 1.0 / d
        first = a * reciprocal
        rest = self.fma(-first, d, a) + self.fma(-first, d_low, a_low)
        return self.fma(rest, reciprocal, first)

"""The text of one LLVM function under construction, and the values that its variables stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from retrograd.backends.llvm.folding import folded
from retrograd.ir.types import WIDTH, DType, Type
from retrograd.records import quickly_made

__all__ = [
    "BUNDLE",
    "ArrayValue",
    "FunctionText",
    "Scalar",
    "Value",
    "float_text",
    "llvm_scalar",
    "memory_scalar",
]


BUNDLE = f"<{WIDTH} x double>"

_REGISTER = {DType.F64: "double", DType.I64: "i64", DType.BOOL: "i1", DType.BUNDLE: BUNDLE}


def llvm_scalar(dtype: DType) -> str:
    """The register type of an element."""
    return _REGISTER[dtype]


def memory_scalar(dtype: DType) -> str:
    """The memory type of an element: a bool takes one byte."""
    return "i8" if dtype is DType.BOOL else _REGISTER[dtype]


def float_text(value: float) -> str:
    """An exact LLVM literal of a double, as its bits in hexadecimal."""
    import struct

    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


Scalar = str
"""A register such as `%r7`, or a literal."""


@quickly_made
@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array in memory: first element, extents and strides in elements, all i64 operands.

    `strides` is None for row-major arrays without gaps. `root` names the buffer for alias facts.
    """

    ptr: str
    dims: tuple[str, ...]
    type: Type
    strides: tuple[str, ...] | None = None
    root: str = ""


Value = Scalar | ArrayValue


@dataclass(slots=True)
class FunctionText:
    """Instructions of one function, in blocks; allocas go to the entry block.

    `fixed` are slots that stay in memory, which LLVM does not make values of.
    """

    name: str
    allocas: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    counter: int = 0
    closed: bool = False
    fixed: set[str] = field(default_factory=set[str])

    def fresh(self, hint: str = "r") -> str:
        """A fresh register or label stem (without sigil)."""
        self.counter += 1
        return f"{hint}{self.counter}"

    def emit(self, text: str) -> None:
        """One instruction without a result. Nothing is added to a block that has ended."""
        if not self.closed:
            self.lines.append("  " + text)

    def value(self, text: str, hint: str = "r") -> str:
        """One instruction with a result; the register, or what the result is known to be."""
        known = folded(text)
        if known is not None:
            return known
        self.counter += 1
        name = f"%{hint}{self.counter}"
        if not self.closed:
            self.lines.append(f"  {name} = {text}")
        return name

    def label(self, name: str) -> None:
        """Starts a block, jumping to it from the one before where that is open."""
        if not self.closed:
            self.emit(f"br label %{name}")
        self.lines.append(f"{name}:")
        self.closed = False

    def jump(self, target: str) -> None:
        self.emit(f"br label %{target}")
        self.closed = True

    def branch(self, cond: str, then: str, orelse: str, tail: str = "") -> None:
        if cond in ("true", "false"):
            self.jump(then if cond == "true" else orelse)
            return
        self.emit(f"br i1 {cond}, label %{then}, label %{orelse}{tail}")
        self.closed = True

    def end(self, text: str) -> None:
        """A terminator."""
        self.emit(text)
        self.closed = True

    def slot(self, llvm_type: str, align: int = 8) -> str:
        """An alloca in the entry block; for a bundle, with the alignment that LLVM assumes."""
        if llvm_type == BUNDLE:
            align = 8 * WIDTH
        name = "%" + self.fresh("s")
        self.allocas.append(f"  {name} = alloca {llvm_type}, align {align}")
        return name

    def load(self, llvm_type: str, ptr: str, tail: str = "") -> str:
        return self.value(f"load {self._how(ptr)}{llvm_type}, ptr {ptr}{tail}")

    def store(self, llvm_type: str, value: str, ptr: str, tail: str = "") -> None:
        self.emit(f"store {self._how(ptr)}{llvm_type} {value}, ptr {ptr}{tail}")

    def _how(self, ptr: str) -> str:
        return "volatile " if ptr in self.fixed else ""

    def call(
        self, result: str, callee: str, args: Sequence[tuple[str, str]], tail: str = ""
    ) -> str:
        """A call with a result."""
        text = ", ".join(f"{t} {v}" for t, v in args)
        return self.value(f"call {result} @{callee}({text}){tail}")

    def call_void(self, callee: str, args: Sequence[tuple[str, str]], tail: str = "") -> None:
        text = ", ".join(f"{t} {v}" for t, v in args)
        self.emit(f"call void @{callee}({text}){tail}")

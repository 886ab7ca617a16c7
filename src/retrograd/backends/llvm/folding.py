"""Instructions whose result is known when they are written: LLVM need not read them."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["folded"]

_ARITHMETIC = ("add ", "sub ", "mul ")
_FOLDED = (*_ARITHMETIC, "icmp ", "and i1 ", "or i1 ", "select i1 ", "getelementptr ")
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq ": int.__eq__, "ne ": int.__ne__, "sgt ": int.__gt__, "sge ": int.__ge__,
    "slt ": int.__lt__, "sle ": int.__le__,
}  # fmt: skip
"""Comparisons as they are written in instructions."""


def folded(text: str) -> str | None:
    """The value of an instruction, an operand of it or a literal; None where it has to be run.

    >>> folded("mul nsw i64 %n, 1"), folded("icmp eq i64 3, 3"), folded("add i64 %a, %b")
    ('%n', 'true', None)
    """
    if not text.startswith(_FOLDED):  # which most do not
        return None
    op, _, rest = text.partition(" ")
    if text.startswith(_ARITHMETIC):
        return _arithmetic(op, rest)
    match op:
        case "icmp":
            return _comparison(rest)
        case "and" | "or" if rest.startswith("i1 "):
            return _connective(op, *rest[3:].split(", "))
        case "select" if rest.startswith(("i1 true,", "i1 false,")):
            cond, one, other = rest.split(", ")
            return (one if cond == "i1 true" else other).rpartition(" ")[2]
        case "getelementptr" if rest.endswith(", i64 0") and rest.count(",") == 2:
            return rest.split(", ")[1].rpartition(" ")[2]
        case _:
            return None


def _arithmetic(op: str, rest: str) -> str | None:
    *kinds, left, right = rest.replace(",", "").split(" ")
    if kinds[-1] != "i64":
        return None
    if right == "0":
        return "0" if op == "mul" else left
    if left == "0" and op != "sub":
        return "0" if op == "mul" else right
    if op == "mul" and "1" in (left, right):
        return left if right == "1" else right
    if left.isdecimal() and right.isdecimal():
        a, b = int(left), int(right)
        value = a * b if op == "mul" else a + b if op == "add" else a - b
        return str(value) if -(2**63) <= value < 2**63 else None
    return None


def _comparison(rest: str) -> str | None:
    parts = rest.replace(",", "").split(" ")
    compared = _COMPARED.get(f"{parts[0]} ")
    if len(parts) != 4 or parts[1] != "i64" or compared is None:
        return None
    how, _, left, right = parts
    if left == right:
        return "true" if how in ("eq", "sge", "sle") else "false"
    if left.isdecimal() and right.isdecimal():
        return "true" if compared(int(left), int(right)) else "false"
    return None


def _connective(op: str, left: str, right: str) -> str | None:
    nothing, all_ = ("true", "false") if op == "and" else ("false", "true")
    if all_ in (left, right):
        return all_
    if left in (nothing, right):
        return right
    return left if right == nothing else None

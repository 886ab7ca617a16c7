"""The table of functions: how each is written, how exact it is, and which have a rare case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import retrograd.backends.llvm.math.exponential as exponential
import retrograd.backends.llvm.math.inverse as inverse
import retrograd.backends.llvm.math.logarithm as logarithm
import retrograd.backends.llvm.math.modulo as modulo
import retrograd.backends.llvm.math.power as power
import retrograd.backends.llvm.math.special as special
import retrograd.backends.llvm.math.trigonometry as trigonometry
from retrograd.backends.llvm.math.builder import Body, Bool, Float

__all__ = ["KERNELS", "Kernel", "Rare"]

Unary = Callable[[Body, Float], Float]
Binary = Callable[[Body, Float, Float], Float]


@dataclass(frozen=True, slots=True)
class Rare:
    """Arguments for which the branch-free code is wrong, and the scalar code for them."""

    test: Callable[..., Bool]
    write: Callable[..., Float]
    needs_digits: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """One function: `write(body, *arguments)` writes its code for any number of lanes.

    `ulp` is the declared bound of its error in units in the last place, which the tests enforce.
    """

    name: str
    arity: int
    write: Callable[..., Float]
    ulp: float
    rare: Rare | None = None


def _unary(name: str, write: Unary, ulp: float, rare: Rare | None = None) -> Kernel:
    return Kernel(name, 1, write, ulp, rare)


def _binary(name: str, write: Binary, ulp: float, rare: Rare | None = None) -> Kernel:
    return Kernel(name, 2, write, ulp, rare)


def _huge(write: Unary) -> Rare:
    return Rare(trigonometry.is_huge, write, needs_digits=True)


_ALL: Final = (
    _unary("exp", exponential.exp, 1.25),
    _unary("expm1", exponential.expm1, 1.5),
    _unary("sinh", exponential.sinh, 2.0),
    _unary("cosh", exponential.cosh, 1.5),
    _unary("tanh", exponential.tanh, 1.25),
    _unary("log", logarithm.log, 1.0),
    _unary("log1p", logarithm.log1p, 1.0),
    _unary("log2", logarithm.log2, 1.25),
    _unary("log10", logarithm.log10, 1.25),
    _unary("sin", trigonometry.sin, 1.0, _huge(trigonometry.huge_sin)),
    _unary("cos", trigonometry.cos, 1.0, _huge(trigonometry.huge_cos)),
    _unary("tan", trigonometry.tan, 1.25, _huge(trigonometry.huge_tan)),
    _unary("arcsin", inverse.arcsin, 1.5),
    _unary("arccos", inverse.arccos, 1.5),
    _unary("arctan", inverse.arctan, 1.75),
    _unary("erf", special.erf, 1.5),
    _unary("quantile", special.quantile, 6.0),
    _binary("arctan2", inverse.arctan2, 2.0),
    _binary("pow", power.pow_, 2.0),
    _binary("hypot", power.hypot, 1.25),
    _binary("mod", modulo.mod, 0.5, Rare(modulo.is_huge, modulo.huge_mod)),
    _binary("floordiv", modulo.floordiv, 0.5, Rare(modulo.is_huge, modulo.huge_floordiv)),
)

KERNELS: Final[Mapping[str, Kernel]] = MappingProxyType({kernel.name: kernel for kernel in _ALL})

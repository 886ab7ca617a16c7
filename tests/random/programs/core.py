"""What every part of the generator stands on: choices, switches, names, lines and bounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from tests.random.programs.choices import Choices, Source
from tests.random.programs.features import Features
from tests.random.programs.model import BOUND, INT_BOUND, Callee, Expr, Frame, Slot, Struct, Var

__all__ = ["Core", "Option"]

T = TypeVar("T")
Option = tuple[int, str, Callable[[], "Expr | None"]]
MAX_COST = 2500
MAX_MULTIPLIER = 120


class Core(ABC):
    """State of one program being written, and the operations that all productions share."""

    def __init__(self, source: Source, features: Features) -> None:
        self.choices = Choices(source)
        self.features = features
        self.tags: set[str] = set()
        self.frames: list[Frame] = []
        self.counter = 0
        self.groups = 0
        self.fault_left = features.faults
        self.expected: str | None = None
        self.functions: list[list[str]] = []
        self.module_callees: list[Callee] = []
        self.module_vars: list[Var] = []
        self.signature: tuple[tuple[str, ...], tuple[Slot, ...]] = ((), ())

    # productions that other productions call

    @abstractmethod
    def floating(self, depth: int) -> Expr: ...
    @abstractmethod
    def integer(self, depth: int) -> Expr: ...
    @abstractmethod
    def boolean(self, depth: int) -> Expr: ...
    @abstractmethod
    def array(self, shape: tuple[int, ...], depth: int, dtype: str = "f") -> Expr: ...
    @abstractmethod
    def call(self, wanted: Slot, depth: int) -> Expr | None: ...
    @abstractmethod
    def body(self, statements: int) -> None: ...
    @abstractmethod
    def inner_gradient(self, depth: int) -> Expr: ...
    @abstractmethod
    def call_text(self, callee: Callee, depth: int) -> str | None: ...
    @abstractmethod
    def subscript(self, of: tuple[int, ...], wanted: tuple[int, ...]) -> str | None: ...
    @abstractmethod
    def nested_function(self) -> bool: ...
    @abstractmethod
    def fault(self) -> bool: ...
    @abstractmethod
    def result_text(self, depth: int) -> str: ...
    @abstractmethod
    def wrote(self, var: Var) -> None: ...
    @abstractmethod
    def struct_text(self, fields: tuple[str, ...], texts: list[str]) -> str: ...
    @abstractmethod
    def index(self, extent: int, depth: int = 1) -> str: ...

    def some(self, most: int = 3) -> int:
        """How many statements an inner block gets."""
        return self.choices.integer(1, most)

    # switches and names

    def on(self, feature: str) -> bool:
        return feature == "" or bool(getattr(self.features, feature))

    def use(self, *features: str) -> None:
        self.tags.update(f for f in features if f)

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def group(self) -> int:
        self.groups += 1
        return self.groups

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def smooth(self) -> bool:
        return self.features.smooth

    # lines and blocks

    def line(self, text: str) -> None:
        self.frame.lines.append("    " * self.frame.depth + text)
        self.frame.cost += self.frame.multiplier

    @contextmanager
    def block(self, trips: int = 1, loop: bool = False) -> Iterator[None]:
        """An indented block; what it defines is gone after it."""
        frame = self.frame
        seen = len(frame.variables), len(frame.structs), len(frame.callees)
        start = len(frame.lines)
        old = frame.multiplier
        frame.depth += 1
        frame.nesting += 1
        frame.loops += int(loop)
        frame.multiplier *= max(1, trips)
        yield
        if len(frame.lines) == start:
            self.line("pass")
        frame.depth -= 1
        frame.nesting -= 1
        frame.loops -= int(loop)
        frame.multiplier = old
        del frame.variables[seen[0] :]
        del frame.structs[seen[1] :]
        del frame.callees[seen[2] :]

    def affordable(self, trips: int) -> bool:
        """Whether a loop of that many trips fits in here."""
        frame = self.frame
        return (
            frame.multiplier * trips <= MAX_MULTIPLIER
            and frame.cost + 4 * frame.multiplier * trips <= MAX_COST
        )

    def can_call(self, callee: Callee) -> bool:
        return self.frame.cost + self.frame.multiplier * callee.cost <= MAX_COST

    # what is visible

    def visible(self) -> list[Var]:
        """Variables that can be read here, own before captured before global."""
        found = list(self.frame.variables)
        for outer in reversed(self.frames[:-1]):
            found.extend(outer.variables)
        return found + self.module_vars

    def visible_structs(self) -> list[Struct]:
        return [s for frame in reversed(self.frames) for s in frame.structs]

    def visible_callees(self) -> list[Callee]:
        local = [c for frame in reversed(self.frames) for c in frame.callees]
        return local + self.module_callees

    def scalars(self, dtype: str) -> list[Var]:
        return [v for v in self.visible() if v.slot.dtype == dtype and not v.slot.shape]

    def arrays(self, dtype: str = "f", shape: tuple[int, ...] | None = None) -> list[Var]:
        return [
            v
            for v in self.visible()
            if v.slot.dtype == dtype and v.slot.shape and (shape is None or v.slot.shape == shape)
        ]

    def recent(self, found: list[Var]) -> list[Var]:
        """Mostly the variables of this function that were defined last, so that values flow."""
        own = [v for v in found if any(v is w for w in self.frame.variables)]
        if own and self.choices.flag(75):
            return own[-4:]
        return found

    def own(self, dtype: str, array: bool) -> list[Var]:
        """Variables of this function that may be assigned."""
        return [
            v
            for v in self.frame.variables
            if v.slot.dtype == dtype and bool(v.slot.shape) == array and not v.locked
        ]

    def define(self, name: str, slot: Slot, **facts: object) -> Var:
        var = Var(name, slot, **facts)  # type: ignore[arg-type]
        if var.group == 0 and slot.shape:
            var.group = self.group()
        self.frame.variables.append(var)
        return var

    # picking

    def pick(self, items: Sequence[T]) -> T:
        return self.choices.pick(items)

    def flag(self, percent: int = 50, feature: str = "") -> bool:
        """A coin; always tails where the feature is off."""
        return self.on(feature) and self.choices.flag(percent)

    def choose(self, options: Sequence[Option]) -> Expr:
        """One production by weight; one that does not apply here falls back to the first."""
        allowed = [(option[0], option) for option in options if self.on(option[1])]
        _, feature, produce = self.choices.weighted(allowed)
        found = produce()
        if found is None:
            found = options[0][2]()
            assert found is not None
            return found
        self.use(feature)
        return found

    # bounds

    def fit(
        self, expr: Expr, low: float = -BOUND, high: float = BOUND, array: bool = False
    ) -> Expr:
        """`expr` brought into the bounds by something smooth."""
        if low <= expr.low and expr.high <= high:
            return expr
        room = min(-low, high)
        lib = "np" if array else "math"
        mag = expr.mag
        if mag > 8 or not self.on("math_calls" if not array else "ufuncs"):
            scale = float(f"{0.999 * room / mag:.2g}")
            while scale * mag > room:
                scale *= 0.9
            return Expr(f"({scale:.3g} * {expr.text})", -room, room)
        self.use("ufuncs" if array else "math_calls")
        name = self.pick(("tanh", "sin", "cos", "arctan"))
        if name == "arctan" and not array:
            name = "atan"
        return Expr(f"{lib}.{name}({expr.text})", -min(room, 1.6), min(room, 1.6))

    def fit_int(self, expr: Expr, low: int = -INT_BOUND, high: int = INT_BOUND) -> Expr:
        """`expr` brought into the bounds by a remainder."""
        if low <= expr.low and expr.high <= high:
            return expr
        if low == 0 or self.choices.flag():
            text = f"({expr.text} % {high - max(low, 0) + 1})"
            shift = max(low, 0)
            return Expr(f"({text} + {shift})" if shift else text, max(low, 0), high)
        self.use("extrema")
        if not self.on("extrema"):
            return Expr(f"({expr.text} % {high + 1})", 0, high)
        return Expr(f"max({low}, min({high}, {expr.text}))", low, high)

    def value(self, slot: Slot, depth: int) -> Expr:
        """An expression of a type and within its bounds."""
        match slot.dtype, slot.shape:
            case "f", ():
                return self.fit(self.floating(depth), slot.low, slot.high)
            case "i", ():
                return self.fit_int(self.integer(depth), int(slot.low), int(slot.high))
            case "b", ():
                return self.boolean(depth)
            case "f", shape:
                return self.fit(self.array(shape, depth), slot.low, slot.high, array=True)
            case dtype, shape:
                return self.array(shape, depth, dtype)

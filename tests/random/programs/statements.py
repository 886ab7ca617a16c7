"""Which statement comes next."""

from __future__ import annotations

from collections.abc import Callable

from tests.random.programs.assignments import Assignments
from tests.random.programs.control import Control
from tests.random.programs.sweeps import Sweeps

__all__ = ["Statements"]

Step = tuple[int, str, Callable[[], bool]]


class Statements(Assignments, Control, Sweeps):
    """Chooses among all statements by weight."""

    def body(self, statements: int) -> None:
        for _ in range(statements):
            self.statement()

    def statement(self) -> None:
        """One statement that fits here."""
        simple: tuple[Step, ...] = (
            (7, "", self.new_float),
            (5, "", self.assign_float),
            (2, "integers", self.new_int),
            (2, "integers", self.assign_int),
            (1, "booleans", self.new_bool),
            (5, "arrays", self.any_array),
            (3, "augmented", self.augment),
            (4, "store", self.store),
            (4, "aug_store", self.aug_store),
            (3, "slice_store", self.slice_store),
            (2, "views", self.new_view),
            (1, "aliases", self.new_alias),
            (1, "rebind_array", self.rebind),
            (2, "array_augmented", self.array_augment),
            (1, "chained_assign", self.chained_assign),
            (1, "swap", self.swap),
            (2, "tuples", self.new_struct),
            (1, "tuples", self.unpack),
            (1, "int_float_join", self.join),
            (1, "asserts", self.assertion),
            (2, "helpers", self.call_statement),
            (1, "nested_def", self.nested_function),
        )
        compound: tuple[Step, ...] = (
            (5, "if_statement", self.branch),
            (1, "both_branches", self.both_branches),
            (5, "for_range", self.for_range),
            (2, "for_array", self.for_array),
            (2, "for_enumerate", self.for_enumerate),
            (1, "for_zip", self.for_zip),
            (3, "sweeps", self.sweep),
            (3, "while_loop", self.while_loop),
            (1, "raises", self.guarded_raise),
            (1, "early_return", self.guarded_return),
            (2, "break_", self.guarded_break),
            (1, "continue_", self.guarded_continue),
        )
        if self.fault_left and self.choices.flag(8) and self.fault():
            self.fault_left = False
            return
        if self.frame.cost > 1500:
            return
        steps = simple if self.frame.nesting >= 3 else (*simple, *compound)
        allowed = [(step[0], step) for step in steps if self.on(step[1])]
        _, feature, write = self.choices.weighted(allowed)
        if write():
            self.use(feature)
        else:
            self.new_float()

"""Which constructs a random program may contain: one switch each."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

__all__ = ["FAULTY", "PLAIN", "SMOOTH", "Features"]


@dataclass(frozen=True, slots=True)
class Features:
    """One switch per construct; the names are also the tags that a program carries.

    `smooth` leaves out what has kinks, so that central differences apply; `faults` lets a program
    contain one statement that raises when it is reached. `inner_grad` takes derivatives inside the
    program, which then needs retrograd even under plain Python.
    """

    smooth: bool = False
    faults: bool = False
    # values
    integers: bool = True
    booleans: bool = True
    arrays: bool = True
    rank2: bool = True
    rank3: bool = True
    int_arrays: bool = True
    bool_arrays: bool = True
    empty_arrays: bool = False
    tuples: bool = True
    namedtuples: bool = True
    struct_args: bool = True
    globals_: bool = True
    # control
    for_range: bool = True
    range_step: bool = True
    for_array: bool = True
    for_rows: bool = True
    for_enumerate: bool = True
    for_zip: bool = True
    reversed_range: bool = True
    while_loop: bool = True
    sweeps: bool = True
    if_statement: bool = True
    break_: bool = True
    continue_: bool = True
    early_return: bool = True
    after_loop: bool = True
    both_branches: bool = True
    int_float_join: bool = True
    asserts: bool = True
    raises: bool = True
    # expressions
    if_expression: bool = True
    bool_ops: bool = True
    bool_values: bool = True
    chained: bool = True
    math_calls: bool = True
    power: bool = True
    rounding: bool = True
    int_power: bool = True
    any_all: bool = True
    conversions: bool = True
    bit_ops: bool = True
    extrema: bool = True
    # functions
    helpers: bool = True
    polymorphic: bool = True
    recursion: bool = True
    mutual_recursion: bool = True
    array_recursion: bool = True
    nested_def: bool = True
    lambdas: bool = True
    nonlocal_: bool = True
    closure_store: bool = True
    function_args: bool = True
    defaults: bool = True
    keywords: bool = True
    inner_grad: bool = False
    # assignment
    augmented: bool = True
    chained_assign: bool = True
    swap: bool = True
    store: bool = True
    aug_store: bool = True
    slice_store: bool = True
    array_augmented: bool = True
    negative_index: bool = True
    views: bool = True
    aliases: bool = True
    rebind_array: bool = True
    write_args: bool = True
    # arrays as wholes
    slices: bool = True
    newaxis: bool = True
    allocate: bool = True
    array_literal: bool = True
    ufuncs: bool = True
    broadcasting: bool = True
    reductions: bool = True
    axis_reductions: bool = True
    matmul: bool = True
    where: bool = True
    transpose: bool = True
    methods: bool = True
    array_conditional: bool = True
    empty_then_filled: bool = True
    shapes: bool = True

    def without(self, *names: str) -> Features:
        """The same with these constructs switched off."""
        return replace(self, **dict.fromkeys(names, False))

    def only(self, *names: str) -> Features:
        """Only these constructs (and the two modes as they are)."""
        off = {f.name for f in fields(self)} - {*names, "smooth", "faults"}
        return self.without(*off)


PLAIN = Features()
FAULTY = Features(faults=True)
SMOOTH = Features(smooth=True)

"""The numbers by which the compiler chooses: what is long, small, dear, or worth its price.

No choice changes what a program means; each changes the code that is made for it. Passes and the
code generator find them in the primitives that they are handed (`PrimitiveSet.costs`). Units:
statements are those of the IR, iterations those of a counted loop, additions the cost of one
floating-point addition, words 8 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Costs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a compilation counts as long, small, dear or worthwhile."""

    # Functions and what goes into them.
    inline_small: int = 60
    """Statements up to which a function is inlined wherever it is called."""
    inline_largest: int = 5_000
    """Statements up to which inlining lets a function grow."""
    ending_statements: int = 8
    """Primitives before, in and after the end of a recursion that goes to the caller, each."""

    # Execution points.
    unit_cost: float = 4096.0
    """Additions up to which a counted loop is part of the unit around it."""
    straight_least: int = 1024
    """Scalar statements in a row from which on they are divided: some kilobytes on the tape."""
    straight_part: int = 64
    """Scalar statements of each part that they are divided into."""
    line_least: int = 32
    """Statements on arrays in a row from which on they are divided into functions."""
    line_least_in_loop: int = 128
    """The same in the body of a loop, whose iterations are points already."""
    line_part_least: int = 8
    """Statements on arrays of a part: so many, and again for each array that is handed on."""
    line_part_most: int = 32
    """Statements on arrays from which on a part ends at the next place that will do."""

    # Loops.
    hoist_cost: float = 2.0
    """Additions up to which an invariant primitive moves out of a branch in a loop."""
    guard_trips: int = 8
    """Iterations from which on the checks of a loop go before it."""
    window_elements: int = 8
    """Elements of one line of an array that a loop keeps in scalars at most."""
    edge_iterations: int = 4
    """Iterations of an edge that gets a loop of its own at most."""
    edge_statements: int = 300
    """Statements of a body that is written three times, for its edges, at most."""
    edge_trips: int = 8
    """Iterations from which on a loop is divided at its edges."""
    version_statements: int = 60
    """Statements of a body that has a version for indices that do not come round at most."""
    jam_sums: int = 8
    """Iterations side by side where each has a sum of its own: one adds every fourth cycle."""
    jam_elements: int = 4
    """Iterations side by side where they share what they load and store."""
    jam_cost: float = 24.0
    """Additions in an iteration of a nest that is jammed at most."""
    jam_trips: int = 16
    """Iterations of the inner loop from which on a nest is jammed."""
    strip_cost: float = 8.0
    """Additions of the map in a loop from which on it runs apart, in lanes."""
    strip_met: float = 32.0
    """The same where iterations meet in an element of an array, and the loop may be short."""
    extreme_trips: int = 128
    """Iterations from which on running extremes are kept in lanes."""

    # Reverse mode: what is recorded, and what is calculated again.
    extent: float = 100.0
    """Iterations of every loop, and length of every axis, in estimates: neither is known."""
    recorded_cost: float = 12.0
    """Additions from which on a scalar primitive is recorded, outside of vectorised loops."""
    recorded_array_cost: float = 25.0
    """The same of an element of an array, which is written to memory and read again."""
    recorded_once_cost: float = 20.0
    """The same outside of loops, with which the tape would grow, of what its own slope is made of:
    an exponential is needed as soon as something comes back to it."""
    recorded_scalars: int = 16
    """Scalars that are recorded at most to spare a body that is run again their making."""
    private_slack: int = 64
    """Elements that the iterations of a loop with elements of their own may leave out."""
    rerun_gain: float = 1.3
    """How many times the words of its inputs a body records that is run again instead."""
    rerun_margin: float = 8.0
    """Words that it records beyond that."""
    near_words: float = 16384.0
    """Words that the body of a nest may record that is run again as a whole although parts of it
    are: what is recorded should stay near the processor."""
    apart_gain: float = 10.0
    """How many times the words made for it a body records that is an inner derivative: one that
    goes over its arrays a few times records them as often, one with a recurrence `extent` times."""
    apart_words: float = 1000.0
    """Words that such a body records at least: the schedule of one takes as long as calculating
    thousands of words. Where there is no room for that, bodies with fewer are tried, too."""
    log_gain: float = 1.3
    """How many times fewer words a function records with logged arrays than without."""
    log_margin: float = 8.0
    """Words that it saves beyond that."""
    log_work: float = 50.0
    """Primitives not run again, for each word recorded, that make up for saving no words."""
    log_excess: float = 0.0
    """Words that the log of an array that is tried may take beyond all that is recorded without."""
    log_singles: int = 4
    """Arrays that could be logged up to which leaving out single ones is tried."""

    # Machine code.
    returned_words: int = 24
    """Words of results that are returned in registers at most; more go through memory."""
    argument_words: int = 128
    """Words of arguments that are values in interruptible code at most; more stay in memory."""
    module_lines: int = 2_500
    """Lines of LLVM text of all functions from which on the long ones are not inlined.

    LLVM joins all that are called from one place, and takes time with more than the square of what
    comes of it: programs of 60 to 110 lines compiled for up to twice as long, and ran no faster.
    """
    function_lines: int = 300
    """Lines of LLVM text from which on a function counts as long there."""
    stack_elements: int = 64
    """Elements of an array of known size that lives on the native stack at most."""
    stack_arrays: int = 64
    """Arrays of a function from which on no more of them live there."""
    while_together: int = 8
    """Iterations of a short `while` loop that ask for the budget once."""
    while_short: int = 24
    """Units of budget that an iteration of a short `while` loop costs at most."""
    folded_cost: float = 6.0
    """Additions for an element of rows that a reduction of rows calculates itself at most: what
    costs more is calculated in lanes, and kept until it is added up."""
    row_cost: float = 4.0
    """Additions from which on what is the same for all elements of a row is calculated for several
    rows in lanes, before those rows."""
    summed_readers: int = 2
    """Elementwise readers of a term that is not made an array to be added to, at most."""
    fused_statements: int = 64
    """Results that several others use and one statement evaluates, at most: loops over elements
    have so many operations more."""
    fused_cost: float = 12.0
    """Additions of an elementwise function from which on it has a loop of its own beside others
    over the same elements: iterations with several such are not done side by side."""
    fused_loops: int = 16
    """Loops over the same elements that are one at most: each has arrays to read and to write."""
    unrolled_iterations: int = 4
    """Iterations of a loop over arrays that go through their elements together."""
    unrolled_statements: int = 24
    """Statements of an iteration that does so at most: they are written five times."""
    lane_trips: int = 64
    """Elements from which on the maximum or minimum of an array is found in lanes."""
    blas_products: int = 8192
    """Multiplications from which on a product of matrices is worth a call of BLAS."""

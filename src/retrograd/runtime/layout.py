"""The layout of a run's context in 8-byte words, shared by the native code and by Python."""

from __future__ import annotations

from types import MappingProxyType

__all__ = [
    "CONTEXT_WORDS",
    "ENOUGH",
    "FIELDS",
    "FREE_LISTS",
    "PARKED",
    "PLACES",
    "RESET",
    "field_offset",
]

FIELDS = (
    "error", "limit", "peak", "stack_limit", "externals", "tape_top", "tape_base", "tape_limit",
    "tape_peak", "tape_arrays", "live", "blocks", "aux0", "aux1", "budget", "steps", "frames",
    "allocations", "results", "last_frame", "external_table", "blas", "owner", "ahead",
    "wait_at", "tape_enough", "tape_end", "inner_ways", "asked_words", "asked", "inside",
    "parked", "held", "large", "large_bytes", "large_count", "framed", "signals", "busy",
    "pending", "entered", "late", "clean_at", "clean_end", "clean_apart",
    "aux2", "aux3", "aux4", "aux5", "aux6", "aux7",
    "printer", "offload", "place",
)  # fmt: skip
"""Named words. `externals` counts the buffers of the caller, whose addresses are in a table;
`blas` is the address of the table in `retrograd.runtime.library`. `owner` is who runs, where sweeps
share a context; `ahead` is 1 while the forward sweep records nothing. The reverse sweep waits
where the top of the tape is `wait_at`; the forward one stops where so many bytes are recorded as
`tape_enough` says. `tape_end` is where the reserved addresses end; `tape_limit` is below it where
arrays have taken the memory. `inner_ways` is the address of a word for each inner derivative, 0
where native code is to do it itself; where it does not, `asked` names the inner derivative (from 1)
whose arguments are in the buffer at `asked_words`. `inside` names the one that is being done.
`parked` are the bytes in blocks that are in no chain, `held` those in all that the system gave.
`large` is the head of a list of large blocks that are in no chain either, with their bytes and how
many there are. `framed` are the bytes of `live` that are in frames. `signals` is the address of the
table in `retrograd.runtime.signals`; `busy` is 1 while the run must not be given up, and `pending`
notes that a signal has come meanwhile. `entered` is the chain of frames that are being resumed. A
run stops where the budget is down to `late` at points that are not heavy, at others where there is
none; `clean_at` is the step at which the last iteration of a loop with heavy points inside began,
`clean_apart` how many that was after the one before, and `clean_end` the step at which the budget
will be used up. `offload` is the address of the table in `retrograd.runtime.offload`, 0 where all
of the tape stays in memory. Where a function that several lines call has failed, `place` is the
number of the site of the line that called it, and 0 until that is known."""

RESET = 10
"""The first so many fields are written anew before each call."""

FREE_LISTS = len(FIELDS)
"""First of 129 heads of free lists, one for each size from 0 to 8,192 bytes in steps of 64."""

PARKED = FREE_LISTS + 129
"""First of as many heads of lists of blocks that are in no chain: nobody looks through those."""

CONTEXT_WORDS = PARKED + 129


ENOUGH = 1 << 61
"""What is taken off the budget where enough is recorded, so that there is none left."""


PLACES = MappingProxyType({name: k for k, name in enumerate(FIELDS)})
"""The word of each field."""


def field_offset(name: str) -> int:
    """Byte offset of a field of the context."""
    return 8 * PLACES[name]

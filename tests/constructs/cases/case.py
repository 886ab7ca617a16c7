"""What a public case is: a program, its arguments, and the derivative that it has to have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

__all__ = ["PublicCase", "numbers"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublicCase:
    """A case of the tests of derivatives of the public Futhark repository, in own words.

    A Jacobian has a row for each number of the results and a column for each number of the
    arguments, in the order of memory. A case compares rows of it, or sums of rows, which are the
    pullbacks of cotangents; or columns, which are the pushforwards of tangents.

    Attributes:
        name: of the file, the entry point and the data set, as "fadd.f_jvp.0".
        program: a function of floats where the original is one of integers.
        also: the same program in other words.
        args: what it is called with.
        compared: "value": the value alone.
        seeds: a cotangent or tangent in each row; None: all unit vectors, so all of the Jacobian.
        expected: of "rows" an array for each argument in `wrt`, of "columns" one for each result;
            each has the seeds along its first axes.
        wrt: the arguments that are differentiated.
        value: what the program gives, where the case says so.
        summary: of the Jacobian as a whole: "sum", "nonzeros", "max" and "l2".
        rtol, atol: how far numbers may be off; as they stand only rounding is allowed for.
        differs: where the convention is another one than Futhark's, which and why.
        theirs: what Futhark expects there.
        limit: the program closer to the original, and the code of the error that refuses it.
        file: the path in that repository, where the name does not say it.
    """

    name: str
    program: Callable[..., Any]
    args: tuple[Any, ...]
    compared: Literal["value", "rows", "columns"] = "rows"
    seeds: Any = None
    expected: tuple[Any, ...] = ()
    wrt: tuple[int, ...] = (0,)
    value: Any = None
    summary: Mapping[str, float] = field(default_factory=dict[str, float])
    rtol: float = 1e-12
    atol: float = 0.0
    differs: str = ""
    theirs: Any = None
    limit: tuple[Callable[..., Any], str] | None = None
    file: str = ""
    also: tuple[Callable[..., Any], ...] = ()

    @property
    def source(self) -> str:
        """The path in the public Futhark repository."""
        return self.file or f"tests/ad/{self.name.partition('.')[0]}.fut"


def numbers(shape: tuple[int, ...], text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A large array, written as its numbers with a stroke between rows; a row of zeros is "."."""
    zeros = ["0"] * shape[-1]
    rows = [zeros if row.strip() == "." else row.split() for row in text.split("|")]
    return np.array(rows, dtype=np.float64).reshape(shape)

"""`np.split` and `np.array_split`: into parts whose number is known, or known at run time only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from retrograd.frontend.library.args import bind
from retrograd.frontend.library.plain import views
from retrograd.frontend.library.plain_functions import Plain, compiled
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import Scalar, Static, Value
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.types import I64

__all__ = ["SPLITS"]


def _handler(real: Callable[..., Any], known: Callable[..., Any], run: object) -> Handler:
    plain = compiled(Plain(real, known, literals=("indices_or_sections",)))

    def split(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        names = "ary indices_or_sections axis"
        ary, parts, axis = bind(t, f"np.{real.__name__}", args, kwargs, names, 2)
        of_the_run = isinstance(parts, Scalar) and parts.type == I64 and known_int(t, parts) is None
        if not of_the_run or (t.ctx.dropped and not t.ctx.way.keeps):
            return plain(t, args, kwargs)  # what a caller has as a literal may be one here
        assert ary is not None
        assert parts is not None
        return t.call(Static(run), (ary, parts, literal(0) if axis is None else axis), {})

    return split


SPLITS: Mapping[object, Handler] = {
    np.split: _handler(np.split, views.split, views.in_equal_parts),
    np.array_split: _handler(np.array_split, views.array_split, views.in_parts),
}
"""The two functions."""

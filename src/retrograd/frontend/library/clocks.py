"""Clocks: `time.time()` and the like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrograd.frontend.identity.clocks import CLOCKS, TIME
from retrograd.frontend.library.args import bind
from retrograd.frontend.values.kinds import Static, Value
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["TABLE"]


def _told(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    bind(t, "a clock", args, kwargs, "", 0)
    return Static(TIME)


TABLE: Mapping[object, Handler] = dict.fromkeys(CLOCKS, _told)

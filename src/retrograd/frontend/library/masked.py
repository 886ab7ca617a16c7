"""What is asked of arrays whether they are masked: those of programs never are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retrograd.frontend.library.args import bind
from retrograd.frontend.values.kinds import Static, Value
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["of_masked"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _no(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    bind(t, "a question about masks", args, kwargs, "x")
    return literal(False)


def _as_it_is(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, *_ = bind(t, "np.ma.filled", args, kwargs, "a fill_value")
    assert value is not None
    return t.call(Static(np.asarray), (value,), {})


def _data(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, *_ = bind(t, "np.ma.getdata", args, kwargs, "a subok")
    assert value is not None
    return t.call(Static(np.asarray), (value,), {})


def _mask(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.ma.getmaskarray", args, kwargs, "arr")
    assert value is not None
    return t.call(Static(np.zeros_like), (value,), {"dtype": Static(bool)})


def of_masked(module: Any) -> Mapping[object, Handler]:
    """The functions of `numpy.ma`, if it is loaded."""
    return {
        module.isMaskedArray: _no, module.is_masked: _no, module.filled: _as_it_is,
        module.getdata: _data, module.getmaskarray: _mask,
    }  # fmt: skip

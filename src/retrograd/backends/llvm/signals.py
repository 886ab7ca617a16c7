"""The native code by which signals are answered, made ready once in a process."""

from __future__ import annotations

from functools import cache

from retrograd.backends.llvm.cache import load_or_compile
from retrograd.backends.llvm.jit import link_function
from retrograd.backends.llvm.signal_text import SIGNAL_MODULE
from retrograd.runtime.signals import answer_signals

__all__ = ["answered"]

_PLAIN = 1
"""There is nothing in it to optimise."""


@cache
def answered() -> None:
    """Without this, no native code can be called: every call goes through what it links."""
    answer_signals(*link_function(load_or_compile(SIGNAL_MODULE, _PLAIN), "rg_answer_signals"))

"""An entry of the table, tried."""

from __future__ import annotations

import warnings

import numpy as np

from tests.corpus.copies import function_of
from tests.corpus.measure import Outcome, measure, probe
from tests.corpus.table import Entry

__all__ = ["tried"]


def tried(entry: Entry) -> Outcome:
    """How it ends when a function is differentiated at the arguments of its entry.

    Raises:
        Unsuitable: plain Python does not do there what it did when the function was drawn.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function = function_of(entry.module, entry.name)
        return measure(probe(function, entry.call(), entry.label))

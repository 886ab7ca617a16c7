"""An array that is multiplied by itself again and again: code grew by two with each line.

An operand that a statement uses twice is evaluated inside it, once; it was looked at twice.
"""

from __future__ import annotations

import numpy as np

from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.backends.llvm.module import module_text
from retrograd.frontend.identity.specs import spec_of
from retrograd.transforms.driver import PLAIN


def ten(x):
    a = x * x
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    return np.sum(a)


def twenty(x):
    a = x * x
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    a = a * a
    return np.sum(a)


def products(f):
    """Multiplications of floats in the text that LLVM is given."""
    task = prepare(f, [spec_of(np.ones(3))], {}, derivative=False).task
    return module_text(PLAIN.run(task.program, known()), known(), False).text.count("fmul")


def test_code_grows_with_the_lines() -> None:
    assert 10 <= products(ten) < products(twenty) <= 2 * products(ten)

"""`np.einsum`: operands in pairs, from the left, by a plan that is made of the subscripts.

A plan is a sequence of calls of the programs below. Each axis has a label, a letter or, of those
that `...` stands for, a number; what a pair has in common and nobody needs later is summed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from retrograd.frontend.library import written_kernels
from retrograd.frontend.library.plain.axes import size_of
from retrograd.frontend.library.plain.matrices import diagonal
from retrograd.frontend.library.plain.told import refuse
from retrograd.ir.types import MAX_RANK

__all__ = ["einsum", "labels_of", "run"]

np: Any = numpy
Labels = tuple[object, ...]
Call = Callable[..., Any]
_MOST = MAX_RANK


def einsum(subscripts: Any, *operands: Any) -> Any:
    arrays = [np.asarray(x) for x in operands]
    inputs, output = labels_of(subscripts, [x.ndim for x in arrays])
    return run(inputs, output, arrays, _called)


def _called(program: Call, *args: Any) -> Any:
    return program(*args)


def run(inputs: Sequence[Labels], output: Labels, operands: Sequence[Any], call: Call) -> Any:
    """The result, all of it made by `call(program, *arguments)`."""
    parts = [_diagonals(x, labels, call) for x, labels in zip(operands, inputs, strict=True)]
    x, own = parts[0]
    for k in range(1, len(parts) + 1):
        later = [label for _, labels in parts[k:] for label in labels]
        wanted = (*output, *later)
        x, own = _summed(x, own, wanted, call)
        if k < len(parts):
            rest = (*output, *(label for _, labels in parts[k + 1 :] for label in labels))
            y, other = _summed(*parts[k], (*rest, *own), call)
            x, own = _pair(x, own, y, other, rest, call)
    order = tuple(own.index(label) for label in output)
    return x if order == tuple(range(len(order))) else call(ordered, x, order)


def labels_of(subscripts: str, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """Those of each operand and of the result; ValueError of subscripts that do not fit."""
    text = "".join(subscripts.split())
    left, arrow, right = text.partition("->")
    words = left.split(",")
    if len(words) != len(ranks):
        raise ValueError(f"{len(words)} operands are described, {len(ranks)} are given")
    inputs = [_word(word, rank) for word, rank in zip(words, ranks, strict=True)]
    every = [label for labels in inputs for label in labels]
    dots = tuple(sorted({label for label in every if isinstance(label, int)}))
    if arrow:
        if dots and "..." not in right:
            raise ValueError("the axes of `...` are lost in the output")
        output = _word(right, len(right.replace("...", "")) + len(dots))
    else:
        letters = sorted({x for x in every if isinstance(x, str) and every.count(x) == 1})
        output = (*dots, *letters)
    if len(set(output)) != len(output) or not set(output) <= set(every):
        raise ValueError("a label of the output is there twice, or in no operand")
    return inputs, output


def _word(word: str, rank: int) -> Labels:
    first, dots, last = word.partition("...")
    if not (first + last).isalpha() and first + last:
        raise ValueError(f"{word!r} has more than letters and one `...`")
    hidden = rank - len(first) - len(last)
    if hidden < 0 or (hidden > 0 and not dots):
        raise ValueError(f"{word!r} does not fit an operand with {rank} axes")
    return (*first, *range(-hidden, 0), *last)


def _diagonals(x: Any, labels: Labels, call: Call) -> tuple[Any, Labels]:
    """Of labels that an operand has twice."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            x = call(square_diagonal, x, first, second)
            labels = (*labels[:first], *labels[first + 1 : second], *labels[second + 1 :], label)
    return x, labels


def _summed(x: Any, labels: Labels, wanted: Labels, call: Call) -> tuple[Any, Labels]:
    axes = tuple(k for k, label in enumerate(labels) if label not in wanted)
    if not axes:
        return x, labels
    return call(summed, x, axes), tuple(label for label in labels if label in wanted)


def _pair(
    x: Any, own: Labels, y: Any, other: Labels, wanted: Labels, call: Call
) -> tuple[Any, Labels]:
    both = tuple(label for label in own if label in other)
    batch = tuple(label for label in both if label in wanted)
    inner = tuple(label for label in both if label not in wanted)
    left = tuple(label for label in own if label not in other)
    right = tuple(label for label in other if label not in own)
    found = (*batch, *left, *right)
    if len(found) > _MOST:
        return call(
            refuse, f"np.einsum over more than {_MOST} axes at once", "contract in several steps"
        ), found
    one = tuple(own.index(label) for label in (*batch, *left, *inner))
    two = tuple(other.index(label) for label in (*batch, *inner, *right))
    dots = tuple(k for k, label in enumerate(batch) if isinstance(label, int))
    return call(pair, x, y, one, two, len(batch), len(inner), dots), found


def ordered(x: Any, order: Any) -> Any:
    return np.transpose(x, order) if x.ndim > 1 else x


def square_diagonal(x: Any, one: Any, two: Any) -> Any:
    if x.shape[one] != x.shape[two]:
        raise ValueError("dimensions in operand for collapsing index don't match")
    return diagonal(x, 0, one, two)


def summed(x: Any, axes: Any) -> Any:
    return np.sum(x, axis=axes)


def _block(x: Any, shape: Any) -> Any:
    return np.full(shape, x) if x.ndim == 0 else np.reshape(x, shape)


def _spread(a: Any, b: Any, dots: Any) -> Any:
    """With equal extents of the axes that `...` stands for, in which one element counts as many."""
    for k in dots:
        if a.shape[k] != b.shape[k]:
            n = a.shape[k] if b.shape[k] == 1 else b.shape[k]
            a = np.broadcast_to(a, (*a.shape[:k], n, *a.shape[k + 1 :]))
            b = np.broadcast_to(b, (*b.shape[:k], n, *b.shape[k + 1 :]))
    return a, b


def pair(a: Any, b: Any, one: Any, two: Any, batch: Any, inner: Any, dots: Any) -> Any:
    """Of axes (batch, left, inner) and (batch, inner, right), in these orders. `dots` are those of
    the batch that `...` stands for."""
    a, b = _spread(ordered(np.asarray(a), one), ordered(np.asarray(b), two), dots)
    left = a.ndim - batch - inner
    for k in range(batch):
        if a.shape[k] != b.shape[k]:
            raise ValueError("operands could not be broadcast together")
    for k in range(inner):
        if a.shape[batch + left + k] != b.shape[batch + k]:
            raise ValueError("operands could not be broadcast together")
    shape = a.shape[: batch + left] + b.shape[batch + inner :]
    n, rows = size_of(a.shape[:batch]), size_of(a.shape[batch : batch + left])
    count, columns = size_of(a.shape[batch + left :]), size_of(b.shape[batch + inner :])
    if batch == 0 and inner == 0:
        return np.reshape(_block(a, (rows, 1)) * _block(b, (1, columns)), shape)
    if batch == 0:
        if a.dtype != np.float64 and b.dtype != np.float64:
            refuse("a product of two arrays of ints", "convert one of them: x.astype(float)")
        return np.reshape(np.reshape(a, (rows, count)) @ np.reshape(b, (count, columns)), shape)
    right = b.ndim - batch - inner
    if inner == 0:
        return np.reshape(np.reshape(a, (n, rows, 1)) * np.reshape(b, (n, 1, columns)), shape)
    if right == 0:
        products = np.reshape(a, (n, rows, count)) * np.reshape(b, (n, 1, count))
        return np.reshape(np.sum(products, axis=2), shape)
    if left == 0:
        products = np.reshape(a, (n, count, 1)) * np.reshape(b, (n, count, columns))
        return np.reshape(np.sum(products, axis=1), shape)
    blocks = np.reshape(a, (n, rows, count)) * 1.0, np.reshape(b, (n, count, columns)) * 1.0
    return np.reshape(written_kernels.products_of_blocks(blocks[0], blocks[1]), shape)

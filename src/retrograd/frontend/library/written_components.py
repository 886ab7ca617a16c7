"""Strongly connected components of a graph.

D. J. Pearce, An improved algorithm for finding the strongly connected components of a directed
graph, 2005; in SciPy's order, so that components have SciPy's numbers.
"""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["strong_parts"]

np: Any = numpy

_VOID = -1
_END = -2


def _taken_out(forward: Any, backward: Any, w: Any) -> None:
    """Takes a node out of the list of those to visit."""
    if forward[w] != _VOID:
        ahead, behind = forward[w], backward[w]
        if behind != _END:
            forward[behind] = ahead
        if ahead != _END:
            backward[ahead] = behind


def _put_first(linked: Any, low: Any, forward: Any, backward: Any, head: Any) -> Any:
    """Puts the nodes that follow one before it in the list of those to visit; the new first one."""
    v = head
    for w in range(len(linked)):
        if linked[v, w] and low[w] == _VOID:
            _taken_out(forward, backward, w)
            forward[w], backward[w] = head, _END
            backward[head] = w
            head = w
    return head


def _lowest(linked: Any, low: Any, v: Any) -> Any:
    """The least number that can be reached from a node, and whether that is its own."""
    root, least = True, low[v]
    for w in range(len(linked)):
        if linked[v, w] and low[w] < least:
            least, root = low[w], False
    return least, root


def strong_parts(linked: Any) -> Any:
    """The component of each node, and how many there are."""
    n = len(linked)
    low = np.full(n, _VOID)
    forward, backward, waiting = np.full(n, _VOID), np.full(n, _VOID), np.full(n, _VOID)
    top, index, label = _END, 0, n - 1
    for first in range(n):
        head = _END
        if low[first] == _VOID:
            head = first
            forward[first], backward[first] = _END, _END
        while head != _END:
            v = head
            if low[v] == _VOID:
                low[v] = index
                index += 1
                head = _put_first(linked, low, forward, backward, head)
                continue
            head = forward[v]
            if head >= 0:
                backward[head] = _END
            forward[v], backward[v] = _VOID, _VOID
            low[v], root = _lowest(linked, low, v)
            if not root:
                waiting[v], top = top, v
                continue
            index -= 1
            while top != _END and low[v] <= low[top]:
                w, top = top, waiting[top]
                waiting[w], low[w] = _VOID, label
                index -= 1
            low[v] = label
            label -= 1
    return (n - 1) - low, n - 1 - label

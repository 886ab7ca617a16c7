"""Arrays and objects that may be each other's other names, across calls and derivatives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from retrograd.frontend.values.pack import Packer
from retrograd.frontend.values.tracer import Tracer

__all__ = ["keep_apart", "link_results", "links_of", "list_links"]


def keep_apart(t: Tracer, one: int, other: int) -> None:
    """Has a derivative that writes to a copy of `one` and is given `other`.

    In Python the second would change with the first, if they are one array.
    """
    if one == other or other in t.state.links.get(one, frozenset()):
        raise t.error(
            "RG0307",
            "the function that is differentiated writes to an array, of which another argument "
            "(or a captured array) is, or may be, a part",
            "pass a copy for one of the two: x.copy()",
        )
    t.frame.apart.add((one, other))


def list_links(t: Tracer, packer: Packer) -> frozenset[tuple[int, int]]:
    """The pairs of a list, by its items, and an array of which it may be a row."""
    return frozenset(
        (packer.cells[a], packer.locs[b])
        for a, others in t.state.links.items()
        for b in others
        if a in packer.cells and b in packer.locs
    )


def links_of(t: Tracer, numbers: Mapping[int, int]) -> frozenset[tuple[int, int]]:
    """The pairs of packed locations, or cells, that may be the same one."""
    return frozenset(
        (numbers[a], numbers[b])
        for a, others in t.state.links.items()
        for b in others
        if a in numbers and b in numbers
    )


def link_results(
    t: Tracer, pairs: Iterable[tuple[int, int]], now: Mapping[int, int], before: Mapping[int, int]
) -> None:
    """Links results with the arrays or objects that they may be; those of `before` were given."""
    for pair in pairs:
        if pair[0] == pair[1]:
            t.state.repeat(now[pair[0]])
            continue
        given = [number for number in pair if number in before]
        made = [number for number in pair if number not in before]
        if len(given) == len(made) == 1:
            t.state.follow(now[made[0]], now[given[0]])
        else:
            a, b = pair
            t.state.link(now[a], now[b])

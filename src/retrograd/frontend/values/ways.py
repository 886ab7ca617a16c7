"""How a program is translated."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType

from retrograd.errors import Span
from retrograd.frontend.identity.class_attributes import Holder
from retrograd.frontend.identity.dict_rows import DictSite, LateKey, ShuffledKey
from retrograd.frontend.identity.given_lists import Opens
from retrograd.frontend.identity.growing_lists import ATTRIBUTES, growing
from retrograd.frontend.identity.surroundings import HiddenKey
from retrograd.frontend.identity.uneven_arrays import ATTRIBUTES as UNEVEN_ATTRIBUTES
from retrograd.frontend.identity.uneven_arrays import UnevenLists, uneven_rows

__all__ = ["Way"]


@dataclass(frozen=True, slots=True)
class Way:
    """How a program is translated, which is found out by trying.

    For most there is something in `Context` that a translation notes where it needs another way.

    Attributes:
        baked: the hidden arguments whose ints are literals. `numbered` are those with ints.
        lists: the program's lists are objects, which it may change; without it they are tuples,
            which most programs want.
        opens: how lists from outside are given, which may be such objects, too. `openable`: there
            are some.
        kinds: functions are specialised, and joins made, by whether numbers are NumPy's.
        literals: the ints and bools of objects from outside are part of the program. `has_trees`:
            there are such objects.
        keeps: functions are called with literal ints that stay ones, where that works, so that
            objects that are made in the program keep theirs. `dropped`: they were numbers instead.
        floats: so are literal floats, which conditions may ask for. `sunk`: there are some.
        unrolls: loops of a few iterations that append to lists are translated one iteration after
            the other, so that the lists have a known length. `grown`: there is such a loop.
        joins: where two paths meet, a name may have values of several kinds, and so may items of a
            list. `mixed`: a list has such items.
        tables: where dicts are made that keep their keys in a list. `keyed` are those that should.
        delays: generators run where their items are taken, in turns with what takes them. `kept`:
            one has a name, or is an argument.
        crowded: classes of objects that are rows of tables, with their attributes, since they
            cannot all be variables (`values/object_rows.py`). `Context.crowded` has more of them.
        partial: attributes that are in two columns of such tables.
        chosen: where dicts are made of which an item is found by branches
            (`syntax/chosen_keys.py`); `chose` are those for which that has been tried.
        rivals: what uses a name that stands for one of two lists or dicts that are written to is
            translated for each of them. `rivalry`: there is such a name.
        peels: the first iteration of a loop stands apart, where a name of an array gets another one
            in it; 2: loops without iterations are refused there. `peelable`: there is such a name.
        picks: which item of a list or tuple is meant is found by branches. `pickable`: it is known
            at run time only.
        heaps: sets of places where lists are made that lists hold, each of one class
            (`identity/growing_lists.py`). `heaped` are those that should be.
        uneven: lists whose arrays have different lengths (`values/uneven_arrays.py`).
            `Context.uneven` are those that should be.
        steps: calls of `iter` that give objects with `__next__`; `stepped` are iterators of which
            loops take items.
        dicts: where dicts are made that are objects, with their keys (`identity/dict_rows.py`).
            `Context.dicts` are those that should be. `later` are keys that these get later.
        shuffled: keys that came in an order known at run time only, for which nothing else has
            been found yet. `unordered`: their dicts are among `dicts`.
        stacks: arrays that may differ in shape are put into one array, where ints from outside say
            which is meant. `stackable`: it has been tried without.
        loses: texts that show numbers of the run are not kept where paths meet, nor in lists.
            `lost`: one is there.
        refuses: places of what is refused where the program may never come: it is refused when it
            gets there (`syntax/static_errors.py`).
        assigns: attributes of classes, and names of modules and closures, that are assigned.
        added: attributes that no method of their class assigns.
        ordered: classes of which it is asked in which order attributes were assigned.
        shared: the library programs that are called as functions (`syntax/sharing.py`).
    """

    baked: frozenset[HiddenKey] = frozenset()
    lists: bool = False
    opens: Opens = Opens.NO
    kinds: bool = False
    literals: bool = False
    keeps: bool = False
    floats: bool = False
    unrolls: bool = False
    joins: bool = False
    tables: frozenset[Span] = frozenset()
    delays: bool = False
    crowded: tuple[tuple[type, tuple[str, ...]], ...] = ()
    partial: frozenset[tuple[type, str]] = frozenset()
    chosen: frozenset[Span] = frozenset()
    chose: frozenset[Span] = frozenset()
    rivals: bool = False
    picks: bool = False
    peels: int = 0
    heaps: frozenset[frozenset[Span]] = frozenset()
    uneven: frozenset[UnevenLists] = frozenset()
    steps: frozenset[Span] = frozenset()
    dicts: frozenset[DictSite] = frozenset()
    later: frozenset[LateKey] = frozenset()
    shuffled: frozenset[ShuffledKey] = frozenset()
    unordered: bool = False
    stacks: bool = False
    stackable: bool = False
    loses: bool = False
    refuses: frozenset[Span] = frozenset()
    assigns: frozenset[tuple[Holder, str]] = frozenset()
    added: frozenset[tuple[type, str]] = frozenset()
    ordered: frozenset[type] = frozenset()
    shared: frozenset[CodeType] = frozenset()

    @property
    def heap_classes(self) -> dict[Span, type]:
        """The classes of the lists that are made at each place, where lists hold them."""
        return {site: growing(sites) for sites in self.heaps for site in sites}

    @property
    def tables_of(self) -> dict[type, tuple[str, ...]]:
        """The classes of which objects are rows, with their attributes."""
        lists = dict.fromkeys(self.heap_classes.values(), ATTRIBUTES)
        uneven = dict.fromkeys(map(uneven_rows, self.uneven), UNEVEN_ATTRIBUTES)
        return {**dict(self.crowded), **lists, **uneven}

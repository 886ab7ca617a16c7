"""What transformations and machine code take for granted of a primitive.

Every primitive says every one of these facts: `Facts` has no defaults, and the record of a whole
family (elementwise functions, checks, views, ..) says what its members have in common. A member
that is different replaces a field. Nothing outside this package may list primitives by name for
what is a fact of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from retrograd.ir.terms import Atom
from retrograd.prims.lengths import ShapeRule, broadcast, like, scalar, unknown

__all__ = [
    "A_PRODUCT", "A_SUM", "CHECK", "ELEMENTWISE", "IN_FIRST", "MAKER", "REDUCTION", "SCALAR",
    "SERIAL", "TAPE", "VIEW", "Access", "Bundled", "Exact", "Facts", "Held", "How", "Linear",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Linear:
    """The result is a sum of products of operands; `each`: of all operands, alone.

    It is linear in every operand that a product has, with the others fixed. An operand that no
    product has is a constant: an index, a denominator, a condition.
    """

    products: tuple[tuple[int, ...], ...] = ()
    each: bool = False

    def terms(self, count: int) -> tuple[tuple[int, ...], ...]:
        """The products, for so many operands."""
        return tuple((k,) for k in range(count)) if self.each else self.products


IN_FIRST = Linear(((0,),))
A_SUM = Linear(((0,), (1,)))
A_PRODUCT = Linear(((0, 1),))


class How(Enum):
    """What an access does with the part of the array that it names."""

    READS = "reads"
    REPLACES = "replaces"
    ADDS = "adds"


@dataclass(frozen=True, slots=True)
class Access:
    """Operand 0 is an array of which a part is read or written; `places` is the first operand that
    says where. One `element` has an index for each axis, a region is a slice as `spec` says.

    A primitive that writes has the new values as operand 1.
    """

    how: How
    places: int
    element: bool

    @property
    def writes(self) -> bool:
        return self.how is not How.READS


class Exact(Enum):
    """Where an evaluation by NumPy has the bits that the machine code gives."""

    NEVER = "never"
    INTEGERS = "unless the first operand is a float"
    ALWAYS = "always"


class Bundled(Enum):
    """Which operands may be bundles (`retrograd.prims.bundles`).

    LANES: all float operands are, but those whose shape alone is read. OWN: the primitive is about
    bundles as such, and has a type and an evaluation of its own for them.
    """

    NEVER = "none"
    LANES = "all float operands"
    ONE = "one of the float operands"
    LAST = "the last operand alone"
    ANY = "any"
    OWN = "as the primitive says"


class Held(Enum):
    """What is left of a primitive that is known not to raise, if that is no other primitive."""

    SAME = "itself"
    UNCHECKED = "itself, with checked=False"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All facts of a primitive that hold wherever it is applied.

    Attributes:
        shape: the extents of the result.
        linear_in: in which float operands the result is linear; None if in none. Linear for
            derivatives, too: the derivative is that of the linear map.
        shape_only: operands of which the extents are read, never an element.
        access: the part of operand 0 that is read or written, where it is not all of it.
        view: the result can be read through operand 0, in its memory.
        cheap: an array that it makes is made again rather than recorded for the reverse sweep.
        exact: whether constant folding has the bits of the machine code.
        commutative: the two operands may change places.
        bundled: which operands may be bundles.
        fuses: elementwise operands that nothing else reads are evaluated inside it.
        held: what is left of it where it is known not to raise; a string names a primitive.
        lipschitz: its slopes in operands that it is not linear in are bounded.
        own_slope: its slope is made of its result alone.
    """

    shape: ShapeRule
    linear_in: Linear | None
    shape_only: tuple[int, ...]
    access: Access | None
    view: bool
    cheap: bool
    exact: Exact
    commutative: bool
    bundled: Bundled
    fuses: bool
    held: Held | str
    lipschitz: bool = False
    own_slope: bool = False

    def whole(self, args: Sequence[Atom]) -> list[Atom]:
        """The array operands that are used as a whole: neither one element nor the extents."""
        return [
            a
            for k, a in enumerate(args)
            if not a.type.is_scalar and k not in self.shape_only and not (k == 0 and self.element)
        ]

    @property
    def element(self) -> bool:
        """Whether it reads or writes one element of operand 0."""
        return self.access is not None and self.access.element

    @property
    def writes(self) -> bool:
        """Whether it writes to a part of operand 0, in place."""
        return self.access is not None and self.access.writes


# Families. What a family says of its members is what is safe for a new one.

SERIAL = Facts(
    shape=like(0), linear_in=None, shape_only=(), access=None, view=False, cheap=False,
    exact=Exact.NEVER, commutative=False, bundled=Bundled.NEVER, fuses=False, held=Held.SAME,
)  # fmt: skip
"""An operation on a whole array whose result has its shape: a cumulative one, a copy."""

SCALAR = Facts(
    shape=scalar, linear_in=None, shape_only=(), access=None, view=False, cheap=False,
    exact=Exact.NEVER, commutative=False, bundled=Bundled.NEVER, fuses=False, held=Held.SAME,
)  # fmt: skip
"""A function of scalars that has no meaning on arrays; what has a scalar for its only result."""

ELEMENTWISE = Facts(
    shape=broadcast, linear_in=None, shape_only=(), access=None, view=False, cheap=True,
    exact=Exact.NEVER, commutative=False, bundled=Bundled.NEVER, fuses=True, held=Held.SAME,
)  # fmt: skip
"""A function of each element, with NumPy's broadcasting."""

MAKER = Facts(
    shape=unknown, linear_in=None, shape_only=(), access=None, view=False, cheap=True,
    exact=Exact.NEVER, commutative=False, bundled=Bundled.NEVER, fuses=False, held=Held.SAME,
)  # fmt: skip
"""Makes an array of scalars only; the member says of which shape."""

VIEW = Facts(
    shape=unknown, linear_in=IN_FIRST, shape_only=(), access=None, view=True, cheap=True,
    exact=Exact.NEVER, commutative=False, bundled=Bundled.LANES, fuses=False, held=Held.SAME,
)  # fmt: skip
"""Elements of operand 0, elsewhere or more often; the member says in which shape."""

REDUCTION = Facts(
    shape=unknown, linear_in=None, shape_only=(), access=None, view=False, cheap=False,
    exact=Exact.NEVER, commutative=False, bundled=Bundled.NEVER, fuses=True, held=Held.SAME,
)  # fmt: skip
"""Folds some axes of operand 0; the member says what is left."""

CHECK = Facts(
    shape=unknown, linear_in=None, shape_only=(), access=None, view=False, cheap=False,
    exact=Exact.ALWAYS, commutative=False, bundled=Bundled.NEVER, fuses=False, held=Held.NOTHING,
)  # fmt: skip
"""Raises or does nothing; there is no result."""

TAPE = Facts(
    shape=unknown, linear_in=None, shape_only=(), access=None, view=False, cheap=False,
    exact=Exact.NEVER, commutative=False, bundled=Bundled.NEVER, fuses=False, held=Held.SAME,
)  # fmt: skip
"""Acts on the tape."""

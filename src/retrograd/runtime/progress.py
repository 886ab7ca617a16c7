"""How far a derivative is: the share of its steps that is taken back, and how long the rest takes.

In the first pass the length of the run is not known yet, so there is no share. From then on it is
that of the steps that have been reversed, and time is in proportion to it: what is done again is
spread over the whole way back.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrograd.runtime.schedule.actions import Action, Advance, Load, Observation, Record, Reverse

__all__ = ["Progress"]


@dataclass(slots=True)
class Progress:
    """One derivative; whoever follows it tells the time in seconds since it was called.

    `length` is None in the first pass. `step` is where the forward run is, `left` the steps that
    are not reversed yet, `turned` when the first pass had ended; `leaf` and `tape` are where the
    stretch begins that is being recorded or taken back, and its bytes; `inside` is how much of it
    has been taken back, and `ahead` the furthest step that was seen. An inner derivative goes from
    `since` to `until`, of the stretch, and `within` is how much of that is done.
    """

    length: int | None = None
    step: int = 0
    left: int = 0
    turned: float = 0.0
    leaf: int | None = None
    tape: int = 0
    inside: float = 0.0
    ahead: int = 0
    since: float = 0.0
    until: float = 0.0
    within: float = 1.0

    def see(self, action: Action, seen: Observation, now: float) -> None:
        """An action has been done."""
        match action:
            case Record():
                self.leaf = self.step if self.leaf is None else self.leaf
                self.tape = seen.tape
            case Reverse() if self.length is not None:
                done = self.leaf if self.leaf is not None else self.left
                self.left = self.length if seen.full else done
            case Advance() | Load():
                self.leaf = None
            case _:
                pass
        self.inside = self.since = self.until = 0.0
        self.within, self.step = 1.0, seen.step
        self.ahead = max(self.ahead, seen.step)
        if seen.ended and self.length is None:
            self.length = self.left = seen.step
            self.turned = now

    def look(self, step: int, tape: int, back: bool, within: float = 1.0) -> None:
        """An action is under way: so many steps are done, and so much is on the tape.

        The bytes that have been taken off the tape say how far a reverse sweep is. What an inner
        derivative needs has been taken off when it begins.
        """
        if not back:
            self.ahead = max(self.ahead, step)
        elif self.tape:
            inside = 1.0 - min(1.0, tape / self.tape)
            if within >= 1.0 or within < self.within or inside > self.until:
                self.since, self.until = self.until, inside
            self.within = within
            self.inside = self.since + min(1.0, within) * (self.until - self.since)

    @property
    def share(self) -> float | None:
        """What share of the steps has been reversed, from 0 to 1; None in the first pass."""
        if self.length is None:
            return None
        inside = 0.0 if self.leaf is None else self.inside * (self.left - self.leaf)
        return 1.0 - (self.left - inside) / max(1, self.length)

    def remaining(self, now: float) -> float | None:
        """Seconds that are left, None as long as nobody can tell."""
        share = self.share
        if share is None or share <= 0.0:
            return None
        return (now - self.turned) * (1.0 - share) / share

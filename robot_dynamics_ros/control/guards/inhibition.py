"""Reasons why commands must not start, each with the words for log, diagnostics and `~/enable`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Inhibition:
    """Why commands must not start.

    Attributes:
        reason: a phrase for log and diagnostics.
        until: when commands may start, as a phrase that follows "torque enabled".
        interrupts: whether commands that have started end too, at once and without a final
            command, because nothing applies them to the robot. `CommandStart` decides where
            the next commands begin.
        misapplied: whether commands reach other joints than those that they are for: the final
            command is zero then.
    """

    reason: str
    until: str
    interrupts: bool = False
    misapplied: bool = False


class Inhibitions(dict[str, Inhibition]):
    """The present inhibitions, by what each concerns."""

    def put(self, concern: str, inhibition: Inhibition | None) -> None:
        """Set the inhibition of a concern; None removes it."""
        if inhibition is None:
            self.pop(concern, None)
        else:
            self[concern] = inhibition

    @property
    def interrupting(self) -> bool:
        """Whether one of them ends commands that have started."""
        return any(inhibition.interrupts for inhibition in self.values())

    def first(self) -> Inhibition | None:
        """The one to name where only one is named: one that interrupts, if any; None for none."""
        return min(self.values(), key=lambda inhibition: not inhibition.interrupts, default=None)

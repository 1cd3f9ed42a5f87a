"""What a fault is, and when which comes: at random, but each before any comes again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scene import Scene, Steps

SEEN = ''
# Between two faults [s].
PAUSES = (0.2, 1.5)


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong, or changes, around a node.

    Attributes:
        name: of the fault.
        guard: how the guard against it is recognised.
        inject: makes it happen and watches; SEEN, or a sentence of what was missed. It undoes
            what it did.
        silences: whether states may stay without an answer while it lasts.
    """

    name: str
    guard: str
    inject: Callable[[Scene], Steps[str]]
    silences: bool = False


def verdict(seen: bool, missed: str) -> str:
    """SEEN, or what was missed."""
    return SEEN if seen else missed


@dataclass
class Row:
    """What became of a fault: how often, and the first thing that was missed."""

    fault: Fault
    injected: int = 0
    seen: int = 0
    recovered: int = 0
    missed: str = ''

    @property
    def passed(self) -> bool:
        """Whether it was injected, seen, and recovered from each time."""
        return 0 < self.injected == self.seen == self.recovered


class Schedule:
    """Injects one fault after the other.

    Attributes:
        rows: of all faults.
        busy: whether one is being injected.
    """

    def __init__(self, faults: Sequence[Fault], rng: np.random.Generator) -> None:
        self.rows = [Row(fault) for fault in faults]
        self.busy = False
        self._rng = rng

    @property
    def complete(self) -> bool:
        """Whether every fault has been injected, and none is being injected."""
        return not self.busy and all(row.injected for row in self.rows)

    def steps(self, scene: Scene) -> Steps[None]:
        """Go on for ever."""
        for row in self._order():
            yield from scene.seconds(self._rng.uniform(*PAUSES))
            scene.robot.during = scene.observer.during = row.fault.name
            scene.robot.counted = not row.fault.silences
            row.injected += 1
            self.busy = True
            missed = yield from row.fault.inject(scene)
            recovered = yield from scene.recovered()
            row.seen += not missed
            row.recovered += recovered
            if not row.missed:
                row.missed = missed or ('' if recovered else 'the bias torque did not come back')
            if not recovered:
                # One fault must not be blamed for another.
                yield from scene.rescue()
            self.busy, scene.robot.counted = False, True
            calm = f'the calm after {row.fault.name}'
            scene.robot.during = scene.observer.during = calm

    def _order(self) -> Iterator[Row]:
        while True:
            for index in self._rng.permutation(len(self.rows)):
                yield self.rows[index]

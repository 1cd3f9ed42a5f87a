"""A measured number, the bound that it has to keep, and how times are compared."""

from __future__ import annotations

import timeit
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

Seconds = dict[str, np.ndarray]
BLOCKS = 201
BLOCK_SECONDS = 1e-3
WARM_UP_SECONDS = 0.02
FILES = {
    'UR5': 'ur_description/urdf/ur5_robot.urdf',
    'UR10': 'ur_description/urdf/ur10_robot.urdf',
    'Z1': 'z1_description/urdf/z1.urdf',
    'xArm7': 'xarm_description/urdf/xarm7.urdf',
    'Panda': 'panda_description/urdf/panda.urdf',
    'Talos reduced': 'talos_data/robots/talos_reduced.urdf',
}
# Whose dynamics are timed.
ROBOTS = 'UR5', 'xArm7', 'Talos reduced'


@dataclass(frozen=True)
class Figure:
    """One number; `bound` is None where it is reported, not judged."""

    name: str
    value: float
    unit: str
    bound: float | None = None

    @property
    def holds(self) -> bool:
        """NaN does not."""
        return self.bound is None or self.value <= self.bound

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {'holds': self.holds}

    def __str__(self) -> str:
        line = f'{self.name}: {self.value:.3g} {self.unit}'
        if self.bound is not None:
            line += f', at most {self.bound:g}{"" if self.holds else ": FAILED"}'
        return line


def printed(name: str, value: float, unit: str, bound: float | None = None) -> Figure:
    """The figure, printed as soon as it is known."""
    figure = Figure(name, float(value), unit, bound)
    print(figure, flush=True)
    return figure


def urdf(robot: str) -> str:
    """Text of the URDF of one of `FILES`."""
    package = metadata.distribution('example-robot-data')
    robots = Path(str(package.locate_file('cmeel.prefix/share/example-robot-data/robots')))
    return (robots / FILES[robot]).read_text()


def interleaved(statements: Mapping[str, str], namespace: dict[str, Any]) -> Seconds:
    """Seconds per statement in each of many short blocks, in which all statements take turns.

    Load and clock speed change more slowly than a round of blocks takes, so that the ratio of
    two statements in one round is hardly affected. timeit turns the garbage collector off.
    """
    timers = {
        name: timeit.Timer(statement, globals=namespace) for name, statement in statements.items()
    }
    counts = {name: _executions_per_block(timer) for name, timer in timers.items()}
    seconds = {name: np.zeros(BLOCKS) for name in timers}
    names = list(timers)
    for block in range(BLOCKS):
        # Each is first as often as the others.
        first = block % len(names)
        for name in names[first:] + names[:first]:
            seconds[name][block] = timers[name].timeit(counts[name]) / counts[name]
    return seconds


def _executions_per_block(timer: timeit.Timer) -> int:
    # The first execution may compile, which says nothing about those that follow.
    timer.timeit(1)
    count = 1
    while (seconds := timer.timeit(count)) < WARM_UP_SECONDS:
        count *= 2
    return max(1, round(count * BLOCK_SECONDS / seconds))


def in_turn(
    calls: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float]
) -> Seconds:
    """Seconds of each call in several rounds, in which they take turns.

    Calls of one thread are compared by processor time: they are so long that other processes
    interrupt them.
    """
    seconds = {name: np.zeros(rounds) for name in calls}
    for i in range(rounds):
        for name, call in calls.items():
            started = clock()
            call()
            seconds[name][i] = clock() - started
    return seconds

"""What came over the topics, with the times that the middleware gave it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Times = NDArray[np.int64]


@dataclass(frozen=True)
class Content:
    """What one message says: its header's stamp [ns], its joints, and rows of numbers (n,)."""

    stamp: int = 0
    joints: tuple[str, ...] = ()
    rows: dict[str, Sequence[float]] = field(default_factory=dict)


class Channel:
    """The messages of one topic as they came; what they say is read when it is asked for.

    Reading takes processor time that, during an act, belongs to the arm and the node.
    """

    def __init__(self, read: Callable[[bytes], Content]) -> None:
        """Take the function that makes sense of a serialized message."""
        self._read = read
        self._messages: list[tuple[int, int, bytes]] = []

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, message: bytes, info: dict[str, Any]) -> None:
        """Append a message with its MessageInfo."""
        self._messages.append((info['source_timestamp'], info['received_timestamp'], message))

    def last(self) -> Content:
        """Return the newest message, an empty one if there is none."""
        return self._read(self._messages[-1][2]) if self._messages else Content()

    def between(self, start: int, end: int) -> Samples:
        """Return what was sent from `start` to `end` [ns]."""
        chosen = [message for message in self._messages if start <= message[0] <= end]
        contents = [self._read(data) for _, _, data in chosen]
        first = contents[0] if contents else Content()
        return Samples(
            first.joints,
            np.array([content.stamp for content in contents], dtype=np.int64),
            np.array([sent for sent, _, _ in chosen], dtype=np.int64),
            np.array([received for _, received, _ in chosen], dtype=np.int64),
            {name: np.array([content.rows[name] for content in contents]) for name in first.rows},
        )


@dataclass(frozen=True)
class Samples:
    """A stretch of a channel as arrays: (m,) times [ns] and rows (m, n) in the order of joints."""

    joints: tuple[str, ...]
    stamp: Times
    sent: Times
    received: Times
    rows: dict[str, Array]

    def __len__(self) -> int:
        return len(self.sent)

    def columns(self, row: str, joints: Sequence[str]) -> Array:
        """Return one kind of row for some joints, found by name: (m, n)."""
        return self.rows[row][:, [self.joints.index(name) for name in joints]]

    def seconds(self, origin: int) -> Array:
        """Return the stamps as seconds since `origin` [ns]."""
        return (self.stamp - origin) * 1e-9


@dataclass(frozen=True)
class Take:
    """One act as it was recorded, from `start` [ns]; `cpu` is each process's share of a core."""

    start: int
    states: Samples
    torques: Samples
    commands: Samples
    cpu: dict[str, float]


@dataclass(frozen=True)
class MatrixTake:
    """M and C as the services gave them at one state, in the order of the model's joints."""

    q: Array
    v: Array
    mass: Array
    mass_rate: Array
    coriolis: Array


@dataclass(frozen=True)
class Play:
    """All acts of one run, and every command that there was.

    The first matrices are those at the arm's start.
    """

    fall: Take
    hold: Take
    servo_only: Take
    with_gravity: Take
    with_feedforward: Take
    matrices: tuple[MatrixTake, ...]
    commands: Samples

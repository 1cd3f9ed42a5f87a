"""What came over the topics, with the times that the middleware gave it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Times = NDArray[np.int64]


@dataclass
class Channel:
    """The messages of one topic: their times [ns] and chosen rows of numbers."""

    stamp: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)
    rows: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, stamp: int, info: dict[str, Any], **rows: Any) -> None:
        """Append a message: its header's stamp (0: it has none), MessageInfo and numbers."""
        self.stamp.append(stamp)
        self.sent.append(info['source_timestamp'])
        self.received.append(info['received_timestamp'])
        for name, row in rows.items():
            self.rows.setdefault(name, []).append(row)

    def between(self, start: int, end: int) -> Samples:
        """Return what was sent from `start` to `end` [ns]."""
        sent = np.array(self.sent, dtype=np.int64)
        chosen = (sent >= start) & (sent <= end)
        return Samples(
            np.array(self.stamp, dtype=np.int64)[chosen],
            sent[chosen],
            np.array(self.received, dtype=np.int64)[chosen],
            {name: np.array(rows, dtype=float)[chosen] for name, rows in self.rows.items()},
        )


@dataclass(frozen=True)
class Samples:
    """A stretch of a channel as arrays: (m,) times [ns] and rows (m, n)."""

    stamp: Times
    sent: Times
    received: Times
    rows: dict[str, Array]

    def __len__(self) -> int:
        return len(self.sent)

    def __getitem__(self, name: str) -> Array:
        return self.rows[name]

    def seconds(self, origin: int) -> Array:
        """Return the stamps as seconds since `origin` [ns]."""
        return (self.stamp - origin) * 1e-9


@dataclass(frozen=True)
class Take:
    """One act as it was recorded, from `start` [ns]; `cpu` is each child's share of a core."""

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
    """All acts of one run; the first matrices are those at the arm's start."""

    fall: Take
    hold: Take
    servo_only: Take
    with_gravity: Take
    with_feedforward: Take
    matrices: tuple[MatrixTake, ...]
    state_joints: tuple[str, ...]
    torque_joints: tuple[str, ...]

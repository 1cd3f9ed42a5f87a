"""The received messages, with the times at which they were sent and received."""

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
    """The content of one message: stamp of its header [ns], joints, and rows of numbers (n,)."""

    stamp: int = 0
    joints: tuple[str, ...] = ()
    rows: dict[str, Sequence[float]] = field(default_factory=dict)


class Channel:
    """The messages of one topic, serialized; they are deserialized when they are asked for.

    Deserializing takes processor time that arm and node need during a phase.
    """

    def __init__(self, read: Callable[[bytes], Content]) -> None:
        """Use this function to deserialize a message."""
        self._read = read
        self._messages: list[tuple[int, int, bytes]] = []

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, message: bytes, info: dict[str, Any]) -> None:
        """Append a message with its MessageInfo."""
        self._messages.append((info['source_timestamp'], info['received_timestamp'], message))

    def last(self) -> Content:
        """The newest message; an empty one if there is none."""
        return self._read(self._messages[-1][2]) if self._messages else Content()

    def between(self, start: int, end: int) -> Samples:
        """The messages that were sent from `start` to `end` [ns]."""
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
    """Messages as arrays: (m,) times [ns], and rows (m, n) in the order of joints."""

    joints: tuple[str, ...]
    stamp: Times
    sent: Times
    received: Times
    rows: dict[str, Array]

    def __len__(self) -> int:
        return len(self.sent)

    def columns(self, row: str, joints: Sequence[str]) -> Array:
        """One row of each message (m, n) for these joints, found by name."""
        return self.rows[row][:, [self.joints.index(name) for name in joints]]

    def seconds(self, origin: int) -> Array:
        """The stamps as times since `origin` [ns] (m,) [s]."""
        return (self.stamp - origin) * 1e-9


@dataclass(frozen=True)
class PhaseRecording:
    """One phase from `start` [ns]; `cpu` is the share of a core that each process used [-]."""

    start: int
    states: Samples
    torques: Samples
    commands: Samples
    cpu: dict[str, float]


@dataclass(frozen=True)
class TouchRecording:
    """What acted on the arm from `start` [ns] on, and what the node felt of it.

    Attributes:
        start: of the recording [ns].
        states: of the joints.
        torques: of the node, with `mode`, and `external` beside the other parts.
        applied: rows `wrench` (m, 6): what acted on the tool, at its origin and in its axes.
        wrenches: likewise: what the node felt.
        contacts: rows `since` (m, 2) of seconds and nanoseconds, and `kind` (m, 1).
    """

    start: int
    states: Samples
    torques: Samples
    applied: Samples
    wrenches: Samples
    contacts: Samples


@dataclass(frozen=True)
class ContactRecording:
    """The fourth act: a push, and a collision with a wall."""

    push: TouchRecording
    collision: TouchRecording


@dataclass(frozen=True)
class MatrixSample:
    """M, dM/dt and C at one state by the services, in the order of the model's joints."""

    q: Array
    v: Array
    mass: Array
    mass_rate: Array
    coriolis: Array


@dataclass(frozen=True)
class Recording:
    """All phases of one run, and every command of the node.

    The first matrices are those at the start position of the arm.
    """

    fall: PhaseRecording
    hold: PhaseRecording
    servo_only: PhaseRecording
    with_gravity: PhaseRecording
    with_feedforward: PhaseRecording
    contact: ContactRecording
    matrices: tuple[MatrixSample, ...]
    commands: Samples

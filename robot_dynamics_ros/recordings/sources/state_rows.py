"""What a source of joint states gives, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

Times = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
# Which rows of a block: a slice where they are all, or follow each other.
Places = slice | npt.NDArray[np.intp]


@dataclass(frozen=True)
class StateRows:
    """States of the same joints in the same order; arrays may be views of a buffer.

    Attributes:
        places: of these states among those of the block.
        names: of the joints, as recorded.
        stamps: (N,) of the headers [ns]; None where the format has none.
        positions: (N, n) [rad, m].
        velocities: (N, n) [rad/s, m/s]; None where not measured.
        efforts: (N, n) [N m, N]; None where not measured.
    """

    places: Places
    names: tuple[str, ...]
    stamps: Times | None
    positions: Any
    velocities: Any | None
    efforts: Any | None


@dataclass(frozen=True)
class StateBlock:
    """States that follow each other; valid until the next block is read.

    Attributes:
        log_times: (N,) when they were recorded [ns].
        rows: the states, grouped by names; those that are in none are malformed.
    """

    log_times: Times
    rows: list[StateRows]


class StateSource(Protocol):
    """Some files that together are one recording.

    Attributes:
        name: of the files, for messages.
        topics: those of joint states, and how many messages each has.
        other_topics: all others, and their types.
        description: URDF text that was recorded on /robot_description; None without one.
    """

    name: str
    topics: Mapping[str, int]
    other_topics: Mapping[str, str]
    description: str | None

    def blocks(self, topic: str, begin: int = 0, end: int | None = None) -> Iterator[StateBlock]:
        """States of a topic, in the order of their log times.

        What ranges without a gap between them give is what all of the topic is: some formats give
        whole blocks, by the number of their first state. States before `begin` are not decoded.

        Args:
            topic: of joint states.
            begin: number of the first state, from 0.
            end: number of the first one that is not wanted; None for all up to the last one.

        Raises:
            RecordingError: the files are damaged.
        """
        ...


def empty(rows: int, columns: int) -> Array:
    """An array of NaN."""
    return np.full((rows, columns), np.nan)

"""What a source of joint states gives, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
DEFAULT_TOPIC = '/joint_states'


@dataclass(frozen=True)
class StateRows:
    """States of the same joints in the same order; arrays may be views of a buffer.

    Attributes:
        places: (N,) of these states among those of the block.
        names: of the joints, as recorded.
        stamps: (N,) of the headers [ns]; None where the format has none.
        positions: (N, n) [rad, m].
        velocities: (N, n) [rad/s, m/s]; None where not measured.
        efforts: (N, n) [N m, N]; None where not measured.
    """

    places: npt.NDArray[np.intp]
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
        descriptions: different URDF texts that were recorded on /robot_description, the newest
            one last.
    """

    name: str
    topics: Mapping[str, int]
    other_topics: Mapping[str, str]
    descriptions: Sequence[str]

    def blocks(self, topic: str) -> Iterator[StateBlock]:
        """All states of a topic of joint states, in the order of their log times.

        Raises:
            RecordingError: the files are damaged.
        """
        ...

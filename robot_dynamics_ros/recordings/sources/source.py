"""What a source of joint states gives, whatever its format."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
DEFAULT_TOPIC = '/joint_states'


@dataclass(frozen=True, eq=False)
class States:
    """States of the same joints in the same order.

    Attributes:
        names: of the joints, as recorded; none for messages that are no joint states.
        numbers: (N,) of the messages of the topic, as they are stored.
        log_times: (N,) when they were recorded [ns].
        stamps: (N,) of the headers [ns]; None where the format has none.
        positions: (N, n) [rad, m].
        velocities: (N, n) [rad/s, m/s]; None where not measured.
        efforts: (N, n) [N m, N]; None where not measured.
    """

    names: tuple[str, ...]
    numbers: npt.NDArray[np.intp]
    log_times: Times
    stamps: Times | None = None
    positions: Any = None
    velocities: Any = None
    efforts: Any = None


class StateSource(Protocol):
    """Some files that together are one recording.

    Attributes:
        name: of the files, for messages.
        clock: of the log times: `log` of a recorder, or `file` for the times in a table.
        topics: those of joint states, and how many messages each has.
        other_topics: all others, and their types.
        descriptions: different URDF texts that were recorded on /robot_description, the newest
            one last.
    """

    name: str
    clock: str
    topics: Mapping[str, int]
    other_topics: Mapping[str, str]
    descriptions: Sequence[str]

    def states(self, topic: str) -> Generator[Sequence[States], None, None]:
        """All states of a topic of joint states, some messages at a time.

        Raises:
            RecordingError: the files are damaged.
        """
        ...

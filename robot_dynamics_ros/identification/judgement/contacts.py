"""Contacts during a recording: times at which the model misses the effort by far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array

from .judged_evidence import Evidence
from .windows import LENGTH

Flags = npt.NDArray[np.bool_]

# Of the usual RMS of a joint's residual in a window: what exceeds it is not noise.
FAR = 6.0
# Windows of a contact, at least, and windows without one between two parts of it.
SHORTEST, GAP = 2, 2
# Of a recording: where more of it is far, the model is wrong rather than touched.
MOST = 0.4
# Of the usual speed: a joint that is slower may turn, where friction is not what a model says.
SLOW = 0.2
# Windows beside a reversal to which the filter smears the step of friction.
SMEARED = 2
# Windows from which anything is concluded.
FEWEST = 10
# Contacts that a message lists.
LISTED = 3


@dataclass(frozen=True)
class Contact:
    """A time at which something touched the robot, or else pushed it.

    Attributes:
        begin: [s].
        end: [s].
        joints: indices of those that felt it.
    """

    begin: float
    end: float
    joints: tuple[int, ...]


def contacts(evidence: Evidence, size: int) -> list[Contact]:
    """The contacts of a recording, in their order.

    Args:
        evidence: of the recording.
        size: number of joints.
    """
    times, squares, _, _, speeds = evidence.windows.arrays(size)
    if len(times) < FEWEST:
        return []
    clear = ~_near(speeds < SLOW * np.median(speeds, axis=0))
    usual = np.array(
        [_median(column[rows]) for column, rows in zip(squares.T, clear.T, strict=True)]
    )
    far = clear & (squares > FAR**2 * np.where(usual > 0.0, usual, np.inf))
    touched: Flags = np.any(far, axis=1)
    if not touched.any() or touched.mean() > MOST:
        return []
    found = []
    for rows in _runs(times, touched):
        if len(rows) >= SHORTEST:
            joints = tuple(np.flatnonzero(far[rows].sum(axis=0) >= SHORTEST).tolist())
            if joints:
                begin, end = times[rows[0]] - LENGTH / 2.0, times[rows[-1]] + LENGTH / 2.0
                found.append(Contact(float(begin), float(end), joints))
    return found


def _near(turning: Flags) -> Flags:
    """Which windows (W, n) are turning, or near one that is: the filter smears a step."""
    result = turning.copy()
    for shift in range(1, SMEARED + 1):
        result[shift:] |= turning[:-shift]
        result[:-shift] |= turning[shift:]
    return result


def _median(values: Array) -> float:
    return float(np.median(values)) if len(values) >= FEWEST else 0.0


def _runs(times: Array, touched: Flags) -> list[Array]:
    """Rows of touched windows that are near each other."""
    rows = np.flatnonzero(touched)
    cuts = np.flatnonzero(np.diff(times[rows]) > (GAP + 1.5) * LENGTH) + 1
    return np.split(rows, cuts)


def contact_findings(names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """Recordings in which something touched the robot.

    Args:
        names: of the joints.
        evidence: of each recording.
    """
    for one in evidence:
        found = contacts(one, len(names))
        if not found:
            continue
        joints = sorted({joint for contact in found for joint in contact.joints})
        listed = ', '.join(f'{each.begin:.1f} s to {each.end:.1f} s' for each in found[:LISTED])
        more = f' and {len(found) - LISTED} more' if len(found) > LISTED else ''
        total = sum(each.end - each.begin for each in found)
        yield Finding(
            'contact',
            tuple(names[joint] for joint in joints),
            total,
            f'{one.file}: the effort differs from the model by more than {FAR:g} times the usual '
            f'at {listed}{more}: a contact, a hand or a cable. Robust weights take these samples '
            'out of the estimate; record without contact if there are many.',
        )

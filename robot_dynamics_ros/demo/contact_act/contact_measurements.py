"""What the node felt beside what acted on the arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..received_messages import ContactRecording, Samples, TouchRecording

Array = NDArray[np.float64]

STEADY = 0.5
"""Share of a push at its end over which it is compared: the estimate has settled before [-]."""
AT_LAST = 0.2
"""At the end of the recording of a collision, over which the hold is judged [s]."""


@dataclass(frozen=True)
class FeltPush:
    """Wrenches on the tool, at its origin and in its axes, at times since the recording began.

    Attributes:
        times: (m,) of what was felt [s].
        felt: (m, 6) [N, N m].
        applied_times: (k,) of what acted [s].
        applied: (k, 6) [N, N m].
        error: of the median force at the end of the push, as a share of that which acted [-].
    """

    times: Array
    felt: Array
    applied_times: Array
    applied: Array
    error: float


@dataclass(frozen=True)
class FoundCollision:
    """A collision, and what followed; times are since the wall was touched.

    Attributes:
        times: (m,) of the torques [s].
        external: (m, n) external torque that was felt [N m or N].
        command: (m, n) [N m or N].
        gravity: (m, n) gravity torque, of which a hold consists [N m or N].
        wall_times: (k,) [s].
        wall: (k,) force of the wall [N].
        state_times: (j,) [s].
        position: (j, n) joint positions [rad or m].
        delay: until the collision, in the stamps of the states [s]; NaN if it was not found, or
            something before it.
        held: largest difference of command and gravity torque at the end [N m or N].
        moved: largest displacement of a joint at the end [rad or m].
    """

    times: Array
    external: Array
    command: Array
    gravity: Array
    wall_times: Array
    wall: Array
    state_times: Array
    position: Array
    delay: float
    held: float
    moved: float


@dataclass(frozen=True)
class ContactResults:
    """The fourth act; `felt` says whether the joints feel every wrench on the tool."""

    push: FeltPush
    collision: FoundCollision
    felt: bool


def contact_results(
    recording: ContactRecording, joints: Sequence[str], felt: bool
) -> ContactResults:
    """Compare what was felt with what acted.

    Args:
        recording: of both phases.
        joints: names of the joints, in the order of the columns.
        felt: whether the joints feel every wrench on the tool.
    """
    collision = found_collision(recording.collision, joints)
    return ContactResults(felt_push(recording.push), collision, felt)


def felt_push(recording: TouchRecording) -> FeltPush:
    """The push; its error is NaN where nothing was felt, or nothing acted."""
    applied, acted = _wrenches(recording.applied, recording.start)
    times, felt = _wrenches(recording.wrenches, recording.start)
    return FeltPush(times, felt, applied, acted, _error(applied, acted, times, felt))


def _wrenches(samples: Samples, start: int) -> tuple[Array, Array]:
    return samples.seconds(start), samples.rows.get('wrench', np.empty((0, 6)))


def _error(applied: Array, acted: Array, times: Array, felt: Array) -> float:
    """Of the median force at the end of the push, in the axes of the tool [-]."""
    pushed = applied[np.abs(acted).any(axis=1)]
    if not len(pushed):
        return np.nan
    begin, end = pushed[-1] - STEADY * (pushed[-1] - pushed[0]), pushed[-1]
    true = acted[(applied >= begin) & (applied <= end), :3].mean(axis=0)
    inside = (times >= begin) & (times <= end)
    if not inside.any():
        return np.nan
    # After a pause of the machine the estimate begins anew, for some states.
    difference = np.median(felt[inside, :3], axis=0) - true
    return float(np.linalg.norm(difference) / np.linalg.norm(true))


def found_collision(recording: TouchRecording, joints: Sequence[str]) -> FoundCollision:
    """The collision; without one the times are since the recording began."""
    touched, wall = _wrenches(recording.applied, recording.start)
    onset = float(touched[0]) if len(touched) else 0.0
    torques, states = recording.torques, recording.states
    times = torques.seconds(recording.start) - onset
    command, gravity = (torques.columns(row, joints) for row in ('effort', 'gravity'))
    position = states.columns('position', joints)
    state_times = states.seconds(recording.start) - onset
    last = state_times >= state_times[-1] - AT_LAST
    difference = np.abs(command - gravity)[times >= times[-1] - AT_LAST]
    return FoundCollision(
        times=times,
        external=torques.columns('external', joints),
        command=command,
        gravity=gravity,
        wall_times=touched - onset,
        wall=np.linalg.norm(wall[:, :3], axis=1),
        state_times=state_times,
        position=position,
        delay=_delay(recording, onset) if len(touched) else np.nan,
        held=float(difference.max()),
        moved=float(np.ptp(position[last], axis=0).max()),
    )


def _delay(recording: TouchRecording, onset: float) -> float:
    """From the first state with a force of the wall to the first contact that was found [s]."""
    contacts = recording.contacts
    found = [i for i in range(len(contacts)) if contacts.rows['kind'][i, 0]]
    if not found:
        return np.nan
    seconds, nanoseconds = contacts.rows['since'][found[0]]
    since = int(seconds) * 10**9 + int(nanoseconds) - recording.start
    delay = since * 1e-9 - onset
    return delay if delay >= -1e-9 else np.nan

"""The figures that are drawn from the acts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.trajectory import Trajectory

from .recording import MatrixTake, Samples, Take

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """Joint displacements (m, n) [rad or m] at times (m,) since the act began [s]."""

    times: Array
    displacement: Array

    @property
    def largest(self) -> float:
        """The largest displacement of any joint."""
        return float(np.abs(self.displacement).max())

    @property
    def duration(self) -> float:
        """How long it was watched [s]."""
        return float(self.times[-1])


@dataclass(frozen=True)
class Tracking:
    """Position minus reference (m, n) [rad or m] at times (m,) since the trajectory began [s]."""

    times: Array
    position: Array
    error: Array

    @property
    def rms(self) -> Array:
        """Root mean square of the error of each joint, (n,)."""
        return np.sqrt((self.error**2).mean(axis=0))


@dataclass(frozen=True)
class Timeliness:
    """How steadily and how fast the node answered."""

    state_rate: float  # [Hz]
    command_rate: float  # [Hz]
    latency: Array  # (m,) [s]
    passage: Array  # (k,) [s]: of the states to the observer, which the node has no part in
    lost: int
    expected: int


@dataclass(frozen=True)
class Haste:
    """How fast the commands changed, as the time that the changes take at the rate limit."""

    step: float  # [s]: the largest from one command to the next
    lead: float  # [s]: by how much any change came sooner than it may


@dataclass(frozen=True)
class MatrixErrors:
    """The worst over all states; each relative to the largest entry of its matrix."""

    mass_asymmetry: float
    smallest_eigenvalue: float
    skewness: float
    mass_error: float
    coriolis_error: float


@dataclass(frozen=True)
class TorqueParts:
    """What the node commanded, and of what it was made: (m, n) each, at times (m,) [s]."""

    times: Array
    parts: dict[str, Array]


def motion(take: Take, joints: Sequence[str]) -> Motion:
    """Return how far the joints went from where the act began."""
    position = take.states.columns('position', joints)
    return Motion(take.states.seconds(take.start), position - position[0])


def tracking(take: Take, joints: Sequence[str], trajectory: Trajectory) -> Tracking:
    """Return how well the joints followed, at the times at which their states were stamped."""
    times = take.states.seconds(take.start)
    position = take.states.columns('position', joints)
    reference = np.array([trajectory.at(time)[0] for time in times])
    return Tracking(times, position, position - reference)


def timeliness(take: Take) -> Timeliness:
    """Match each command with the state that it answers.

    The latency runs from the arm's sending a state to the command's arrival at a third process, by
    the middleware's own clocks. The answer to a state bears its stamp, in the message on ~/torques
    that follows the command.
    """
    states, torques, commands = take.states, take.torques, take.commands
    sent = dict(zip(states.stamp.tolist(), states.sent.tolist(), strict=True))
    before = np.searchsorted(commands.sent, torques.sent, side='right') - 1
    latency = [
        (commands.received[command] - sent[stamp]) * 1e-9
        for stamp, command in zip(torques.stamp.tolist(), before, strict=True)
        if stamp in sent and command >= 0
    ]
    # The last states of the act are answered after it.
    tail = states.sent[-1] - 50_000_000 if len(states) else 0
    due = {stamp for stamp, time in sent.items() if time <= tail}
    lost = len(due - set(torques.stamp.tolist()))
    passage = (states.received - states.sent) * 1e-9
    rates = _rate(states.sent), _rate(commands.sent)
    return Timeliness(*rates, np.array(latency), passage, lost, len(due))


def haste(commands: Samples, rates: Array) -> Haste:
    """Compare each command with the one before and with all before, at the rate limits (n,).

    The first one begins from no torque. By the time that the middleware stamped, a change comes
    sooner than it may by |change| / rate - time passed: with s = +-command / rate - time, that is
    s less the lowest s before.
    """
    if not len(commands):
        return Haste(np.nan, np.nan)
    taken = commands.rows['effort'] / rates
    step = np.abs(np.diff(taken, axis=0, prepend=0.0)).max()
    passed = (commands.sent - commands.sent[0]) * 1e-9
    s = np.stack([taken, -taken]) - passed[:, None]
    lead = (s - np.minimum.accumulate(s, axis=1)).max()
    return Haste(float(step), float(lead))


def torque_parts(take: Take, joints: Sequence[str]) -> TorqueParts:
    """Return the commanded torques and their parts."""
    rows = {part: take.torques.columns(part, joints) for part in take.torques.rows}
    return TorqueParts(take.torques.seconds(take.start), rows)


def matrix_errors(
    takes: Sequence[MatrixTake], expected: Sequence[tuple[Array, Array]]
) -> MatrixErrors:
    """Check M and C by their laws, and against what Pinocchio says M and C are."""
    asymmetry, eigenvalues, skewness, mass, coriolis = [], [], [], [], []
    for take, (expected_mass, expected_coriolis) in zip(takes, expected, strict=True):
        asymmetry.append(_relative(take.mass - take.mass.T, take.mass))
        eigenvalues.append(float(np.linalg.eigvalsh(take.mass).min()))
        n = take.mass_rate - 2 * take.coriolis
        skewness.append(_relative(n + n.T, take.coriolis))
        mass.append(_relative(take.mass - expected_mass, expected_mass))
        coriolis.append(_relative(take.coriolis - expected_coriolis, expected_coriolis))
    return MatrixErrors(max(asymmetry), min(eigenvalues), max(skewness), max(mass), max(coriolis))


def _relative(difference: Array, whole: Array) -> float:
    scale = float(np.abs(whole).max())
    worst = float(np.abs(difference).max())
    return worst / scale if scale > 0 else worst


def _rate(sent: NDArray[np.int64]) -> float:
    if len(sent) < 2:
        return 0.0
    return float((len(sent) - 1) / ((sent[-1] - sent[0]) * 1e-9))

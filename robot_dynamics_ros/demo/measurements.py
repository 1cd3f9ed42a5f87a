"""The quantities that are computed from the phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.trajectory import Trajectory

from .received_messages import MatrixSample, PhaseRecording, Samples

Array = NDArray[np.float64]

# Entries of C are of the size of M v. Where C vanishes, its largest entry is rounding: errors are
# divided by at least this share of the largest entry of M times the largest velocity [-].
VANISHING = 0.1


@dataclass(frozen=True)
class Motion:
    """Joint displacements (m, n) [rad or m] at times (m,) since the phase began [s]."""

    times: Array
    displacement: Array

    @property
    def largest(self) -> float:
        """The largest displacement of any joint."""
        return float(np.abs(self.displacement).max())

    @property
    def duration(self) -> float:
        """Duration of the recording [s]."""
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
    """Rates, latencies and losses of the commands."""

    state_rate: float  # [Hz]
    command_rate: float  # [Hz]
    latency: Array  # (m,) [s]
    transport: Array  # (k,) [s]: from the arm to the observer, without the node
    lost: int
    expected: int


@dataclass(frozen=True)
class RateLimitUse:
    """How fast the commands changed, as the time that the change takes at the rate limit."""

    step: float  # [s]: the largest from one command to the next
    lead: float  # [s]: by how much a change came earlier than the rate limit allows


@dataclass(frozen=True)
class MatrixErrors:
    """The largest over all states, relative to the largest entry of the matrix.

    Those of C and dM/dt - 2C are relative to a share of M v where C vanishes.
    """

    mass_asymmetry: float
    smallest_eigenvalue: float
    skewness: float
    mass_error: float
    coriolis_error: float


@dataclass(frozen=True)
class TorqueParts:
    """The commanded torque and its parts, (m, n) each, at times (m,) [s]."""

    times: Array
    parts: dict[str, Array]


def motion(phase: PhaseRecording, joints: Sequence[str]) -> Motion:
    """The displacement of the joints from where the phase began."""
    position = phase.states.columns('position', joints)
    return Motion(phase.states.seconds(phase.start), position - position[0])


def tracking(phase: PhaseRecording, joints: Sequence[str], trajectory: Trajectory) -> Tracking:
    """The tracking error of the joints, at the stamps of their states."""
    times = phase.states.seconds(phase.start)
    position = phase.states.columns('position', joints)
    reference = np.array([trajectory.at(time)[0] for time in times])
    return Tracking(times, position, position - reference)


def timeliness(phase: PhaseRecording) -> Timeliness:
    """Match each command with the state that it answers.

    The latency is the time from the sending of a state to the reception of its command in a third
    process, by the clocks of the middleware. The message on ~/torques that follows a command has
    the stamp of the state.
    """
    states, torques, commands = phase.states, phase.torques, phase.commands
    sent = dict(zip(states.stamp.tolist(), states.sent.tolist(), strict=True))
    before = np.searchsorted(commands.sent, torques.sent, side='right') - 1
    latency = [
        (commands.received[command] - sent[stamp]) * 1e-9
        for stamp, command in zip(torques.stamp.tolist(), before, strict=True)
        if stamp in sent and command >= 0
    ]
    # The last states of the phase are answered after it.
    tail = states.sent[-1] - 50_000_000 if len(states) else 0
    due = {stamp for stamp, time in sent.items() if time <= tail}
    lost = len(due - set(torques.stamp.tolist()))
    transport = (states.received - states.sent) * 1e-9
    rates = _rate(states.sent), _rate(commands.sent)
    return Timeliness(*rates, np.array(latency), transport, lost, len(due))


def rate_limit_use(commands: Samples, rates: Array) -> RateLimitUse:
    """Compare each command with the one before and with all before, at the rate limits (n,).

    The first one starts from zero torque. By the send times, a change is early by
    |change| / rate - elapsed time: with s = +-command / rate - time, that is s minus the lowest s
    before.
    """
    if not len(commands):
        return RateLimitUse(np.nan, np.nan)
    taken = commands.rows['effort'] / rates
    step = np.abs(np.diff(taken, axis=0, prepend=0.0)).max()
    passed = (commands.sent - commands.sent[0]) * 1e-9
    s = np.stack([taken, -taken]) - passed[:, None]
    lead = (s - np.minimum.accumulate(s, axis=1)).max()
    return RateLimitUse(float(step), float(lead))


def torque_parts(phase: PhaseRecording, joints: Sequence[str]) -> TorqueParts:
    """The commanded torques and their parts."""
    rows = {part: phase.torques.columns(part, joints) for part in phase.torques.rows}
    return TorqueParts(phase.torques.seconds(phase.start), rows)


def matrix_errors(
    samples: Sequence[MatrixSample], expected: Sequence[tuple[Array, Array]]
) -> MatrixErrors:
    """Check M and C by their laws, and against those of Pinocchio.

    Args:
        samples: M, dM/dt and C by the services.
        expected: M and C of each sample by Pinocchio.
    """
    asymmetry, eigenvalues, skewness, mass, coriolis = [], [], [], [], []
    for sample, (expected_mass, expected_coriolis) in zip(samples, expected, strict=True):
        asymmetry.append(_relative(sample.mass - sample.mass.T, sample.mass))
        eigenvalues.append(float(np.linalg.eigvalsh(sample.mass).min()))
        n = sample.mass_rate - 2 * sample.coriolis
        floor = VANISHING * float(np.abs(expected_mass).max() * np.abs(sample.v).max())
        skewness.append(_relative(n + n.T, expected_coriolis, floor))
        mass.append(_relative(sample.mass - expected_mass, expected_mass))
        difference = sample.coriolis - expected_coriolis
        coriolis.append(_relative(difference, expected_coriolis, floor))
    return MatrixErrors(max(asymmetry), min(eigenvalues), max(skewness), max(mass), max(coriolis))


def _relative(difference: Array, whole: Array, floor: float = 0.0) -> float:
    scale = max(float(np.abs(whole).max()), floor)
    worst = float(np.abs(difference).max())
    return worst / scale if scale > 0 else worst


def _rate(sent: NDArray[np.int64]) -> float:
    if len(sent) < 2:
        return 0.0
    return float((len(sent) - 1) / ((sent[-1] - sent[0]) * 1e-9))

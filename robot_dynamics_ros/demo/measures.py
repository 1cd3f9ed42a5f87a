"""What the acts measure: values for the table of figures, and curves for the picture.

A curve is a pair: times (m,) [s], and rows of values (m, k) at these times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.external.wrench import explaining_wrench
from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.ros.endpoints import nanoseconds

from .client import PARTS, Array, Phase, Samples

Curve = tuple[Array, Array]

TAKES = ('servo_only', 'with_gravity', 'with_feedforward')
AT_LAST = 0.2
"""At the end of the recording of a collision, over which the hold is judged [s]."""
VANISHING = 0.1
"""Entries of C are of the size of M v. Where C vanishes, its largest entry is rounding: errors are
divided by at least this share of the largest entry of M times the largest velocity [-]."""
QUEUE = 10
"""Depth of the node's queue of states; then the oldest is dropped."""
FULL_TORQUE = 0.1
"""Time in which the node lets a command grow from zero to the effort limit, at least [s]."""


@dataclass(frozen=True)
class Release:
    """Displacements (m, n) of the joints since the brake was released [rad or m].

    They detect a wrong term: an error of one per cent in gravity lets a held UR5 drift by more
    than a radian.

    Attributes:
        fall: without torque.
        hold: with gravity compensation.
    """

    fall: Curve
    hold: Curve

    @classmethod
    def of(cls, joints: Sequence[str], fall: Phase, hold: Phase) -> Release:
        """Measure the displacement from the begin of each phase."""
        curves = [phase.states.curve('position', joints, phase.start) for phase in (fall, hold)]
        return cls(*((times, position - position[0]) for times, position in curves))

    @property
    def values(self) -> dict[str, float]:
        """The largest displacements [rad or m]."""
        return {'fall': np.abs(self.fall[1]).max(), 'drift': np.abs(self.hold[1]).max()}


@dataclass(frozen=True)
class Tracking:
    """How the takes follow the trajectory; times are since it began.

    Attributes:
        errors: by the names of `TAKES`, position minus reference (m, n) [rad or m].
        torques: of the last take, the command `effort` and its parts (m, n) [N m or N].
    """

    errors: dict[str, Curve]
    torques: dict[str, Curve]

    @classmethod
    def of(
        cls, joints: Sequence[str], trajectory: Trajectory, takes: Mapping[str, Phase]
    ) -> Tracking:
        """Measure the errors at the stamps of the states."""
        errors = {}
        for name, take in takes.items():
            times, position = take.states.curve('position', joints, take.start)
            errors[name] = times, position - [trajectory.at(time)[0] for time in times]
        last = takes['with_feedforward']
        parts = ('effort', *PARTS)
        return cls(errors, {p: last.torques.curve(p, joints, last.start) for p in parts})

    @property
    def rms(self) -> Array:
        """The root mean square of the errors, (3, n): of each of `TAKES` and joint [rad or m]."""
        return np.array([np.sqrt((self.errors[name][1] ** 2).mean(axis=0)) for name in TAKES])

    @property
    def ratios(self) -> Array:
        """Errors with feedforward / of the servo alone (n,) [-]; NaN where that has none."""
        alone, _, fed = self.rms
        return np.divide(fed, alone, out=np.full_like(fed, np.nan), where=alone > 0)

    @property
    def values(self) -> dict[str, float]:
        """The ratio of all joints, and that of the worst one [-]."""
        alone, _, fed = np.linalg.norm(self.rms, axis=1)
        return {'ratio': fed / alone, 'worst_ratio': self.ratios.max()}


@dataclass(frozen=True)
class Push:
    """Wrenches (m, 6) on the tool [N, N m], at its origin and in its axes.

    Attributes:
        times: (m,) since the recording began [s].
        felt: what the node has estimated.
        acting: what the simulator exerted.
        observable: the part of it that the joints feel, which is the smallest wrench that exerts
            the same torques on them. Fewer than six joints do not feel all of a wrench.
    """

    times: Array
    felt: Array
    acting: Array
    observable: Array

    @classmethod
    def of(cls, dynamics: RobotDynamics, tool: str, phase: Phase) -> Push:
        """Take the wrenches of a recording, at the stamps of what was felt."""
        stamps, model = phase.wrenches.stamps, dynamics.model
        acting = _at(stamps, phase.applied, phase.applied.wrenches())
        observable = np.zeros_like(acting)
        states = phase.states.columns('position', model.joint_names)
        for i, q in enumerate(_at(stamps, phase.states, states)):
            if acting[i].any():
                J = dynamics.jacobian(q, tool, 'LOCAL')
                observable[i] = explaining_wrench(J, J.T @ acting[i], model.sliding)
        times = phase.wrenches.seconds(phase.start)
        return cls(times, phase.wrenches.wrenches(), acting, observable)

    @property
    def forces(self) -> Array:
        """Median forces (3, 3) in the second half of the push: felt, acting, observable [N].

        After a pause of the machine the estimate begins anew, for some states. NaN without a push.
        """
        pushed = np.flatnonzero(self.acting.any(axis=1))
        half = pushed[len(pushed) // 2 :]
        if not len(half):
            return np.full((3, 3), np.nan)
        parts = self.felt, self.acting, self.observable
        return np.array([np.median(part[half, :3], axis=0) for part in parts])

    @property
    def whole(self) -> bool:
        """Whether the joints feel the whole force."""
        _, acting, observable = self.forces
        return bool(np.linalg.norm(observable - acting) < 0.01 * np.linalg.norm(acting))

    @property
    def values(self) -> dict[str, float]:
        """The error of the felt force, of what is observable of it [%]."""
        felt, _, observable = self.forces
        error = np.linalg.norm(felt - observable) / np.linalg.norm(observable)
        return {'push_error': 100.0 * error}


@dataclass(frozen=True)
class Collision:
    """A collision, and what followed; times are since the wall was touched.

    Attributes:
        torques: `external`, that was felt, the command `effort`, and `gravity`, of which a hold
            consists, (m, n) [N m or N].
        position: of the joints (m, n) [rad or m].
        force: largest force of the wall [N].
        delay: until the collision, in the stamps of the states [s]; NaN if it was not found, or
            something before it.
    """

    torques: dict[str, Curve]
    position: Curve
    force: float
    delay: float

    @classmethod
    def of(cls, joints: Sequence[str], phase: Phase) -> Collision:
        """Measure a collision; without one the times are since the recording began."""
        touched = phase.applied.stamps.tolist()
        found = [nanoseconds(one.since) for one in phase.contacts.messages if one.kind]
        # The node counts in seconds since 1970, which as a double have steps of 0.2 us.
        delay = round((found[0] - touched[0]) * 1e-9, 6) + 0.0 if found and touched else np.nan
        onset = touched[0] if touched else phase.start
        forces = np.linalg.norm(phase.applied.wrenches()[:, :3], axis=1)
        return cls(
            {p: phase.torques.curve(p, joints, onset) for p in ('external', 'effort', 'gravity')},
            phase.states.curve('position', joints, onset),
            float(forces.max(initial=0.0)),
            delay if delay >= 0.0 else np.nan,
        )

    @property
    def values(self) -> dict[str, float]:
        """The delay [ms], and what command and position still differ and change at last."""
        (times, command), (_, gravity) = self.torques['effort'], self.torques['gravity']
        state_times, position = self.position
        at_last = position[state_times >= state_times[-1] - AT_LAST]
        return {
            'collision_delay': 1e3 * self.delay,
            'collision_hold': np.abs(command - gravity)[times >= times[-1] - AT_LAST].max(),
            'collision_rest': np.ptp(at_last, axis=0).max(),
        }


@dataclass(frozen=True)
class Matrices:
    """M at the start position; the largest errors of all states, and the smallest eigenvalue.

    The errors are relative to the largest entry of the matrix; those of C and dM/dt - 2C to a
    share of M v where C vanishes.
    """

    mass: Array
    values: dict[str, float]

    @classmethod
    def of(cls, samples: Sequence[tuple[Array, ...]], reference: Any) -> Matrices:
        """Compare samples with a reference such as Pinocchio.

        Args:
            samples: q, v, M, dM/dt and C of each state, the first at the start position.
            reference: with the methods `mass_matrix` and `coriolis_matrix`.
        """
        rows = []
        for q, v, M, rate, C in samples:
            mass, coriolis = reference.mass_matrix(q), reference.coriolis_matrix(q, v)
            skew = rate - 2 * C
            floor = VANISHING * np.abs(mass).max() * np.abs(v).max()
            errors = {
                'mass_asymmetry': _relative(M - M.T, M),
                'skewness': _relative(skew + skew.T, coriolis, floor),
                'mass_error': _relative(M - mass, mass),
                'coriolis_error': _relative(C - coriolis, coriolis, floor),
            }
            rows.append((*errors.values(), -np.linalg.eigvalsh(M).min()))
        *worst, eigenvalue = np.max(rows, axis=0).tolist()
        values = dict(zip(errors, worst, strict=True)) | {'smallest_eigenvalue': -eigenvalue}
        return cls(samples[0][2], values)


@dataclass(frozen=True)
class Timing:
    """Latencies from a state to its command (m,) [s]; values are rates, losses and the like."""

    latency: Array
    values: dict[str, float]

    @classmethod
    def of(cls, rate: float, phase: Phase, commands: Samples, efforts: Array) -> Timing:
        """Match each command with the state that it answers.

        The latency is the time from the sending of a state to the reception of its command in a
        third process, by the clocks of the middleware. The message on ~/torques that follows a
        command has the stamp of the state. Latency and loss grow with the load of the machine,
        which the transport of the same states to the observer shows: `late` is the share of them
        that a queue of the node may drop [%].

        Args:
            rate: of the states that the arm should publish [Hz].
            phase: in which states are answered.
            commands: of the whole run.
            efforts: effort limits of the joints (n,) [N m or N].
        """
        states, torques, given = phase.states, phase.torques, phase.commands
        _, state, answer = np.intersect1d(states.stamps, torques.stamps, return_indices=True)
        before = np.searchsorted(given.sent, torques.sent[answer], side='right') - 1
        state, before = state[before >= 0], before[before >= 0]
        latency = (given.received[before] - states.sent[state]) * 1e-9
        transport = (states.received - states.sent) * 1e-9
        # The last states of the phase are answered after it.
        due = states.stamps[states.sent <= states.sent.max(initial=0) - 50_000_000]
        step, lead = rate_limit_use(commands, efforts / FULL_TORQUE)
        values = {
            'command_step': 1e3 * step,
            'command_lead': 1e3 * lead,
            'asked_rate': rate,
            'state_rate': _rate(states.sent),
            'command_rate': _rate(given.sent),
            'lost': 100.0 * _share(~np.isin(due, torques.stamps)),
            'late': 100.0 * _share(transport > QUEUE / rate),
        }
        for name, times in (('latency', latency), ('transport', transport)):
            p50, p99 = 1e3 * np.percentile(times, (50, 99)) if len(times) else (np.nan, np.nan)
            values |= {f'{name}_p50': p50, f'{name}_p99': p99}
        return cls(latency, values)


def rate_limit_use(commands: Samples, rates: Array) -> tuple[float, float]:
    """The largest step from one command to the next, and lead over the rate limits (n,) [s].

    The first command starts from zero torque. By the send times, a change is early by
    |change| / rate - elapsed time: with s = +-command / rate - time, that is s minus the lowest s
    before.
    """
    if not len(commands):
        return np.nan, np.nan
    taken = np.array([message.data for message in commands.messages]) / rates
    step = np.abs(np.diff(taken, axis=0, prepend=0.0)).max()
    passed = (commands.sent - commands.sent[0]) * 1e-9
    s = np.stack([taken, -taken]) - passed[:, None]
    return float(step), float((s - np.minimum.accumulate(s, axis=1)).max())


def _rate(sent: NDArray[np.int64]) -> float:
    return float((len(sent) - 1) / ((sent[-1] - sent[0]) * 1e-9)) if len(sent) > 1 else 0.0


def _share(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if len(flags) else np.nan


def _relative(difference: Array, whole: Array, floor: float = 0.0) -> float:
    scale = max(np.abs(whole).max(), floor)
    return np.abs(difference).max() / (scale or 1.0)


def _at(stamps: NDArray[np.int64], samples: Samples, rows: Array) -> Array:
    """The rows (m, k) of the samples with these stamps (m,); zero where there is none."""
    found, zero = dict(zip(samples.stamps.tolist(), rows, strict=True)), np.zeros(rows.shape[1])
    return np.array([found.get(stamp, zero) for stamp in stamps.tolist()]).reshape(-1, len(zero))

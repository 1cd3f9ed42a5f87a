"""What is measured in each act: values for the table of figures, and curves for the picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.wrench import explaining_wrench
from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core import RobotDynamics

from .client import PARTS, Array, Phase, Samples

TAKES = ('servo_only', 'with_gravity', 'with_feedforward')
AT_LAST = 0.2
"""At the end of the recording of a collision, over which the hold is judged [s]."""
VANISHING = 0.1
"""Entries of C are of the size of M v. Where C vanishes, its largest entry is rounding: errors are
divided by at least this share of the largest entry of M times the largest velocity [-]."""
ANSWERED = 0.05
"""States of the last moment of a phase may be answered after it [s]."""


@dataclass(frozen=True)
class Measured:
    """What was measured in an act.

    Attributes:
        values: by key of the table of figures.
        data: for the picture, by name: arrays, and curves, which are pairs of times (m,) [s] and
            rows of values (m, k) at these times.
    """

    values: dict[str, float]
    data: dict[str, Any]


def release(joints: Sequence[str], fall: Phase, hold: Phase) -> Measured:
    """Displacements of the joints since the brake was released [rad or m].

    They detect a wrong term: an error of one per cent in gravity lets a held UR5 drift by more
    than a radian.

    Args:
        joints: names of the n joints, in the order of the rows.
        fall: without torque.
        hold: with gravity compensation.
    """
    data = {}
    for name, phase in (('fall', fall), ('hold', hold)):
        position = phase['states'].joints('position', joints)
        data[name] = phase['states'].stamps, position - position[0]
    fallen, drift = (float(np.abs(rows).max()) for _, rows in data.values())
    return Measured({'fall': fallen, 'drift': drift}, data)


def tracking(
    joints: Sequence[str], trajectory: Trajectory, takes: Mapping[str, Phase]
) -> Measured:
    """How the takes, by the names of `TAKES`, follow the trajectory, which begins with them.

    The curves are the errors of each take, position minus reference (m, n) [rad or m], and of the
    last take the command `effort` and its parts (m, n) [N m or N]. `rms` has the errors of the
    takes (3, n) [rad or m], `ratios` those with feedforward / of the servo alone (n,) [-].
    """
    data: dict[str, Any] = {}
    for name in TAKES:
        states = takes[name]['states']
        reference = [trajectory.at(time)[0] for time in states.stamps]
        data[name] = states.stamps, states.joints('position', joints) - reference
    rms = np.array([np.sqrt((data[name][1] ** 2).mean(axis=0)) for name in TAKES])
    torques = takes['with_feedforward']['torques']
    for part in ('effort', *PARTS):
        data[part] = torques.stamps, torques.joints(part, joints)
    # NaN where the servo alone has no error.
    ratios = np.divide(rms[2], rms[0], out=np.full_like(rms[0], np.nan), where=rms[0] > 0)
    alone, _, fed = np.linalg.norm(rms, axis=1)
    values = {'ratio': fed / alone, 'worst_ratio': ratios.max()}
    return Measured(values, data | {'rms': rms, 'ratios': ratios})


def push(dynamics: RobotDynamics, tool: str, phase: Phase) -> Measured:
    """Wrenches on the tool, at its origin and in its axes (m, 6) [N, N m]; errors of the force.

    The curves are what the node has `felt`, and what is `observable` of what the simulator
    exerted: the smallest wrench that exerts the same torques on the joints. Fewer than six joints
    do not feel all of a wrench: `push_unfelt` is the share of the force that they do not feel [%].
    """
    felt, applied, states = phase['wrenches'], phase['applied'], phase['states']
    times, model = felt.stamps, dynamics.model
    acting = _at(times, applied, applied.wrenches())
    positions = _at(times, states, states.joints('position', model.joint_names))
    observable, pushed = np.zeros_like(acting), np.flatnonzero(acting.any(axis=1))
    for i in pushed:
        J = dynamics.jacobian(positions[i], tool, 'LOCAL')
        observable[i] = explaining_wrench(J, J.T @ acting[i], model.sliding)
    wrenches, error, unfelt = felt.wrenches(), np.nan, np.nan
    if len(pushed):
        # In the second half: after a pause of the machine the estimate begins anew.
        half = pushed[len(pushed) // 2 :]
        parts = wrenches, observable, acting
        force, explained, whole = (np.median(part[half, :3], axis=0) for part in parts)
        error = np.linalg.norm(force - explained) / np.linalg.norm(explained)
        unfelt = np.linalg.norm(explained - whole) / np.linalg.norm(whole)
    values = {'push_error': 100.0 * error, 'push_unfelt': 100.0 * unfelt}
    return Measured(values, {'felt': (times, wrenches), 'observable': (times, observable)})


def collision(joints: Sequence[str], phase: Phase) -> Measured:
    """A collision and what followed; times are since the wall was touched, if it was.

    The curves are the torques `external`, that were felt, the command `effort`, and `gravity`, of
    which a hold consists (m, n) [N m or N], and the `position` (m, n) [rad or m]. The delay runs
    in the stamps of the states; it is NaN if the collision was not found, or something before it.
    `wall_force` is the largest force of the wall [N].
    """
    applied, contacts = phase['applied'], phase['contacts']
    touched = applied.stamps[0] if len(applied.stamps) else np.nan
    found = [t for t, one in zip(contacts.stamps, contacts.messages, strict=True) if one.kind]
    # The node counts in seconds since 1970, which as a double have steps of 0.2 us.
    delay = round(found[0] - touched, 6) + 0.0 if found else np.nan
    onset = np.nan_to_num(touched)
    states, torques = phase['states'], phase['torques']
    times, command = torques.stamps - onset, torques.joints('effort', joints)
    gravity, external = (torques.joints(part, joints) for part in ('gravity', 'external'))
    state_times, position = states.stamps - onset, states.joints('position', joints)
    at_last = position[state_times >= state_times[-1] - AT_LAST]
    forces = np.linalg.norm(applied.wrenches()[:, :3], axis=1)
    values = {
        'collision_delay': 1e3 * delay if delay >= 0.0 else np.nan,
        'collision_hold': np.abs(command - gravity)[times >= times[-1] - AT_LAST].max(),
        'collision_rest': np.ptp(at_last, axis=0).max(),
        'wall_force': forces.max(initial=0.0),
    }
    torque_curves = {'external': external, 'effort': command, 'gravity': gravity}
    data = {name: (times, rows) for name, rows in torque_curves.items()}
    return Measured(values, data | {'position': (state_times, position)})


def matrices(samples: Sequence[tuple[Array, ...]], reference: Any) -> Measured:
    """The largest errors of M and C over all states, and the smallest eigenvalue of M.

    The errors are relative to the largest entry of the matrix; those of C and dM/dt - 2C to a
    share of M v where C vanishes.

    Args:
        samples: q, v, M, dM/dt and C of each state; `mass` is M of the first.
        reference: with the methods `mass_matrix` and `coriolis_matrix`, such as Pinocchio's.
    """
    rows = []
    for q, v, M, rate, C in samples:
        mass, coriolis = reference.mass_matrix(q), reference.coriolis_matrix(q, v)
        skew = rate - 2 * C
        scale = np.abs(M).max()
        speed = max(np.abs(coriolis).max(), VANISHING * np.abs(mass).max() * np.abs(v).max())
        errors = {
            'mass_asymmetry': np.abs(M - M.T).max() / scale,
            'skewness': np.abs(skew + skew.T).max() / speed,
            'mass_error': np.abs(M - mass).max() / scale,
            'coriolis_error': np.abs(C - coriolis).max() / speed,
        }
        rows.append((*errors.values(), -np.linalg.eigvalsh(M).min()))
    *worst, eigenvalue = np.max(rows, axis=0).tolist()
    values = dict(zip(errors, worst, strict=True)) | {'smallest_eigenvalue': -eigenvalue}
    return Measured(values, {'mass': samples[0][2]})


def timing(phase: Phase) -> Measured:
    """Rates [Hz], states without a command [%], and the `latency` from state to command (m,) [ms].

    The latency is the time from the sending of a state to the reception of its command in a third
    process, by the clocks of the middleware.
    """
    states, torques, commands = phase['states'], phase['torques'], phase['commands']
    _, state, answer = np.intersect1d(states.stamps, torques.stamps, return_indices=True)
    # The message on ~/torques that follows a command has the stamp of the state.
    command = np.searchsorted(commands.sent, torques.sent[answer], side='right') - 1
    state, command = state[command >= 0], command[command >= 0]
    latency = 1e3 * (commands.received[command] - states.sent[state])
    p50, p99 = np.percentile(latency, (50, 99)) if len(latency) else (np.nan, np.nan)
    due = states.stamps[states.sent <= states.sent.max(initial=0.0) - ANSWERED]
    values = {
        'state_rate': _rate(states.sent),
        'command_rate': _rate(commands.sent),
        'latency_p50': p50,
        'latency_p99': p99,
        'lost': 100.0 * float(np.mean(~np.isin(due, torques.stamps))),
    }
    return Measured(values, {'latency': latency})


def _rate(sent: Array) -> float:
    return (len(sent) - 1) / float(np.ptp(sent)) if len(sent) > 1 else 0.0


def _at(times: Array, samples: Samples, rows: Array) -> Array:
    """The rows (m, k) of the samples with these stamps (m,); zero where there is none."""
    found, zero = dict(zip(samples.stamps.tolist(), rows, strict=True)), np.zeros(rows.shape[1])
    return np.array([found.get(time, zero) for time in times.tolist()]).reshape(-1, len(zero))

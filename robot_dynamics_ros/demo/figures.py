"""What is judged, and by which bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.guards.limiter import LONGEST_STEP
from robot_dynamics_ros.simulation.mujoco_description import JointData

from .measurements import Haste, MatrixErrors, Motion, Timeliness, TorqueParts, Tracking
from .report import Figure, JointRow

Array = NDArray[np.float64]

QUEUE = 10
"""States that wait for the node before the oldest is dropped."""
LATENESS = 0.05
"""Between computing and publishing a command, on a loaded machine [s]."""
ROUNDING = 1e-9
"""What sums and differences of torques may add to a step, of the longest step."""


@dataclass(frozen=True)
class Results:
    """What was measured, ready to be judged and drawn; columns in the order of `joints`."""

    joints: Sequence[JointData]
    fall: Motion
    hold: Motion
    servo_only: Tracking
    with_gravity: Tracking
    with_feedforward: Tracking
    torques: TorqueParts
    matrices: MatrixErrors
    mass_matrix: Array
    timeliness: Timeliness
    haste: Haste
    cpu: dict[str, float]
    rate: float

    def joint_rows(self) -> list[JointRow]:
        """Return the tracking errors, joint by joint."""
        return [
            JointRow(joint.name, unit(joint), *(float(error) for error in errors))
            for joint, *errors in zip(
                self.joints,
                self.servo_only.rms,
                self.with_gravity.rms,
                self.with_feedforward.rms,
                strict=True,
            )
        ]

    @property
    def friction(self) -> str:
        """What the simulated joints have of it."""
        if any(joint.damping or joint.friction for joint in self.joints):
            return 'without the friction of its URDF'
        return 'without friction'


def unit(joint: JointData) -> str:
    """Return the unit of a joint's position."""
    return 'm' if joint.kind == 'prismatic' else 'rad'


def judge(results: Results) -> list[Figure]:
    """Put each figure beside its bound.

    The bounds of motion leave no room for a wrong term: one per cent of gravity amiss makes a held
    UR5 drift by more than a radian. Those of latency and of loss grow with the load of the
    machine, as the same states show it on their way to the observer.
    """
    rows, time, matrices = results.joint_rows(), results.timeliness, results.matrices
    worst = max(rows, key=lambda row: row.ratio)
    p50, p99 = _percentiles(time.latency)
    passage_p50, passage_p99 = _percentiles(time.passage)
    lost = 100.0 * time.lost / time.expected if time.expected else np.nan
    late = (
        100.0 * float(np.mean(time.passage > QUEUE / results.rate)) if len(time.passage) else 0.0
    )
    return [
        Figure('fall', 'released without torque: falls by', results.fall.largest,
               'rad', at_least=0.1),
        Figure('drift', f'held by gravity compensation: drift in {results.hold.duration:.2g} s',
               results.hold.largest, 'rad', at_most=0.001),
        Figure('ratio', 'tracking error with / without feedforward', _overall(rows), '',
               at_most=0.2),
        Figure('worst_ratio', f'the same, worst joint ({worst.name})', worst.ratio, '',
               at_most=0.4),
        Figure('mass_asymmetry', 'M: asymmetry', matrices.mass_asymmetry, '', at_most=1e-12),
        Figure('smallest_eigenvalue', 'M: smallest eigenvalue', matrices.smallest_eigenvalue, '',
               at_least=1e-9),
        Figure('skewness', 'dM/dt - 2C: distance from skew-symmetry', matrices.skewness, '',
               at_most=1e-8),
        Figure('mass_error', 'M: distance from Pinocchio', matrices.mass_error, '',
               at_most=1e-12),
        Figure('coriolis_error', 'C: distance from Pinocchio', matrices.coriolis_error, '',
               at_most=1e-12),
        Figure('command_step', 'largest step of a command, at the rate limit',
               1e3 * results.haste.step, 'ms', at_most=1e3 * LONGEST_STEP * (1.0 + ROUNDING)),
        Figure('command_lead', 'commands: ahead of the rate limit by',
               1e3 * results.haste.lead, 'ms', at_most=1e3 * LATENESS),
        Figure('state_rate', 'joint_states: rate', time.state_rate, 'Hz',
               at_least=0.5 * results.rate),
        Figure('command_rate', 'commands: rate', time.command_rate, 'Hz',
               at_least=0.8 * time.state_rate),
        Figure('latency_p50', 'state to command: median', p50, 'ms',
               at_most=max(2.0, 10.0 * passage_p50)),
        Figure('latency_p99', 'state to command: 99th percentile', p99, 'ms',
               at_most=max(20.0, 4.0 * passage_p99)),
        Figure('passage_p50', 'state to observer, without the node: median', passage_p50, 'ms'),
        Figure('passage_p99', 'the same: 99th percentile', passage_p99, 'ms'),
        Figure('lost', 'states without an answer', lost, '%', at_most=10.0 + late),
        *(
            Figure(f'cpu_{name}', f'processor time of the {name}', 100.0 * share, '% of a core')
            for name, share in results.cpu.items()
        ),
    ]  # fmt: skip


def _percentiles(seconds: Array) -> tuple[float, float]:
    """Return the median and the 99th percentile in milliseconds."""
    if not len(seconds):
        return np.nan, np.nan
    p50, p99 = 1e3 * np.percentile(seconds, (50, 99))
    return float(p50), float(p99)


def _overall(rows: Sequence[JointRow]) -> float:
    without = sum(row.servo_only**2 for row in rows)
    return float(np.sqrt(sum(row.with_feedforward**2 for row in rows) / without))

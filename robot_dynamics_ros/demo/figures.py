"""The figures of the demo and their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.limiter import LONGEST_STEP
from robot_dynamics_ros.simulation.mujoco_model import JointData

from .contact_act.contact_figures import judge_contacts
from .contact_act.contact_measurements import ContactResults
from .measurements import MatrixErrors, Motion, RateLimitUse, Timeliness, TorqueParts, Tracking
from .verdict import Figure, JointRow

Array = NDArray[np.float64]

QUEUE = 10
"""Depth of the node's queue of states; then the oldest is dropped."""
LATENESS = 0.05
"""Between computing and publishing a command, on a loaded machine [s]."""
ROUNDING = 1e-9
"""Rounding of a step, as a share of the longest step [-]."""


@dataclass(frozen=True)
class Results:
    """The measured quantities, to be judged and drawn; columns in the order of `joints`."""

    joints: Sequence[JointData]
    fall: Motion
    hold: Motion
    servo_only: Tracking
    with_gravity: Tracking
    with_feedforward: Tracking
    torques: TorqueParts
    contact: ContactResults
    matrices: MatrixErrors
    mass_matrix: Array
    timeliness: Timeliness
    rate_limit_use: RateLimitUse
    cpu: dict[str, float]
    rate: float

    def joint_rows(self) -> list[JointRow]:
        """The tracking errors of each joint."""
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
        """The friction of the simulated joints, in words."""
        if any(joint.damping or joint.friction for joint in self.joints):
            return 'without the friction of its URDF'
        return 'without friction'


def unit(joint: JointData) -> str:
    """The unit of a joint's position."""
    return 'm' if joint.kind == 'prismatic' else 'rad'


def judge(results: Results) -> list[Figure]:
    """Each figure with its bound.

    The bounds of motion detect a wrong term: an error of one per cent in gravity lets a held UR5
    drift by more than a radian. The bounds of latency and loss grow with the load of the machine,
    which the transport of the same states to the observer shows; they do not fail the demo.
    """
    rows, time, matrices = results.joint_rows(), results.timeliness, results.matrices
    step, lead = results.rate_limit_use.step, results.rate_limit_use.lead
    worst = max(rows, key=lambda row: row.ratio)
    p50, p99 = _percentiles(time.latency)
    transport_p50, transport_p99 = _percentiles(time.transport)
    lost = 100.0 * time.lost / time.expected if time.expected else np.nan
    late = (
        100.0 * float(np.mean(time.transport > QUEUE / results.rate))
        if len(time.transport)
        else 0.0
    )
    return [
        Figure('fall', 'released without torque: displacement', results.fall.largest,
               'rad', at_least=0.1),
        Figure('drift', f'held by gravity compensation: drift in {results.hold.duration:.2g} s',
               results.hold.largest, 'rad', at_most=0.001),
        Figure('ratio', 'tracking error with / without feedforward', _overall(rows), '',
               at_most=0.2),
        Figure('worst_ratio', f'the same, worst joint ({worst.name})', worst.ratio, '',
               at_most=0.4),
        *judge_contacts(results.contact),
        Figure('mass_asymmetry', 'M: asymmetry', matrices.mass_asymmetry, '', at_most=1e-12),
        Figure('smallest_eigenvalue', 'M: smallest eigenvalue', matrices.smallest_eigenvalue, '',
               at_least=1e-9),
        Figure('skewness', 'dM/dt - 2C: deviation from skew-symmetry', matrices.skewness, '',
               at_most=1e-8),
        Figure('mass_error', 'M: difference to Pinocchio', matrices.mass_error, '',
               at_most=1e-12),
        Figure('coriolis_error', 'C: difference to Pinocchio', matrices.coriolis_error, '',
               at_most=1e-12),
        Figure('command_step', 'largest step of a command / rate limit',
               1e3 * step, 'ms', at_most=1e3 * LONGEST_STEP * (1.0 + ROUNDING)),
        Figure('command_lead', 'commands: lead over the rate limit',
               1e3 * lead, 'ms', at_most=1e3 * LATENESS),
        Figure('state_rate', 'joint_states: rate', time.state_rate, 'Hz',
               at_least=0.5 * results.rate, load=True),
        Figure('command_rate', 'commands: rate', time.command_rate, 'Hz',
               at_least=0.8 * time.state_rate, load=True),
        Figure('latency_p50', 'state to command: median', p50, 'ms',
               at_most=max(2.0, 10.0 * transport_p50), load=True),
        Figure('latency_p99', 'state to command: 99th percentile', p99, 'ms',
               at_most=max(20.0, 4.0 * transport_p99), load=True),
        Figure('transport_p50', 'state to observer, without the node: median',
               transport_p50, 'ms'),
        Figure('transport_p99', 'the same: 99th percentile', transport_p99, 'ms'),
        Figure('lost', 'states without a command', lost, '%', at_most=10.0 + late,
               load=True),
        *(
            Figure(f'cpu_{name}', f'processor time of the {name}', 100.0 * share, '% of a core')
            for name, share in results.cpu.items()
        ),
    ]  # fmt: skip


def _percentiles(seconds: Array) -> tuple[float, float]:
    """The median and the 99th percentile [ms]."""
    if not len(seconds):
        return np.nan, np.nan
    p50, p99 = 1e3 * np.percentile(seconds, (50, 99))
    return float(p50), float(p99)


def _overall(rows: Sequence[JointRow]) -> float:
    without = sum(row.servo_only**2 for row in rows)
    return float(np.sqrt(sum(row.with_feedforward**2 for row in rows) / without))

"""The paper's simulation: 8 s of feedforward alone, with no feedback (equations 72 and 73).

The torques come from the closed forms of the paper, the motion from the dynamics that
`robot_dynamics_ros` computes from the URDF: two models, from two derivations. If one were wrong,
the arm would not follow its reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from three_link_arm import closed_forms
from three_link_arm.extrapolation import increment

Array = np.ndarray

URDF = Path(__file__).with_name('three_link_arm.urdf')
DURATION = 8.0
AMPLITUDES = np.array([1.0, 0.75, 0.5])
FREQUENCY = 2.0 * np.pi
# Step at which rounding dominates the error, which the open loop amplifies: steps of about this
# length give between 1e-13 and 3e-12 rad after 8 s [s].
STEP = 0.005
# Bounds of the run: the largest error [rad], and the torques of figure 5 [N m].
LARGEST_ERROR = 5e-11
TORQUE_RANGES = ((-5.598, 8.872), (-5.516, 0.568), (-0.887, 0.991))


@dataclass(frozen=True)
class Run:
    """The simulated motion, one row per step.

    Attributes:
        time: [s].
        reference: (steps, 3) q_r [rad].
        position: (steps, 3) q [rad].
        torque: (steps, 3) tau [N m].
    """

    time: Array
    reference: Array
    position: Array
    torque: Array

    @property
    def error(self) -> Array:
        """(steps, 3) q_r - q [rad]."""
        return self.reference - self.position


def reference(t: float) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations at a time [s]; equation 73 and its derivative."""
    phase = FREQUENCY * t
    # 1 - cos without cancellation.
    return (
        AMPLITUDES * 2.0 * np.sin(0.5 * phase) ** 2,
        AMPLITUDES * FREQUENCY * np.sin(phase),
        AMPLITUDES * FREQUENCY**2 * np.cos(phase),
    )


def feedforward(t: float) -> Array:
    """tau = M(q_r) a_r + C(q_r, v_r) v_r + g(q_r) [N m]; equation 72."""
    q, v, a = reference(t)
    M = np.array(closed_forms.mass_matrix(q))
    C = np.array(closed_forms.coriolis_matrix(q, v))
    return M @ a + C @ v + np.array(closed_forms.gravity_torque(q))


def simulate(duration: float = DURATION, h: float = STEP) -> Run:
    """Simulate the arm from rest at q = 0 under the feedforward torques.

    Args:
        duration: [s].
        h: step of the integrator [s].
    """
    gravity = (0.0, 0.0, -closed_forms.PAPER.g)
    arm = RobotDynamics(parse_urdf(URDF.read_text()), gravity=gravity)

    def derivative(t: float, y: Array) -> Array:
        q, v = y[:3], y[3:]
        a = np.linalg.solve(arm.mass_matrix(q), feedforward(t) - arm.bias_torque(q, v))
        return np.concatenate([v, a])

    times = np.arange(round(duration / h) + 1) * h
    states, lost = [np.zeros(6)], np.zeros(6)
    for t in times[:-1]:
        # Kahan's sum: the rounding error of one step is added to the next.
        change = increment(derivative, float(t), states[-1], h) + lost
        states.append(states[-1] + change)
        lost = change - (states[-1] - states[-2])
    return Run(
        times,
        np.array([reference(t)[0] for t in times]),
        np.array(states)[:, :3],
        np.array([feedforward(t) for t in times]),
    )

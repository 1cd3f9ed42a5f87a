"""From which speed on the Coulomb friction of each joint has its full size.

The sign of Coulomb friction is smooth, s(v) = v / sqrt(v^2 + v_0^2). In drives with gears and
lubricant friction reaches its full size only at speeds that differ from joint to joint. v_0 is not
linear in the equations: they are made with each value that is tried, and each joint gets the value
with the largest likelihood (profile likelihood; Murphy, van der Vaart, "On profile likelihood",
2000).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import SMOOTHING

from .observability import Structure
from .observability.whitened import whitened
from .parameters.parameter_layout import ParameterLayout
from .regression import ReducedEquations

# v_0 [rad/s or m/s]. The first is the usual one: another must be certain.
TRIED = (SMOOTHING, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
# Standard deviations of a value that is certain.
DEVIATIONS = 5.0
# Times that all joints are looked at, at most: the value of one changes what others feel.
SWEEPS = 4


def certain_smoothings(
    reduced_with: Callable[[float], ReducedEquations],
    structure: Structure,
    inflation: float,
) -> tuple[float, ...]:
    """The smoothing of each joint (n,); the usual one where no other is certain [rad/s or m/s].

    Args:
        reduced_with: the equations in torque form, with that smoothing of all joints; slow joints
            count too.
        structure: of the robot.
        inflation: of variances, by the correlation of residuals.
    """
    tried = _Tried([reduced_with(value) for value in TRIED], structure)
    # Twice the logarithm of the likelihood is a square of standard deviations.
    least = 0.5 * DEVIATIONS**2 * max(1.0, inflation)
    chosen = [0] * tried.joints
    for _ in range(SWEEPS):
        before = tuple(chosen)
        for joint in range(tried.joints):
            logs = tried.likelihoods(chosen, joint)
            best = int(logs.argmax())
            chosen[joint] = best if logs[best] - logs[0] > least else 0
        if tuple(chosen) == before:
            break
    return tuple(TRIED[one] for one in chosen)


class _Tried:
    """The equations of each joint with each value.

    Attributes:
        joints: number of them, n.
    """

    def __init__(self, tried: Sequence[ReducedEquations], structure: Structure) -> None:
        """Keep the triangles of independent columns, in plausible parameters and in noise."""
        usual = tried[0]
        white = whitened(usual, structure.columns)
        columns = list(structure.columns)
        noise = np.where(white.noise > 0.0, white.noise, np.inf)
        triangles = np.stack([one.triangles for one in tried]) / noise[:, None, None]
        self._rows = triangles[..., columns] * white.scales[columns]
        self._torques = triangles[..., -1]
        self._independent = usual.independent
        self.joints = len(usual.equations)

    def likelihoods(self, chosen: Sequence[int], joint: int) -> Array:
        """Logarithms of the likelihood: each value at one joint, what is chosen at the others."""
        before, after = chosen[:joint], chosen[joint + 1 :]
        numbers = range(len(TRIED))
        return np.array([self._likelihood([*before, one, *after]) for one in numbers])

    def _likelihood(self, numbers: Sequence[int]) -> float:
        own = np.arange(self.joints)
        rows, torques = self._rows[numbers, own], self._torques[numbers, own]
        found = np.linalg.lstsq(rows.reshape(torques.size, -1), torques.ravel(), rcond=None)[0]
        left = np.linalg.norm(rows @ found - torques, axis=1)
        return -float(self._independent @ np.log(np.where(left > 0.0, left, 1.0)))


def smoothing_words(layout: ParameterLayout) -> str:
    """The sentence of the verdict; empty where each joint has the usual smoothing.

    Args:
        layout: of the identified parameters.
    """
    chosen = [
        f'{joint.name} {value:g} {"m/s" if joint.kind == "prismatic" else "rad/s"}'
        for joint, value in zip(
            layout.model.independent_joints, layout.smoothings.tolist(), strict=True
        )
        if value != SMOOTHING
    ]
    if not chosen:
        return ''
    return (
        'Coulomb friction is full only at larger speeds than usual: smoothing v_0 '
        f'{", ".join(chosen)}. dynamics_node.yaml and friction.yaml have it; a URDF has no place '
        'for it.'
    )

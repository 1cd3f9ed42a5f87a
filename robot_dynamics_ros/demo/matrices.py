"""Fourth act: M and C by the services, judged by their laws and by Pinocchio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import GetCoriolisMatrix, GetMassMatrix
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.simulation.mujoco_model import JointData

from .client import NODE, Array, DemoClient
from .picture import INK, MANY, power
from .verdict import Figure

STEP = 1e-4
"""Time step of the difference quotient dM/dt [s]: truncation and rounding are about equal."""
VANISHING = 0.1
"""Entries of C are of the size of M v. Where C vanishes, its largest entry is rounding: errors are
divided by at least this share of the largest entry of M times the largest velocity [-]."""


@dataclass(frozen=True)
class MatrixSample:
    """M, dM/dt and C at one state by the services, in the order of the model's joints."""

    q: Array
    v: Array
    mass: Array
    mass_rate: Array
    coriolis: Array


@dataclass(frozen=True)
class Matrices:
    """M at the start position, and the largest errors of all states.

    They are relative to the largest entry of the matrix; those of C and dM/dt - 2C to a share of
    M v where C vanishes.
    """

    joints: Sequence[JointData]
    mass: Array
    mass_asymmetry: float
    smallest_eigenvalue: float
    skewness: float
    mass_error: float
    coriolis_error: float

    @classmethod
    def of(
        cls, joints: Sequence[JointData], samples: Sequence[MatrixSample], reference: Any
    ) -> Matrices:
        """Compare samples, the first at the start position, with a reference such as Pinocchio."""
        errors = []
        for sample in samples:
            mass = reference.mass_matrix(sample.q)
            coriolis = reference.coriolis_matrix(sample.q, sample.v)
            skew = sample.mass_rate - 2 * sample.coriolis
            floor = VANISHING * float(np.abs(mass).max() * np.abs(sample.v).max())
            errors.append(
                (
                    _relative(sample.mass - sample.mass.T, sample.mass),
                    -float(np.linalg.eigvalsh(sample.mass).min()),
                    _relative(skew + skew.T, coriolis, floor),
                    _relative(sample.mass - mass, mass),
                    _relative(sample.coriolis - coriolis, coriolis, floor),
                )
            )
        asymmetry, eigenvalue, *others = np.max(errors, axis=0).tolist()
        return cls(joints, samples[0].mass, asymmetry, -eigenvalue, *others)

    def figures(self) -> list[Figure]:
        """Each figure with its bound."""
        return [
            Figure('mass_asymmetry', 'M: asymmetry', self.mass_asymmetry, 'relative',
                   at_most=1e-12),
            Figure('smallest_eigenvalue', 'M: smallest eigenvalue', self.smallest_eigenvalue,
                   'kg m^2', at_least=1e-9),
            Figure('skewness', 'dM/dt - 2C: deviation from skew-symmetry', self.skewness,
                   'relative', at_most=1e-8),
            Figure('mass_error', 'M: difference to Pinocchio', self.mass_error, 'relative',
                   at_most=1e-12),
            Figure('coriolis_error', 'C: difference to Pinocchio', self.coriolis_error, 'relative',
                   at_most=1e-12),
        ]  # fmt: skip

    def draw(self, axes: Axes) -> None:
        """M(q) at the start position."""
        n, bound = len(self.mass), np.abs(self.mass).max()
        norm = SymLogNorm(linthresh=bound / 30, vmin=-bound, vmax=bound)
        axes.imshow(self.mass, cmap='RdBu_r', norm=norm, aspect='auto')
        if n <= MANY:
            for (row, column), value in np.ndenumerate(self.mass):
                colour = 'white' if abs(norm(value) - 0.5) > 0.33 else INK
                size = 10 if n <= 6 else 7.5
                text = _two_digits(value, bound)
                axes.text(column, row, text, ha='center', va='center', size=size, color=colour)
            axes.set_yticks(range(n), [joint.name for joint in self.joints])
        axes.set_xticks([])
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        sliding = any(joint.kind == 'prismatic' for joint in self.joints)
        axes.set_title(f'Mass matrix M(q) at the start [{"SI units" if sliding else "kg m²"}]')
        error = max(self.mass_error, self.coriolis_error)
        axes.set_xlabel(
            'by the service; columns in the order of the rows;\n'
            f'M and C agree with Pinocchio to {power(error)},\n'
            f'dM/dt - 2C is skew-symmetric to {power(self.skewness)}'
        )


def sample_matrices(client: DemoClient, model: RobotModel, home: Array) -> list[MatrixSample]:
    """M and C by the services, at the start and at random states; dM/dt by differences."""
    names = list(model.joint_names)

    def ask(kind: Any, name: str, q: Array, v: Array) -> Array:
        state = JointState(name=names, position=q, velocity=v)
        answer = client.call(kind, f'{NODE}/get_{name}', state=state)
        order = [answer.joint_names.index(joint) for joint in names]
        matrix = np.array(getattr(answer, name).data).reshape(len(names), len(names))
        return matrix[np.ix_(order, order)]

    samples = []
    states = [(state.q, state.v) for state in random_states(model, 5, seed=1)]
    for q, v in [(home, states[0][1]), *states[1:]]:
        near = [ask(GetMassMatrix, 'mass_matrix', q + k * STEP * v, v) for k in (-2, -1, 0, 1, 2)]
        rate = (near[0] - 8 * near[1] + 8 * near[3] - near[4]) / (12 * STEP)
        coriolis = ask(GetCoriolisMatrix, 'coriolis_matrix', q, v)
        samples.append(MatrixSample(q, v, near[2], rate, coriolis))
    return samples


def _relative(difference: Array, whole: Array, floor: float = 0.0) -> float:
    scale = max(float(np.abs(whole).max()), floor)
    worst = float(np.abs(difference).max())
    return worst / scale if scale > 0 else worst


def _two_digits(value: float, whole: float) -> str:
    """A number with two significant digits; rounding errors of the whole are written as 0."""
    if abs(value) < 1e-12 * whole:
        return '0'
    exponent = int(f'{value:.1e}'.partition('e')[2])
    return power(value, 1) if exponent < -3 else f'{value:.{max(0, 1 - exponent)}f}'

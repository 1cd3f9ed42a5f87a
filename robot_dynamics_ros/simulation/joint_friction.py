"""The law of friction in the joints of a simulated arm."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.core import JointFriction
from robot_dynamics_ros.core.algorithms.friction import KINDS

Vector = NDArray[np.float64]


class SimulatedFriction:
    """The law of `core.algorithms.friction`, which MuJoCo does not have.

    What opposes sliding is MuJoCo's dry friction and damping, whose size is set before each step:
    its solver holds a joint at rest, where the smooth sign of the law would let it creep. What a
    contact builds up before it slides is a torque.
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, friction: JointFriction, names: Sequence[str]
    ) -> None:
        """Take the coefficients of joints, by the names (n,) of MuJoCo's."""
        order = [friction.names.index(name) for name in names]
        self._values = {kind: friction[kind][order] for kind in KINDS}
        self._model, self._data = model, data
        self._displacements = np.stack(
            [self._values['displacement'], self._values['displacement_long']]
        )
        self._strengths = np.stack([self._values['presliding'], self._values['presliding_long']])
        self.reset()

    def reset(self) -> None:
        """Begin at rest, where the joints are."""
        self._slips, self._q = np.zeros_like(self._strengths), self._data.qpos.copy()

    def torque(self, drive: Vector) -> Vector:
        """Set dry friction and damping for the next step; the torque of pre-sliding (n,) [N m or N].

        Args:
            drive: (n,) torques of the drives, which the joints transmit [N m or N].
        """
        values, v = self._values, self._data.qvel
        step, self._q = self._data.qpos - self._q, self._data.qpos.copy()
        sign = np.sign(step)
        decay = np.exp(-np.abs(step) / self._displacements)
        self._slips = sign + (self._slips - sign) * decay
        forward, slow = v >= 0.0, values['stribeck_velocity'] ** 2
        coulomb = np.where(forward, values['coulomb'], values['coulomb_negative'])
        gradual = values['gradual'] * np.abs(v) / np.hypot(v, values['gradual_smoothing'])
        stribeck = values['stribeck'] * slow / (slow + v**2)
        self._model.dof_frictionloss[:] = (
            coulomb + gradual + stribeck + values['load'] * np.abs(drive)
        )
        self._model.dof_damping[:] = np.where(
            forward, values['viscous'], values['viscous_negative']
        )[:, None].reshape(self._model.dof_damping.shape)
        result: Vector = -(self._strengths * self._slips).sum(axis=0)
        return result

"""The law of friction in the joints of a simulated arm: docs/friction.md has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
# By joint, then by the keys of friction.yaml.
Law = Mapping[str, Mapping[str, float]]
USUAL = {
    'gradual_smoothing': 0.3,
    'stribeck_velocity': 0.1,
    'displacement': 0.02,
    'displacement_long': 0.1,
}


class SimulatedFriction:
    """Friction that MuJoCo does not have, written anew: the feedforward has its own.

    What opposes sliding is MuJoCo's dry friction and damping, whose size is set before each step:
    its solver holds a joint at rest, where a smooth sign would let it creep. What a contact builds
    up before it slides is a torque.
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, law: Law, names: Sequence[str]
    ) -> None:
        """Take the values of joints; others have those of the URDF.

        Args:
            model: of the arm.
            data: its state.
            law: values by joint.
            names: of MuJoCo's joints (n,).
        """
        self._model, self._data, self._law, self._names = model, data, law, names
        viscous = self._of('viscous', model.dof_damping.ravel())
        coulomb = self._of('coulomb', model.dof_frictionloss)
        self._viscous = np.stack([viscous, self._of('viscous_negative', viscous)])
        self._coulomb = np.stack([coulomb, self._of('coulomb_negative', coulomb)])
        self._gradual, self._stribeck, self._load = (
            self._of(key, 0.0) for key in ('gradual', 'stribeck', 'load')
        )
        self._strengths = np.stack([self._of(f'presliding{k}', 0.0) for k in ('', '_long')])
        self._ways = np.stack([self._of(f'displacement{k}') for k in ('', '_long')])
        self._full = self._of('gradual_smoothing')
        self._slow = self._of('stribeck_velocity') ** 2
        self.reset()

    def reset(self) -> None:
        """Begin at rest, where the joints are."""
        self._slips, self._q = np.zeros_like(self._strengths), self._data.qpos.copy()

    def torque(self, drive: Vector) -> Vector:
        """Set friction and damping of the next step; the torque of pre-sliding (n,) [N m or N].

        Args:
            drive: (n,) torques of the drives, which the joints transmit [N m or N].
        """
        v = self._data.qvel
        step, self._q = self._data.qpos - self._q, self._data.qpos.copy()
        sign = np.sign(step)
        self._slips = sign + (self._slips - sign) * np.exp(-np.abs(step) / self._ways)
        backward = (v < 0.0).astype(int)
        dry = np.take_along_axis(self._coulomb, backward[None], axis=0)[0]
        dry = dry + self._gradual * np.abs(v) / np.hypot(v, self._full)
        dry += self._stribeck * self._slow / (self._slow + v**2) + self._load * np.abs(drive)
        self._model.dof_frictionloss[:] = dry
        damping = np.take_along_axis(self._viscous, backward[None], axis=0)
        self._model.dof_damping[:] = damping.reshape(self._model.dof_damping.shape)
        return -(self._strengths * self._slips).sum(axis=0)

    def _of(self, key: str, usual: Vector | float | None = None) -> Vector:
        """The values of a key (n,)."""
        values = np.full(len(self._names), USUAL.get(key, 0.0) if usual is None else usual)
        for index, name in enumerate(self._names):
            values[index] = self._law.get(name, {}).get(key, values[index])
        return values

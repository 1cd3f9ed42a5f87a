"""A robot with identified parameters: bodies, rotors, friction, constant torques."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import JointFriction, RobotDynamics, RobotModel
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, KINDS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY


@dataclass(frozen=True, eq=False)
class IdentifiedModel:
    """A robot whose parameters were identified.

    Its torque is M(q) a + C(q, v) v + g(q) + f + b, with the rotors in M, the friction f of
    `core.algorithms.friction`, and a constant torque b. What a mimic joint has is part of the
    joint that it mimics.
    """

    model: RobotModel  #: with the identified bodies; its rotors and friction are not used
    values: Mapping[str, Array]  #: (n,) of independent joints, by the keys of friction.yaml
    gravity: Sequence[float] = STANDARD_GRAVITY  #: (3,) under which it was recorded [m/s^2]

    @cached_property
    def friction(self) -> JointFriction:
        """The friction of the joints; mimic joints have none."""
        given = {kind: self._by_joint(kind, CONSTANTS.get(kind, 0.0)) for kind in KINDS}
        return JointFriction(self.model, **given)

    @property
    def rotors(self) -> dict[str, float]:
        """Their inertia by joint [kg m^2 or kg]; mimic joints have none."""
        return self._by_joint('armature')

    @cached_property
    def dynamics(self) -> RobotDynamics:
        """The dynamics of bodies and rotors, compiled at the first use."""
        return RobotDynamics(self.model.with_armature(self.rotors), gravity=self.gravity)

    def inverse_dynamics(self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike) -> Array:
        """The torque (n,) of a state, or (N, n) of a batch, without pre-sliding [N m or N].

        Raises:
            StateError: q, v or a has another shape, or a value is not finite.
        """
        rigid = self.dynamics.inverse_dynamics(q, v, a)
        load = rigid - self.values['armature'] * np.asarray(a)
        return rigid + self.friction.torque(v, load=load) + self.values['torque_offset']

    def _by_joint(self, key: str, mimic: float = 0.0) -> dict[str, float]:
        given = dict.fromkeys((joint.name for joint in self.model.joints), mimic)
        return given | dict(zip(self.model.joint_names, self.values[key].tolist(), strict=True))

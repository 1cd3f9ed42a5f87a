"""The live parameters as what they configure: made for one robot, then applied in one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robot_dynamics_ros.control.external_forces.external_settings import ExternalSettings
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import JointFriction
from robot_dynamics_ros.core.model.robot import RobotModel

from ..parameters import node_parameters


@dataclass(frozen=True)
class LiveValues:
    """What `CommandedRobot.apply` needs, so that the loop waits for nothing else.

    Attributes:
        settings: of the guards.
        external: of the external-force estimate.
        friction: of the joints.
        torque_offset: (k,) of the commanded joints [N m or N].
        terms: of the torque.
        evaluate_at: where the terms are evaluated, see `Feedforward`.
        gravity: (3,) in the frame of the root link [m/s^2].
        shape: values of the parameters whose change alters the torque.
    """

    settings: Settings
    external: ExternalSettings
    friction: JointFriction
    torque_offset: Array
    terms: list[str]
    evaluate_at: str
    gravity: list[float]
    shape: dict[str, Any]

    @classmethod
    def of(cls, values: Mapping[str, Any], model: RobotModel, joints: Sequence[str]) -> LiveValues:
        """Those of a robot.

        Args:
            values: of all parameters, by name.
            model: of the robot.
            joints: names of the commanded joints.

        Raises:
            RobotDynamicsError: they do not fit the robot.
        """
        return cls(
            settings=node_parameters.guard_settings(values),
            external=node_parameters.external_settings(values, model, joints),
            friction=node_parameters.friction(values, model, joints),
            torque_offset=node_parameters.torque_offset(values, joints),
            terms=values['terms'],
            evaluate_at=values['evaluate_at'],
            gravity=values['gravity'],
            shape=node_parameters.torque_shape(values),
        )

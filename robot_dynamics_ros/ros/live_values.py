"""The parameters as what they configure: made for one robot, then applied in one step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.estimate import ExternalSettings
from robot_dynamics_ros.control.external.thresholds import (
    BANDS,
    ContactThresholds,
)
from robot_dynamics_ros.control.settings import Settings, per_joint
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError, UnknownNameError
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.threshold_file import read_thresholds

# Bandwidths that thresholds are learned with, and that of the node, may differ by so much [-].
SAME = 0.02


@dataclass(frozen=True)
class LiveValues:
    """What `CommandedRobot.apply` needs, so that the loop waits for nothing else.

    Attributes:
        settings: of the guards.
        external: of the external-force estimate.
        terms: of the torque.
        evaluate_at: where the terms are evaluated, see `Feedforward`.
        gravity: (3,) in the frame of the root link [m/s^2].
    """

    settings: Settings
    external: ExternalSettings
    terms: list[str]
    evaluate_at: str
    gravity: list[float]

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
        chosen = {field.name: values[field.name] for field in fields(Settings)}
        lists = {name: tuple(each) for name, each in chosen.items() if isinstance(each, list)}
        return cls(
            settings=Settings(**(chosen | lists)),
            external=external_settings(values, model, joints),
            terms=values['terms'],
            evaluate_at=values['evaluate_at'],
            gravity=values['gravity'],
        )

    def shapes_other_torque(self, other: LiveValues) -> bool:
        """Whether the torque of the same state is another one, so that the change is faded in."""
        mine = (self.terms, self.evaluate_at, self.gravity)
        return mine != (other.terms, other.evaluate_at, other.gravity)


def external_settings(
    values: Mapping[str, Any], model: RobotModel, joints: Sequence[str]
) -> ExternalSettings:
    """The settings of the external-force estimate, one value for each commanded joint.

    Raises:
        UnknownNameError: no link has the name external_frame.
        ParameterError: no commanded joint moves that link, the number of values is not that of the
            joints, or the file contact_thresholds does not fit.
    """
    bandwidth = per_joint('external_bandwidth', values['external_bandwidth'], joints)
    if bandwidth is None:
        raise ParameterError(
            'external_bandwidth is empty, one value for all or one for each commanded joint is '
            f'needed: {", ".join(joints)}'
        )
    if frame := values['external_frame']:
        _require_moved(frame, model, joints)
    return ExternalSettings(
        external_observer=values['external_observer'],
        external_bandwidth=tuple(bandwidth.tolist()),
        external_frame=frame,
        thresholds=_thresholds(values, model, joints, bandwidth),
        driver_gravity_check=values['driver_gravity_check'],
    )


def _thresholds(
    values: Mapping[str, Any], model: RobotModel, joints: Sequence[str], bandwidth: Array
) -> ContactThresholds | None:
    """Those of the file contact_thresholds, or of the lists; None for no detection.

    Raises:
        ParameterError: both are given, or the file cannot be used.
    """
    file, given = values['contact_thresholds'], {}
    for band in BANDS:
        name = f'{band}_threshold'
        constants = per_joint(name, values[name], joints)
        if constants is not None:
            given[band] = constants
    if not file:
        return ContactThresholds.of(len(joints), **given) if given else None
    if given:
        raise ParameterError(
            f'contact_thresholds is {file!r}, and {" and ".join(given)} thresholds are set too: '
            'set either the file, or collision_threshold and push_threshold'
        )
    try:
        learned = read_thresholds(file, model.joint_names)
        thresholds = learned.of(joints)
    except ParameterError as error:
        name = '' if str(file) in str(error) else f'{file}: '
        raise ParameterError(f'contact_thresholds: {name}{error}') from None
    wanted = np.array([learned.bandwidths[name] for name in joints])
    if not np.allclose(bandwidth, wanted, rtol=SAME):
        raise ParameterError(
            f'contact_thresholds: {file} is for external_bandwidth '
            f'{[round(each, 3) for each in wanted.tolist()]}, it is {bandwidth.tolist()}: set '
            'that, or learn again with it'
        )
    return thresholds


def _require_moved(frame: str, model: RobotModel, joints: Sequence[str]) -> None:
    """Check that a commanded joint moves the link external_frame: else its wrench is zero.

    Raises:
        UnknownNameError: there is no such link.
        ParameterError: no commanded joint moves it.
    """
    try:
        moving = model.joints_that_move(frame)
    except ParameterError as error:
        raise ParameterError(f'external_frame: {error}') from None
    if set(joints).isdisjoint(moving):
        tip = model.tip_frame(joints)
        raise ParameterError(
            f'external_frame is {frame!r}, which none of the commanded joints '
            f'{", ".join(joints)} moves: name a link that they move, such as the tip: {tip}'
        )


def require_joints(parameter: str, names: Collection[str], model: RobotModel) -> None:
    """Check that a parameter names independent joints of a model.

    Raises:
        ParameterError: it does not; the message names the parameter.
    """
    try:
        for name in names:
            model.index_of(name)
    except UnknownNameError as error:
        raise ParameterError(f'parameter {parameter}: {error}') from None


def locked_joints(
    values: Mapping[str, Any], model: RobotModel, commanded: Collection[str]
) -> dict[str, float]:
    """The positions of the locked joints [rad or m], by name.

    Raises:
        ParameterError: no independent joint has that name, or a locked joint is commanded.
    """
    locked: dict[str, float] = values['locked_joints']
    require_joints('locked_joints', locked, model)
    for name in locked:
        if name in commanded:
            raise ParameterError(
                f'locked_joints: {name!r} is commanded, it must be measured; remove it from '
                'locked_joints, or from parameter joints'
            )
    return locked

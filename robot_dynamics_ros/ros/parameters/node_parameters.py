"""The parameters of dynamics_node: declared, checked, and read as what they configure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from rclpy.node import Node

from robot_dynamics_ros.control.external_forces.external_settings import ExternalSettings
from robot_dynamics_ros.control.external_forces.live_contact import contact_thresholds
from robot_dynamics_ros.control.payload_estimation.payload_regressor import chain_of
from robot_dynamics_ros.control.settings import Settings, per_joint
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError, UnknownNameError
from robot_dynamics_ros.core.model.friction import JointFriction
from robot_dynamics_ros.core.model.payload_body import tip_frame
from robot_dynamics_ros.core.model.robot import RobotModel

from . import declaration
from .computation_rows import SAMPLE_COUNT
from .node_table import TABLE


def declare(node: Node) -> None:
    """Declare every parameter; values are checked when they are read."""
    declaration.declare(node, TABLE)


def checked(name: str, value: Any) -> Any:
    """The value of a parameter, lists as lists without empty strings.

    Raises:
        RobotDynamicsError: it has the wrong type, or is not allowed.
    """
    row = TABLE.row_of(name)
    if row is None:
        raise UnknownNameError('parameter', name, tuple(TABLE.rows))
    if row.is_map and name != row.name:
        return row.checked({name.removeprefix(f'{row.name}.'): value})
    return row.checked(value)


def read(node: Node, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Every parameter, checked, with these changes.

    Raises:
        RobotDynamicsError: one has the wrong type, or is not allowed.
    """
    return declaration.read(node, TABLE, changes)


def unknown(node: Node) -> str:
    """Names of parameters that the node was given and does not have, with the nearest it has."""
    return declaration.unknown(node, TABLE)


def check_sample_count(name: str, count: int) -> None:
    """Whether that many random states may be compared while other services wait.

    Args:
        name: of the count, for the message.
        count: of the states.

    Raises:
        ParameterError: it is out of bounds.
    """
    SAMPLE_COUNT.check(name, count)


def torque_shape(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of the parameters whose change alters the torque, and is faded in."""
    return {name: values[name] for name, row in TABLE.rows.items() if row.shapes_torque}


def guard_settings(values: Mapping[str, Any]) -> Settings:
    """The settings of the guards."""
    chosen = {field.name: values[field.name] for field in fields(Settings)}
    return Settings(**{name: tuple(v) if isinstance(v, list) else v for name, v in chosen.items()})


def external_settings(
    values: Mapping[str, Any], model: RobotModel, joints: Sequence[str]
) -> ExternalSettings:
    """The settings of the external-force estimate, one value for each commanded joint.

    Raises:
        UnknownNameError: no link has the name external_frame.
        ParameterError: no commanded joint moves that link, the number of values is not that of the
            joints, a part of a threshold has no constant, or a constant is 0.
    """
    chosen = {field.name: values[field.name] for field in fields(ExternalSettings)}
    for name, value in chosen.items():
        if isinstance(value, list):
            given = per_joint(name, value, joints)
            chosen[name] = () if given is None else tuple(given.tolist())
    if not chosen['external_bandwidth']:
        raise ParameterError(
            'external_bandwidth is empty, one value for all or one for each commanded joint is '
            f'needed: {", ".join(joints)}'
        )
    settings = ExternalSettings(**chosen)
    if settings.external_frame:
        _require_moved(settings.external_frame, model, joints)
    for kind in ('collision', 'push'):
        for part in ('velocity', 'acceleration'):
            if chosen[f'{kind}_threshold_{part}'] and not chosen[f'{kind}_threshold']:
                raise ParameterError(
                    f'{kind}_threshold_{part} is set, but {kind}_threshold is empty: set both'
                )
    contact_thresholds(settings, len(joints))
    return settings


def _require_moved(frame: str, model: RobotModel, joints: Sequence[str]) -> None:
    """Check that a commanded joint moves the link external_frame: else its wrench is zero.

    Raises:
        UnknownNameError: there is no such link.
        ParameterError: no commanded joint moves it.
    """
    try:
        chain = chain_of(model, frame)
    except ParameterError as error:
        raise ParameterError(f'external_frame: {error}') from None
    commanded = set(model.indices_of(joints))
    if commanded.isdisjoint(model.joints[index].coordinate.index for index in chain):
        tip = tip_frame(model, joints)
        raise ParameterError(
            f'external_frame is {frame!r}, which none of the commanded joints '
            f'{", ".join(joints)} moves: name a link that they move, such as the tip: {tip}'
        )


def friction(values: Mapping[str, Any], model: RobotModel, joints: Iterable[str]) -> JointFriction:
    """The friction of the joints.

    Raises:
        ParameterError: the number of values is not that of the commanded joints.
    """
    common = {joint.name: values['friction_smoothing'] for joint in model.joints}
    return JointFriction(
        model,
        viscous=by_joint('friction_viscous', values, joints),
        coulomb=by_joint('friction_coulomb', values, joints),
        viscous_negative=by_joint('friction_viscous_negative', values, joints),
        coulomb_negative=by_joint('friction_coulomb_negative', values, joints),
        smoothing={**common, **by_joint('friction_smoothing_by_joint', values, joints)},
    )


def torque_offset(values: Mapping[str, Any], joints: Sequence[str]) -> Array:
    """The constant torque (k,) of the commanded joints [N m or N].

    Raises:
        ParameterError: the number of values is not that of the joints.
    """
    given = per_joint('torque_offset', values['torque_offset'], joints)
    return np.zeros(len(joints)) if given is None else given


def by_joint(name: str, values: Mapping[str, Any], joints: Iterable[str]) -> dict[str, float]:
    """A parameter with one value for each commanded joint, by joint; empty if it is empty.

    Raises:
        ParameterError: the number of values is not that of the joints.
    """
    names = tuple(joints)
    given = per_joint(name, values[name], names)
    return {} if given is None else dict(zip(names, given.tolist(), strict=True))


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

"""Torques of joints in messages: with their unit, and without rounding errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from robot_dynamics_ros.core.model.robot import RobotModel

# A smaller one is a rounding error of larger ones [N m or N].
ROUNDING = 1e-6


def torque_text(value: float, unit: str, digits: int = 3) -> str:
    """A torque or force in its unit ('N m' or 'N'); one below `ROUNDING` is 0."""
    return f'{without_rounding(value):.{digits}g} {unit}'


def without_rounding(value: float) -> float:
    """That number; 0 for one below `ROUNDING`."""
    return 0.0 if abs(value) < ROUNDING else value


def joint_torques(joints: Sequence[str], values: Iterable[float], units: Iterable[str]) -> str:
    """The torques of joints with their names and units, separated by commas."""
    each = zip(joints, values, units, strict=True)
    return ', '.join(f'{name} {torque_text(value, unit)}' for name, value, unit in each)


def units_of(model: RobotModel, joints: Iterable[str]) -> tuple[str, ...]:
    """Units of the torques or forces of some joints: 'N m' or 'N'."""
    units = dict(zip(model.joint_names, model.effort_units, strict=True))
    return tuple(units[name] for name in joints)

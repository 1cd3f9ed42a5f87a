"""Everything that `robot_dynamics inspect` says of a robot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from robot_dynamics_ros.core.model.findings import Finding
from robot_dynamics_ros.core.model.robot import RobotModel

from .loads import GravityLoad, PayloadMargin, SampledPoses, gravity_loads, payload_margin
from .validation import findings_of, total_mass


@dataclass(frozen=True)
class Inspection:
    """Facts about a robot.

    Attributes:
        model: the robot.
        mass: of all links [kg].
        poses: number of poses over which the worst was looked for.
        loads: gravity torque of each joint by name, in the order of q.
        margin: of a link; None if none was asked for.
        findings: those of severity error first.
    """

    model: RobotModel
    mass: float
    poses: int
    loads: dict[str, GravityLoad]
    margin: PayloadMargin | None
    findings: tuple[Finding, ...]

    @property
    def moving_mass(self) -> float:
        """Of all that is not fixed to the base [kg]."""
        return float(sum(joint.inertia.mass for joint in self.model.joints))

    def as_json(self) -> dict[str, Any]:
        """The content of --json; numbers that are not finite stand for no limit."""
        model = self.model
        joints = [
            {
                'name': joint.name,
                'type': joint.kind,
                'parent': model.joints[joint.parent].name if joint.parent >= 0 else None,
                'mimics': joint.mimicked,
                'axis': joint.axis,
                'lower': joint.limits.lower,
                'upper': joint.limits.upper,
                'velocity': joint.limits.velocity,
                'effort': joint.limits.effort,
                'links': [frame.name for frame in model.frames if frame.body == index],
                'mass': joint.inertia.mass,
                'center_of_mass': joint.inertia.center_of_mass,
            }
            for index, joint in enumerate(model.joints)
        ]
        return {
            'robot': model.name,
            'root': model.frames[0].name,
            'mass': self.mass,
            'moving_mass': self.moving_mass,
            'reach': model.reach,
            'joints': joints,
            'poses': self.poses,
            'gravity': {name: asdict(load) for name, load in self.loads.items()},
            'payload_margin': None if self.margin is None else asdict(self.margin),
            'findings': findings_as_json(self.findings),
        }


def inspect_robot(model: RobotModel, frame: str | None = None) -> Inspection:
    """Look at a robot.

    Args:
        model: the robot.
        frame: link whose payload margin to give; None for none.

    Raises:
        UnknownNameError: no link has that name.
    """
    # What overflows shows as a value that is not finite.
    with np.errstate(all='ignore'):
        poses = SampledPoses.of(model)
        margin = None if frame is None else payload_margin(poses, frame)
        loads, findings = gravity_loads(poses), findings_of(poses)
    return Inspection(model, total_mass(model), len(poses.q), loads, margin, findings)


def findings_as_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """One object for each finding."""
    keys = ('code', 'severity', 'link', 'joints', 'problem', 'value', 'advice')
    return [{key: getattr(finding, key) for key in keys} for finding in findings]

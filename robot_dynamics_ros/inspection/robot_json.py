"""An inspected robot as JSON, in SI units; the schema is in docs/command.md."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Joint

from .finding_json import findings_as_json
from .inspection import Inspection


def inspection_as_json(inspection: Inspection) -> dict[str, Any]:
    """The content of --json; numbers that are not finite stand for no limit."""
    model, margin = inspection.model, inspection.margin
    return {
        'robot': model.name,
        'root': model.frames[0].name,
        'mass': inspection.mass,
        'moving_mass': inspection.moving_mass,
        'reach': model.reach,
        'joints': [_joint(model, index, joint) for index, joint in enumerate(model.joints)],
        'poses': inspection.poses,
        'gravity': {
            load.joint: {
                'at_zero': load.at_zero,
                'worst': load.worst,
                'worst_at': load.worst_at,
                'limit': load.limit,
                'beyond': load.beyond,
            }
            for load in inspection.loads
        },
        'payload_margin': None if margin is None else asdict(margin),
        'findings': findings_as_json(inspection.findings),
    }


def _joint(model: RobotModel, index: int, joint: Joint) -> dict[str, Any]:
    links = [frame.name for frame in model.frames if frame.body == index]
    limits = joint.limits
    return {
        'name': joint.name,
        'type': joint.kind,
        'parent': model.joints[joint.parent].name if joint.parent >= 0 else None,
        'mimics': joint.mimicked,
        'axis': joint.axis,
        'lower': limits.lower,
        'upper': limits.upper,
        'velocity': limits.velocity,
        'effort': limits.effort,
        'links': links,
        'mass': joint.inertia.mass,
        'center_of_mass': joint.inertia.center_of_mass,
    }

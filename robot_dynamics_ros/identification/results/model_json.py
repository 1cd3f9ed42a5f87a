"""The section `model` of identification.json: what the other files hold, by name."""

from __future__ import annotations

from typing import Any

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS, parameters_of
from robot_dynamics_ros.core.model.tree import Joint

from ..identified_model import IdentifiedModel


def model_json(
    described: RobotModel, written: RobotModel, identified: IdentifiedModel
) -> dict[str, Any]:
    """The values of an identified model; docs/identified_files.md is its schema.

    Args:
        described: model of the description before.
        written: model of identified.urdf.
        identified: with the parameters of the joints.
    """
    return {
        'joints': {
            joint.name: _joint(identified, index, joint)
            for index, joint in enumerate(identified.model.independent_joints)
        },
        'bodies': {
            before.name: {
                'link': _first_link(written, index),
                'changed': before.inertia != after.inertia,
                'nominal': dict(zip(PARAMETERS, parameters_of(before.inertia), strict=True)),
                'identified': dict(zip(PARAMETERS, parameters_of(after.inertia), strict=True)),
            }
            for index, (before, after) in enumerate(
                zip(described.joints, written.joints, strict=True)
            )
        },
    }


def _joint(identified: IdentifiedModel, index: int, joint: Joint) -> dict[str, Any]:
    return {
        'unit': 'N' if joint.kind == 'prismatic' else 'N m',
        'viscous': float(identified.viscous[index]),
        'coulomb': float(identified.coulomb[index]),
        'viscous_negative': float(identified.viscous_negative[index]),
        'coulomb_negative': float(identified.coulomb_negative[index]),
        'smoothing': float(identified.smoothing[index]),
        'torque_offset': float(identified.offset[index]),
        'armature': float(identified.armature[index]),
        'gain': float(identified.gain[index]),
    }


def _first_link(model: RobotModel, body: int) -> str:
    return next(frame.name for frame in model.frames if frame.body == body)

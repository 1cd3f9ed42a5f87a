"""The joint torques that balance a wrench at a frame."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.robot import RobotModel
from ..model.tree import Frame
from ..scalar import Scalar
from ..spatial import add, cross, dot, rotate, rotate_back
from .joint_tree import ancestors, joint_frames


def external_torque(
    model: RobotModel, q: Sequence[Scalar], wrench: Sequence[Scalar], frame: Frame
) -> list[Scalar]:
    """J^T h_e [N m or N], shape (n,): the torques with which the robot exerts h_e.

    With h_e exerted *by the robot on its surroundings*, the generalised forces that move it are
    xi = tau - J^T h_e: add the result to inverse_dynamics to press, subtract it where h_e is what
    the surroundings do to the robot. J is the Jacobian of the frame in its LOCAL_WORLD_ALIGNED
    form; it is not formed: the wrench is passed down from joint to joint, as in RNEA.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        wrench: (6,) force, and moment about the origin of the frame, in the axes of the base
            [N, N m].
        frame: where the wrench acts; one of `model.frames`.
    """
    tau: list[Scalar] = [0.0] * model.size
    if frame.body < 0:
        return tau
    poses = joint_frames(model, q)
    path = [frame.body, *ancestors(model, frame.body)]
    force = (wrench[0], wrench[1], wrench[2])
    moment = (wrench[3], wrench[4], wrench[5])

    # Forward, base to the body: the wrench in the axes of the body.
    for i in reversed(path):
        rotation, _ = poses[i]
        force, moment = rotate_back(rotation, force), rotate_back(rotation, moment)
    moment = add(moment, cross(frame.placement.translation, force))

    # Backward, body to base: each joint gives its part along its axis.
    for i in path:
        joint = model.joints[i]
        effort = dot(joint.axis, force if joint.kind == 'prismatic' else moment)
        tau[joint.coordinate.index] += joint.coordinate.multiplier * effort
        rotation, translation = poses[i]
        force = rotate(rotation, force)
        moment = add(rotate(rotation, moment), cross(translation, force))
    return tau

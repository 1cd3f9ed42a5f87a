"""The body whose payload is an input of the compiled programs: which one, and what it carries."""

from __future__ import annotations

from collections.abc import Collection

from ..spatial import Inertia
from .attachment import moments_on_body
from .inertial_parameters import parameters_of
from .robot import RobotModel


def without_load(model: RobotModel, body: int) -> tuple[RobotModel, list[float]]:
    """The robot without the payloads on one body, and the inertial parameters of these (10,).

    Args:
        model: the robot.
        body: index of the joint that carries them.
    """
    bare, carried = model, Inertia()
    for payload in model.payloads:
        frame = model.frame(payload.frame)
        if frame.body == body:
            bare = bare.without_payload(payload.name)
            carried += moments_on_body(payload, frame)
    return bare, parameters_of(carried)


def tip_frame(model: RobotModel, joints: Collection[str]) -> str:
    """The link that most likely carries a payload: at the tip of the commanded joints.

    That is the link of the last commanded joint; if that joint is a finger (another joint mimics
    it, or its parent carries other joints too), the link that carries the fingers.

    Args:
        model: the robot.
        joints: names of the commanded independent joints.

    Raises:
        UnknownNameError: no independent joint has that name.
        ParameterError: `joints` is empty, or names one twice.
    """
    last = model.independent_joints[max(model.indices_of(joints))]
    mimicked = {joint.mimicked for joint in model.joints}
    body = model.joints.index(last)
    while True:
        joint = model.joints[body]
        siblings = sum(other.parent == joint.parent for other in model.joints)
        if joint.parent < 0 or (joint.name not in mimicked and siblings == 1):
            break
        body = joint.parent
    return next(frame.name for frame in model.frames if frame.body == body)

"""Shapes of bodies without collision geometry: capsules along the lines between their frames."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robot_dynamics_ros.core import RobotModel

from .body_motion import body_frames
from .collision_shapes import Shape

# Radius of such a capsule, as a share of the reach of the robot: 5 cm for an arm of 0.85 m.
RADIUS = 0.06
# Frames closer than this share of the reach count as one.
SAME = 0.01


def frame_capsules(model: RobotModel, bodies: set[int]) -> Iterator[Shape]:
    """Capsules from the frame of each body to the joints and links that it carries.

    Args:
        model: the robot.
        bodies: indices of bodies; -1 is the base.
    """
    frames = body_frames(model)
    radius = RADIUS * model.reach
    for body in sorted(bodies):
        ends = [joint.placement.translation for joint in model.joints if joint.parent == body]
        ends += [frame.placement.translation for frame in model.frames if frame.body == body]
        if body >= 0:
            ends.append(model.joints[body].inertia.center_of_mass)
        far = [np.array(end) for end in ends if np.linalg.norm(end) > SAME * model.reach]
        for end in far:
            yield Shape(frames[body + 1], np.array([np.zeros(3), end]), radius)
        if not far and body >= 0:
            yield Shape(frames[body + 1], np.zeros((1, 3)), radius)

"""`~/set_gravity`: gravity of a robot that is mounted at an angle, or moves on a base."""

from __future__ import annotations

import math
from typing import Any

from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time

from robot_dynamics_ros.core.checks import STRONGEST_GRAVITY, checked_gravity
from robot_dynamics_ros.core.errors import (
    ParameterError,
    RobotDynamicsError,
    StateError,
    UnknownNameError,
)
from robot_dynamics_ros.core.model.gravity import rotated_gravity
from robot_dynamics_ros.core.spatial import Vector

from ..robot.robot_holder import RobotHolder
from . import transform_lookup

# On Earth it is 9.76 to 9.84; the rest is for rounded components and measured ones [m/s^2].
WEAKEST, STRONGEST = 9.7, 9.9


class SetGravityService:
    """Answers by setting parameter gravity of the node."""

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        """Answer for the robot of this holder, by the parameter of this node."""
        self._node = node
        self._holder = holder

    async def set_gravity(self, request: Any, response: Any) -> None:
        """Rotate the vector into the frame of the root link, and set the parameter."""
        try:
            await self._set(request, response)
        except RobotDynamicsError as error:
            self._node.get_logger().warning(f'set_gravity refused, gravity is unchanged: {error}')
            raise

    async def _set(self, request: Any, response: Any) -> None:
        if not request.allow_any:
            _check_place(request.gravity.vector)
        gravity = await self._in_root_link(request.gravity)
        (result,) = self._node.set_parameters([Parameter('gravity', value=list(gravity))])
        if not result.successful:
            raise ParameterError(result.reason)
        given = ', '.join(f'{x:.6g}' for x in gravity)
        response.message = f'gravity is ({given}) m/s^2 in the frame of the root link'

    async def _in_root_link(self, message: Any) -> Vector:
        vector = message.vector
        x, y, z = checked_gravity((vector.x, vector.y, vector.z)).tolist()
        frame = message.header.frame_id
        root = self._holder.require().dynamics.model.frames[0].name
        if frame in ('', root):
            return x, y, z
        if not transform_lookup.available():
            raise UnknownNameError(
                'frame', frame, (root,), 'tf2 is not installed, which other frames need'
            )
        stamp = Time.from_msg(message.header.stamp)
        pose = await transform_lookup.look_up(self._node, root, frame, stamp)
        # The robot may have been changed meanwhile.
        present = self._holder.require().dynamics.model.frames[0].name
        if present != root:
            raise StateError(f'the root link is {present!r} now, it was {root!r}: call again')
        rotation = pose.rotation
        return rotated_gravity((rotation.x, rotation.y, rotation.z, rotation.w), (x, y, z))


def _check_place(vector: Any) -> None:
    """Check that a gravity is one of a place on Earth: an empty request means zero.

    Raises:
        ParameterError: it is not.
    """
    size = math.hypot(vector.x, vector.y, vector.z)
    if size < WEAKEST or size > STRONGEST:
        remedy = 'set allow_any to true if you mean it'
        if size > STRONGEST_GRAVITY:
            remedy = (
                f'more than {STRONGEST_GRAVITY:g} m/s^2 is refused with allow_any too: check that '
                'it is in m/s^2'
            )
        raise ParameterError(
            f'gravity is ({vector.x:g}, {vector.y:g}, {vector.z:g}), {size:.4g} m/s^2 strong: '
            f'places on Earth have {WEAKEST:g} to {STRONGEST:g} m/s^2; {remedy}'
        )

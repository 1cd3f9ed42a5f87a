"""`~/set_gravity`: gravity of a robot that is mounted at an angle, or moves on a base."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time

from robot_dynamics_ros.core.checks import checked_gravity
from robot_dynamics_ros.core.errors import ParameterError, StateError, UnknownNameError
from robot_dynamics_ros.core.model.gravity import rotated_gravity
from robot_dynamics_ros.core.spatial import Vector

from ..robot.robot_holder import RobotHolder

try:
    import tf2_ros
except ImportError:  # optional: not needed for gravity in the frame of the root link
    tf2_ros = None


class SetGravityService:
    """Answers by setting parameter gravity of the node."""

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        """Listen to tf2, where it is installed."""
        self._node = node
        self._holder = holder
        self._buffer: Any = None
        if tf2_ros is not None:
            self._buffer = tf2_ros.Buffer()
            self._listener = tf2_ros.TransformListener(self._buffer, node)

    def set_gravity(self, request: Any, response: Any) -> None:
        """Rotate the vector into the frame of the root link, and set the parameter."""
        gravity = self._in_root_link(request.gravity)
        (result,) = self._node.set_parameters([Parameter('gravity', value=list(gravity))])
        if not result.successful:
            raise ParameterError(result.reason)
        given = ', '.join(f'{x:.6g}' for x in gravity)
        response.message = f'gravity is ({given}) m/s^2 in the frame of the root link'

    def _in_root_link(self, message: Any) -> Vector:
        vector = message.vector
        x, y, z = checked_gravity((vector.x, vector.y, vector.z)).tolist()
        frame = message.header.frame_id
        root = self._holder.require().dynamics.model.frames[0].name
        if frame in ('', root):
            return x, y, z
        if self._buffer is None:
            raise UnknownNameError(
                'frame', frame, (root,), 'tf2 is not installed, which other frames need'
            )
        try:
            stamp = Time.from_msg(message.header.stamp)
            pose = self._buffer.lookup_transform(root, frame, stamp).transform
        except tf2_ros.TransformException as error:
            raise StateError(f'tf2 has no transform from {frame!r} to {root!r}: {error}') from None
        rotation = pose.rotation
        return rotated_gravity((rotation.x, rotation.y, rotation.z, rotation.w), (x, y, z))

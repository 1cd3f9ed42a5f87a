"""The content of each message that the observer records."""

from __future__ import annotations

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_interfaces.msg import Contact, JointTorques

from .received_messages import Content

PARTS = ('effort', 'gravity', 'coriolis', 'inertial', 'friction')
"""The command, and the parts of which it is the sum."""


def read_state(data: bytes) -> Content:
    """A sensor_msgs/JointState."""
    message = deserialize_message(data, JointState)
    rows = {'position': message.position, 'velocity': message.velocity}
    return Content(_nanoseconds(message.header.stamp), tuple(message.name), rows)


def read_command(data: bytes) -> Content:
    """A command of the node; it has neither stamp nor names."""
    return Content(rows={'effort': deserialize_message(data, Float64MultiArray).data})


def read_torques(data: bytes) -> Content:
    """A robot_dynamics_interfaces/JointTorques."""
    message = deserialize_message(data, JointTorques)
    rows = {part: getattr(message, part) for part in (*PARTS, 'external')}
    rows['mode'] = [message.mode] * len(message.joint_names)
    return Content(_nanoseconds(message.header.stamp), tuple(message.joint_names), rows)


def read_wrench(data: bytes) -> Content:
    """A geometry_msgs/WrenchStamped: force and moment in one row."""
    message = deserialize_message(data, WrenchStamped)
    force, torque = message.wrench.force, message.wrench.torque
    row = (force.x, force.y, force.z, torque.x, torque.y, torque.z)
    return Content(_nanoseconds(message.header.stamp), rows={'wrench': row})


def read_contact(data: bytes) -> Content:
    """A robot_dynamics_interfaces/Contact: kind, and the two parts of since."""
    message = deserialize_message(data, Contact)
    since = (message.since.sec, message.since.nanosec)
    rows = {'kind': (message.kind,), 'since': since}
    return Content(_nanoseconds(message.header.stamp), rows=rows)


def _nanoseconds(stamp: Time) -> int:
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)

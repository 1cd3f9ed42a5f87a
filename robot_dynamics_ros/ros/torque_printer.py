"""Prints the topic ~/torques of a running node: what it commands, and the parts of it."""

from __future__ import annotations

import sys
import time
from collections import deque

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from robot_dynamics_interfaces.msg import JointTorques

from .printed_table import table

# Between two prints [s].
PERIOD = 0.5
# The node answers each joint state: only the latest torques are printed.
LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
ROWS = ('effort', 'gravity', 'coriolis', 'inertial', 'friction')
MODES = {
    getattr(JointTorques, name): name.removeprefix('MODE_').lower()
    for name in ('MODE_SILENT', 'MODE_FOLLOW', 'MODE_HOLD', 'MODE_ZERO')
}


class NoTorques(Exception):
    """A node published no torques; the message is for the user."""


def print_torques(node: Node, name: str, *, timeout: float, follow: bool) -> None:
    """Print the torques of a dynamics_node.

    Args:
        node: that subscribes.
        name: full name of the dynamics_node.
        timeout: for the first torques [s].
        follow: whether to go on, once in `PERIOD`, until SIGINT.

    Raises:
        NoTorques: none came within the timeout.
    """
    latest: deque[JointTorques] = deque(maxlen=1)
    topic = f'{name.rstrip("/")}/torques'
    # Not append itself: rclpy needs the signature of a callback.
    node.create_subscription(JointTorques, topic, lambda torques: latest.append(torques), LATEST)
    end = time.monotonic() + timeout
    while not latest and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=max(end - time.monotonic(), 0.0))
    if not latest:
        raise NoTorques(
            f'no torques on {node.resolve_topic_name(topic)} within {timeout:g} s: is '
            'dynamics_node active, with joint states and the same ROS_DOMAIN_ID? Its log says '
            'why it is silent. Another name or namespace: --node'
        )
    try:
        _print(latest)
        while follow:
            _spin(node, PERIOD)
            _print(latest)
    except (KeyboardInterrupt, ExternalShutdownException):
        # The end of --follow.
        pass


def text_of(torques: JointTorques) -> str:
    """A message as a table: the command, then its parts.

    Args:
        torques: of a dynamics_node.
    """
    stamp = torques.header.stamp
    heading = (
        f'torques [N m or N], mode {MODES.get(torques.mode, torques.mode)}, '
        f'joint state of {stamp.sec}.{stamp.nanosec:09d} s'
    )
    if torques.saturated:
        heading += f', limited: {", ".join(torques.saturated)}'
    if torques.fault:
        heading += f', fault: {torques.fault}'
    values = np.array([getattr(torques, row) for row in ROWS])
    return table(heading, values, torques.joint_names, ROWS)


def _spin(node: Node, duration: float) -> None:
    end = time.monotonic() + duration
    while (left := end - time.monotonic()) > 0.0:
        rclpy.spin_once(node, timeout_sec=left)


def _print(latest: deque[JointTorques]) -> None:
    """Print the message that came since the last one, if one did."""
    if latest:
        sys.stdout.write(text_of(latest.pop()))
        sys.stdout.flush()

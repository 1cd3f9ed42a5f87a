"""The topic of what acts on the simulated arm from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from numpy.typing import NDArray
from rclpy.node import Node

Vector = NDArray[np.float64]


class AppliedWrenches:
    """Publishes the wrench on each link while something acts on it, and one zero after that."""

    def __init__(self, node: Node) -> None:
        """Create the publisher on a node."""
        self._publisher = node.create_publisher(WrenchStamped, '~/applied_wrench', 10)
        self._acting: set[str] = set()

    def publish(self, stamp: Any, wrenches: Mapping[str, Vector]) -> None:
        """Publish the wrenches of one joint state.

        Args:
            stamp: of the joint state, a builtin_interfaces/Time.
            wrenches: force and moment (6,) at the origin of each link, in its axes [N, N m].
        """
        for link in (*wrenches, *(self._acting - wrenches.keys())):
            message = _message(wrenches.get(link, np.zeros(6)))
            message.header.stamp = stamp
            message.header.frame_id = link
            self._publisher.publish(message)
        self._acting = set(wrenches)


def _message(wrench: Vector) -> WrenchStamped:
    fx, fy, fz, mx, my, mz = wrench.tolist()
    force, torque = Vector3(x=fx, y=fy, z=fz), Vector3(x=mx, y=my, z=mz)
    return WrenchStamped(wrench=Wrench(force=force, torque=torque))

"""The services, each file those of one concept: a state in, something about the robot out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from rclpy.node import Node

from ..robot.commanded_robot import CommandedRobot
from ..robot.requested_state import RequestedState
from .answering import offer
from .cross_check import CrossCheckService
from .frames import Frames
from .matrices import Matrices
from .torques import Torques
from .trajectories import Trajectories


class Services:
    """Offers the services on a node and answers them, whatever is asked."""

    def __init__(
        self,
        node: Node,
        commanded: Callable[[], CommandedRobot],
        lock: AbstractContextManager[Any],
        tolerance: Callable[[], float],
    ) -> None:
        """Create them.

        Args:
            node: that offers them.
            commanded: gives the present one; raises RobotDynamicsError if there is none.
            lock: held while the latest state is read.
            tolerance: of the cross-check.
        """
        state = RequestedState(lock)
        for group in (
            Matrices(commanded, state),
            Torques(commanded, state),
            Frames(commanded, state),
            Trajectories(commanded, state),
            CrossCheckService(commanded, state, tolerance),
        ):
            for service, name, answer in group.services():
                offer(node, service, name, answer)

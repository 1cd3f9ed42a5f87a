"""`~/reference`: the motion to follow."""

from __future__ import annotations

from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.core.errors import StateError

from ..endpoints.defaults import OVERRIDABLE
from ..endpoints.topic_counters import TopicCounters
from ..loop.state_to_command import StateToCommand
from ..messages.trajectory_reader import read_trajectory
from ..robot.commanded_robot import CommandedRobot
from ..robot.robot_in_use import RobotInUse


class ReferenceTopic:
    """Hears references and hands them to the guard.

    Attributes:
        counters: of the references.
    """

    def __init__(self, node: Node, in_use: RobotInUse, loop: StateToCommand) -> None:
        """Subscribe."""
        self._in_use = in_use
        self._loop = loop
        self._clock = node.get_clock()
        self.counters = TopicCounters('reference', node.get_logger())
        node.create_subscription(
            JointTrajectory, '~/reference', self._hear, 10, qos_overriding_options=OVERRIDABLE
        )

    def _hear(self, message: JointTrajectory) -> None:
        try:
            self._follow(message)
        except StateError as error:
            self.counters.refuse(error)
        else:
            self.counters.use()

    def _follow(self, message: JointTrajectory) -> None:
        """A trajectory without points ends the reference."""
        with self._in_use.lock:
            commanded = self._running()
            now = self._clock.now().nanoseconds
            current = commanded.position_and_velocity()
        trajectory = None
        if message.points:
            # States are answered meanwhile: a thousand points take some tens of milliseconds.
            trajectory = read_trajectory(
                message,
                commanded.joints,
                now=now,
                epoch=self._loop.epoch,
                current=current,
            )
        with self._in_use.lock:
            self._running().guard.set_reference(trajectory, 1e-9 * (now - self._loop.epoch))

    def _running(self) -> CommandedRobot:
        commanded = self._in_use.commanded()
        guard = commanded.guard
        if not guard.running:
            reason = guard.fault or ('disabled' if guard.active else 'not active')
            raise StateError(f'the node commands nothing: {reason}')
        return commanded

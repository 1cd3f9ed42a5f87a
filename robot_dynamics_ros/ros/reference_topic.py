"""`~/reference`: the motion to follow."""

from __future__ import annotations

from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.core.errors import StateError

from .commander import Commander
from .controller import Controller
from .intake import Intake
from .qos import OVERRIDABLE
from .reference import read_trajectory
from .robot_in_use import RobotInUse


class ReferenceTopic:
    """Hears references and hands them to the guard.

    Attributes:
        intake: of the references.
    """

    def __init__(self, node: Node, in_use: RobotInUse, commander: Commander) -> None:
        """Subscribe."""
        self._in_use = in_use
        self._commander = commander
        self._clock = node.get_clock()
        self.intake = Intake('reference', node.get_logger())
        node.create_subscription(
            JointTrajectory, '~/reference', self._hear, 10, qos_overriding_options=OVERRIDABLE
        )

    def _hear(self, message: JointTrajectory) -> None:
        try:
            self._follow(message)
        except StateError as error:
            self.intake.refuse(error)
        else:
            self.intake.use()

    def _follow(self, message: JointTrajectory) -> None:
        """A trajectory without points ends the reference."""
        with self._in_use.lock:
            controller = self._running()
            now = self._clock.now().nanoseconds
            current = controller.position_and_velocity()
        trajectory = None
        if message.points:
            # States are answered meanwhile: a thousand points take some tens of milliseconds.
            trajectory = read_trajectory(
                message,
                controller.joints,
                now=now,
                epoch=self._commander.epoch,
                current=current,
            )
        with self._in_use.lock:
            self._running().guard.follow(trajectory, 1e-9 * (now - self._commander.epoch))

    def _running(self) -> Controller:
        controller = self._in_use.controller()
        guard = controller.guard
        if not guard.running:
            reason = guard.fault or ('disabled' if guard.active else 'not active')
            raise StateError(f'the node commands nothing: {reason}')
        return controller

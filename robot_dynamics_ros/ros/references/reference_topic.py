"""`~/reference`: the motion for which the feedforward is computed."""

from __future__ import annotations

from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.core.errors import StateError

from ..endpoints.defaults import OVERRIDABLE
from ..endpoints.topic_counters import TopicCounters
from ..loop.state_to_command import StateToCommand
from ..messages.trajectory_reader import read_trajectory
from ..robot.commanded_robot import CommandedRobot
from ..robot.robot_holder import RobotHolder


class ReferenceTopic:
    """Reads references and hands them to the guard.

    Attributes:
        counters: of the references.
    """

    def __init__(self, node: Node, holder: RobotHolder, loop: StateToCommand) -> None:
        """Subscribe."""
        self._holder = holder
        self._clock = loop.reference_clock
        self.counters = TopicCounters('reference', node.get_logger())
        node.create_subscription(
            JointTrajectory,
            '~/reference',
            self._on_reference,
            10,
            qos_overriding_options=OVERRIDABLE,
        )

    def _on_reference(self, message: JointTrajectory) -> None:
        try:
            self._follow(message)
        except StateError as error:
            self.counters.reject(error)
        else:
            self.counters.use()

    def _follow(self, message: JointTrajectory) -> None:
        """Hand over the trajectory; one without points ends the present reference."""
        with self._holder.lock:
            robot = self._running()
            now, time = self._clock.both()
            current = robot.position_and_velocity()
        trajectory = None
        if message.points:
            # Without the lock, so that states are answered: a thousand points take some ms.
            trajectory = read_trajectory(
                message, robot.joints, now=now, time=time, current=current
            )
        with self._holder.lock:
            self._running().guard.set_reference(trajectory, time)

    def _running(self) -> CommandedRobot:
        robot = self._holder.require()
        guard = robot.guard
        if not guard.supervisor.running:
            if guard.supervisor.fault:
                reason = f'{guard.supervisor.fault}; call ~/enable'
            elif guard.supervisor.active:
                reason = 'torque is disabled; call ~/enable'
            else:
                reason = 'the node is not active; call the transition activate'
            raise StateError(f'no torque is commanded: {reason}')
        if guard.supervisor.inhibitions.interrupting:
            raise StateError(
                f'no torque is commanded: {guard.supervisor.inhibitions.first().reason}'
            )
        return robot

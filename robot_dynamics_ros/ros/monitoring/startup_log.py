"""Says in the log what the node waits for, when it commands, and why it is silent."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass

from rclpy.node import Node

from robot_dynamics_ros.control.start_torque import WATCHED
from robot_dynamics_ros.control.supervisor import Mode

from ..description import Description
from ..endpoints import STEADY
from ..external_report import missing_reaction, touch_text
from ..loop.state_to_command import StateToCommand
from ..robot.commanded_robot import CommandedRobot
from ..robot.missing_states import never_measured, repeated_stamps
from ..robot.robot_holder import RobotHolder
from .command_publishers import CommandPublishers
from .near_misses import advice, near_misses, publishers_of, subscribers_of

PERIOD = 0.5
# How long the node must wait before that is logged [s]: discovery takes a second.
PATIENCE = 2.0
WATCHING = (
    f'the measured states are watched for {WATCHED:g} s, to decide at which torque to begin '
    '(on_restart)'
)


@dataclass(frozen=True)
class Situation:
    """What the node does, in one line.

    Attributes:
        text: for the log.
        waits: whether the node waits for something; then `text` is a warning.
        certain: whether it does not depend on what is not discovered yet; then it is logged at
            once.
    """

    text: str
    waits: bool = False
    certain: bool = False


class StartupLog:
    """Logs the situation of the node, each time it has changed, and the receivers of torques.

    What is waited for is logged after `PATIENCE`, everything else at once. That nobody subscribes
    to the commands is logged by `Controller`.
    """

    def __init__(
        self,
        node: Node,
        holder: RobotHolder,
        description: Description,
        loop: StateToCommand,
        command_publishers: CommandPublishers,
    ) -> None:
        """Look at these parts of the node on a timer."""
        self._node = node
        self._holder = holder
        self._description = description
        self._loop = loop
        self._command_publishers = command_publishers
        self._logged = Situation('')
        self._last = Situation('')
        self._since = clock.monotonic()
        self._state_came = False
        self._listeners: list[str] = []
        node.create_timer(PERIOD, self.update, clock=STEADY)

    def configured(self) -> None:
        """Log that a robot was configured."""
        robot = self._holder.require()
        self._state_came = False
        self._node.get_logger().info(
            f'configured: robot {robot.dynamics.model.name!r}; services answer, torque is '
            'commanded only after activation'
        )

    def activated(self) -> None:
        """Log that the node was activated, who receives torques, and what touches the arm."""
        self._listeners = subscribers_of(self._node, self._loop.topic)
        self._node.get_logger().info(f'active: {self._receivers()}')
        with self._holder.lock:
            guard = self._holder.require().guard
            # The log has told of a reaction that is kept.
            touch = '' if guard.supervisor.collision else touch_text(guard)
            clause = missing_reaction(guard)
        if touch:
            self._node.get_logger().warning(f'the arm is still touched: {touch}{clause}')

    def update(self) -> None:
        """Log what has changed."""
        robot = self._holder.current
        if robot is not None:
            self._log_first_state(robot)
            if robot.guard.supervisor.active:
                self._log_receivers()
        situation = self._situation(robot)
        now = clock.monotonic()
        if situation != self._last:
            self._last, self._since = situation, now
        due = not situation.waits or situation.certain or now >= self._since + PATIENCE
        if situation != self._logged and due:
            self._logged = situation
            log = self._node.get_logger()
            if situation.waits:
                log.warning(situation.text)
            elif situation.text:
                log.info(situation.text)

    def _log_receivers(self) -> None:
        """Log that other nodes than before receive the torques."""
        before, self._listeners = self._listeners, subscribers_of(self._node, self._loop.topic)
        if self._listeners == before:
            return
        if self._listeners:
            self._node.get_logger().info(self._receivers())
        else:
            left = ', '.join(before)
            self._node.get_logger().warning(
                f'{left} no longer receives torques from {self._loop.topic}'
            )

    def _receivers(self) -> str:
        """Where torques go, and which nodes receive them, if any does."""
        received = f', received by {", ".join(self._listeners)}' if self._listeners else ''
        return f'torques go to {self._loop.topic}{received}'

    def _log_first_state(self, robot: CommandedRobot) -> None:
        if self._state_came or not robot.has_state:
            return
        self._state_came = True
        names = ', '.join(publishers_of(self._node, self._loop.states_topic))
        self._node.get_logger().info(
            f'the first valid joint state came on {self._loop.states_topic} from {names}'
        )

    def _situation(self, robot: CommandedRobot | None) -> Situation:
        if robot is None:
            return self._without_robot()
        guard = robot.guard
        if not guard.supervisor.active and guard.mode is Mode.SILENT:
            return Situation(
                'inactive: no torque is commanded; to activate: '
                f'ros2 lifecycle set {self._node.get_fully_qualified_name()} activate'
            )
        if guard.mode is Mode.SILENT:
            return self._silent(robot)
        if not guard.supervisor.running:
            # A fade to the last command; who asked for it has logged that.
            return self._logged
        terms = ' + '.join(robot.feedforward.selected_terms) or 'zero'
        return Situation(
            f'commanding {", ".join(robot.joints)} on {self._loop.topic}: {terms}, '
            f'faded in over {guard.settings.fade_time:g} s'
        )

    def _without_robot(self) -> Situation:
        if self._holder.refusal:
            return Situation('')  # The refusal has been logged.
        if self._description.is_given:
            name = self._node.get_fully_qualified_name()
            return Situation(
                f'unconfigured; to configure: ros2 lifecycle set {name} configure', waits=True
            )
        topic = self._node.resolve_topic_name('robot_description')
        reason = 'waiting for a description: parameter robot_description is empty, and '
        if names := publishers_of(self._node, topic):
            reason += f'{", ".join(names)} publishes on {topic}, but nothing has arrived'
        else:
            found = near_misses(self._node, topic, 'std_msgs/msg/String')
            reason += f'topic {topic} has no publisher{advice(topic, found)}'
        return Situation(reason, waits=True)

    def _silent(self, robot: CommandedRobot) -> Situation:
        """Why an active node commands nothing, and what to do."""
        guard = robot.guard
        inhibition = guard.supervisor.inhibitions.first()
        interrupted = guard.supervisor.running and inhibition is not None and inhibition.interrupts
        reasons: tuple[tuple[object, Callable[[], str]], ...] = (
            (
                guard.supervisor.fault,
                lambda: f'{guard.supervisor.fault}: find the cause, then call ~/enable',
            ),
            (not guard.supervisor.enabled, lambda: 'torque is disabled: call ~/enable with true'),
            (interrupted, lambda: inhibition.reason),
            (not guard.fresh(clock.monotonic()), lambda: self._missing_states(robot)),
            ('publishers' in guard.supervisor.inhibitions, self._other_publishers),
            (inhibition, lambda: inhibition.reason),
            (guard.watches, lambda: WATCHING),
        )
        reason = next((text() for applies, text in reasons if applies), '')
        text = f'silent, no torque is commanded: {reason}'
        return Situation(text, waits=True, certain=interrupted)

    def _other_publishers(self) -> str:
        topic = self._command_publishers.topic
        own = self._node.get_fully_qualified_name()
        names = [name for name in publishers_of(self._node, topic) if name != own]
        return (
            f'{", ".join(names) or "another publisher"} publishes on {topic}: '
            'stop it, and this node begins by itself'
        )

    def _missing_states(self, robot: CommandedRobot) -> str:
        """Why there is no valid joint state of each joint."""
        topic = self._loop.states_topic
        counters = self._loop.counters
        names = ', '.join(publishers_of(self._node, topic))
        if reason := self._loop.incompatible_publishers():
            return f'joint states on {topic} cannot be received: {reason}'
        if not names:
            found = near_misses(self._node, topic, 'sensor_msgs/msg/JointState')
            return f'waiting for joint states: {topic} has no publisher' + advice(topic, found)
        if missing := never_measured(robot):
            return missing
        if reason := repeated_stamps(robot, clock.monotonic()):
            return f'{names} publishes on {topic}, but {reason}'
        if counters.last_rejected:
            # The counters log each reason.
            return f'joint states of {names} on {topic} are rejected: see the reasons in this log'
        if counters.ignored and not counters.used:
            others = ', '.join(counters.ignored_joints)
            return f'joint states of {names} on {topic} name only other joints: {others}'
        return f'{names} publishes on {topic}, but no joint state arrives'

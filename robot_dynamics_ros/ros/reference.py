"""`~/reference`: the motion for which the feedforward is computed."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .endpoints import OVERRIDABLE, TopicCounters, nanoseconds
from .robot import CommandedRobot, RobotHolder
from .waypoints import read_points

# A reference may end this long before it is received [s]: streamed points are stamped when they
# are computed, and the transport takes time.
LARGEST_DELAY = 0.2


class ReferenceTopic:
    """Reads references and hands them to the guard.

    Attributes:
        counters: of the references.
    """

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        self._holder = holder
        self._clock = holder.clock
        self.counters = TopicCounters('reference')
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
            now = self._clock.now()
            stamp = nanoseconds(message.header.stamp)
            start = self._clock.at(stamp) if stamp else now
            begin = robot.guard.begin_of_reference(now)
        trajectory = None
        if message.points:
            # Without the lock, so that states are answered: a thousand points take some ms.
            trajectory = read_trajectory(message, robot.joints, start, now, begin)
        with self._holder.lock:
            self._running().guard.set_reference(trajectory, now)

    def _running(self) -> CommandedRobot:
        """The robot; StateError, with the reason, if its commands follow no reference."""
        robot = self._holder.require()
        supervisor = robot.guard.supervisor
        reason = ''
        if not supervisor.running:
            wanted = 'call ~/enable' if supervisor.active else 'the node is not active'
            reason = f'{supervisor.fault}; {wanted}' if supervisor.fault else wanted
        elif supervisor.inhibitions.interrupting:
            reason = supervisor.inhibitions.first().reason
        if reason:
            raise StateError(f'no torque is commanded: {reason}')
        return robot


def read_trajectory(
    message: JointTrajectory,
    joints: Sequence[str],
    start: float,
    now: float,
    begin: Array | None = None,
) -> Trajectory:
    """The reference of a message, on the clock of the node.

    Args:
        message: names every commanded joint and no other, in any order.
        joints: names of the commanded joints, k of them.
        start: time of `header.stamp` [s]; now for a stamp of zero.
        now: [s].
        begin: rows q, v, a (3, k) where it begins, if its first point lies in the future; None if
            that is not known.

    Raises:
        StateError: joints, sizes, values or times are wrong, or the trajectory has ended.
    """
    points = read_points(message, joints, start=start)
    if len(points) and points.times[-1] < now - LARGEST_DELAY:
        raise StateError(
            f'the trajectory ended {now - points.times[-1]:.3g} s ago, allowed are '
            f'{LARGEST_DELAY:g} s: check header.stamp and the clocks'
        )
    if begin is not None and len(points) and now < points.times[0]:
        points = points.after(Point(now, *begin))
    return Trajectory(points)

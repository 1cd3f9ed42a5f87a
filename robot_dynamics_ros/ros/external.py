"""What pushes on the arm: topics, `~/zero_external`, and a sentence for log and diagnostics."""

from __future__ import annotations

import copy
import math
import time as clock
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3, WrenchStamped
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.time import Time as RosTime
from std_msgs.msg import Header

from robot_dynamics_interfaces.msg import Contact, ExternalTorques
from robot_dynamics_ros.control.external.contact import COLLISION
from robot_dynamics_ros.control.external.contact_detector import FREE, ContactState
from robot_dynamics_ros.control.external.estimate import ExternalForceEstimate
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import torque_limits
from robot_dynamics_ros.control.torque_text import joint_torques, torque_text, units_of
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .endpoints import LATCHED, OVERRIDABLE, SubscriberCheck, doubles, until
from .robot import CommandedRobot, RobotHolder

KINDS = {'': Contact.KIND_NONE, 'push': Contact.KIND_PUSH, 'collision': Contact.KIND_COLLISION}
# At most [Hz], because both need a Jacobian and a singular value decomposition: together they take
# longer than all else that follows a joint state.
WRENCH_RATE = 125.0
# Of the touched joints within one contact.
CHANGE_RATE = 100.0
# How often is looked whether enough was averaged, and for how long at most [s].
LOOK, LONGEST = 0.05, 5.0


class ExternalTopics:
    """Publishes each new estimate, and each change of the contact.

    Silent while the node is inactive, where a contact is over. Where nobody subscribes, nothing is
    computed for a topic. The wrench, and other joints that feel the same contact, are published at
    a bounded rate; begin, kind and end of a contact at once.
    """

    def __init__(self, node: Node) -> None:
        self._clock = node.get_clock()
        self._torques = node.create_publisher(
            ExternalTorques, '~/external_torques', 10, qos_overriding_options=OVERRIDABLE
        )
        self._wrench = node.create_publisher(
            WrenchStamped, '~/external_wrench', 10, qos_overriding_options=OVERRIDABLE
        )
        # rclpy writes the overrides into the profile that it is given.
        self._contact = node.create_publisher(
            Contact, '~/contact', copy.copy(LATCHED), qos_overriding_options=OVERRIDABLE
        )
        self._torques_heard = SubscriberCheck(self._torques)
        self._wrench_heard = SubscriberCheck(self._wrench)
        self._published: ContactState = FREE
        # Stamp of the estimate that was published last [s].
        self._stepped = math.nan
        self._wrenches, self._changes = RateLimit(WRENCH_RATE), RateLimit(CHANGE_RATE)

    def publish(self, robot: CommandedRobot, stamp: Time, now: float) -> None:
        """Publish what the state of a robot has told that was answered, with its stamp."""
        guard = robot.guard
        # Where a part of the joints has ceased, no step is taken any more.
        estimate = guard.external if guard.state.fresh(now) and guard.supervisor.active else None
        state = FREE if estimate is None else estimate.contact.state
        if state is not self._published:
            self._publish_contact(estimate, state, stamp, now)
        # A part of the joints, or a repeated stamp, is no new estimate.
        if estimate is None or estimate.reason or estimate.stamp == self._stepped:
            return
        self._stepped = estimate.stamp
        if self._torques_heard.any:
            self._torques.publish(_torques(robot, self._time(stamp), estimate.torque))
        if self._wrench_heard.any and self._wrenches.passes(now):
            self._wrench.publish(_wrench(estimate.frame, self._time(stamp), estimate.wrench()))

    def expire(self, robot: CommandedRobot | None, now: float) -> None:
        """End the contact that was published last, where no state tells of it any more.

        The robot is None where the node is not configured.
        """
        if self._published is FREE:
            return
        guard = robot and robot.guard
        known = guard and guard.external and guard.supervisor.active
        if not (known and guard.state.fresh(now)):
            self._published = FREE
            self._contact.publish(_contact(None, self._clock.now().to_msg()))

    def _publish_contact(
        self, estimate: ExternalForceEstimate | None, state: ContactState, stamp: Time, now: float
    ) -> None:
        """Publish a change of the contact: that of its joints not too often, others at once."""
        passes = self._changes.passes(now)
        if passes or state.kind != self._published.kind:
            self._published = state
            self._contact.publish(_contact(estimate, self._time(stamp)))

    def _time(self, stamp: Time) -> Time:
        """The stamp of a state, or the time of the node for a state without one."""
        return stamp if stamp.sec or stamp.nanosec else self._clock.now().to_msg()


class RateLimit:
    """Lets at most one event in each period pass, and in the mean of many events one in each.

    So of events at a multiple of the rate, each k-th passes, although the times vary.
    """

    def __init__(self, rate: float) -> None:
        """Let the first event pass; the rate is in Hz."""
        self._period, self._next = 1.0 / rate, -math.inf

    def passes(self, now: float) -> bool:
        """Whether an event at this time [s] passes, on the clock of the node, which may be set."""
        if self._next - self._period <= now < self._next:
            return False
        self._next = (now if now > self._next + self._period else self._next) + self._period
        return True


async def zero_external(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Average the external torques of the next half second, and take them off.

    Raises:
        StateError: there are none, the arm moves, or something touches it.
    """
    with holder.lock:
        estimate, robot = _estimate(holder), holder.require()
        model, joints = robot.dynamics.model, robot.joints
        estimate.tare.begin(torque_limits(model, joints, robot.guard.settings))
    end = clock.monotonic() + LONGEST

    def ended() -> bool:
        """Whether the tare has its mean, or cannot have it."""
        tare = estimate.tare
        return tare.complete or not tare.averaging or clock.monotonic() >= end

    try:
        await until(node, ended, LOOK)
        with holder.lock:
            if _estimate(holder) is not estimate:
                raise StateError('the node was configured again meanwhile: call again')
            estimate.take_off()
            taken = estimate.tare.torque
            force = float(np.linalg.norm(estimate.wrench(taken)[:3]))
    finally:
        estimate.tare.stop()
    response.message = (
        'taken off the external torques: '
        f'{joint_torques(joints, taken.tolist(), units_of(model, joints))}, as a force on '
        f'{estimate.frame} {torque_text(force, "N")}: if somebody has held the arm, call again'
    )


def _estimate(holder: RobotHolder) -> ExternalForceEstimate:
    """The present estimate; StateError where it gives no external torques."""
    estimate = holder.require().guard.external
    if estimate is None:
        raise StateError('external torques are not estimated: set external_observer: true')
    if estimate.reason:
        raise StateError(f'no external torques are estimated: {estimate.reason}')
    return estimate


def contact_text(guard: GuardedFeedforward, now: float) -> str:
    """What touches the arm, and that no reaction follows where one is wanted; empty for nothing.

    The caller holds the lock of the robot.
    """
    estimate, policy = guard.external, guard.settings.on_collision
    if estimate is None or estimate.reason or not guard.state.fresh(now):
        return ''
    text = estimate.touch()
    collides = estimate.contact.state.kind == COLLISION
    if collides and policy != 'report' and not guard.supervisor.reaction:
        text += f'; on_collision={policy} does not act again before this contact has ended'
    return text


def _torques(robot: CommandedRobot, stamp: Time, values: Array) -> ExternalTorques:
    message = ExternalTorques(joint_names=list(robot.joints), effort=doubles(values))
    message.header = Header(stamp=stamp, frame_id=robot.dynamics.model.frames[0].name)
    return message


def _wrench(frame: str, stamp: Time, values: Array) -> WrenchStamped:
    message = WrenchStamped(header=Header(stamp=stamp, frame_id=frame))
    _fill(message.wrench.force, values[:3])
    _fill(message.wrench.torque, values[3:])
    return message


def _contact(estimate: ExternalForceEstimate | None, stamp: Time) -> Contact:
    """What touches the arm; without an estimate, nothing is known to touch it."""
    message = Contact(header=Header(stamp=stamp))
    if estimate is None or not estimate.contact.state:
        return message
    contact = estimate.contact
    message.header.frame_id = message.link = contact.link
    message.kind = KINDS[contact.state.kind]
    _fill(message.direction, estimate.contact_direction())
    began = Duration(seconds=estimate.stamp - contact.state.since)
    message.since = (RosTime.from_msg(stamp) - began).to_msg()
    message.joint_names = contact.touched_joints()
    message.effort = doubles(estimate.torque[list(contact.state.joints)])
    return message


def _fill(vector: Vector3 | Any, values: Array) -> None:
    vector.x, vector.y, vector.z = values.tolist()

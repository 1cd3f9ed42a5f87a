"""What can be wrong with references, and with those who send them."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager

from builtin_interfaces.msg import Duration
from observer import NODE
from rclpy.publisher import Publisher
from scene import CHANGE_LIMIT, Scene, Steps
from schedule import Fault, verdict
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics_ros.control.reference import TIMEOUT

DISCOVERY_LIMIT = 5.0
# When a trajectory's points are due, from now [s].
POINTS = (0.1, 0.3, 0.5, 0.7)


@contextmanager
def _publisher(scene: Scene, kind: type, topic: str) -> Generator[Publisher, None, None]:
    publisher = scene.node.create_publisher(kind, topic, 10)
    try:
        yield publisher
    finally:
        scene.node.destroy_publisher(publisher)


def _trajectory(scene: Scene) -> JointTrajectory:
    """What the robot is going to do anyway, so that it stays where the reference is."""
    message = JointTrajectory(joint_names=list(scene.robot.names))
    begin = scene.robot.time()
    for due in POINTS:
        q, v, a = scene.robot.motion.at(begin + due)
        time_from_start = Duration(nanosec=int(due * 1e9))
        message.points.append(
            JointTrajectoryPoint(
                positions=q, velocities=v, accelerations=a, time_from_start=time_from_start
            )
        )
    return message


def _followed(scene: Scene, began: int, limit: float) -> Steps[bool]:
    """Until a state after a time [ns] is answered with an inertial torque, or the limit [s]."""

    def inertial() -> bool:
        answer = scene.observer.answer
        return answer is not None and answer.stamp > began and answer.parts['inertial'].any()

    return (yield from scene.until(inertial, limit))


def _ends(scene: Scene) -> Steps[str]:
    with _publisher(scene, JointTrajectory, f'{NODE}/reference') as publisher:
        yield from scene.until(publisher.get_subscription_count, DISCOVERY_LIMIT)
        began = scene.now()
        publisher.publish(_trajectory(scene))
        if not (yield from _followed(scene, began, CHANGE_LIMIT)):
            return 'the reference was not followed'
        dropped = yield from scene.recovered(POINTS[-1] + TIMEOUT + CHANGE_LIMIT)
        # A trajectory without points ends the reference of a node that does not drop it.
        publisher.publish(JointTrajectory(joint_names=list(scene.robot.names)))
        return verdict(dropped, 'the reference was not dropped after its end')


def _malformed(
    spoil: Callable[[JointTrajectory], None],
) -> Callable[[Scene], Steps[str]]:
    def inject(scene: Scene) -> Steps[str]:
        message = _trajectory(scene)
        spoil(message)
        with _publisher(scene, JointTrajectory, f'{NODE}/reference') as publisher:
            yield from scene.until(publisher.get_subscription_count, DISCOVERY_LIMIT)
            began = scene.now()
            publisher.publish(message)
            followed = yield from _followed(scene, began, POINTS[-1])
            reported = yield from scene.until_reported(began, 'reference', '.')
        if followed:
            return 'the reference was followed'
        return verdict(reported, 'diagnostics of reference say nothing')

    return inject


def _not_a_number(message: JointTrajectory) -> None:
    message.points[1].positions[0] = math.nan


def _back_in_time(message: JointTrajectory) -> None:
    message.points.reverse()


def _rival(scene: Scene) -> Steps[str]:
    began = scene.now()
    with _publisher(scene, Float64MultiArray, f'{NODE}/commands'):
        reported = yield from scene.until_reported(began, 'commands', 'publisher')
    return verdict(reported, 'diagnostics of commands do not tell of the other publisher')


FAULTS = (
    Fault('reference ends', 'bias torque again after the end of the reference', _ends),
    Fault('reference: NaN', 'diagnostics: reference', _malformed(_not_a_number)),
    Fault('reference: times decrease', 'diagnostics: reference', _malformed(_back_in_time)),
    Fault('another publisher of commands', 'diagnostics: commands', _rival),
)

"""References for the robot of `three_joints`."""

from rclpy.duration import Duration
from three_joints import JOINTS
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint


def point(q, v=(), a=(), seconds=0.0):
    when = Duration(nanoseconds=round(1e9 * seconds)).to_msg()
    return JointTrajectoryPoint(
        positions=list(q), velocities=list(v), accelerations=list(a), time_from_start=when
    )


def trajectory(*points, names=JOINTS):
    return JointTrajectory(joint_names=list(names), points=list(points))

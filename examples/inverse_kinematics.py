"""Inverse kinematics: joint positions that bring a frame to a pose, by damped Newton steps.

cd examples/three_link_arm && python ../inverse_kinematics.py three_link_arm.urdf tool 0.4 -0.7 0.9

The numbers are joint positions: the pose that they give is the target, and the search begins in
the middle of the ranges. It finds what is near, so try several starts for a pose that is far.
"""

import sys
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, parse_urdf, pose_error


def inverse_kinematics(dynamics, frame, target, q, tolerance=1e-9, most_steps=200):
    """The positions (n,) at which a frame has the pose (R, p), from positions q near them."""
    model = dynamics.model
    for _ in range(most_steps):
        error = pose_error(dynamics.frame_pose(q, frame), target)
        if np.abs(error).max() < tolerance:
            return q
        step = dynamics.joint_velocity(q, error, frame, 'LOCAL').velocity
        q = np.clip(q + step, model.lower, model.upper)
    raise ValueError(f'{frame} does not reach the pose from there: {error} is left [m, rad]')


if __name__ == '__main__':
    file, frame, *goal = sys.argv[1:]
    dynamics = RobotDynamics(parse_urdf(Path(file).read_text()))
    target = dynamics.frame_pose([float(x) for x in goal], frame)
    lower, upper = np.clip([dynamics.model.lower, dynamics.model.upper], -np.pi, np.pi)
    print(inverse_kinematics(dynamics, frame, target, (lower + upper) / 2.0 + 0.1))

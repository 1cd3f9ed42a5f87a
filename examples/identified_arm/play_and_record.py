"""Play a motion on a simulated arm, and record its joint states, as `ros2 bag record` does.

    python examples/identified_arm/play_and_record.py motion.yaml arm.urdf recording.csv

The arm is MuJoCo's: the dynamics of this package give the gains of its servo alone. Encoders and
torque sensors have noise.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import yaml

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.simulation.mujoco_model import SimulationError
from robot_dynamics_ros.simulation.physics import JointServo, Physics

RATE = 500.0  # [Hz]
BANDWIDTH = 12.0  # [Hz] of the servo
# Standard deviations of positions [rad], velocities [rad/s] and efforts [N m].
NOISE = (1e-5, 1e-3, 0.02)


def main() -> None:
    """Read a motion, play it, and write the recording."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('motion', type=Path, help='JointTrajectory of robot_dynamics excite')
    parser.add_argument('arm', type=Path, help='URDF of the arm that is simulated')
    parser.add_argument('recording', type=Path, help='CSV file to write')
    arguments = parser.parse_args()
    try:
        moved, points = motion(arguments.motion)
        joints, rows = played(arguments.arm.read_text(), moved, points)
        write(arguments.recording, joints, rows)
    except OSError as error:
        parser.error(f'{error.filename}: {error.strerror}')
    except (RobotDynamicsError, SimulationError) as error:
        parser.error(str(error))
    print(f'{arguments.recording}: {len(rows)} states of {", ".join(joints)}')


def motion(file: Path) -> tuple[list[str], list[Point]]:
    """The joints and the points of a JointTrajectory in YAML.

    Raises:
        ParameterError: the file holds something else.
    """
    try:
        content = yaml.safe_load(file.read_text())
        return content['joint_names'], [_point(point) for point in content['points']]
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise ParameterError(
            f'{file} is not a JointTrajectory in YAML: make it with robot_dynamics excite --output'
        ) from error


def _point(point: dict) -> Point:
    time = point['time_from_start']
    values = (np.array(point[key]) for key in ('positions', 'velocities', 'accelerations'))
    return Point(time['sec'] + 1e-9 * time['nanosec'], *values)


def played(urdf: str, moved: list[str], points: list[Point]) -> tuple[list[str], np.ndarray]:
    """The joints of the arm, and times [s], positions, velocities and efforts (N, 1 + 3 n).

    Args:
        urdf: text of the URDF.
        moved: names of the joints of the motion; the servo holds the others where they are.
        points: of the motion.

    Raises:
        SimulationError: the arm cannot be simulated, or lacks one of the joints.
        ParameterError: the points are no trajectory.
    """
    arm = Physics(urdf)
    others = [joint for joint in arm.joints if joint not in moved]
    home = arm.position[[arm.all_joints.index(joint) for joint in others]]
    physics = Physics(urdf, [*moved, *others], max_step=1e-3)
    trajectory = Trajectory([_with_others(point, home) for point in points])
    physics.reset(trajectory.at(0.0)[0])
    physics.set_servo(JointServo.tuned(physics.inertia(), bandwidth=BANDWIDTH))
    physics.follow(trajectory)
    robot, rows = RobotDynamics(parse_urdf(urdf)), []
    places = [physics.all_joints.index(joint) for joint in robot.model.joint_names]
    order = [robot.model.joint_names.index(joint) for joint in physics.joints]
    for _ in range(round(RATE * trajectory.end)):
        # The least inertia that a joint has at this pose, all others free. Gains of more chatter:
        # of n joints, the fastest loop is at most n times as fast as its bandwidth then.
        least = 1.0 / np.diag(robot.mass_matrix_inverse(physics.position[places]))
        physics.servo = JointServo.tuned(least[order], bandwidth=BANDWIDTH)
        physics.advance(1.0 / RATE)
        rows.append(np.stack([physics.position, physics.velocity, physics.effort]))
    random = np.random.default_rng(1)
    states = np.array(rows)
    states += random.normal(size=states.shape) * np.array(NOISE)[:, None]
    times = np.arange(1, len(states) + 1) / RATE
    return list(physics.all_joints), np.hstack([times[:, None], states.reshape(len(states), -1)])


def _with_others(point: Point, home: np.ndarray) -> Point:
    """A point of more joints, which rest at these positions."""
    rest = np.zeros_like(home)
    return Point(point.time, *map(np.append, (point.q, point.v, point.a), (home, rest, rest)))


def write(file: Path, joints: list[str], rows: np.ndarray) -> None:
    """Write a table that robot_dynamics reads."""
    kinds = ('position', 'velocity', 'effort')
    names = ['time', *(f'{joint}_{kind}' for kind in kinds for joint in joints)]
    np.savetxt(file, rows, fmt='%.9g', delimiter=',', header=','.join(names), comments='')


if __name__ == '__main__':
    main()

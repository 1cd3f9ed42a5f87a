"""One run of the demo: three processes, all acts, and what they measured."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions

from robot_dynamics_ros.control.guards.settings import GuardSettings, torque_limits, torque_rates
from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.oracle.pinocchio_reference import Oracle
from robot_dynamics_ros.simulation.physics import Physics

from . import measurements
from .acts import Timing, perform
from .figures import Results
from .plan import choose_home, plan_trajectory
from .processes import Children
from .recording import Play
from .stage import COMMANDS, Stage

RATE = 1000.0
"""How often the arm publishes its state [Hz]."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """The arm, where it starts, and what it is to follow."""

    urdf: str
    model: RobotModel
    arm: Physics
    trajectory: Trajectory


def prepare(urdf: str, duration: float) -> Plan:
    """Read the URDF and find a start and a fast trajectory that suit this arm."""
    model = parse_urdf(urdf)
    arm = Physics(urdf, model.joint_names, friction=False)
    home = choose_home(arm.limits, arm.required_torque)
    trajectory = plan_trajectory(arm.limits, home, arm.required_torque, duration)
    return Plan(urdf, model, arm, trajectory)


def play(plan: Plan, timing: Timing, logs: Path, say: Say) -> Play:
    """Start arm and node, perform all acts, and end both, whatever happens."""
    joints = list(plan.model.joint_names)
    common = {'robot_description': plan.urdf, 'joints': joints}
    home = plan.trajectory.points[0].q.tolist()
    with tempfile.TemporaryDirectory() as folder, Children(logs) as children:
        if any(joint.damping or joint.friction for joint in plan.arm.limits):
            say('its joints run without friction here: the node does not compensate any yet')
        say('start the arm and the dynamics node')
        arm = {
            **common,
            'initial_positions': home,
            'friction': False,
            'brake': True,
            'rate': RATE,
        }
        children.start(
            'arm',
            'robot_dynamics_ros.simulation.simulated_arm',
            [*_ros_arguments(folder, 'arm', arm), '--remap', f'commands:={COMMANDS}'],
        )
        node = {**common, 'autostart': False}
        children.start('node', 'robot_dynamics_ros.ros.node', _ros_arguments(folder, 'node', node))
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        try:
            stage = Stage(rclpy.create_node('demo_observer'), children)
            stage.connect()
            return perform(stage, plan.model.joint_names, plan.trajectory, plan.model, timing, say)
        finally:
            rclpy.try_shutdown()


def measure(plan: Plan, recorded: Play) -> Results:
    """Draw the figures from what was recorded."""
    names, trajectory = plan.model.joint_names, plan.trajectory
    oracle = Oracle(plan.urdf, plan.model)
    expected = [
        (oracle.mass_matrix(take.q), oracle.coriolis_matrix(take.q, take.v))
        for take in recorded.matrices
    ]
    settings = GuardSettings()
    rates = torque_rates(torque_limits(plan.model, names, settings), names, settings)
    return Results(
        joints=plan.arm.limits,
        fall=measurements.motion(recorded.fall, names),
        hold=measurements.motion(recorded.hold, names),
        servo_only=measurements.tracking(recorded.servo_only, names, trajectory),
        with_gravity=measurements.tracking(recorded.with_gravity, names, trajectory),
        with_feedforward=measurements.tracking(recorded.with_feedforward, names, trajectory),
        torques=measurements.torque_parts(recorded.with_feedforward, names),
        matrices=measurements.matrix_errors(recorded.matrices, expected),
        timeliness=measurements.timeliness(recorded.hold),
        haste=measurements.haste(recorded.commands, rates),
        mass_matrix=recorded.matrices[0].mass,
        cpu=recorded.hold.cpu,
        rate=RATE,
    )


def _ros_arguments(folder: str, name: str, parameters: dict[str, Any]) -> list[str]:
    file = Path(folder) / f'{name}.yaml'
    # JSON is YAML too, and quotes a joint that is called "y".
    file.write_text(json.dumps({'/**': {'ros__parameters': parameters}}))
    return ['--ros-args', '--params-file', str(file)]

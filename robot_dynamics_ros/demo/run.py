"""One run of the demo: starts arm and node, records the scenario, evaluates it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions

from robot_dynamics_ros.control.settings import Settings, torque_limits, torque_rates
from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference
from robot_dynamics_ros.simulation.physics import Physics

from . import measurements
from .client import COMMANDS, DemoClient
from .contact_act.contact_measurements import contact_results
from .contact_act.contact_plan import SERVO, ContactPlan, plan_contact
from .figures import Results
from .plan import choose_home, plan_trajectory
from .processes import Children, interrupts_between_calls
from .received_messages import Recording
from .scenario import Durations, run_scenario

RATE = 1000.0
"""Rate of the joint states [Hz]."""
PAUSE = 1.0
"""A pause of a busy machine that ends neither reference nor torque [s]."""

Log = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """The arm, and the trajectory that it follows from its start position."""

    urdf: str
    model: RobotModel
    arm: Physics
    trajectory: Trajectory
    contact: ContactPlan


def make_plan(urdf: str, duration: float) -> Plan:
    """Find a start position and a fast trajectory for the arm of a URDF.

    Args:
        urdf: text of the URDF.
        duration: of the trajectory [s].
    """
    model = parse_urdf(urdf)
    arm = Physics(urdf, model.joint_names, friction=False)
    home = choose_home(arm.limits, arm.required_torque)
    trajectory = plan_trajectory(arm.limits, home, arm.required_torque, duration)
    return Plan(urdf, model, arm, trajectory, plan_contact(model, arm, home))


def record(plan: Plan, durations: Durations, logs: Path, log: Log) -> Recording:
    """Start arm and node, run the scenario, and end both, also after an error."""
    joints = list(plan.model.joint_names)
    common = {'robot_description': plan.urdf, 'joints': joints}
    home = plan.trajectory.points[0].q.tolist()
    with tempfile.TemporaryDirectory() as folder, Children(logs) as children:
        if any(joint.damping or joint.friction for joint in plan.arm.limits):
            log('the friction of the URDF is not simulated: the node does not compensate it here')
        log('start the arm and the dynamics node')
        arm = {
            **common,
            'initial_positions': home,
            'friction': False,
            'brake': True,
            'rate': RATE,
            'servo_bandwidth': SERVO,
            'command_timeout': PAUSE,
            **_wall(plan.contact),
        }
        children.start(
            'arm',
            'robot_dynamics_ros.simulation.simulated_arm',
            [*_ros_arguments(folder, 'arm', arm), '--remap', f'commands:={COMMANDS}'],
        )
        node = {
            **common,
            'autostart': False,
            'state_timeout': PAUSE,
            **_contacts(plan.contact),
        }
        children.start('node', 'robot_dynamics_ros.ros.node', _ros_arguments(folder, 'node', node))
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        try:
            with (
                interrupts_between_calls() as interrupts,
                closing(
                    DemoClient(rclpy.create_node('demo_observer'), children, interrupts)
                ) as client,
            ):
                client.connect()
                return run_scenario(
                    client, plan.trajectory, plan.contact, plan.model, durations, log
                )
        finally:
            rclpy.try_shutdown()


def measure(plan: Plan, recording: Recording) -> Results:
    """Compute the results from a recording."""
    names, trajectory = plan.model.joint_names, plan.trajectory
    pinocchio = PinocchioReference(plan.urdf, plan.model)
    expected = [
        (
            pinocchio.mass_matrix(sample.q),
            pinocchio.coriolis_matrix(sample.q, sample.v),
        )
        for sample in recording.matrices
    ]
    settings = Settings()
    rates = torque_rates(torque_limits(plan.model, names, settings))
    return Results(
        joints=plan.arm.limits,
        fall=measurements.motion(recording.fall, names),
        hold=measurements.motion(recording.hold, names),
        servo_only=measurements.tracking(recording.servo_only, names, trajectory),
        with_gravity=measurements.tracking(recording.with_gravity, names, trajectory),
        with_feedforward=measurements.tracking(recording.with_feedforward, names, trajectory),
        torques=measurements.torque_parts(recording.with_feedforward, names),
        contact=contact_results(recording.contact, names, plan.contact.felt),
        matrices=measurements.matrix_errors(recording.matrices, expected),
        timeliness=measurements.timeliness(recording.hold),
        rate_limit_use=measurements.rate_limit_use(recording.commands, rates),
        mass_matrix=recording.matrices[0].mass,
        cpu=recording.hold.cpu,
        rate=RATE,
    )


def _wall(plan: ContactPlan) -> dict[str, Any]:
    """Parameters of the arm."""
    return {
        'wall_link': plan.wall.link,
        'wall_point': plan.wall.point.tolist(),
        'wall_normal': plan.wall.normal.tolist(),
        'wall_ball': plan.wall.radius,
    }


def _contacts(plan: ContactPlan) -> dict[str, Any]:
    """Parameters of the node; it estimates external forces in the fourth act alone."""
    return {
        'external_frame': plan.tool,
        'collision_threshold': plan.thresholds.tolist(),
        'push_threshold': plan.thresholds.tolist(),
    }


def _ros_arguments(folder: str, name: str, parameters: dict[str, Any]) -> list[str]:
    file = Path(folder) / f'{name}.yaml'
    # JSON is YAML too, and quotes a joint that is called "y".
    file.write_text(json.dumps({'/**': {'ros__parameters': parameters}}))
    return ['--ros-args', '--params-file', str(file)]

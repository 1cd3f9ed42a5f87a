"""The demo's main program. `scripts/demo --help` lists its options."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import rclpy
from rclpy.signals import SignalHandlerOptions

from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core import RobotDynamicsError, RobotModel, parse_urdf
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference
from robot_dynamics_ros.simulation.mujoco_model import SimulationError
from robot_dynamics_ros.simulation.physics import Physics

from . import DemoError, default_urdf
from .client import ARM, COMMANDS, NODE, DemoClient
from .contact import Collision, Push, push_and_collide
from .matrices import Matrices, sample_matrices
from .picture import draw
from .plan import SERVO, ContactPlan, choose_home, limits, plan_contact, plan_trajectory
from .processes import Children, interrupts_between_calls, isolate
from .release import Release, released
from .timing import Timing
from .tracking import Tracking, track
from .verdict import Verdict

PASSED, FAILED, NOT_RUN, INTERRUPTED = 0, 1, 2, 130
RATE = 1000.0
"""Rate of the joint states [Hz]."""
PAUSE = 1.0
"""A pause of a busy machine that ends neither reference nor torque [s]."""

Log = Callable[[str], None]


@dataclass(frozen=True)
class Durations:
    """How long the phases take [s]."""

    fall: float = 1.5
    hold: float = 5.0
    settle: float = 0.8
    track: float = 4.0
    push: float = 1.2


QUICK = Durations(fall=0.8, hold=1.5, settle=0.5, track=2.0, push=0.5)


@dataclass(frozen=True)
class Plan:
    """The arm, and what it does."""

    urdf: str
    model: RobotModel
    arm: Physics
    trajectory: Trajectory
    contact: ContactPlan


@dataclass(frozen=True)
class Acts:
    """What was measured."""

    release: Release
    timing: Timing
    tracking: Tracking
    push: Push
    collision: Collision
    matrices: Matrices

    def verdict(self, arm: str) -> Verdict:
        """All figures with their bounds."""
        acts = (*(self.release, self.tracking, self.push, self.collision),
                *(self.matrices, self.timing))  # fmt: skip
        figures = [figure for act in acts for figure in act.figures()]
        return Verdict(arm, figures, self.tracking.rows())

    def draw(self, verdict: Verdict, file: Path) -> None:
        """Draw all panels."""
        joints = self.release.joints
        rough = any(joint.damping or joint.friction for joint in joints)
        panels = (
            *(self.release.draw, self.tracking.draw_errors, self.tracking.draw_joints),
            *(self.tracking.draw_torques, self.matrices.draw, self.timing.draw),
            *(self.push.draw, self.collision.draw_contact, self.collision.draw_hold),
        )
        friction = 'the friction of its URDF' if rough else 'friction'
        subtitle = (
            f'An arm simulated by MuJoCo, {len(joints)} joints without {friction}, publishes '
            f'{RATE:.0f} states a second; robot_dynamics_ros answers each with torques.'
        )
        draw(panels, verdict, subtitle, file)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; return 0 only if every bound on the torques holds."""
    options = _options(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        return _run(options)
    except (DemoError, SimulationError, RobotDynamicsError, OSError) as error:
        print(f'demo: could not run: {error}', file=sys.stderr)
        return NOT_RUN
    except KeyboardInterrupt:
        print('demo: interrupted', file=sys.stderr)
        return INTERRUPTED


def _run(options: argparse.Namespace) -> int:
    began = time.monotonic()

    def log(text: str) -> None:
        print(f'demo: {time.monotonic() - began:5.1f} s  {text}', flush=True)

    file, output = Path(options.urdf or default_urdf()), Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    durations = QUICK if options.quick else Durations()
    domain = isolate()
    log(f'the arm is {file}')
    try:
        plan = make_plan(file.read_text(encoding='utf-8'), durations.track)
    except (SimulationError, RobotDynamicsError, UnicodeDecodeError) as error:
        raise DemoError(f'{file}: {error}') from error
    log(f'all processes use ROS_DOMAIN_ID={domain}, on this machine only')
    acts = run(plan, durations, output, log)
    verdict = acts.verdict(plan.model.name)
    acts.draw(verdict, output / 'demo.png')
    (output / 'demo.json').write_text(f'{verdict.json()}\n')
    log(f'picture: {(output / "demo.png").resolve()}')
    print(f'\n{verdict.text()}')
    if options.json:
        print(verdict.json())
    print(f'demo: {verdict.sentence()}', flush=True)
    return PASSED if verdict.passed else FAILED


def make_plan(urdf: str, duration: float) -> Plan:
    """Find a start position and a fast trajectory of a duration [s] for the arm of a URDF."""
    model = parse_urdf(urdf)
    arm = Physics(urdf, model.joint_names, friction=False)
    home = choose_home(arm.limits, arm.required_torque)
    trajectory = plan_trajectory(arm.limits, home, arm.required_torque, duration)
    return Plan(urdf, model, arm, trajectory, plan_contact(model, arm, home))


def run(plan: Plan, durations: Durations, logs: Path, log: Log) -> Acts:
    """Start arm and node, play all acts, and end both, also after an error."""
    with tempfile.TemporaryDirectory() as folder, Children(logs) as children:
        if any(joint.damping or joint.friction for joint in plan.arm.limits):
            log('the friction of the URDF is not simulated: the node does not compensate it here')
        log('start the arm and the dynamics node')
        for name, module, parameters, remaps in (
            ('arm', 'simulation.simulated_arm', _of_arm(plan), ['-r', f'commands:={COMMANDS}']),
            ('node', 'ros.node', _of_node(plan), []),
        ):
            file = Path(folder) / f'{name}.yaml'
            # JSON is YAML too, and quotes a joint that is called "y".
            file.write_text(json.dumps({'/**': {'ros__parameters': parameters}}))
            arguments = ['--ros-args', '--params-file', str(file), *remaps]
            children.start(name, f'robot_dynamics_ros.{module}', arguments)
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        try:
            with interrupts_between_calls() as interrupts:
                node = rclpy.create_node('demo_observer')
                with closing(DemoClient(node, children, interrupts)) as client:
                    client.connect()
                    return play(client, plan, durations, log)
        finally:
            rclpy.try_shutdown()


def play(client: DemoClient, plan: Plan, durations: Durations, log: Log) -> Acts:
    """Play all acts with a client that is connected; the node is not configured yet."""
    joints, names = plan.arm.limits, plan.model.joint_names
    log('configure the node: parse, compile, cross-check with Pinocchio')
    client.configure()
    log('release the arm without torque')
    fall = released(client, durations.fall)
    log(f'hold it by gravity compensation for {durations.hold:g} s')
    client.reset_arm(servo=False)
    client.activate()
    hold = released(client, durations.hold)

    # Without a reference the node compensates gravity only: the take with one comes last.
    follow = (client, names, plan.trajectory, durations.settle, ARM)
    log('track a fast trajectory: servo and gravity compensation')
    takes = {'with_gravity': track(*follow)}
    log('track it: servo alone')
    client.deactivate()
    takes['servo_only'] = track(*follow)
    log('track it: servo and feedforward')
    client.reset_arm(servo=True)
    client.activate()
    takes['with_feedforward'] = track(*follow, NODE)
    pushed, collided = push_and_collide(client, plan.contact, names, durations.push, log)
    client.deactivate()
    client.reset_arm(servo=False)
    log('call the services for M and C')
    samples = sample_matrices(client, plan.model, plan.trajectory.points[0].q)
    commands = client.channels['commands'].between(0, client.now())
    return Acts(
        Release.of(joints, fall, hold),
        Timing.of(RATE, hold, commands, limits(joints, 'effort')),
        Tracking.of(joints, plan.trajectory, takes),
        Push.of(pushed, judged=plan.contact.felt),
        Collision.of(joints, collided),
        Matrices.of(joints, samples, PinocchioReference(plan.urdf, plan.model)),
    )


def _of_arm(plan: Plan) -> dict[str, Any]:
    wall = plan.contact.wall
    return {
        'robot_description': plan.urdf,
        'joints': list(plan.model.joint_names),
        'initial_positions': plan.trajectory.points[0].q.tolist(),
        'friction': False,
        'brake': True,
        'rate': RATE,
        'servo_bandwidth': SERVO,
        'command_timeout': PAUSE,
        'wall_link': wall.link,
        'wall_point': np.asarray(wall.point).tolist(),
        'wall_normal': np.asarray(wall.normal).tolist(),
        'wall_ball': wall.radius,
    }


def _of_node(plan: Plan) -> dict[str, Any]:
    """Parameters of the node; it estimates external forces in the third act alone."""
    return {
        'robot_description': plan.urdf,
        'joints': list(plan.model.joint_names),
        'autostart': False,
        'state_timeout': PAUSE,
        'external_frame': plan.contact.tool,
        'collision_threshold': plan.contact.thresholds.tolist(),
        'push_threshold': plan.contact.thresholds.tolist(),
    }


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog='scripts/demo',
        description='A simulated arm is held and moved by the dynamics node, in three processes. '
        'Exit code 0: every bound on the torques holds; 1: one is exceeded; 2: the demo could not '
        'run. Rates, latencies and losses depend on the load of the machine: a bound that they '
        'exceed is marked "slow".',
    )
    parser.add_argument(
        '--urdf',
        metavar='FILE',
        help='URDF of the arm (default: the UR5 of example-robot-data)',
    )
    parser.add_argument(
        '--output',
        metavar='DIR',
        default='demo_output',
        help='folder for demo.png, demo.json and the logs (default: %(default)s)',
    )
    parser.add_argument(
        '--json', action='store_true', help='print demo.json too, on the line before the verdict'
    )
    parser.add_argument('--quick', action='store_true', help='shorter phases, for tests')
    return parser.parse_args(arguments)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == '__main__':
    sys.exit(main())

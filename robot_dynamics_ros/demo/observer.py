"""The demo's main program. `scripts/demo --help` lists its options."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from robot_dynamics_ros.core import RobotDynamicsError, parse_urdf
from robot_dynamics_ros.json_text import json_text

from . import DemoError, default_urdf
from .acts import TRACK, Stage
from .client import COMMANDS, DemoClient
from .figures import judge, table
from .film import Film
from .picture import draw
from .plan import BALL, SERVO, THRESHOLD_SHARE, Plan
from .processes import Children, isolate

PASSED, FAILED, NOT_RUN, INTERRUPTED = 0, 1, 2, 130
RATE = 500.0  # of the joint states, in simulated time [Hz]
VIEW_PORT = 8080
QUICK = 0.5  # share of the durations and of the rate with --quick


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; return 0 only if every bound holds."""
    options = _options(arguments)
    # Looked at between calls: raised inside rclpy, KeyboardInterrupt leaves a Future half made, or
    # is lost in its `__del__`.
    interrupts: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda came, frame: interrupts.append(came))
    try:
        return _run(options, interrupts)
    except (DemoError, RobotDynamicsError, OSError) as error:
        print(f'demo: could not run: {error}', file=sys.stderr)
        return NOT_RUN
    except KeyboardInterrupt:
        print('demo: interrupted', file=sys.stderr)
        return INTERRUPTED


def _run(options: argparse.Namespace, interrupts: Sequence[int]) -> int:
    began = time.monotonic()

    def log(text: str) -> None:
        print(f'demo: {time.monotonic() - began:5.1f} s  {text}', flush=True)

    file, output = Path(options.urdf or default_urdf()), Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    share = QUICK if options.quick else 1.0
    log(f'the arm is {file}')
    try:
        urdf = file.read_text(encoding='utf-8')
        plan = Plan(parse_urdf(urdf), share * TRACK)
    except (DemoError, RobotDynamicsError, UnicodeDecodeError) as error:
        raise DemoError(f'{file}: {error}') from error
    model, friction = plan.dynamics.model, 'friction'
    if any(joint.damping or joint.friction for joint in model.independent_joints):
        friction = 'the friction of its URDF'
        log('the friction of the URDF is not simulated: the node does not compensate it here')
    log(f'all processes use ROS_DOMAIN_ID={isolate()}, on this machine only')
    with Children(output) as children:
        log('start the arm and the dynamics node')
        _start(children, urdf, plan, share * RATE)
        if options.view:
            words = ['view', str(file), '--ros', '--port', str(VIEW_PORT)]
            children.start_module('view', 'robot_dynamics_ros.cli.command_line', words)
            log(f'look at http://localhost:{VIEW_PORT}')
        with closing(DemoClient(children, interrupts)) as client:
            results = Stage(client, plan, log, share).play(urdf)
    report = judge(model, results)
    subtitle = (
        f'An arm simulated by MuJoCo, {model.size} joints without {friction}, publishes '
        f'{share * RATE:.0f} states a simulated second; robot_dynamics_ros answers each.'
    )
    film = None
    try:
        film = Film(urdf, file.parent, plan, results['phases'])
    except RuntimeError as error:
        log(f'no arm in the picture: {error}')
    draw(model, results, report, subtitle, output / 'demo.png', film.strip() if film else ())
    if options.film and film:
        film.save(Path(options.film))
        log(f'film: {Path(options.film).resolve()}')
    (output / 'demo.json').write_text(json_text(report), encoding='utf-8')
    log(f'picture: {(output / "demo.png").resolve()}')
    print(f'\n{table(report)}')
    if options.json:
        print(json_text(report), end='')
    print(f'demo: {"PASSED" if report["passed"] else "FAILED"}', flush=True)
    return PASSED if report['passed'] else FAILED


def _start(children: Children, urdf: str, plan: Plan, rate: float) -> None:
    """Start the arm, with this rate of its states [Hz], and the dynamics node."""
    both = {'robot_description': urdf, 'joints': list(plan.joints)}
    arm = both | {
        'initial_positions': plan.home.tolist(),
        'friction': 'none',
        'lockstep': True,
        'rate': rate,
        'servo_bandwidth': SERVO,
        'wall_link': plan.tool,
        'wall_point': plan.wall_point.tolist(),
        'wall_normal': plan.wall_normal.tolist(),
        'wall_ball': BALL,
    }
    thresholds = (THRESHOLD_SHARE * plan.dynamics.model.effort_bounds).tolist()
    node = both | {
        'use_sim_time': True,
        'autostart': False,
        'external_frame': plan.tool,
        'collision_threshold': thresholds,
        'push_threshold': thresholds,
    }
    remappings = [f'commands:={COMMANDS}']
    children.start('arm', 'robot_dynamics_ros.simulation.simulated_arm', arm, remappings)
    children.start('node', 'robot_dynamics_ros.ros.node', node)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog='scripts/demo',
        description='A simulated arm is held and moved by the dynamics node, in three processes. '
        'Exit code 0: every bound holds; 1: one is exceeded; 2: the demo could not run. Time is '
        'simulated: the arm moves in the same way on any machine. Latencies are in real time, and '
        'have no bound.',
    )
    urdf = 'URDF of the arm (default: the UR5 of example-robot-data)'
    output = 'folder for demo.png, demo.json, logs and parameters (default: %(default)s)'
    parser.add_argument('--urdf', metavar='FILE', help=urdf)
    parser.add_argument('--output', metavar='DIR', default='demo_output', help=output)
    parser.add_argument('--json', action='store_true', help='print demo.json too')
    view = f'show the acts live in a browser, at http://localhost:{VIEW_PORT}'
    parser.add_argument('--view', action='store_true', help=view)
    film = 'write an animation of the acts too, .webp or .gif'
    parser.add_argument('--film', metavar='FILE', help=film)
    parser.add_argument('--quick', action='store_true', help='shorter and slower, for tests')
    return parser.parse_args(arguments)


if __name__ == '__main__':
    sys.exit(main())

"""The demo's main program. `scripts/demo --help` lists its options."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from robot_dynamics_ros.core import RobotDynamicsError
from robot_dynamics_ros.simulation.mujoco_model import SimulationError

from . import DemoError
from .default_arm import default_urdf
from .figures import judge
from .ros_domain import isolate
from .run import Plan, make_plan, measure, record
from .scenario import QUICK, Durations
from .verdict import Verdict

PASSED, FAILED, NOT_RUN, INTERRUPTED = 0, 1, 2, 130


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

    file = options.urdf or default_urdf()
    output = Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    durations = QUICK if options.quick else Durations()
    domain = isolate()
    log(f'the arm is {file}')
    plan = _plan(Path(file), durations.track)
    log(f'all processes use ROS_DOMAIN_ID={domain}, on this machine only')
    recording = record(plan, durations, output, log)
    results = measure(plan, recording)
    verdict = Verdict(plan.model.name, judge(results), results.joint_rows())
    from .picture import draw  # optional: matplotlib, and slow to import

    picture = output / 'demo.png'
    draw(results, verdict, picture)
    (output / 'demo.json').write_text(verdict.json() + '\n')
    log(f'picture: {picture.resolve()}')
    show(verdict, as_json=options.json)
    return PASSED if verdict.passed else FAILED


def show(verdict: Verdict, *, as_json: bool) -> None:
    """Print the tables and failures of a verdict, JSON if asked for, and whether it passed."""
    print(f'\n{verdict.joint_table()}\n\n{verdict.table()}\n')
    for figure in (*verdict.failures(), *verdict.slow()):
        print(
            f'demo: {figure.mark}: {figure.label}: {figure.value:g} {figure.unit}, '
            f'bound {figure.bound}'
        )
    if as_json:
        print(verdict.json())
    print(f'demo: {verdict.sentence()}', flush=True)


def _plan(file: Path, duration: float) -> Plan:
    """The plan for the arm of a file; errors name the file."""
    try:
        return make_plan(file.read_text(encoding='utf-8'), duration)
    except (SimulationError, RobotDynamicsError, UnicodeDecodeError) as error:
        raise DemoError(f'{file}: {error}') from error


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
        type=Path,
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

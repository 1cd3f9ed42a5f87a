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
from robot_dynamics_ros.simulation.mujoco_description import SimulationError

from .acts import QUICK, Timing
from .default_arm import default_urdf
from .errors import DemoError
from .figures import judge
from .report import Verdict
from .run import measure, play, prepare
from .surroundings import isolate

PASSED, FAILED, NOT_RUN, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; return 0 only if every bound holds."""
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

    def say(text: str) -> None:
        print(f'demo: {time.monotonic() - began:5.1f} s  {text}', flush=True)

    file = options.urdf or default_urdf()
    output = Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    timing = QUICK if options.quick else Timing()
    domain = isolate()
    say(f'the arm is {file}')
    plan = prepare(Path(file).read_text(encoding='utf-8'), timing.track)
    say(f'everything lives in ROS_DOMAIN_ID={domain}, on this machine only')
    recorded = play(plan, timing, output, say)
    results = measure(plan, recorded)
    verdict = Verdict(plan.model.name, judge(results), results.joint_rows())
    from .picture import draw  # slow to import, and not needed before

    picture = output / 'demo.png'
    draw(results, verdict, picture)
    (output / 'demo.json').write_text(verdict.json() + '\n')
    say(f'picture: {picture.resolve()}')
    print(f'\n{verdict.joint_table()}\n\n{verdict.table()}\n')
    for figure in verdict.failures():
        print(f'demo: {figure.label}: {figure.value:g} {figure.unit}, not {figure.bound}')
    print(f'demo: {"PASSED: every bound holds" if verdict.passed else "FAILED"}')
    print(verdict.json(), flush=True)
    return PASSED if verdict.passed else FAILED


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog='scripts/demo',
        description='A simulated arm, held and moved by the dynamics node, in three processes. '
        'Exit code 0: every bound holds; 1: one does not; 2: it could not run.',
    )
    parser.add_argument('--urdf', metavar='FILE', type=Path, help='another arm than the UR5')
    parser.add_argument(
        '--output',
        metavar='DIR',
        default='demo_output',
        help='for demo.png, demo.json and the logs (default: %(default)s)',
    )
    parser.add_argument('--quick', action='store_true', help='shorter acts, for tests')
    return parser.parse_args(arguments)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == '__main__':
    sys.exit(main())

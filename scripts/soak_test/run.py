"""Runs dynamics_node under faults and watches what it commands. Exit code 0: nothing was amiss."""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import controller
import numpy as np
import rclpy
import report
from controller import Controller
from fault import Fault
from faults import controllers, references, states, use
from ledger import Ledger
from memory import Memory
from motion import Motion
from observer import Observer
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from robot import Robot
from rules import Rules
from scene import FADE_TIME, STATE_TIMEOUT, Scene
from schedule import Schedule
from services import Services
from starvation import Starvation

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.demo import DemoError, default_urdf
from robot_dynamics_ros.demo.processes import Children, isolate
from robot_dynamics_ros.simulation.simulated_arm import CycleTimer

FAULTS = (*states.FAULTS, *references.FAULTS, *controllers.FAULTS, *use.FAULTS)
PARAMETERS = {
    'controller': f'/{controller.NAME}',
    'state_timeout': STATE_TIMEOUT,
    'fade_time': FADE_TIME,
    # A queue long enough for the pauses of a busy machine, that drops nothing: what is then not
    # answered, the node has lost.
    'qos_overrides./joint_states.subscription.reliability': 'reliable',
    'qos_overrides./joint_states.subscription.depth': 200,
}
START_LIMIT = 30.0


def main() -> int:
    parser = argparse.ArgumentParser(prog='scripts/soak', description=__doc__)
    parser.add_argument(
        '--minutes',
        type=float,
        default=10.0,
        help='longer where every fault takes longer to come once (default: 10)',
    )
    parser.add_argument(
        '--rate', type=float, default=1000.0, help='[Hz] of states (default: 1000)'
    )
    parser.add_argument('--seed', type=int, default=1, help='of order and times (default: 1)')
    parser.add_argument('--log', type=Path, metavar='FOLDER', help="keep the node's log there")
    parser.add_argument('--only', metavar='PATTERN', help='inject only faults that match')
    options = parser.parse_args()
    faults = [fault for fault in FAULTS if re.search(options.only or '', fault.name)]
    if not faults:
        parser.error(f'no fault matches {options.only!r}')

    isolate()
    try:
        with tempfile.TemporaryDirectory() as folder:
            logs = options.log or Path(folder)
            logs.mkdir(parents=True, exist_ok=True)
            return _run(options, faults, logs)
    except DemoError as error:
        print(f'soak: could not run: {error}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('soak: interrupted', file=sys.stderr)
        return 130


def _run(options: argparse.Namespace, faults: list[Fault], logs: Path) -> int:
    urdf = default_urdf().read_text()
    model = parse_urdf(urdf)
    names, limits = model.joint_names, model.effort_limits
    rng = np.random.default_rng(options.seed)
    rules, schedule = Rules(names, limits), Schedule(faults, rng)
    with (
        Children(logs) as children,
        _participant() as node,
        Controller(names, logs / 'controller.log') as behind,
    ):
        child = children.start(
            'node', 'robot_dynamics_ros.ros.node', {**PARAMETERS, 'joints': names}
        )
        memory, starvation = Memory(child.pid), Starvation(child.pid, os.getpid())
        ledger = Ledger(starvation.explains)
        robot = Robot(node, names, Motion(model.independent_joints, rng), ledger)
        observer = Observer(node, rules, ledger, options.rate)
        services = Services(node)
        scene = Scene(
            *(node, robot, observer, services, starvation, behind),
            urdf=urdf,
            limits=limits,
            rate=options.rate,
        )
        scene.describe(urdf)
        print(f'{options.minutes:g} min at {options.rate:g} Hz, seed {options.seed}', flush=True)

        def cycle() -> None:
            if observer.commands:
                robot.effort = observer.commands[-1].torque
            robot.send()
            observer.poll()
            services.spin()
            starvation.look(now := time.monotonic())
            ledger.settle(now)
            children.require_alive()
            memory.settled = memory.settled or schedule.complete
            memory.sample()

        _start(scene, cycle, options.rate)
        _go_on(scene, schedule, cycle, options)
        services.close()
    return 0 if report.tell(schedule.rows, rules, ledger, starvation, memory) else 1


def _start(scene: Scene, cycle: Callable[[], None], rate: float) -> None:
    """Until the node follows: what comes before is not counted."""
    scene.robot.counted = False
    beat, ready = CycleTimer(rate), scene.recovered(START_LIMIT)
    while True:
        beat.wait()
        cycle()
        try:
            next(ready)
        except StopIteration as end:
            if not end.value:
                raise DemoError(f'the node did not command within {START_LIMIT:g} s') from None
            break
    scene.robot.counted = True


def _go_on(
    scene: Scene, schedule: Schedule, cycle: Callable[[], None], options: argparse.Namespace
) -> None:
    # The collector would look at every message that is kept, for longer than a cycle.
    gc.collect()
    gc.freeze()
    beat, steps = CycleTimer(options.rate), schedule.steps(scene)
    end = time.monotonic() + 60.0 * options.minutes
    while time.monotonic() < end or not schedule.complete:
        beat.wait()
        cycle()
        next(steps)
    with scene.robot.silenced():
        for _ in range(int(1.2 * options.rate)):
            beat.wait()
            cycle()


@contextmanager
def _participant() -> Iterator[Node]:
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('soak_test')
    try:
        yield node
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())

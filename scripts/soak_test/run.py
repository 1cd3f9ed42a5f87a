"""Runs dynamics_node under faults and watches what it commands. Exit code 0: nothing was amiss."""

from __future__ import annotations

import argparse
import gc
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import controller
import numpy as np
import rclpy
from controller import Controller
from faults import controllers, references, states, use
from ledger import Ledger
from machine import Memory, SimulatedTime
from observer import Observer
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from robot import Motion, Robot
from rules import Rules
from scene import FADE_TIME, STATE_TIMEOUT, Scene
from schedule import Fault, Row, Schedule

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.demo import DemoError, default_urdf
from robot_dynamics_ros.demo.processes import Children, isolate
from robot_dynamics_ros.simulation.simulated_arm import CycleTimer

FAULTS = (*states.FAULTS, *references.FAULTS, *controllers.FAULTS, *use.FAULTS)
PARAMETERS = {
    'controller': f'/{controller.NAME}',
    'state_timeout': STATE_TIMEOUT,
    'fade_time': FADE_TIME,
    'use_sim_time': True,
    # It drops nothing: what is then not answered, the node has lost.
    'qos_overrides./joint_states.subscription.reliability': 'reliable',
}
START_LIMIT = 30.0
# How long a message may be under way [s].
RESENT = 2.0
# How much a node may grow after the first minute, and after each fault has come once [MiB].
MEMORY_BOUND = 5.0


def main() -> int:
    parser = argparse.ArgumentParser(prog='scripts/soak', description=__doc__)
    parser.add_argument(
        '--minutes',
        type=float,
        default=10.0,
        help='of simulated time; longer where every fault takes longer to come once (default: 10)',
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
        memory, clock = Memory(child.pid), SimulatedTime(node, child.pid, options.rate)
        ledger = Ledger()
        robot = Robot(node, names, Motion(model.size, rng), ledger, clock)
        observer = Observer(node, rules, ledger, clock, options.rate)
        scene = Scene(
            *(node, robot, observer, clock, behind),
            urdf=urdf,
            limits=limits,
            rate=options.rate,
        )
        scene.describe(urdf)
        print(f'{options.minutes:g} min at {options.rate:g} Hz, seed {options.seed}', flush=True)

        def cycle() -> None:
            if observer.commands:
                robot.effort = observer.commands[-1].torque
            clock.advance()
            robot.send()
            clock.settle()
            observer.poll()
            # The middleware sends again what the machine has dropped, and sleeps until then.
            end = time.monotonic() + RESENT
            # One that is lost ends the run badly: no other is waited for.
            while ledger.waits and not ledger.lost_during and time.monotonic() < end:
                clock.settle()
                observer.poll()
            scene.spin()
            ledger.settle(clock.seconds)
            children.require_alive()
            memory.settled = memory.settled or schedule.complete
            memory.sample()

        _start(scene, cycle, options.rate)
        _go_on(scene, schedule, cycle, options)
        scene.close()
    return 0 if _report(schedule.rows, rules, ledger, memory) else 1


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
    end = scene.clock.seconds + 60.0 * options.minutes
    while scene.clock.seconds < end or not schedule.complete:
        beat.wait()
        cycle()
        next(steps)
    with scene.robot.silenced():
        for _ in range(int(1.2 * options.rate)):
            beat.wait()
            cycle()


def _report(rows: Sequence[Row], rules: Rules, ledger: Ledger, memory: Memory) -> bool:
    """Print everything; whether all is as it should be."""
    width = max(len(row.fault.name) for row in rows)
    print(f'\n{"fault":{width}}  injected  guard seen  recovered  recognised by')
    for row in rows:
        counts = f'{row.injected:8}  {row.seen:10}  {row.recovered:9}'
        print(f'{row.fault.name:{width}}  {counts}  {row.fault.guard}')
    print(f'\n{rules.judged} commands; broken rules:')
    for rule in rules.NAMES:
        print(f'  {rule:18}{rules.broken[rule]:8}')
    steps = ', '.join(f'{step:.3g}' for step in rules.worst_step)
    print(f'largest steps from one command to the next: {steps} N m')
    counts = ledger.counts
    print(f'\n{counts["good"]} good states: {counts["answered"]} answered,', end=' ')
    print(f'{counts["provoked"]} not while a fault silenced the node, {counts["lost"]} lost')
    print(f'{counts["bad"]} bad states: {counts["bad_answered"]} answered')
    growth = memory.growth
    grown = 'not measured, the run was too short' if growth is None else f'{growth:+.2f} MiB'
    print(f'\nmemory: {memory.last:.1f} MiB; growth {grown} (bound {MEMORY_BOUND:g} MiB)\n')

    where = ', '.join(f'{n} during {what}' for what, n in ledger.lost_during.most_common())
    broken = ((rule, rules.broken[rule], first) for rule, first in rules.first.items())
    failures = [
        *(f'{row.fault.name}: {row.missed}' for row in rows if not row.passed),
        *(f'{rule} broken {count} times: {first}' for rule, count, first in broken),
    ]
    if not counts['answered']:
        failures.append('no states were answered')
    if counts['lost']:
        failures.append(f'{counts["lost"]} cycles lost that no fault provoked: {where}')
    if counts['bad_answered']:
        failures.append(f'{counts["bad_answered"]} bad states were answered')
    if growth is not None and growth > MEMORY_BOUND:
        failures.append(f'memory grew by {growth:.1f} MiB')
    for failure in failures:
        print(f'soak: {failure}')
    print(f'soak: {"FAILED" if failures else "passed"}')
    return not failures


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

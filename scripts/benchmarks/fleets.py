"""Many recordings: what scheduling adds to a plain loop, and how it scales on two cores."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import core
import numpy as np
from figures import Figure

from robot_dynamics_ros.cli.recording_options import RecordingOptions
from robot_dynamics_ros.cli.torques import write_torques
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.compiler.threads import available_cores
from robot_dynamics_ros.recordings import JointSamples
from robot_dynamics_ros.recordings.torque_file import write_torque_file
from robot_dynamics_ros.scheduling import Task, run

ROBOT = 'xArm7'
RATE, SECONDS, RECORDINGS = 1000.0, 60.0, 8
ROUNDS = 2
# Of tasks that compute nothing.
EMPTY_TASKS = 500
# At most so many times the plain loop, with one process; and at least so many times as fast.
LOOP_BOUND, TWO_CORES_SPEED = 1.05, 1.4
EMPTY_BOUND = 5.0  # [ms] that a task costs


def nothing(common: None, number: int) -> int:
    """A task that computes nothing."""
    return number


def measure() -> list[Figure]:
    """Everything; a row is printed as soon as it is known."""
    with tempfile.TemporaryDirectory() as folder:
        options, bags = _recordings(Path(folder))
        figures = _beside_plain_loop(options, bags, Path(folder))
    figures += _empty_tasks()
    return figures


def _recordings(folder: Path) -> tuple[RecordingOptions, list[Path]]:
    """MCAP files of random smooth motions of seven joints."""
    urdf = core.urdf(ROBOT)
    joints = parse_urdf(urdf).joint_names
    times = np.arange(RATE * SECONDS) / RATE
    random = np.random.default_rng(0)
    bags = []
    for number in range(RECORDINGS):
        rates = random.uniform(0.5, 3.0, len(joints))
        q, v = np.sin(np.outer(times, rates)), rates * np.cos(np.outer(times, rates))
        noise = random.normal(0.0, 0.1, q.shape)
        states = [JointSamples(joints, times, q, v, q + noise)]
        bags.append(folder / f'{number}.mcap')
        start = 1_700_000_000_000_000_000
        write_torque_file(bags[-1], [], states, start=start, topic='/joint_states', urdf=urdf)
    return RecordingOptions(urdf, None, {}, 20.0), bags


def _beside_plain_loop(options: RecordingOptions, bags: list[Path], folder: Path) -> list[Figure]:
    """Torques of all recordings as MCAP: a loop, one process, two, and a cluster."""
    targets = [folder / f'{bag.stem}_torques.mcap' for bag in bags]
    pairs = list(zip(bags, targets, strict=True))
    tasks = [Task(bag.name, write_torques, (bag.name, (bag,), target)) for bag, target in pairs]

    def loop() -> None:
        for bag, target in pairs:
            write_torques(options, bag.name, (bag,), target)

    ways: dict[str, Callable[[], object]] = {
        'loop': loop,
        'one process': lambda: _checked(run(tasks, common=options, processes=1)),
    }
    if available_cores() > 1:
        ways['two processes'] = lambda: _checked(run(tasks, common=options, processes=2))
    with _cluster() as cluster:
        if cluster is not None:
            address = cluster.scheduler_address
            ways['cluster'] = lambda: _checked(run(tasks, common=options, scheduler=address))
        seconds, processor = _in_turn(ways)
    states = RATE * SECONDS * RECORDINGS
    name = f'torques of {RECORDINGS} recordings, {states:,.0f} states'
    figures = [
        Figure(f'{name}: plain loop', seconds['loop'], 's'),
        Figure('  for each state', 1e6 * seconds['loop'] / states, 'us'),
        # Both are computed by this process, with the same calls: other load would decide the rest.
        Figure(
            '  one process to the loop, processor time',
            processor['one process'] / processor['loop'],
            'x',
            LOOP_BOUND,
        ),
    ]
    for way in ('two processes', 'cluster'):
        if way in seconds:
            ratio = seconds[way] / seconds['loop']
            bound = 1.0 / TWO_CORES_SPEED if available_cores() > 1 else None
            figures.append(Figure(f'  {way} to the loop', ratio, 'x', bound))
    return _printed(figures)


def _empty_tasks() -> list[Figure]:
    """What a task costs that computes nothing."""
    tasks = [Task(str(number), nothing, (number,)) for number in range(EMPTY_TASKS)]
    few = tasks[:2]
    ways: dict[str, Callable[[int], object]] = {
        'two processes': lambda count: _checked(run(tasks[:count], processes=2)),
    }
    figures = []
    with _cluster() as cluster:
        if cluster is not None:
            address = cluster.scheduler_address
            ways['a Dask cluster'] = lambda count: _checked(run(tasks[:count], scheduler=address))
        for name, way in ways.items():
            begun = _seconds(lambda way=way: way(len(few)))
            whole = _seconds(lambda way=way: way(len(tasks)))
            each = 1e3 * (whole - begun) / (len(tasks) - len(few))
            figures.append(Figure(f'{name}: begun and ended', begun, 's'))
            figures.append(Figure(f'{name}: each task adds', each, 'ms', EMPTY_BOUND))
    return _printed(figures)


def _cluster() -> Any:
    """A cluster of two processes with one thread each; None where dask is not installed."""
    try:
        from distributed import LocalCluster
    except ImportError:
        from contextlib import nullcontext

        print('fleets: no cluster, dask is not installed')
        return nullcontext()
    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=':0')


def _in_turn(ways: dict[str, Callable[[], object]]) -> tuple[dict[str, float], dict[str, float]]:
    """The shortest of some rounds, in which all take turns, and the least processor time [s]."""
    seconds = {name: float('inf') for name in ways}
    processor = dict(seconds)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            before = time.process_time()
            seconds[name] = min(seconds[name], _seconds(way))
            processor[name] = min(processor[name], time.process_time() - before)
    return seconds, processor


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _checked(outcomes: list[Any]) -> None:
    errors = [outcome.error for outcome in outcomes if outcome.error]
    assert not errors, errors[0]


def _printed(figures: list[Figure]) -> list[Figure]:
    for figure in figures:
        print(figure, flush=True)
    return figures

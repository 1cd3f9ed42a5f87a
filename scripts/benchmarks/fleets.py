"""Many recordings: what scheduling adds to a plain loop, and how it scales on two cores."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path
from typing import Any

from figures import Figure, in_turn, printed, urdf
from recorded_states import write_recording
from recordings import read_torques

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.compiler.threads import available_cores
from robot_dynamics_ros.scheduling import outcomes

ROBOT = 'xArm7'
SAMPLES, RECORDINGS = 60_000, 8
ROUNDS = 2
# At least so many times as fast as the plain loop.
TWO_CORES_SPEED = 1.4


def torques(text: str, file: Path) -> None:
    """Compute those of a recording."""
    read_torques(file, _dynamics(text))


@cache
def _dynamics(text: str) -> RobotDynamics:
    return RobotDynamics(parse_urdf(text))


def measure() -> list[Figure]:
    """Everything; a figure is printed as soon as it is known."""
    with tempfile.TemporaryDirectory() as name, _cluster() as cluster:
        address = cluster.scheduler_address if cluster else None
        return _beside_plain_loop(Path(name), address)


def _beside_plain_loop(folder: Path, address: str | None) -> list[Figure]:
    """Torques of all recordings: a loop, processes, and a cluster."""
    text = urdf(ROBOT)
    joints = list(parse_urdf(text).joint_names)
    print(f'\nfleets: {RECORDINGS} recordings are being written ...', flush=True)
    files = [
        write_recording(folder / str(number), joints, SAMPLES) for number in range(RECORDINGS)
    ]
    call = partial(torques, text)
    ways: dict[str, Callable[[], object]] = {'loop': lambda: [call(file) for file in files]}
    if available_cores() > 1:
        ways['processes'] = lambda: _checked(outcomes(call, files))
    if address:
        ways['cluster'] = lambda: _checked(outcomes(call, files, address))
    wall = {way: each.min() for way, each in in_turn(ways, ROUNDS, time.perf_counter).items()}
    name = f'torques of {RECORDINGS} recordings'
    figures = [
        printed(f'{name}: plain loop', wall['loop'], 's'),
        printed('  for each state', 1e6 * wall['loop'] / SAMPLES / RECORDINGS, 'us'),
    ]
    bound = 1.0 / TWO_CORES_SPEED if available_cores() > 1 else None
    return figures + [
        printed(f'  {way} to the loop', wall[way] / wall['loop'], 'x', bound)
        for way in ('processes', 'cluster')
        if way in wall
    ]


def _cluster() -> Any:
    """A cluster of two processes with one thread each; None where dask is not installed."""
    try:
        from distributed import LocalCluster
    except ImportError:
        print('fleets: no cluster, dask is not installed')
        return nullcontext()
    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=':0')


def _checked(outcomes: list[Any]) -> None:
    errors = [outcome.error for outcome in outcomes if outcome.error]
    assert not errors, errors[0]

"""Batches beside Pinocchio's, beside the memory that they write, and over samples and threads."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pinocchio
from core import AGREEMENT
from figures import ROBOTS, Figure, in_turn, urdf

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.compiler.threads import available_cores

SAMPLES = 100_000
# Of what is written: fewer samples where a result is larger [bytes].
MOST_WRITTEN = 400e6
# Of Pinocchio's calls in a loop, of which one costs the same as another.
LOOPED = 2000
ROUNDS = 9
# At least so many times as fast as pinocchio.rneaInParallel with one thread.
RNEA_SPEEDS = {'UR5': 45.0, 'xArm7': 40.0, 'Talos reduced': 30.0}
# At most so many times as long as memcpy of the result, or this share of Pinocchio's loop.
MEMCPY_BOUND, LOOP_SPEED = 2.5, 30.0
THREADS_SPEED = 1.7


@dataclass(frozen=True)
class Batch:
    """Our method, Pinocchio's call for one sample, and whether memory may be the limit."""

    method: str
    theirs: str
    inputs: int
    memory: bool


BATCHES = {
    'M': Batch('mass_matrix', 'pinocchio.crba(model, data, *x)', 1, True),
    'C': Batch('coriolis_matrix', 'pinocchio.computeCoriolisMatrix(model, data, *x)', 2, True),
    'regressor': Batch(
        'regressor', 'pinocchio.computeJointTorqueRegressor(model, data, *x)', 3, True
    ),
    'derivatives': Batch(
        'inverse_dynamics_derivatives',
        'pinocchio.computeRNEADerivatives(model, data, *x)',
        3,
        False,
    ),
    'forward dynamics': Batch('forward_dynamics', 'pinocchio.aba(model, data, *x)', 3, False),
}


def measure() -> list[Figure]:
    """Everything; a row of the table is printed as soon as it is known."""
    print(
        f'\n{"one thread, for each sample":34}{"Pinocchio":>12}{"batch":>10}{"times as fast":>15}'
    )
    figures = []
    for robot in ROBOTS:
        figures += _rnea(robot)
        for name, batch in BATCHES.items():
            figures += _beside_loop(robot, name, batch)
    return figures


def _rnea(robot: str) -> list[Figure]:
    """Beside rneaInParallel: one thread, and all threads."""
    text = urdf(robot)
    one, more = (RobotDynamics(parse_urdf(text), threads=count) for count in (1, 2))
    inputs, out = _inputs(one, 3, SAMPLES), np.zeros((SAMPLES, one.model.size))
    model = pinocchio.buildModelFromXML(text)
    pool = pinocchio.ModelPool(model, 1)
    order = [one.model.index_of(name) for name in list(model.names)[1:]]
    columns = [np.asfortranarray(x[:, order].T) for x in inputs]
    theirs = np.zeros((model.nv, SAMPLES), order='F')

    alone = partial(one.inverse_dynamics, *inputs, out)
    alone()
    seconds = in_turn(
        {
            'Pinocchio': lambda: pinocchio.rneaInParallel(1, pool, *columns, theirs),
            'one': alone,
        },
        ROUNDS,
        time.process_time,
    )
    error = np.abs(out.T[order] - theirs).max() / np.abs(theirs).max()
    assert error <= AGREEMENT, f'off by {error:.1e}'
    wanted = RNEA_SPEEDS[robot]
    ratio = float(np.median(seconds['one'] / seconds['Pinocchio']))
    _print_row(f'{robot} RNEA', seconds['Pinocchio'] / SAMPLES, seconds['one'] / SAMPLES, ratio)
    name = f'{robot} RNEA batch'
    figures = [
        Figure(name, 1e9 * float(np.median(seconds['one'])) / SAMPLES, 'ns'),
        Figure(f'{name} to rneaInParallel', ratio, 'x', 1.0 / wanted),
    ]
    if available_cores() > 1:
        more.inverse_dynamics(*inputs, out)
        both = {'one': alone, 'two': lambda: more.inverse_dynamics(*inputs, out)}
        wall = in_turn(both, ROUNDS, time.perf_counter)
        shared = float(wall['two'].min() / wall['one'].min())
        figures.append(Figure(f'{name} two threads to one', shared, 'x', 1.0 / THREADS_SPEED))
    for figure in figures[1:]:
        print(f'    {figure}')
    return figures


def _beside_loop(robot: str, name: str, batch: Batch) -> list[Figure]:
    """Beside a loop over Pinocchio's calls, and beside memcpy of the result."""
    text = urdf(robot)
    dynamics = RobotDynamics(parse_urdf(text), threads=1)
    one = getattr(dynamics, batch.method)(*(x[0] for x in _inputs(dynamics, batch.inputs, 1)))
    samples = int(min(SAMPLES, MOST_WRITTEN // one.nbytes))
    inputs, out = _inputs(dynamics, batch.inputs, samples), np.zeros((samples, *one.shape))
    copy = np.zeros_like(out)
    model = pinocchio.buildModelFromXML(text)
    scope = {'pinocchio': pinocchio, 'model': model, 'data': model.createData()}
    call = eval(f'lambda x: {batch.theirs}', scope)
    states = list(zip(*(x[:LOOPED] for x in inputs), strict=True))

    def loop() -> None:
        for state in states:
            call(state)

    ours = getattr(dynamics, batch.method)
    ours(*inputs, out)
    seconds = in_turn(
        {
            'Pinocchio': loop,
            'ours': lambda: ours(*inputs, out),
            'memcpy': lambda: np.copyto(copy, out),
        },
        ROUNDS,
        time.process_time,
    )
    each = {key: values / samples for key, values in seconds.items()}
    each['Pinocchio'] = seconds['Pinocchio'] / len(states)
    ratio = float(np.median(each['ours'] / each['Pinocchio']))
    _print_row(f'{robot} {name}', each['Pinocchio'], each['ours'], ratio)
    figures = [Figure(f'{robot} {name} batch', 1e9 * float(np.median(each['ours'])), 'ns')]
    bound = each['Pinocchio'] / LOOP_SPEED
    if batch.memory:
        bound = np.maximum(bound, MEMCPY_BOUND * each['memcpy'])
    share = float(np.median(each['ours'] / bound))
    figures.append(Figure(f'{robot} {name} batch to what is allowed', share, 'x', 1.0))
    if not figures[-1].holds:
        print(f'    {figures[-1]}')
    return figures


def _inputs(dynamics: RobotDynamics, count: int, samples: int) -> list[Any]:
    random = np.random.default_rng(0)
    return list(random.uniform(-1.0, 1.0, (count, samples, dynamics.model.size)))


def _print_row(name: str, theirs: Any, ours: Any, ratio: float) -> None:
    times = f'{1e9 * np.median(theirs):9.0f} ns{1e9 * np.median(ours):7.1f} ns'
    print(f'{name:34}{times}{1.0 / ratio:15.1f}', flush=True)

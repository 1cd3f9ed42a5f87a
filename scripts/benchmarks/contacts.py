"""Contacts of a UR5 that MuJoCo simulates: wrench, delays, links, and false alarms in 30 minutes.

The drives have 5 % friction that varies by 5 %, and noise of efforts and velocities.
"""

from __future__ import annotations

import math
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from figures import Figure, printed, urdf

sys.path.append(str(Path(__file__).resolve().parents[2] / 'examples'))

from pushed_arm import experiments
from pushed_arm.felt_arm import QUIET, FeltArm, Noise, with_friction

from robot_dynamics_ros.control.external.thresholds import ContactThresholds

ROBOT = 'UR5'
FRICTION = 0.05  # [-], of the effort limit; and as much at 1 rad/s
LEARNED = 300.0  # [s]
MINUTES, PARTS = 30.0, 3
BANDWIDTH = 10.0  # [Hz]
FORCE = 20.0  # [N]
SPEED, COLLISIONS = 0.5, 20  # [m/s]
# Bounds: [%], [ms], and numbers.
WRENCH, DELAY, WRONG, ALARMS = 2.0, 5.0, 0, 0


def measure() -> list[Figure]:
    """Everything; the figures are printed as they become known."""
    text = urdf(ROBOT)
    print(f'\ncontacts: {MINUTES:g} min of random motion, and {COLLISIONS} collisions ...')
    rough = with_friction(text, FRICTION)
    error = printed('contacts: error of the wrench after 5 lags', _wrench_error(text), '%', WRENCH)
    still = experiments.learn(FeltArm(text, Noise(friction=0.0)), 120.0)
    wrong = _wrong_links(text, still)
    learned = experiments.learn(FeltArm(rough, Noise()), LEARNED)
    delays, early = _delays(rough, learned)
    figures = [
        error,
        printed('contacts: moments of 5 N m at a wrong link', wrong, '', WRONG),
        printed('contacts: longest delay of a collision', 1e3 * max(delays), 'ms', DELAY),
        printed('contacts: collisions found too early', early, '', ALARMS),
    ]
    with ProcessPoolExecutor(PARTS) as processes:
        count = sum(processes.map(partial(_alarms, rough, learned), range(PARTS)))
    name = f'contacts: false alarms in {MINUTES:g} min of motion unlike the learned one'
    return [*figures, printed(name, count, '', ALARMS)]


def _wrench_error(text: str) -> float:
    """The largest error of the force once the lag is over, of forces in ten directions [%]."""
    arm = FeltArm(text, QUIET, bandwidth=BANDWIDTH)
    random, worst = np.random.default_rng(0), 0.0
    for direction in random.standard_normal((10, 3)):
        force = FORCE * direction / np.linalg.norm(direction)
        pushed = experiments.push_tool(arm, tuple(force), 0.4)
        late = pushed.times >= 5.0 / (2.0 * math.pi * BANDWIDTH)
        on = late & pushed.applied.any(axis=1)
        error = np.linalg.norm((pushed.felt - pushed.applied)[on, :3], axis=1)
        worst = max(worst, float(error.max()))
    return 100.0 * worst / FORCE


def _wrong_links(text: str, thresholds: ContactThresholds) -> int:
    """How many of the moments about each joint, in both directions, are found elsewhere."""
    arm = FeltArm(text, Noise(friction=0.0), bandwidth=BANDWIDTH)
    links = experiments.links_of(arm)
    return sum(
        experiments.touched_by_moment(arm, thresholds, joint, moment) != (links[joint],)
        for joint in range(len(links))
        for moment in (5.0, -5.0)
    )


def _delays(text: str, thresholds: ContactThresholds) -> tuple[list[float], int]:
    """Delays [s] of collisions in random directions, and how many were found too early."""
    random = np.random.default_rng(0)
    dynamics = FeltArm(text).dynamics
    delays, early = [], 0
    for seed, direction in enumerate(random.standard_normal((COLLISIONS, 3))):
        velocity = SPEED * direction / np.linalg.norm(direction)
        collision = experiments.collide(
            text, Noise(), thresholds, tuple(velocity), seed=seed, dynamics=dynamics
        )
        delays.append(collision.delay)
        early += collision.early
    return delays, early


def _alarms(text: str, thresholds: ContactThresholds, part: int) -> int:
    """How many contacts are found in a part of the motion."""
    arm = FeltArm(text, Noise(), bandwidth=BANDWIDTH, seed=part + 1)
    return experiments.alarms(arm, [thresholds], 60.0 * MINUTES / PARTS, seed=part + 2)[0]

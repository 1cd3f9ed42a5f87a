"""Held-out residuals on recordings that no choice of the protocol has seen.

Usage: PYTHONPATH=examples:$PYTHONPATH python scripts/rivals/unused_arm.py FOLDER

The arm of examples/identified_arm is simulated (MuJoCo) with more friction than viscous and
Coulomb: a part that grows with the torque of gravity, and one that falls with the speed. Seeds
were fixed before the first run. Each line is one recording of 20 s, judged on another one of
another motion.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from identified_arm.play_and_record import played, write
from judge import least_squares

from robot_dynamics_ros.control.trajectory import Point
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording

ROOT = Path(__file__).resolve().parents[2]
SEEDS = (101, 102, 103)
JOINTS, HOME = ['joint1', 'joint2', 'joint3'], np.array([0.3, -0.6, 0.8])
SECONDS = 20.0
# Of the friction that no model has: share of gravity [-], Stribeck's torque [N m], speed [rad/s].
LOAD, STRIBECK, SLOW = 0.05, 0.3, 0.15


def recorded(seed: int, file: Path) -> Recording:
    """Simulate a motion, write it, and open it."""
    arm = (ROOT / 'examples/identified_arm/arm.urdf').read_text()
    random = np.random.default_rng(seed)
    rates = 2.0 * np.pi * random.uniform(0.1, 1.0, (5, 3))
    amplitudes = 0.8 * random.uniform(0.3, 1.0, (5, 3)) / rates
    phases = random.uniform(0.0, 2.0 * np.pi, (5, 3))

    def point(time: float) -> Point:
        angles = [rates * time + phases + order * np.pi / 2.0 for order in range(3)]
        q, v, a = (
            (amplitudes * rates**order * np.sin(angle)).sum(axis=0)
            for order, angle in enumerate(angles)
        )
        return Point(time, HOME + q, v, a)

    _, rows = played(arm, JOINTS, [point(time) for time in np.arange(0.0, SECONDS, 0.05)])
    speeds = rows[:, 4:7]
    gravity = np.abs(RobotDynamics(parse_urdf(arm)).gravity_torque(rows[:, 1:4]))
    missing = LOAD * gravity + STRIBECK * np.exp(-((speeds / SLOW) ** 2))
    rows[:, 7:] += missing * speeds / np.hypot(speeds, 0.01)
    write(file, JOINTS, rows)
    return Recording.read(file, parse_urdf(arm))


def main(folder: str) -> None:
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    urdf = (ROOT / 'examples/three_link_arm/three_link_arm.urdf').read_text()
    ratios = []
    for seed in SEEDS:
        fitted = recorded(seed, target / f'{seed}.csv')
        other = recorded(1000 + seed, target / f'{seed}_other.csv')
        found = Identifier(urdf).fit([fitted], [other])
        first, held = found.recorded.parts
        joints = found.validation.values()
        plain = held.torque - least_squares(first, held)
        rms = np.sqrt(np.nanmean(np.where(held.moving, plain, np.nan) ** 2, axis=0))
        _print(f'{seed} URDF', np.array([one.rms_nominal for one in joints]))
        _print(f'{seed} least squares', rms)
        for name in ('rms_identified', 'rms_low', 'rms_high'):
            values = [getattr(one, name) for one in joints]
            _print(f'{seed} identify, {name}', np.array(values))
        ratios.append(np.array([one.rms_identified for one in joints]) / rms)
    print(f'geometric mean of the ratios to least squares: {np.exp(np.log(ratios).mean()):.3f}')


def _print(name: str, values: Array) -> None:
    print(f'{name:28}', *(f'{value:8.4f}' for value in values), flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])

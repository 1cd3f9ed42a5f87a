"""An identification from 1,000,000 joint states of seven joints, from an MCAP file.

One process identifies the robot as the command does, and then judges all states with it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import core
import numpy as np
from figures import Figure
from recorded_states import Signals, write_recording

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

SAMPLES, RATE = 1_000_000, 1000.0
ROBOT = 'xArm7'
# Bounds: [s] of the clock, and [MB].
SECONDS, JUDGED, MEGABYTES = 30.0, 5.0, 1000.0
# [N m] of the efforts; [Hz] of the filter.
NOISE, CUTOFF = 0.05, 10.0


def measure() -> list[Figure]:
    """Everything; the figures are printed as they become known."""
    text = core.urdf(ROBOT)
    print(f'\nidentification: {SAMPLES} states of {ROBOT} are being written ...', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        description = Path(folder) / 'robot.urdf'
        description.write_text(text)
        dynamics = RobotDynamics(parse_urdf(text))
        joints = list(dynamics.model.joint_names)
        file = write_recording(Path(folder) / 'bag', joints, SAMPLES, _signals(dynamics))
        program = [sys.executable, str(Path(__file__).with_name('identification_run.py'))]
        arguments = [str(description), str(file), str(CUTOFF)]
        done = subprocess.run([*program, *arguments], stdout=subprocess.PIPE, check=True)
    measured = json.loads(done.stdout)
    figures = [
        Figure('identification: file to parameters', measured['fitted'], 's', SECONDS),
        Figure('identification: all states judged', measured['judged'], 's', JUDGED),
        Figure('identification: peak memory', measured['megabytes'], 'MB', MEGABYTES),
    ]
    for figure in figures:
        print(figure, flush=True)
    return figures


def _signals(dynamics: RobotDynamics) -> Signals:
    """Positions, velocities and noisy efforts with friction, of sums of sines below 1 Hz."""
    random = np.random.default_rng(0)
    size = dynamics.model.size
    rates = 2.0 * np.pi * random.uniform(0.05, 0.8, (4, size))
    phases = random.uniform(0.0, 2.0 * np.pi, rates.shape)
    times = np.arange(SAMPLES) / RATE
    q, v, a = (np.zeros((SAMPLES, size)) for _ in range(3))
    for rate, phase in zip(rates, phases, strict=True):
        angles = np.outer(times, rate) + phase
        q += 0.3 * np.sin(angles)
        v += 0.3 * rate * np.cos(angles)
        a -= 0.3 * rate**2 * np.sin(angles)
    noise = random.normal(0.0, NOISE, q.shape)
    efforts = dynamics.inverse_dynamics(q, v, a) + v + v / np.hypot(v, 0.01) + noise
    return q, v, efforts

"""An identification from 1,000,000 joint states of seven joints, from an MCAP file.

One process reads the file and identifies the robot as the command does, and then predicts all
states with it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from figures import Figure, printed, urdf
from recorded_states import PEAK_MEMORY, RATE, Signals, write_recording

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

SAMPLES = 1_000_000
ROBOT = 'xArm7'
# Bounds: [s] of the clock, and [MB].
SECONDS, PREDICTED, COMPARED, MEGABYTES = 30.0, 5.0, 15.0, 1500.0
# [N m] of the efforts; [Hz] of the filter.
NOISE, CUTOFF = 0.05, 10.0
RUN = f"""
import json, sys, time
from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording
text = sys.stdin.read()
model, times = parse_urdf(text), [time.perf_counter()]
found = Identifier(text).fit([Recording.read(sys.argv[1], model, cutoff={CUTOFF})])
times.append(time.perf_counter())
second = Recording.read(sys.argv[2], model, cutoff={CUTOFF})
times.append(time.perf_counter())
found.validate([second])
times.append(time.perf_counter())
Comparison(model).of(second)
times.append(time.perf_counter())
{PEAK_MEMORY}
taken = [end - begin for begin, end in zip(times, times[1:])]
print(json.dumps([taken[0], taken[2], taken[1] + taken[3], 1e-6 * peak]))
"""


def measure() -> list[Figure]:
    """Everything; the figures are printed as they become known."""
    text = urdf(ROBOT)
    print(f'\nidentification: {SAMPLES} states of {ROBOT} are being written ...', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        dynamics = RobotDynamics(parse_urdf(text))
        joints = list(dynamics.model.joint_names)
        file = write_recording(Path(folder, 'bag'), joints, SAMPLES, _signals(dynamics))
        other = Path(folder, 'again.mcap')
        other.symlink_to(file)
        done = subprocess.run(
            [sys.executable, '-c', RUN, file, other], input=text, stdout=subprocess.PIPE,
            text=True, check=True,
        )  # fmt: skip
    fitted, predicted, compared, megabytes = json.loads(done.stdout)
    return [
        printed('identification: file to parameters', fitted, 's', SECONDS),
        printed('identification: all states predicted', predicted, 's', PREDICTED),
        printed('comparison: file to findings', compared, 's', COMPARED),
        printed('identification: peak memory', megabytes, 'MB', MEGABYTES),
    ]


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

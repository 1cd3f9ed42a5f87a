"""Draws docs/external_forces.png: what the observer feels of pushes and of a wall.

python -m pushed_arm.figures [folder]; without a folder, into docs/. It takes a minute.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from robot_dynamics_ros.control.external.contact_detector import ContactDetector
from robot_dynamics_ros.control.external.thresholds import ContactThresholds as Learned
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.demo import default_urdf

from .experiments import HOME, SPEED, collide, follow, learn, push_tool, still
from .felt_arm import PERIOD, FeltArm, Noise, with_friction
from .motions import random_motion

Array = NDArray[np.float64]

DOCS = Path(__file__).resolve().parents[2] / 'docs'
FRICTION = 0.05  # [-], of the effort limit; and as much at 1 rad/s
FORCE = (12.0, 0.0, -16.0)  # [N]
BANDWIDTHS = ((3.0, '#e08214'), (10.0, '#1a7f4b'), (30.0, '#1f5fa8'))  # [Hz]
NOISY = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # [Hz]
SHOWN = 1  # index of the joint
LEARNED = 120.0  # [s]


def draw_push(axes: Axes, urdf: str, dynamics: RobotDynamics) -> None:
    """A push of 20 N, as it is felt with three bandwidths."""
    for bandwidth, colour in BANDWIDTHS:
        noise = Noise(friction=0.0)
        pushed = push_tool(
            FeltArm(urdf, noise, bandwidth=bandwidth, dynamics=dynamics), FORCE, 0.4
        )
        size = np.linalg.norm(pushed.felt[:, :3], axis=1)
        axes.plot(pushed.times, size, color=colour, lw=1.2, label=f'felt, {bandwidth:g} Hz')
    acting = np.linalg.norm(pushed.applied[:, :3], axis=1)
    axes.plot(pushed.times, acting, color='black', lw=2.5, alpha=0.4, label='acting')
    axes.set_xlabel('time [s]')
    axes.set_ylabel('force on the tool [N]')
    axes.set_title('A push of 20 N, noisy drives')
    axes.legend(loc='lower center')


def draw_noise(axes: Axes, urdf: str, dynamics: RobotDynamics) -> None:
    """Noise of the external torque over the lag, with the arm at rest."""
    deviations = []
    for bandwidth in NOISY:
        arm = FeltArm(urdf, Noise(friction=0.0), bandwidth=bandwidth, dynamics=dynamics)
        r = np.array([arm.r for _ in follow(arm, still(HOME, 3.0))])
        deviations.append(r[1000:].std(axis=0))
    lags = [1e3 / (2.0 * math.pi * bandwidth) for bandwidth in NOISY]
    for joint, column in zip(arm.physics.joints, np.transpose(deviations), strict=True):
        axes.loglog(lags, column, marker='.', label=joint.removesuffix('_joint'))
    axes.set_xlabel('lag 1 / (2 pi f) [ms]')
    axes.set_ylabel('standard deviation [N m]')
    axes.set_title('Less lag, more noise')
    axes.legend(ncols=2, fontsize=8)


def draw_collision(axes: Axes, urdf: str, dynamics: RobotDynamics, learned: Learned) -> None:
    """A wall that the tool meets at 0.5 m/s, and the threshold of the fast band."""
    collision = collide(urdf, Noise(), learned, (0.0, 0.0, -0.5), dynamics=dynamics)
    near = np.abs(collision.times + 0.03) < 0.06
    joint = int(np.abs(collision.r[near]).max(axis=0).argmax())
    times, limit = 1e3 * collision.times[near], collision.limits[near, joint]
    axes.plot(times, collision.r[near, joint], color='#1a7f4b', label=f'felt by joint {joint + 1}')
    axes.fill_between(times, -limit, limit, color='#1f5fa8', alpha=0.15, label='threshold')
    axes.axvline(0.0, color='#c0392b', label='the wall is touched')
    axes.axvline(1e3 * collision.delay, color='black', ls='--',
                 label=f'found, {1e3 * collision.delay:.0f} ms later')  # fmt: skip
    axes.set_xlabel('time since the wall is touched [ms]')
    axes.set_ylabel('external torque [N m]')
    axes.set_title(f'A wall at 0.5 m/s, up to {collision.force.max():.0f} N')
    axes.legend(loc='lower left')


def draw_motion(axes: Axes, urdf: str, dynamics: RobotDynamics, learned: Learned) -> None:
    """The slow band in a motion without a contact, and its threshold."""
    arm = FeltArm(urdf, Noise(), dynamics=dynamics, seed=1)
    detector = ContactDetector(learned)
    rows = []
    for index in follow(arm, random_motion(HOME, SPEED, 12.0, seed=2)):
        detector.step(arm.r, arm.v, arm.physics.time)
        slow = detector.bands.values[1, SHOWN], detector.limits[1, SHOWN], arm.v[SHOWN]
        rows.append((index * PERIOD, *slow))
    times, residual, limit, speed = np.transpose(rows)
    axes.plot(times, residual, color='#1a7f4b', label='felt by joint 2, slow band')
    axes.fill_between(times, -limit, limit, color='#1f5fa8', alpha=0.15, label='threshold')
    axes.plot(times, speed, color='#e08214', lw=1.0, label='its velocity [rad/s]')
    axes.set_xlabel('time [s]')
    axes.set_ylabel('external torque [N m]')
    axes.set_title('Motion without a contact: friction is felt where it turns')
    axes.legend(loc='upper right')


def main() -> None:
    """Simulate, and draw the figure into the folder of the command line."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    plain = default_urdf().read_text()
    rough = with_friction(plain, FRICTION)
    dynamics = RobotDynamics(parse_urdf(plain))
    figure = Figure(figsize=(12, 8.5), layout='constrained')
    axes = figure.subplots(2, 2)
    figure.suptitle('What the joints of a UR5 feel; MuJoCo knows what acts')
    draw_push(axes[0, 0], plain, dynamics)
    draw_noise(axes[0, 1], plain, dynamics)
    learned = learn(FeltArm(rough, Noise(), dynamics=dynamics), LEARNED)
    draw_collision(axes[1, 0], rough, dynamics, learned)
    draw_motion(axes[1, 1], rough, dynamics, learned)
    for panel in axes.flat:
        panel.grid(color='#e6e6e6')
    figure.savefig(folder / 'external_forces.png', dpi=100)
    print(f'external_forces.png in {folder}')


if __name__ == '__main__':
    main()

"""Recordings of a simulated arm whose inertia, friction and noise are known; and defects."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from memory_source import MemorySource
from recorded_states import TOPIC, States

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.simulation.physics import JointServo, Physics

JOINTS = ('base', 'shoulder', 'elbow', 'roll', 'bend', 'flange')
# Of each joint: axis, place in the frame before, mass, centre, principal moments.
LINKS = (
    ('0 0 1', '0 0 0.3', 6.0, '0 0.02 0.05', (0.05, 0.05, 0.03)),
    ('0 1 0', '0 0.1 0.1', 8.0, '0 0.05 0.2', (0.16, 0.16, 0.03)),
    ('0 1 0', '0 -0.05 0.4', 4.0, '0.02 0 0.18', (0.06, 0.06, 0.01)),
    ('0 0 1', '0 0 0.35', 1.5, '0 0.02 0.03', (0.03, 0.03, 0.03)),
    ('0 1 0', '0 0.03 0.1', 1.2, '0.03 0 0.05', (0.03, 0.03, 0.03)),
    ('1 0 0', '0.08 0 0.06', 0.9, '0.03 0.05 0', (0.03, 0.03, 0.03)),
)
VISCOUS = (3.0, 4.0, 2.5, 0.6, 0.4, 0.2)
# MuJoCo's friction reaches its Coulomb value at a speed that grows with friction / inertia: with
# at most 6 N m for 1 kg m^2 it is below the speeds of these recordings.
COULOMB = (4.0, 5.0, 3.0, 0.5, 0.35, 0.18)
# Standard deviations [rad], [rad/s], [N m].
NOISE = (2e-6, 2e-4, 0.05)
HOME = np.array([0.3, 0.5, 0.9, 0.2, 0.7, 0.1])
TOOL_MASS, TOOL_CENTER = 1.3, (0.04, 0.05, 0.02)
RATE, DURATION = 200.0, 16.0


def urdf(*, friction=True, tool=False):
    """The arm, with or without its friction and its tool."""
    parts = ['<robot name="arm"><link name="world"/>']
    before = 'world'
    for index, (name, link) in enumerate(zip(JOINTS, LINKS, strict=True)):
        axis, place, mass, center, moments = link
        parts.append(_link(f'{name}_link', mass, center, moments))
        dynamics = f'damping="{VISCOUS[index]}" friction="{COULOMB[index]}"' if friction else ''
        parts.append(
            f'<joint name="{name}" type="revolute"><parent link="{before}"/>'
            f'<child link="{name}_link"/><origin xyz="{place}"/><axis xyz="{axis}"/>'
            f'<limit lower="-3" upper="3" effort="{300 if index < 3 else 60}" velocity="4"/>'
            f'<dynamics {dynamics}/></joint>'
        )
        before = f'{name}_link'
    if tool:
        center = ' '.join(map(str, TOOL_CENTER))
        parts.append(_link('tool', TOOL_MASS, center, (0.002, 0.003, 0.004)))
        parts.append(
            f'<joint name="mount" type="fixed"><parent link="{before}"/>'
            '<child link="tool"/></joint>'
        )
    return ''.join([*parts, '</robot>'])


def _link(name, mass, center, moments):
    xx, yy, zz = moments
    return (
        f'<link name="{name}"><inertial><origin xyz="{center}"/><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


@dataclass(frozen=True)
class Recorded:
    """What a driver would record (N, n), and the gravity torque, which it would not.

    Attributes:
        times: [s].
    """

    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    efforts: np.ndarray
    gravity: np.ndarray
    joints: tuple = JOINTS

    def with_efforts(self, change, joint=None):
        """The same with other efforts: of all joints, or of one."""
        efforts = self.efforts.copy()
        if joint is None:
            efforts[...] = change(efforts)
        else:
            column = JOINTS.index(joint)
            efforts[:, column] = change(efforts[:, column])
        return replace(self, efforts=efforts)

    def delayed(self, delay):
        """The same with efforts that come later [s]."""
        columns = [np.interp(self.times - delay, self.times, one) for one in self.efforts.T]
        return replace(self, efforts=np.stack(columns, axis=1))

    def part(self, rows):
        names = ('times', 'positions', 'velocities', 'efforts', 'gravity')
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    @property
    def states(self):
        """For `recorded_states`, whose functions write files."""
        stamps = 1_700_000_000_000_000_000 + np.rint(1e9 * self.times).astype(np.int64)
        return States(stamps, self.positions, self.velocities, self.efforts, self.joints)

    @property
    def reader(self):
        """The recording, in memory."""
        return _Filtered(MemorySource(self.states), TOPIC, {}, None)


class _Filtered(Recording):
    """Filtered at 10 Hz."""

    def motions(self, cutoff=10.0, **options):
        self.cutoff = cutoff
        return super().motions(**options)


@cache
def simulated(*, tool=False, seed=1, still=(), rate=RATE, duration=DURATION):
    """The arm under its servo along sums of sines, with friction, and with noise.

    Args:
        tool: whether the arm carries one.
        seed: of motion and noise.
        still: joints that are held where they are.
        rate: of the states [Hz].
        duration: [s].
    """
    physics = Physics(urdf(tool=tool), max_step=1e-3)
    held = [JOINTS.index(joint) for joint in still]
    reference = _reference(np.random.default_rng(seed), held, duration)
    physics.reset(reference.at(0.0)[0])
    physics.set_servo(JointServo.tuned(physics.inertia(), bandwidth=8.0))
    physics.follow(reference)
    rows = []
    for _ in range(round(rate * duration)):
        physics.advance(1.0 / rate)
        rows.append((physics.position, physics.velocity, physics.effort, physics.gravity_torque()))
        rows[-1] = tuple(np.copy(values) for values in rows[-1])
    q, v, tau, gravity = (np.array(column) for column in zip(*rows, strict=True))
    random = np.random.default_rng(seed + 1)
    noisy = [x + random.normal(0.0, s, x.shape) for x, s in zip((q, v, tau), NOISE, strict=True)]
    return Recorded(np.arange(1, len(q) + 1) / rate, *noisy, gravity)


def _reference(random, held, duration):
    """Sums of five sines between 0.05 and 0.5 Hz, in points with velocity and acceleration."""
    rates = 2.0 * np.pi * random.uniform(0.05, 0.5, (5, 6))
    amplitudes = random.uniform(0.2, 1.0, (5, 6))
    amplitudes *= 0.7 / amplitudes.sum(axis=0)
    amplitudes[:, held] = 0.0
    phases = random.uniform(0.0, 2.0 * np.pi, (5, 6))

    def at(time, derivative):
        angles = rates * time + phases + derivative * np.pi / 2.0
        return (amplitudes * rates**derivative * np.sin(angles)).sum(axis=0)

    times = np.arange(0.0, duration + 1.0, 0.05)
    return Trajectory([Point(t, HOME + at(t, 0), at(t, 1), at(t, 2)) for t in times])

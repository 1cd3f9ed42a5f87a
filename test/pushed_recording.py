"""Recordings of an arm that is pushed with known torques at known times."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import three_joints
from memory_source import in_memory
from recorded_states import START, States

from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf

URDF = three_joints.URDF.replace(
    '<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><dynamics damping="0.4" friction="0.7"/>'
)
RATE = 100.0
# Standard deviation of the efforts [N m, N].
NOISE = 0.1


@dataclass(frozen=True)
class Pushed:
    """A torque on one joint, that begins and ends within `rise`.

    Attributes:
        joint: index.
        begin: [s].
        end: [s].
        torque: [N m or N].
        rise: [s].
    """

    joint: int
    begin: float
    end: float
    torque: float
    rise: float = 0.0

    def at(self, times):
        """Torque (N,) at times."""
        rise = max(self.rise, 1e-9)
        up, down = (times - self.begin) / rise, (self.end - times) / rise
        return self.torque * np.clip(np.minimum(up, down), 0.0, 1.0)


# A collision of the hand.
HIT = Pushed(2, 8.0, 8.4, 15.0)


@cache
def pushed_states(pushes=(), seconds=30.0, seed=0, error=0.0):
    """States of the arm, whose efforts are less by what the pushes do.

    Args:
        pushes: of `Pushed`.
        seconds: of the recording.
        seed: of motion and noise.
        error: share of the Coulomb friction that the description lacks.
    """
    model = parse_urdf(URDF)
    random = np.random.default_rng(seed)
    rates = 2.0 * np.pi * random.uniform(0.05, 0.4, (3, 3))
    phases, amplitudes = random.uniform(0.0, 6.0, (3, 3)), random.uniform(0.1, 0.4, (3, 3))
    times = np.arange(round(seconds * RATE)) / RATE
    angles = times[:, None, None] * rates + phases
    q, v, a = (
        (amplitudes * rates**k * np.sin(angles + k * np.pi / 2.0)).sum(axis=1) for k in range(3)
    )
    effort = RobotDynamics(model).inverse_dynamics(q, v, a) + JointFriction(model).torque(v)
    effort += error * v / np.hypot(v, 0.01) + random.normal(0.0, NOISE, q.shape)
    for push in pushes:
        effort[:, push.joint] -= push.at(times)
    stamps = START + np.rint(1e9 * times).astype(np.int64)
    return States(stamps, q, v, effort, three_joints.JOINTS)


def recording_of(states):
    """In memory."""
    return in_memory(states)

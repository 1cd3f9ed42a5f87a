"""Motions whose states are known exactly, with the efforts of a known law."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from robot_dynamics_ros.recordings import Motion

ARMATURE, VISCOUS, COULOMB, OFFSET = 0.3, 1.5, 2.0, -0.7


@dataclass(frozen=True)
class Drawn:
    """States and efforts (N, n), without a filter."""

    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    accelerations: np.ndarray
    efforts: np.ndarray


def drawn(dynamics, count=40, seed=0):
    """Random states without efforts."""
    random = np.random.default_rng(seed)
    q, v, a = random.uniform(-2.0, 2.0, (3, count, dynamics.model.size))
    return Drawn(np.arange(count, dtype=float), q, v, a, np.zeros_like(q))


def exact_motion(dynamics, *, seconds=8.0, rate=200.0, cutoff=40.0, seed=0, highest=1.5):
    """Sums of sines up to `highest` [Hz], with exact derivatives and the torques of `law`."""
    model = dynamics.model
    random = np.random.default_rng(seed)
    rates = 2.0 * np.pi * random.uniform(0.1, highest, (4, model.size))
    phases = random.uniform(0.0, 2.0 * np.pi, rates.shape)
    amplitudes = random.uniform(0.2, 0.5, rates.shape)
    times = np.arange(round(seconds * rate)) / rate
    angles = times[:, None, None] * rates + phases
    q, v, a = (
        (amplitudes * rates**k * np.sin(angles + k * np.pi / 2.0)).sum(axis=1) for k in range(3)
    )
    return Motion(model.joint_names, times, q, v, a, law(dynamics, q, v, a), cutoff, rate)


def law(dynamics, q, v, a, smoothing=0.01):
    """Inverse dynamics, rotors, friction and offset."""
    friction = VISCOUS * v + COULOMB * v / np.hypot(v, smoothing) + OFFSET
    return dynamics.inverse_dynamics(q, v, a) + ARMATURE * a + friction


def truth(layout):
    """The parameters of `law`."""
    values = layout.nominal()
    terms = ('armature', 'viscous', 'coulomb', 'offset')
    for term, value in zip(terms, (ARMATURE, VISCOUS, COULOMB, OFFSET), strict=True):
        values[layout.columns(term)] = value
    return values


def cut(motion, *numbers):
    """The same motion in parts that begin at these samples."""
    edges = [0, *numbers, len(motion)]
    names = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    return [
        replace(
            motion,
            begins=motion.begins and start == 0,
            **{name: getattr(motion, name)[start:stop] for name in names},
        )
        for start, stop in pairwise(edges)
    ]

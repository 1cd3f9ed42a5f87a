"""Random states of a robot, within what its description allows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..checks import Array
from .robot import RobotModel
from .tree import Joint

# To each side of zero [rad], [m], where the description sets no limit or an implausible one.
UNLIMITED_ANGLE = math.pi
UNLIMITED_DISTANCE = 1.0
# [rad/s or m/s], and of accelerations [rad/s^2 or m/s^2].
LARGEST_RATE = 10.0
# [rad or m]: limits beyond are implausible.
LARGEST_POSITION = 1e3
# Of the robot, to each side of a slide: farther out, moments about the base hide all others [-].
REACHES = 3.0


@dataclass(frozen=True)
class State:
    """Positions, velocities and accelerations, each (n,), in SI units."""

    q: Array
    v: Array
    a: Array


def position_range(joint: Joint) -> tuple[float, float]:
    """The positions from which to draw [rad or m].

    Half a revolution, or 1 m, to each side where the limits are implausible or equal.
    """
    reach = UNLIMITED_DISTANCE if joint.kind == 'prismatic' else UNLIMITED_ANGLE
    lower, upper = joint.limits.lower, joint.limits.upper
    if lower < upper and max(abs(lower), abs(upper)) <= LARGEST_POSITION:
        return lower, upper
    return -reach, reach


def random_states(model: RobotModel, count: int, seed: int = 0) -> Iterator[State]:
    """That many states, uniformly distributed, the same for the same seed."""
    generator = np.random.default_rng(seed)
    joints = model.independent_joints
    rate = np.array([min(joint.limits.known.velocity, LARGEST_RATE) for joint in joints])
    q = random_positions(model, count, generator)
    v, a = generator.uniform(-1.0, 1.0, (2, count, model.size))
    return map(State, q, rate * v, LARGEST_RATE * a)


def random_positions(model: RobotModel, count: int, seed: int | np.random.Generator = 0) -> Array:
    """Positions (count, n) within the limits [rad or m], the same for the same seed.

    Those of slides are a few reaches of the robot from zero, or from the limit nearest to it.
    """
    ranges = [position_range(joint) for joint in model.independent_joints]
    lower, upper = np.array(ranges).reshape(-1, 2).T
    reach = max(UNLIMITED_DISTANCE, model.at_origin.reach)
    middle, far = np.clip(0.0, lower, upper), np.where(model.sliding, REACHES * reach, np.inf)
    lower, upper = np.maximum(lower, middle - far), np.minimum(upper, middle + far)
    return np.random.default_rng(seed).uniform(lower, upper, (count, model.size))

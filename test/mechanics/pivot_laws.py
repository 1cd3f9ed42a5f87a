"""The laws of the bounds that tell a singular mass matrix from rounding."""

from __future__ import annotations

import math

import numpy as np

from mechanics.closeness import assert_close
from mechanics.robots import Robot, State
from robot_dynamics_ros.core import StateError
from robot_dynamics_ros.core.algorithms import crba


def largest_inertias_are_sums_over_bodies(robot: Robot, state: State) -> None:
    """With S and D of each body from the path that leads to it, not from the next joint on.

    N joints with one coordinate: N (c_1^2 L_1 + ... + c_N^2 L_N).
    """
    joints = robot.model.joints

    def distances(i: int) -> dict[int, float]:
        """Of the bodies that joint i carries, along the links between."""
        found = {i: 0.0}
        for j in range(i + 1, len(joints)):
            if joints[j].parent in found:
                step = math.dist(joints[j].placement.translation, (0.0, 0.0, 0.0))
                found[j] = found[joints[j].parent] + step
        return found

    bounds: list[list[float]] = [[] for _ in range(robot.model.size)]
    for i, joint in enumerate(joints):
        carried = distances(i)
        if joints[i].kind == 'prismatic':
            expected = sum(joints[j].inertia.mass for j in carried)
        else:
            sliders = [j for j in carried if joints[j].kind == 'prismatic']
            terms = [
                # tr S is half the trace of the rotational inertia.
                np.trace(joints[j].inertia.rotational) + 2.0 * joints[j].inertia.mass * D**2
                for j, D in carried.items()
            ]
            for k in sliders:
                coordinate = joints[k].coordinate
                x = coordinate.multiplier * state.q[coordinate.index] + coordinate.offset
                terms.append(sum(joints[j].inertia.mass for j in distances(k)) * x**2)
            expected = (1 + len(sliders)) * sum(terms)
        bounds[joint.index].append(joint.coordinate.multiplier**2 * expected)
    largest = crba.largest_inertias(robot.model, state.q.tolist())
    assert_close(largest, [len(each) * sum(each) for each in bounds])


def pivots_as_small_as_rounding_are_refused(robot: Robot, state: State) -> None:
    """Of either sign: an implausible model may have negative inertias."""
    q, largest = state.q.tolist(), 3.0
    smallest = crba.SMALLEST_PIVOT * largest
    for factor in (0.5, -0.5, 2.0, -2.0, 1e12):
        refused = False
        try:
            crba.require_pivot(robot.model, q, 0, factor * smallest, largest)
        except StateError:
            refused = True
        assert refused == (abs(factor) < 1.0), f'at {factor} times the smallest pivot'


PIVOT_LAWS = (
    largest_inertias_are_sums_over_bodies,
    pivots_as_small_as_rounding_are_refused,
)

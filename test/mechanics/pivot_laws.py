"""The laws of the bounds that tell a singular mass matrix from rounding."""

from __future__ import annotations

import math

import numpy as np

from mechanics.closeness import assert_close
from mechanics.robots import Robot, State
from robot_dynamics_ros.core import StateError
from robot_dynamics_ros.core.algorithms import pivots


def largest_inertias_are_sums_over_bodies(robot: Robot, state: State) -> None:
    """With S and D of each body from the path that leads to it, not from the next joint on."""
    joints = robot.model.joints

    def distances(i: int) -> dict[int, float]:
        """Of the bodies that joint i carries, along the links between."""
        found = {i: 0.0}
        for j in range(i + 1, len(joints)):
            if joints[j].parent in found:
                step = math.dist(joints[j].placement.translation, (0.0, 0.0, 0.0))
                found[j] = found[joints[j].parent] + step
        return found

    for i, largest in enumerate(pivots.largest_inertias(robot.model, state.q.tolist())):
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
        assert_close(largest, expected)


def bounds_of_coordinates_count_their_joints(robot: Robot, state: State) -> None:
    """N (c_1^2 L_1 + ... + c_N^2 L_N) for N joints that move together."""
    q = state.q.tolist()
    bounds = pivots.largest_of_coordinates(robot.model, q)
    largest = np.array(pivots.largest_inertias(robot.model, q))
    for index, bound in enumerate(bounds):
        moved = [
            i for i, joint in enumerate(robot.model.joints) if joint.coordinate.index == index
        ]
        ratios = np.array([robot.model.joints[i].coordinate.multiplier for i in moved])
        assert_close(bound, len(moved) * ratios**2 @ largest[moved])


def pivots_as_small_as_rounding_are_refused(robot: Robot, state: State) -> None:
    """Of either sign: an implausible model may have negative inertias."""
    q, largest = state.q.tolist(), 3.0
    smallest = pivots.SMALLEST_PIVOT * largest
    for factor in (0.5, -0.5, 2.0, -2.0, 1e12):
        refused = False
        try:
            pivots.require_pivot(robot.model, q, 0, factor * smallest, largest)
        except StateError:
            refused = True
        assert refused == (abs(factor) < 1.0), f'at {factor} times the smallest pivot'


PIVOT_LAWS = (
    largest_inertias_are_sums_over_bodies,
    bounds_of_coordinates_count_their_joints,
    pivots_as_small_as_rounding_are_refused,
)

"""What equations know of themselves: their gravity, and how many of them are independent."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from exact_motion import exact_motion, law
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.identification.consistency.weighted_rows import weighted_rows
from robot_dynamics_ros.identification.estimation import estimate
from robot_dynamics_ros.identification.observability import base_parameters, structure_of
from robot_dynamics_ros.identification.observability.whitened import whitened
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import (
    EquationOptions,
    MotionEquations,
    ReducedEquations,
    reduce,
)

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
UNLIMITED = dict.fromkeys(LAYOUT.joints, 1e9)
STANDING = structure_of(LAYOUT, ROBOT.native)


@pytest.fixture(scope='module')
def motion():
    return exact_motion(ROBOT.native, seconds=20.0)


def blocks_of(motion, **options):
    options = EquationOptions(cutoff=8.0, effort_levels=UNLIMITED, **options)
    return list(MotionEquations(LAYOUT, options, ROBOT.native).of_motions([motion]))


def test_gravity_of_the_equations_counts(motion):
    """Without it, drives feel fewer parameters: no motion could tell the others."""
    nothing = (0.0, 0.0, 0.0)
    floating = ROBOT.native.with_gravity(nothing)
    q, v, a = motion.positions, motion.velocities, motion.accelerations
    weightless = replace(motion, efforts=law(floating, q, v, a))
    reduced = reduce(blocks_of(weightless, gravity=nothing))
    base = base_parameters(reduced)
    assert base.rank == base.structural_rank == structure_of(LAYOUT, floating).rank
    assert base.rank < STANDING.rank
    with pytest.raises(ParameterError, match='gravity'):
        ReducedEquations.merged([reduced, reduce(blocks_of(motion))])


def test_fewer_independent_equations_tell_less(motion):
    """Half of them are half the information, in the decision and in the final cost."""
    noise = np.random.default_rng(1).normal(0.0, 0.1, motion.efforts.shape)
    noisy = replace(motion, efforts=motion.efforts + noise)
    reduced = reduce(blocks_of(noisy))
    half = replace(reduced, independent=0.5 * reduced.independent)
    found = estimate(reduced, base=base_parameters(reduced, STANDING))

    def squares(one):
        triangles = (
            whitened(one, STANDING.columns).triangle,
            weighted_rows(one, found, 0.0),
        )
        return [triangle.T @ triangle for triangle in triangles]

    for fewer, all_of_them in zip(squares(half), squares(reduced), strict=True):
        np.testing.assert_allclose(fewer, 0.5 * all_of_them, atol=1e-9 * np.abs(all_of_them).max())

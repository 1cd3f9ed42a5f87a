"""Triangles keep every sum of squares, and merge exactly."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import exact_motion
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import (
    EquationOptions,
    MotionEquations,
    ReducedEquations,
    reduce,
)
from robot_dynamics_ros.scheduling.plain_data import decoded, encoded

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
UNLIMITED = dict.fromkeys(ROBOT.model.joint_names, 1e9)


@pytest.fixture(scope='module')
def blocks():
    motion = exact_motion(ROBOT.native, seconds=20.0)
    made = MotionEquations(
        LAYOUT, EquationOptions(cutoff=20.0, effort_levels=UNLIMITED), ROBOT.native
    )
    random = np.random.default_rng(3)
    return [
        replace(block, torques=block.torques + random.normal(0.0, 0.1, block.torques.shape))
        for block in made.of_motions([motion])
    ]


def products(blocks, joint, weights=None):
    """[Y | tau]^T W [Y | tau] of the equations that count."""
    total = np.zeros((LAYOUT.size + 1, LAYOUT.size + 1))
    for block in blocks:
        both = np.concatenate([block.rows[:, joint], block.torques[:, joint, None]], axis=1)
        share = block.used[:, joint] * (1.0 if weights is None else weights(block)[:, joint])
        total += both.T @ (share[:, None] * both)
    return total


def falling(block):
    """Weights that differ for each equation."""
    return 1.0 / (1.0 + block.times[:, None] + np.arange(block.torques.shape[1]))


@pytest.mark.parametrize('weights', [None, falling])
def test_a_triangle_has_the_sums_of_products(blocks, weights):
    reduced = reduce(blocks, weights)
    for joint, triangle in enumerate(reduced.triangles):
        expected = products(blocks, joint, weights)
        scale = np.sqrt(np.diag(expected).clip(1e-300))
        error = (triangle.T @ triangle - expected) / np.outer(scale, scale)
        assert np.abs(error).max() < 1e-12
        assert not np.tril(triangle, -1).any()
        assert (np.diag(triangle) >= 0.0).all()


def test_parts_merge_to_the_whole(blocks):
    """In any order, to 1e-9 of the solution and of the residual."""
    whole = reduce(blocks)
    parts = [reduce(blocks[start::3]) for start in range(3)]
    for order in ([0, 1, 2], [2, 0, 1]):
        merged = ReducedEquations.merged([parts[k] for k in order])
        for name in ('counts', 'independent', 'weights', 'left_out'):
            np.testing.assert_allclose(getattr(merged, name), getattr(whole, name), rtol=1e-12)
        for one, two in zip(merged.triangles, whole.triangles, strict=True):
            scale = np.sqrt(np.diag(two.T @ two).clip(1e-300))
            assert np.abs((one.T @ one - two.T @ two) / np.outer(scale, scale)).max() < 1e-12
            solutions = [np.linalg.lstsq(x[:, :-1], x[:, -1], rcond=1e-9)[0] for x in (one, two)]
            np.testing.assert_allclose(*solutions, rtol=1e-9, atol=1e-9 * np.abs(solutions).max())
            left = [
                np.linalg.norm(x @ np.append(solution, -1.0))
                for x, solution in zip((one, two), solutions, strict=True)
            ]
            assert left[0] == pytest.approx(left[1], rel=1e-9)


def test_a_triangle_has_the_residual(blocks):
    reduced = reduce(blocks)
    for joint, triangle in enumerate(reduced.triangles):
        rows = np.concatenate([block.rows[block.used[:, joint], joint] for block in blocks])
        torque = np.concatenate([block.torques[block.used[:, joint], joint] for block in blocks])
        solution = np.linalg.lstsq(triangle[:, :-1], triangle[:, -1], rcond=1e-9)[0]
        left = np.linalg.norm(triangle @ np.append(solution, -1.0))
        assert left == pytest.approx(np.linalg.norm(rows @ solution - torque), rel=1e-9)


def test_counts_are_those_of_the_equations(blocks):
    reduced = reduce(blocks)
    used = sum(block.used.sum(axis=0) for block in blocks)
    total = sum(map(len, blocks))
    np.testing.assert_array_equal(reduced.counts, used)
    np.testing.assert_array_equal(reduced.weights, used)
    np.testing.assert_allclose(reduced.independent, blocks[0].independence * used)
    np.testing.assert_array_equal(reduced.left_out.sum(axis=1), total - used)


def test_reduced_equations_are_plain_data(blocks):
    reduced = reduce(blocks)
    copy = decoded(encoded(reduced))
    assert copy.layout == reduced.layout
    np.testing.assert_array_equal(copy.triangles, reduced.triangles)
    np.testing.assert_array_equal(
        ReducedEquations.merged([copy]).triangles, ReducedEquations.merged([reduced]).triangles
    )


def test_what_does_not_belong_together_is_refused(blocks):
    other = replace(blocks[0], equations=('power',))
    with pytest.raises(ParameterError, match='layouts'):
        reduce([blocks[0], other])
    one = reduce(blocks[:1])
    with pytest.raises(ParameterError, match='layouts'):
        ReducedEquations.merged([one, replace(one, layout=ParameterLayout(ROBOT.model, ()))])
    with pytest.raises(ParameterError, match='no equations'):
        reduce([])
    with pytest.raises(ParameterError, match='no equations'):
        ReducedEquations.merged([])

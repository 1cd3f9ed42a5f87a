"""Equations in memory: what they keep when they are reduced, shifted, smoothed, joined."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import exact_motion
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.identification.base_parameters import (
    base_parameters,
    structure_of,
    whitened,
)
from robot_dynamics_ros.identification.consistent import weighted_rows
from robot_dynamics_ros.identification.equations import Equations, Period
from robot_dynamics_ros.identification.estimate import estimate
from robot_dynamics_ros.identification.motion_equations import MotionEquations
from robot_dynamics_ros.identification.parameters import ParameterLayout

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
OPTIONS = {'cutoff': 10.0, 'effort_levels': np.inf}
MADE = MotionEquations(LAYOUT, ROBOT.native, **OPTIONS)


@pytest.fixture(scope='module')
def motion():
    exact = exact_motion(ROBOT.native, seconds=20.0)
    noise = np.random.default_rng(3).normal(0.0, 0.1, exact.efforts.shape)
    return replace(exact, efforts=exact.efforts + noise)


@pytest.fixture(scope='module')
def equations(motion):
    return Equations.joined(MADE.of_motions([motion], 'one'))


def products(equations, joint, weights=1.0):
    """[Y | tau]^T W [Y | tau] of the equations that count."""
    both = np.column_stack([equations.rows[:, joint], equations.torques[:, joint]])
    share = (equations.used * weights)[:, joint]
    return both.T @ (share[:, None] * both)


def close(triangle, expected):
    scale = np.sqrt(np.diag(expected).clip(1e-300))
    return np.abs((triangle.T @ triangle - expected) / np.outer(scale, scale)).max() < 1e-11


@pytest.mark.parametrize('known', [{}, {f'{LAYOUT.joints[1]} viscous': 1.2}])
@pytest.mark.parametrize('falling', [False, True])
def test_a_triangle_has_the_sums_of_products(equations, falling, known):
    """And so every least-squares problem, its residual included."""
    flags = equations.flags | (np.random.default_rng(1).random(equations.flags.shape) < 0.1)
    chosen = replace(equations.with_known(known), flags=flags)
    weights = 1.0 / (1.0 + chosen.times[:, None] + np.arange(4)) if falling else None
    reduced = chosen.reduced(weights)
    for joint, triangle in enumerate(reduced.triangles):
        assert close(triangle, products(chosen, joint, 1.0 if weights is None else weights))
        assert not np.tril(triangle, -1).any()
        assert (np.diag(triangle) >= 0.0).all()
    used = chosen.used.sum(axis=0)
    np.testing.assert_array_equal(reduced.counts, used)
    np.testing.assert_allclose(reduced.independent, chosen.independence[0] * used)
    np.testing.assert_array_equal(reduced.left_out.sum(axis=1), len(chosen) - used)


def test_fewer_independent_equations_tell_less(equations):
    """Half of them are half the information, in the decision and in the final cost."""
    reduced, structure = equations.reduced(), structure_of(LAYOUT, ROBOT.native)
    half = replace(reduced, independent=0.5 * reduced.independent)
    found = estimate(reduced, base_parameters(reduced, structure))

    def squares(one):
        triangles = whitened(one, structure.columns).triangle, weighted_rows(one, found)
        return [triangle.T @ triangle for triangle in triangles]

    for fewer, all_of_them in zip(squares(half), squares(reduced), strict=True):
        np.testing.assert_allclose(fewer, 0.5 * all_of_them, atol=1e-9 * np.abs(all_of_them).max())


def test_windows_add_up_to_the_whole(equations):
    """As often as each is drawn."""
    window = equations.consecutive(17)
    sums = equations.windows(window)
    times = np.arange(len(sums)) % 3
    whole = equations.reduced(np.repeat(times[window][:, None], 4, axis=1).astype(float))
    for joint, triangle in enumerate(whole.triangles):
        drawn = np.tensordot(times, sums.products(joint, np.eye(len(triangle))), axes=1)
        assert close(triangle, drawn)
    np.testing.assert_array_equal(sums.counts.sum(axis=0), sums.total.counts)


def test_residuals_are_those_of_rows(equations):
    random = np.random.default_rng(1)
    parameters = random.normal(size=LAYOUT.size)
    expected = equations.torques - equations.rows @ parameters
    np.testing.assert_allclose(equations.residuals(parameters), expected, atol=1e-10)
    # A triangle keeps small ones.
    left = 1e-6 * random.normal(size=expected.shape) * equations.used
    exact = replace(equations, efforts=equations.predicted(parameters) + left)
    found = np.linalg.norm(exact.reduced().triangles @ np.append(parameters, -1.0), axis=1)
    np.testing.assert_allclose(found, np.linalg.norm(left, axis=0), rtol=0.01)


@pytest.mark.parametrize('delay', [0.0234, -0.0234, 0.005])
def test_efforts_are_shifted(motion, delay):
    """As if the motion had had them; not across a gap, and those at an end do not count."""
    smooth = replace(motion, efforts=np.sin(7.0 * motion.times[:, None] + np.arange(4)))
    late = replace(smooth, efforts=np.sin(7.0 * (motion.times[:, None] - delay) + np.arange(4)))
    late.efforts[600:700, 0] = np.nan
    smooth.efforts[np.arange(600, 700) - round(delay * motion.rate), 0] = np.nan
    other = replace(late, times=late.times + 100.0, efforts=late.efforts + 9.0)
    expected, found = (
        Equations.joined(MADE.of_motions(ones, 'one'))
        for ones in ([smooth, replace(other, efforts=smooth.efforts + 9.0)], [late, other])
    )
    shifted = found.shifted(delay)
    used = shifted.used
    assert used.sum() > 0.97 * expected.used.sum()
    np.testing.assert_allclose(shifted.torques[used], expected.torques[used], atol=2e-3)
    assert not shifted.used[~expected.used].any()
    twice = found.shifted(delay / 2.0).shifted(delay / 2.0)
    both = used & twice.used
    assert both.sum() > 0.97 * used.sum()
    np.testing.assert_allclose(twice.torques[both], shifted.torques[both], atol=1e-12)


def test_another_smoothing_is_that_of_equations_made_with_it(motion, equations):
    values = (0.05, 0.01, 0.3, 0.02)
    layout = replace(LAYOUT, constants={'smoothing': values})
    made = MotionEquations(layout, ROBOT.native, **OPTIONS)
    expected = Equations.joined(made.of_motions([motion], 'one'))
    np.testing.assert_allclose(
        equations.with_friction(LAYOUT.terms, {'smoothing': values}).rows,
        expected.rows,
        atol=1e-12,
    )


def test_joints_that_are_still_do_not_count(equations):
    held = replace(equations, still=LAYOUT.joints[1:2], slow_count=True)
    assert not held.used[:, 1].any()
    assert held.used[:, 0].sum() >= equations.used[:, 0].sum()


def test_many_equations_are_thinned_not_lost(motion):
    """Memory does not grow with the recording; they stay evenly spaced, and follow each other."""
    parts = list(MADE.of_motions([motion], 'one'))
    whole = Equations.joined(parts)
    fewer = Equations.joined(parts, most_kept=whole.size // 2)
    assert len(whole) / 4 - 2 < len(fewer) < len(whole)
    assert set(fewer.times) <= set(whole.times)
    assert len(fewer.runs) == len(whole.runs) == 1
    assert whole.independence.max() < fewer.independence.min()
    assert (fewer.independence <= 1.0).all()
    with pytest.raises(ParameterError, match='no equations'):
        Equations.joined([])


def test_recordings_are_told_apart(motion, equations):
    both = Equations.joined([equations, *MADE.of_motions([motion], 'two')])
    assert both.recordings == ('one', 'two')
    size = len(equations)
    np.testing.assert_array_equal(both.of('one'), np.arange(len(both)) < size)
    inside = both.inside([Period('two', 5.0, 6.0)])
    assert np.all((both.times[inside] >= 5.0) & (both.times[inside] <= 6.0))
    assert not inside[both.of('one')].any()
    assert both.runs == [slice(0, size), slice(size, len(both))]
    steps = np.diff(both.consecutive(17))
    assert (steps[size - 1], set(steps)) == (1, {0, 1})

"""Consistent estimates: bodies that can exist, exact data, and what stays."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import drawn, exact_motion, identifiable, law, of_points, truth
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification.bodies import (
    UPPER,
    congruence,
    pseudo_inertia,
    reference_bodies,
)
from robot_dynamics_ros.identification.consistent import (
    FOLDS,
    consistent,
    folds,
    repeated_period,
)
from robot_dynamics_ros.identification.identify import identify
from robot_dynamics_ros.identification.motion_equations import MotionEquations
from robot_dynamics_ros.identification.parameters import NOT_NEGATIVE, Load, ParameterLayout

RANDOM = np.random.default_rng(4)
MASSES = RANDOM.uniform(0.1, 1.0, 6)
POINTS = RANDOM.uniform(-0.5, 0.5, (6, 3))


def moments(masses, points):
    """The sum of m [p, 1] [p, 1]^T."""
    homogeneous = np.column_stack([points, np.ones(len(points))])
    return (homogeneous.T * masses) @ homogeneous


def test_a_pseudo_inertia_is_the_sum_over_points_and_a_congruence_moves_them():
    """L P L^T with L an affine map is the body of the moved points."""
    expected = moments(MASSES, POINTS)
    np.testing.assert_allclose(pseudo_inertia(of_points(MASSES, POINTS)), expected, atol=1e-14)
    root = np.eye(4)
    root[:3] = RANDOM.normal(size=(3, 4))
    moved = POINTS @ root[:3, :3].T + root[:3, 3]
    np.testing.assert_allclose(
        congruence(root) @ expected[UPPER], of_points(MASSES, moved), atol=1e-13
    )


def test_a_thin_body_gets_a_thickness_about_its_centre():
    line = POINTS.mean(axis=0) + np.outer(POINTS[:, 0], [0.6, 0.0, 0.8])
    bodies = hand_written('fixed_links').model.inertial_parameters().copy()
    bodies[:10] = of_points(MASSES, line)
    layout = ParameterLayout(hand_written('fixed_links').model.with_inertial_parameters(bodies))
    (rounded, _), _ = reference_bodies(layout, np.zeros((2, 10)), np.ones(layout.size))
    before = moments(MASSES, line)
    np.testing.assert_allclose(rounded[3], before[3])
    (_, _, length), (one, other, same) = (
        np.linalg.eigvalsh(body[:3, :3] - np.outer(body[3, :3], body[3, :3]) / body[3, 3])
        for body in (before, rounded)
    )
    assert same == pytest.approx(length)
    assert 1e-4 < one == pytest.approx(other)


@pytest.fixture(scope='module')
def noisy():
    """Few equations and much noise: least squares gives bodies that cannot exist."""
    return identifiable(hand_written('oblique').model, noise=0.05, count=60)


def fitted(*given, **settings):
    return consistent(*given, **settings).estimate


def exists(body):
    return np.linalg.eigvalsh(pseudo_inertia(body))[0] > 0.0


@pytest.mark.parametrize('name', ['oblique', 'tree', 'mimic', 'gantry'])
def test_exact_data_give_the_truth(name):
    known = identifiable(hand_written(name).model)
    found = fitted(known.reduced, known.estimate)
    expected = known.base.values(known.parameters)
    np.testing.assert_allclose(
        known.base.values(found.parameters), expected, atol=1e-6 * np.abs(expected).max()
    )
    scale = np.sqrt(np.mean(known.held_out.torques**2, axis=0))
    left = known.held_out.rows @ found.parameters - known.held_out.torques
    assert np.all(np.sqrt(np.mean(left**2, axis=0)) < 1e-6 * scale)
    known.layout.model.with_inertial_parameters(
        found.parameters[: 10 * len(known.layout.model.joints)]
    )


def test_the_prior_has_the_second_derivatives_of_its_gradient(noisy):
    fit = consistent(noisy.reduced, noisy.estimate)

    def gradient(change):
        return fit.unknowns.prior(fit.z + change, fit.unknowns.weights)[0]

    _, root = fit.unknowns.prior(fit.z, fit.unknowns.weights)
    step = 1e-6 * np.abs(fit.z).max()
    slopes = [(gradient(one) - gradient(-one)) / (2.0 * step) for one in step * np.eye(len(fit.z))]
    second = root.T @ root
    np.testing.assert_allclose(second, slopes, atol=1e-6 * np.abs(second).max())


def test_friction_that_would_drive_the_joint_is_zero():
    known = identifiable(hand_written('pendulum').model, noise=0.005)
    column = known.layout.column('viscous', known.layout.joints[0])
    # The drive gives 3 N m s/rad more than the law: friction would be 1.5 - 3.
    torques = known.block.torques - 3.0 * known.block.rows[:, :, column]
    left = replace(known.reduced, triangles=_triangles(known.block.rows, torques))
    found = fitted(left, known.estimate).parameters
    assert found[column] == 0.0
    without = list(set(known.base.columns) - {column})
    expected = np.linalg.lstsq(known.block.rows[:, 0, without], torques[:, 0], rcond=None)[0]
    direct = known.block.rows[:, 0, without] @ expected
    residual = np.linalg.norm(direct - torques[:, 0])
    assert np.linalg.norm(known.block.rows[:, 0] @ found - torques[:, 0]) < 1.001 * residual


def _triangles(rows, torques):
    both = np.concatenate([rows[:, 0], torques], axis=1)
    triangle = np.zeros((both.shape[1], both.shape[1]))
    factor = np.linalg.qr(both, mode='r')
    triangle[: len(factor)] = factor
    return triangle[None]


def test_friction_that_is_hardly_told_is_estimated_all_the_same():
    known = identifiable(hand_written('oblique').model, noise=0.005)
    columns = known.layout.columns('viscous')
    left = tuple(column for column in known.estimate.base_columns if column not in columns)
    parameters = known.estimate.parameters.copy()
    parameters[columns] = 0.0
    estimate = replace(known.estimate, base_columns=left, parameters=parameters)
    found = fitted(known.reduced, estimate).parameters
    np.testing.assert_allclose(found[columns], known.parameters[columns], rtol=0.1)


@pytest.mark.parametrize('weight', [1.0, 30.0])
def test_the_prior_of_a_term_is_worth_so_many_equations(weight):
    """With noise so large that both the equations and the prior count."""
    model = hand_written('pendulum').model
    layout = ParameterLayout(model)
    known = dict(zip(layout.names, truth(layout), strict=True))
    column = layout.column('viscous', layout.joints[0])
    del known[layout.names[column]]
    one = identifiable(
        model, noise=0.1, count=40, layout=replace(layout, known=known), changed=False
    )
    fit = consistent(one.reduced, replace(one.estimate, base_columns=(column,)), weight=weight)
    length = np.linalg.norm(one.reduced.triangles[0, :, column])
    information = (fit.unknowns.scales[column] * length / one.estimate.noise[0]) ** 2
    free = np.linalg.lstsq(one.block.rows[:, 0, [column]], one.block.torques[:, 0], rcond=None)[0]
    nominal = layout.nominal()[column]
    expected = nominal + (free[0] - nominal) * information / (information + weight)
    assert 0.1 < information < 1000.0
    assert fit.estimate.parameters[column] == pytest.approx(max(0.0, expected), rel=1e-3)


def test_massless_bodies_that_are_not_told_stay():
    known = identifiable(hand_written('massless_tip').model, noise=0.005)
    columns = known.layout.body_columns(len(known.layout.bodies) - 1)
    left = tuple(c for c in known.estimate.base_columns if not columns.start <= c < columns.stop)
    found = fitted(known.reduced, replace(known.estimate, base_columns=left))
    np.testing.assert_array_equal(found.parameters[columns], known.layout.nominal()[columns])


def test_parameters_that_no_equation_feels_stay_to_the_last_bit():
    known = identifiable(hand_written('tree').model, noise=0.005)
    triangles = known.reduced.triangles.copy()
    triangles[0] = 0.0
    found = fitted(replace(known.reduced, triangles=triangles), known.estimate).parameters
    for term in ('viscous', 'coulomb', 'offset'):
        column = known.layout.column(term, known.layout.joints[0])
        assert found[column] == known.layout.nominal()[column]


def test_the_known_mass_of_a_load_stays_and_its_centre_is_found():
    model = hand_written('oblique').model
    link = next(frame.name for frame in model.frames if frame.body == 3)
    layout = ParameterLayout(model, loads=(Load('brick', link, ''),))
    known = identifiable(model, noise=0.002, layout=layout, changed=False)
    columns = layout.body_columns(4)
    brick = np.array([1.5, 0.3, 0.15, -0.15, 0.2, 0.0, 0.2, 0.01, 0.0, 0.25])
    rows, mass = known.block.rows.copy(), columns.start
    # It is carried for half of the time.
    rows[200:, :, columns] = 0.0
    rows[:, :, mass] = 0.0
    torques = known.block.torques + rows[:, :, columns] @ brick
    triangles = np.concatenate(
        [_triangles(rows[:, j : j + 1], torques[:, j : j + 1]) for j in range(model.size)]
    )
    layout = replace(layout, known={'brick m': 1.5})
    reduced = replace(known.reduced, layout=layout, triangles=triangles)
    found = fitted(reduced, replace(known.estimate, layout=layout)).parameters[columns]
    assert found[0] == 1.5
    assert exists(found)
    np.testing.assert_allclose(found[1:4], brick[1:4], atol=0.05)


def test_what_a_body_carries_can_be_taken_off(noisy):
    """The rest can exist too, though the data say nothing of the difference."""
    carried = 0.9 * noisy.layout.nominal()[: 10 * len(noisy.layout.bodies)]
    found = fitted(noisy.reduced, noisy.estimate, carried=carried).parameters
    for parameters, possible in ((found, True), (noisy.estimate.parameters, False)):
        rest = parameters[: len(carried)] - carried
        assert all(map(exists, rest.reshape(-1, 10))) == possible
    for term in set(NOT_NEGATIVE) & set(noisy.layout.terms):
        assert np.all(found[noisy.layout.columns(term)] >= 0.0)
    # Where the URDF counts for far more than the data, it stays.
    urdf = fitted(noisy.reduced, noisy.estimate, carried=carried, weight=1e15).parameters
    np.testing.assert_allclose(urdf[: len(carried)], carried / 0.9, atol=1e-6)


TRUE = RobotDynamics(hand_written('oblique').model, backend='python')
BODIES = len(TRUE.model.joints)
NOISE = 0.005


@pytest.fixture(scope='module', params=[range(BODIES), (BODIES - 1,)], ids=str)
def bare(request):
    """Bodies that lack inertials, what is identified, and equations that were not fitted.

    The data take the place of the prior.
    """
    parameters = TRUE.model.inertial_parameters().reshape(BODIES, 10).copy()
    parameters[list(request.param)] = 0.0
    layout = ParameterLayout(TRUE.model.with_inertial_parameters(parameters.ravel()))
    dynamics = RobotDynamics(layout.model, backend='python')
    made = MotionEquations(layout, dynamics, effort_levels=np.inf)

    def equations(seed, noise):
        states = drawn(TRUE, 400, seed)
        efforts = law(TRUE, states.positions, states.velocities, states.accelerations)
        errors = np.random.default_rng(seed).normal(size=efforts.shape)
        efforts = efforts + noise * np.abs(efforts).max(axis=0) * errors
        return made.of_samples(replace(states, efforts=efforts))

    return request.param, identify(equations(0, NOISE)), equations(7, 0.0)


def test_torques_of_another_motion_are_those_of_the_robot(bare):
    """To less than the noise of the fitted efforts; no interval excludes the truth by far."""
    _, found, held_out = bare
    assert (found.final.method, found.failure) == ('consistent', '')
    assert found.base.rank == found.base.structure.rank
    left = held_out.torques - held_out.rows @ found.final.parameters
    largest = np.abs(held_out.torques).max(axis=0)
    assert np.all(np.sqrt(np.mean(left**2, axis=0)) < 0.75 * NOISE * largest)
    true = truth(found.base.layout)
    true[: 10 * BODIES] = TRUE.model.inertial_parameters()
    draws = found.unconstrained.draws @ found.base.combination.T
    errors = found.base.values(found.unconstrained.parameters) - found.base.values(true)
    # Of some fifty parameters, one is beyond 4 deviations in 300 robots.
    assert np.abs(errors / draws.std(axis=0)).max() < 4.0


def test_bodies_that_are_written_can_exist_and_what_no_drive_feels_is_not_invented(bare):
    """A positive definite pseudo-inertia; or none, where a body lacks it and data tell nothing."""
    lacking, found, _ = bare
    bodies = found.final.parameters[: 10 * BODIES]
    TRUE.model.with_inertial_parameters(bodies)
    told = {column // 10 for column in found.base.columns}
    for number, body in enumerate(bodies.reshape(BODIES, 10)):
        assert exists(body) != (number in lacking and number not in told and not body.any())


# The weight of the prior.
GANTRY = hand_written('gantry').model
# Equations in a second.
RATE = 10.0


def moving(seed, robot=GANTRY):
    """Exact equations of a motion of a robot, and the parameters of the URDF."""
    layout = ParameterLayout(GANTRY)
    made = MotionEquations(layout, RobotDynamics(GANTRY, backend='python'), effort_levels=np.inf)
    true = RobotDynamics(robot, backend='python')
    motion = exact_motion(true, seconds=40.0, rate=RATE, highest=0.4, seed=seed)
    return made.of_samples(motion), truth(layout)


def with_errors(equations, repeated, size=0.05):
    """The equations with errors, in the largest torque; each has a share of the one before."""
    random = np.random.default_rng(3)
    errors = np.zeros_like(equations.efforts)
    for row in range(len(errors)):
        new = random.normal(size=errors.shape[1])
        errors[row] = repeated * errors[row - 1] + np.sqrt(1.0 - repeated**2) * new
    largest = np.abs(equations.efforts).max(axis=0)
    return replace(equations, efforts=equations.efforts + size * largest * errors)


@pytest.fixture(scope='module')
def lasting():
    """Efforts with errors that last."""
    fitted = with_errors(moving(0)[0], 0.95)
    return fitted, identify(fitted)


def test_a_good_urdf_counts_more_where_errors_last(lasting):
    """More than one equation; the torques of the bodies in another motion are nearer the truth."""
    fitted, found = lasting
    assert found.final.prior_weight > 1.0
    usual = consistent(fitted.reduced(), found.unconstrained).estimate
    other, parameters = moving(7)
    bodies = slice(0, 10 * len(GANTRY.joints))
    rows = other.rows[:, :, bodies]
    errors = [
        np.linalg.norm(rows @ (one.parameters - parameters)[bodies])
        for one in (found.final, usual)
    ]
    assert errors[0] < 0.9 * errors[1], errors


@pytest.mark.parametrize(('noise', 'weights'), [(0.05, (1.0, 3.0)), (0.3, (10.0, 30.0, 100.0))])
def test_a_wrong_urdf_counts_little_where_it_certainly_hinders(noise, weights):
    other = GANTRY.with_inertial_parameters(3.0 * GANTRY.inertial_parameters())
    assert identify(with_errors(moving(0, other)[0], 0.0, noise)).final.prior_weight in weights


SECONDS = np.arange(900) / 20.0


@pytest.mark.parametrize('period', [4.0, 10.0])
def test_a_motion_that_repeats_is_found(period):
    phase = 2.0 * np.pi * SECONDS[:, None] / period
    velocities = np.sin(phase * [1.0, 2.0]) + 0.5 * np.cos(phase * [3.0, 1.0])
    noise = np.random.default_rng(0).normal(size=velocities.shape)
    assert 0.05 * repeated_period(velocities + 0.05 * noise) == pytest.approx(period, abs=0.1)
    chirp = np.sin(2.0 * np.pi * np.outer(SECONDS, [0.31, 0.173]) + SECONDS[:, None] ** 2 / 40.0)
    assert repeated_period(chirp) == 0


def test_all_repetitions_of_a_motion_are_in_one_fold(lasting):
    """So that no fold is predicted from its twin."""
    fitted, _ = lasting
    times = 60.0 + np.arange(len(fitted)) / RATE
    velocities = np.sin(2.0 * np.pi * times[:, None] / 10.0 * np.array([1.0, 2.0, 3.0]))
    parts = folds(replace(fitted, times=times, velocities=velocities))
    labels = np.sum([k * inside for k, (inside, _) in enumerate(parts)], axis=0)
    assert set(labels) == set(range(FOLDS))
    period = round(10.0 * RATE)
    assert np.mean(labels[period:] == labels[:-period]) > 0.98
    # Blocks: neighbours are in one fold.
    assert np.mean(np.diff(labels) == 0) > 0.9

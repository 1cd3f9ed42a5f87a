"""Consistent estimates: laws of bodies, exact data, and what stays."""

from dataclasses import replace

import numpy as np
import pytest
from identified_equations import identifiable
from mechanics.robots import hand_written

from robot_dynamics_ros.core import InertiaError, ParameterError
from robot_dynamics_ros.core.errors import IdentificationError
from robot_dynamics_ros.identification.consistency import consistent, consistent_estimate
from robot_dynamics_ros.identification.consistency.pseudo_matrices import pseudo_inertia
from robot_dynamics_ros.identification.consistency.reference_bodies import fixed_parameters
from robot_dynamics_ros.identification.consistency.unknowns import NOT_NEGATIVE, unknowns_of
from robot_dynamics_ros.identification.consistency.weighted_rows import weighted_rows
from robot_dynamics_ros.identification.parameters import Load, ParameterLayout

pytest.importorskip('cvxpy')


@pytest.fixture(scope='module')
def noisy():
    """Few equations and much noise: least squares gives bodies that cannot exist."""
    return identifiable(hand_written('oblique').model, noise=0.05, count=60)


def bodies(known, parameters):
    return [
        parameters[known.layout.body_columns(body)] for body in range(len(known.layout.bodies))
    ]


def rms(block, parameters):
    residuals = block.rows @ parameters - block.torques
    return np.sqrt(np.mean(residuals**2, axis=0))


@pytest.mark.parametrize('prior', ['log_det', 'euclidean'])
@pytest.mark.parametrize('name', ['oblique', 'tree', 'mimic', 'gantry'])
def test_exact_data_give_the_truth(name, prior):
    known = identifiable(hand_written(name).model)
    found = consistent(known.reduced, known.estimate, prior)
    expected = known.base.values(known.parameters)
    np.testing.assert_allclose(
        known.base.values(found.parameters), expected, atol=1e-6 * np.abs(expected).max()
    )
    scale = np.sqrt(np.mean(known.held_out.torques**2, axis=0))
    assert np.all(rms(known.held_out, found.parameters) < 1e-6 * scale)
    known.layout.model.with_inertial_parameters(
        found.parameters[: 10 * len(known.layout.model.joints)]
    )


@pytest.mark.parametrize('prior', ['log_det', 'euclidean'])
def test_bodies_can_exist_where_those_of_least_squares_cannot(noisy, prior):
    found = consistent(noisy.reduced, noisy.estimate, prior)
    model = noisy.layout.model
    with pytest.raises(InertiaError):
        model.with_inertial_parameters(noisy.estimate.parameters[: 10 * len(model.joints)])
    model.with_inertial_parameters(found.parameters[: 10 * len(model.joints)])
    for body in bodies(noisy, found.parameters):
        assert np.linalg.eigvalsh(pseudo_inertia(body))[0] > 0.0
    for term in set(NOT_NEGATIVE) & set(noisy.layout.terms):
        assert np.all(found.parameters[noisy.layout.columns(term)] >= 0.0)
    assert found.method == 'consistent'
    assert found.base_columns == noisy.estimate.base_columns


@pytest.mark.parametrize('name', ['oblique', 'tree', 'mimic'])
def test_costs_at_most_three_percent_on_the_held_out_part(name):
    known = identifiable(hand_written(name).model, noise=0.005, count=1000)
    found = consistent(known.reduced, known.estimate)
    plain = rms(known.held_out, known.estimate.parameters)
    assert np.all(rms(known.held_out, found.parameters) < 1.03 * plain)


def test_friction_that_would_drive_the_joint_is_zero():
    known = identifiable(hand_written('pendulum').model, noise=0.005)
    column = known.layout.column('viscous', known.layout.joints[0])
    # The drive gives 3 N m s/rad more than the law: friction would be 1.5 - 3.
    torques = known.block.torques - 3.0 * known.block.rows[:, :, column]
    left = replace(known.reduced, triangles=_triangles(known.block.rows, torques))
    found = consistent(left, known.estimate).parameters
    assert found[column] == 0.0
    without = list(set(known.base.columns) - {column})
    expected = np.linalg.lstsq(known.block.rows[:, 0, without], torques[:, 0], rcond=None)[0]
    fitted = known.block.rows[:, 0, without] @ expected
    residual = np.linalg.norm(fitted - torques[:, 0])
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
    found = consistent(known.reduced, estimate).parameters
    np.testing.assert_allclose(found[columns], known.parameters[columns], rtol=0.1)


@pytest.mark.parametrize('name', ['massless_link', 'massless_tip'])
@pytest.mark.parametrize('noise', [0.0, 0.005])
def test_massless_bodies_do_not_hinder(name, noise):
    known = identifiable(hand_written(name).model, noise)
    found = consistent(known.reduced, known.estimate)
    known.layout.model.with_inertial_parameters(
        found.parameters[: 10 * len(known.layout.model.joints)]
    )
    plain = rms(known.held_out, known.estimate.parameters)
    floor = 1e-6 * np.sqrt(np.mean(known.held_out.torques**2, axis=0))
    assert np.all(rms(known.held_out, found.parameters) < 1.03 * plain + floor)


def test_massless_bodies_that_are_not_told_stay():
    known = identifiable(hand_written('massless_tip').model, noise=0.005)
    tip = len(known.layout.bodies) - 1
    columns = known.layout.body_columns(tip)
    left = tuple(c for c in known.estimate.base_columns if not columns.start <= c < columns.stop)
    found = consistent(known.reduced, replace(known.estimate, base_columns=left))
    np.testing.assert_array_equal(found.parameters[columns], known.layout.nominal()[columns])


def test_parameters_that_no_equation_feels_stay_to_the_last_bit():
    model = hand_written('tree').model
    known = identifiable(model, noise=0.005)
    triangles = known.reduced.triangles.copy()
    triangles[0] = 0.0
    found = consistent(replace(known.reduced, triangles=triangles), known.estimate).parameters
    for term in ('viscous', 'coulomb', 'offset'):
        column = known.layout.column(term, known.layout.joints[0])
        assert found[column] == known.layout.nominal()[column]


def test_the_known_mass_of_a_load_stays_and_its_centre_is_found():
    model = hand_written('oblique').model
    link = next(frame.name for frame in model.frames if frame.body == 3)
    layout = ParameterLayout(model, loads=(Load('brick', link, (('', 0.0, 200.5),)),))
    known = identifiable(model, noise=0.002, layout=layout, changed=False)
    columns = layout.body_columns(4)
    brick = np.array([1.5, 0.3, 0.15, -0.15, 0.2, 0.0, 0.2, 0.01, 0.0, 0.25])
    rows, mass = known.block.rows.copy(), columns.start
    rows[:, :, mass] = 0.0
    torques = known.block.torques + rows[:, :, columns] @ brick
    triangles = np.concatenate(
        [_triangles(rows[:, j : j + 1], torques[:, j : j + 1]) for j in range(model.size)]
    )
    layout = replace(layout, known={'brick m': 1.5})
    reduced = replace(known.reduced, layout=layout, triangles=triangles)
    found = consistent(reduced, replace(known.estimate, layout=layout)).parameters[columns]
    assert found[0] == 1.5
    assert np.linalg.eigvalsh(pseudo_inertia(found))[0] > 0.0
    np.testing.assert_allclose(found[1:4], brick[1:4], atol=0.05)


def test_exact_data_of_no_real_robot_give_a_real_one():
    """A link that gains mass where the drives feel less: the nearest is still found."""
    known = identifiable(hand_written('pendulum').model)
    column = known.layout.column('coulomb', known.layout.joints[0])
    torques = known.block.torques - 9.0 * known.block.rows[:, :, column]
    reduced = replace(known.reduced, triangles=_triangles(known.block.rows, torques))
    found = consistent(reduced, known.estimate).parameters
    known.layout.model.with_inertial_parameters(found[:10])
    assert found[column] == 0.0


def test_a_problem_that_no_solver_solves_is_not_solved_again(noisy, monkeypatch):
    """Its noise is above all levels but those that make it another problem."""
    tried = []

    def fails(unknowns, rows, prior):
        tried.append(rows)
        raise IdentificationError('no solver')

    monkeypatch.setattr(consistent_estimate, 'solved', fails)
    with pytest.raises(IdentificationError, match='no solver'):
        consistent(noisy.reduced, noisy.estimate)
    assert len(tried) == 1
    exact = replace(noisy.estimate, noise=1e-12 * noisy.estimate.noise)
    with pytest.raises(IdentificationError, match='no solver'):
        consistent(noisy.reduced, exact)
    assert len(tried) == 1 + len(consistent_estimate.LEAST_NOISE)


def test_what_a_body_carries_can_be_taken_off(noisy):
    """The rest can exist too, though the data say nothing of the difference."""
    carried = 0.9 * noisy.layout.nominal()[: 10 * len(noisy.layout.bodies)]
    found = consistent(noisy.reduced, noisy.estimate, carried=carried).parameters
    rest = found[: len(carried)] - carried
    for body in rest.reshape(-1, 10):
        assert np.linalg.eigvalsh(pseudo_inertia(body))[0] > 0.0


def test_a_rotor_may_take_a_part_of_the_torque(noisy):
    """Gears of small bodies have rotors that are not small: half of the torque at 1 rad/s^2."""
    torques = np.full(4, 50.0)
    rows = weighted_rows(noisy.reduced, noisy.estimate, 0.0)[:, :-1]
    fixed = fixed_parameters(noisy.layout)
    scales = unknowns_of(rows, noisy.estimate, torques, fixed).scales
    assert (scales[noisy.layout.columns('armature')] >= 0.5 * torques).all()


def test_refuses_what_does_not_exist(noisy):
    with pytest.raises(ParameterError, match='prior is'):
        consistent(noisy.reduced, noisy.estimate, 'flat')
    with pytest.raises(ParameterError, match='the shape'):
        consistent(noisy.reduced, noisy.estimate, carried=np.zeros(3))

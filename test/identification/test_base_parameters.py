"""Base parameters: what a robot's structure allows, what data determine, what gains need."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import exact_motion, identifiable, truth
from mechanics.examples import example
from mechanics.planar_arms import planar
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import regrouped
from robot_dynamics_ros.identification.base_parameters import (
    base_parameters,
    silent_joints,
    structure_of,
    whitened,
)
from robot_dynamics_ros.identification.consistent import weighted_rows
from robot_dynamics_ros.identification.equations import Equations
from robot_dynamics_ros.identification.estimate import estimate
from robot_dynamics_ros.identification.findings import excitation_findings
from robot_dynamics_ros.identification.intervals import _windows, bootstrap_windows
from robot_dynamics_ros.identification.motion_equations import MotionEquations
from robot_dynamics_ros.identification.parameters import Load, ParameterLayout, parameter_scales


@pytest.fixture(scope='module', params=HAND_WRITTEN, ids=str)
def robot(request):
    return request.param


@pytest.fixture(scope='module')
def structure(robot):
    return structure_of(ParameterLayout(robot.model, ()), robot.python)


def test_dependent_columns_are_combinations_at_every_state(robot, structure):
    q, v, a = np.random.default_rng(7).uniform(-2.0, 2.0, (3, 20, robot.model.size))
    rows = robot.python.regressor(q, v, a)
    rebuilt = rows[..., list(structure.columns)] @ structure.combination
    np.testing.assert_allclose(rebuilt, rows, atol=1e-9 * np.abs(rows).max())


def test_regrouped_bodies_have_the_same_base_parameters(robot, structure):
    """The rules of Gautier and Khalil move inertia between bodies; no base parameter changes."""
    before = structure.combination @ robot.model.inertial_parameters()
    after = (
        structure.combination
        @ replace(robot.model, joints=regrouped(robot.model.joints)).inertial_parameters()
    )
    np.testing.assert_allclose(after, before, atol=1e-9 * np.abs(before).max())


@pytest.mark.parametrize(
    ('name', 'joints', 'rank'),
    [
        # The first joint tells 3 of its 7 where it is not along gravity; on oblique axes all
        # others tell all of theirs.
        ('pendulum', None, 3),
        ('fixed_links', None, 3 + 7),
        # Three masses on perpendicular slides: each drive feels the sum of what it carries.
        ('gantry', None, 3),
        # Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca, "Dynamic identification of the Franka
        # Emika Panda robot with retrieval of feasible parameters" (2019): 43 coefficients.
        ('panda_description/urdf/panda.urdf', 7, 43),
        # 7 n - 6 for a vertical first joint and a second one across it.
        ('ur_description/urdf/ur10_robot.urdf', 6, 36),
    ],
)
def test_ranks_that_can_be_counted_or_are_published(name, joints, rank):
    model = (example(name) if joints else hand_written(name)).model
    model = model.reduced(model.joint_names[:joints], others=0.0)
    assert structure_of(ParameterLayout(model, ())).rank == rank


def test_a_double_pendulum_has_the_base_parameters_of_textbooks():
    """Khalil, Dombre, "Modeling, identification and control of robots" (2002), section 9.4."""
    ones = np.ones(2)
    text = planar(0.5 * ones, 0.2 * ones, ones, ones, '1.5707963267948966 0 0')
    layout = ParameterLayout(parse_urdf(text), ('armature', 'viscous'))
    structure = structure_of(layout)
    names = [layout.names[column] for column in structure.columns]
    alone = (
        'link1 my', 'link2 mx', 'link2 my', 'link2 Izz', 'joint2 armature', 'joint1 viscous',
        'joint2 viscous',
    )  # fmt: skip
    expected = {name: {name: 1.0} for name in alone} | {
        'link1 mx': {'link1 mx': 1.0, 'link2 m': 0.5},
        'link1 Izz': {'link1 Izz': 1.0, 'link2 m': 0.25, 'joint1 armature': 1.0},
    }
    assert names == [name for name in layout.names if name in expected]
    for name, row in zip(names, structure.combination, strict=True):
        found = {layout.names[k]: round(row[k], 9) for k in np.flatnonzero(row)}
        assert found == expected[name]


def test_a_load_is_told_where_it_is_not_carried_always():
    """Else it is a part of the body that carries it."""
    robot = hand_written('oblique')
    link = next(frame.name for frame in robot.model.frames if frame.body == 3)
    bare = structure_of(ParameterLayout(robot.model, ()), robot.python).rank
    for recording, added in (('one', 10), ('', 0)):
        layout = ParameterLayout(robot.model, (), (Load('brick', link, recording),))
        assert structure_of(layout, robot.python).rank == bare + added


OBLIQUE = hand_written('oblique')
LAYOUT = ParameterLayout(OBLIQUE.model)
JOINTS = OBLIQUE.model.joint_names
LINK = next(frame.name for frame in OBLIQUE.model.frames if frame.body == 3)
TERMS = (*LAYOUT.terms, 'gain')
GAINS = np.array([0.8, 1.7, 0.4, 2.5])


@pytest.fixture(scope='module')
def whole():
    return structure_of(LAYOUT, OBLIQUE.native)


@pytest.fixture(scope='module')
def motion():
    return exact_motion(OBLIQUE.native, seconds=20.0)


def blocks_of(motion, layout=LAYOUT, recording='', **options):
    options = {'cutoff': 8.0, 'effort_levels': np.inf, **options}
    made = MotionEquations(layout, OBLIQUE.native, **options)
    return Equations.joined(made.of_motions([motion], recording))


def resting(motion, *joints):
    """The motion with some joints at rest; the efforts are not used."""
    columns = [JOINTS.index(joint) for joint in joints]
    q, v, a = (np.copy(x) for x in (motion.positions, motion.velocities, motion.accelerations))
    q[:, columns], v[:, columns], a[:, columns] = 0.3, 0.0, 0.0
    efforts = OBLIQUE.native.inverse_dynamics(q, v, a)
    return replace(motion, positions=q, velocities=v, accelerations=a, efforts=efforts)


def noisy(motion, size):
    noise = np.random.default_rng(1).normal(0.0, size, motion.efforts.shape)
    return replace(motion, efforts=motion.efforts + noise)


def told(equations, structure):
    """Base parameters, and findings by code."""
    reduced = equations.reduced()
    base = base_parameters(reduced, structure)
    return base, {one.code: one for one in excitation_findings(reduced, base)}


def test_exact_data_tell_what_the_structure_allows(motion, whole):
    """And keep all equations: Y pi = Y[:, columns] beta, for any parameters."""
    equations = blocks_of(motion)
    base, found = told(equations, whole)
    assert base.rank == base.structure.rank == whole.rank
    assert not base.undetermined_columns
    assert 'no drive feels' in base.undetermined[LAYOUT.bodies[0]]
    assert ('excitation' in found) == (base.condition > 100.0)
    assert set(found) <= {'excitation'}
    solution = estimate(equations.reduced(), base).parameters
    expected = base.values(truth(LAYOUT))
    np.testing.assert_allclose(base.values(solution), expected, atol=1e-7 * np.abs(expected).max())
    parameters = np.random.default_rng(2).normal(size=LAYOUT.size)
    expected = equations.rows @ parameters
    found = equations.rows[..., list(base.columns)] @ base.values(parameters)
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_few_equations_show_the_noise_and_which_joints_have_none():
    known = identifiable(OBLIQUE.model, noise=0.05, count=40)
    noise = 0.05 * np.abs(known.block.efforts).max(axis=0)
    for found in (whitened(known.reduced, known.base.structure.columns), known.estimate):
        assert (found.noise / noise).mean() == pytest.approx(1.0, abs=0.15)
    counts, left_out = np.array([0.0, 50.0, 50.0, 50.0]), np.zeros((4, 3))
    left_out[0, 1], left_out[1:, 0] = 40.0, 50.0
    reduced = replace(known.reduced, counts=counts, left_out=left_out)
    assert silent_joints(reduced, slow=True) == ()
    assert silent_joints(reduced, slow=False) == (JOINTS[0],)


def test_what_is_told_is_known_to_a_third_of_its_plausible_value(motion):
    """Of a single unknown, the deviation of least squares decides."""
    column = LAYOUT.column('viscous', JOINTS[1])
    others = dict(zip(LAYOUT.names, truth(LAYOUT), strict=True))
    del others[LAYOUT.names[column]]
    layout = replace(LAYOUT, known=others)
    structure = structure_of(layout, OBLIQUE.native)

    def ratio(size):
        reduced = blocks_of(noisy(motion, size), layout).reduced()
        base = base_parameters(reduced, structure)
        length = np.linalg.norm(reduced.triangles[1, :, column])
        noise = abs(reduced.triangles[1, -1, -1]) / np.sqrt(reduced.counts[1])
        scale = parameter_scales(layout, reduced.usual_torques)[column]
        return scale * length * np.sqrt(reduced.independence[1]) / noise, base

    usual = 100.0 * ratio(100.0)[0]
    for share in (0.8, 1.2):
        expected, base = ratio(share * usual / 3.0)
        assert (base.rank == 1) == (expected > 3.0) == (share < 1.0), expected


def test_a_joint_at_rest_is_said_and_its_parameters_stay(motion, whole):
    still = JOINTS[2]
    equations = blocks_of(noisy(resting(motion, still), 0.1))
    base, found = told(equations, whole)
    columns = list(base.undetermined_columns)
    parameters = estimate(equations.reduced(), base).parameters
    np.testing.assert_array_equal(parameters[columns], LAYOUT.nominal()[columns])
    undetermined = {LAYOUT.names[column] for column in columns}
    assert {f'{still} {term}' for term in ('viscous', 'coulomb', 'offset')} <= undetermined
    assert still in found['excitation'].joints
    assert found['excitation'].value == len(base.undetermined_columns)
    assert {body for body, why in base.undetermined.items() if 'in these data' in why} & set(
        LAYOUT.bodies[2:]
    )


def test_one_moving_joint_tells_its_own_alone_and_rest_tells_nothing(motion, whole):
    """Friction, one inertia, and gravity by sine and cosine, with the offset as a part."""
    base, _ = told(blocks_of(noisy(resting(motion, *JOINTS[1:]), 0.01)), whole)
    assert base.rank == 6
    base, _ = told(blocks_of(noisy(resting(motion, *JOINTS), 0.1)), whole)
    assert (base.rank, len(base.undetermined)) == (0, len(LAYOUT.bodies))


def test_the_condition_is_that_of_columns_of_unit_length(motion, whole):
    reduced = blocks_of(noisy(motion, 0.1)).reduced()
    base = base_parameters(reduced, whole)
    stronger = replace(reduced, triangles=7.0 * reduced.triangles)
    assert base_parameters(stronger, whole).condition == pytest.approx(base.condition, rel=1e-6)
    rows = np.concatenate(
        [
            factor[:, list(base.columns)] / noise
            for factor, noise in zip(reduced.triangles, estimate(reduced, base).noise, strict=True)
        ]
    )
    values = np.linalg.svd(rows / np.linalg.norm(rows, axis=0), compute_uv=False)
    assert base.condition == pytest.approx(values[0] / values[-1], rel=0.1)


def test_what_a_joint_without_an_effort_would_tell_is_not_blamed_on_the_motion(motion, whole):
    last = JOINTS[-1]
    equations = blocks_of(noisy(motion, 0.01), unmeasured=(last,))
    base, found = told(equations, whole)
    assert not equations.used[:, -1].any()
    assert {f'{last} viscous', f'{last} coulomb'} <= {
        LAYOUT.names[k] for k in base.undetermined_columns
    }
    # Links before it lack what only its torque would tell, not motion.
    assert all(last not in one.joints for one in found.values())


def truth_with_load(layout):
    values = truth(layout)
    if layout.loads:
        values[layout.body_columns(4)] = [1.5, 0.3, 0.2, -0.1, 0.2, 0.0, 0.15, 0.01, 0.0, 0.18]
    values[layout.columns('gain')] = GAINS
    return values


def currents(motion, layout, recording='', noise=0.0, seed=0):
    """Equations of noisy currents, with the load of the layout if the recording is 'one'."""
    unfiltered = MotionEquations(replace(layout, known={}), OBLIQUE.native)
    exact = replace(motion, efforts=np.zeros_like(motion.efforts))
    efforts = unfiltered.of_samples(exact, recording).rows @ truth_with_load(layout) / GAINS
    errors = np.random.default_rng(seed).normal(size=efforts.shape)
    efforts = efforts + noise * np.ptp(efforts, axis=0) * errors
    return blocks_of(replace(motion, efforts=efforts), layout, recording)


GRIPPED = (Load('brick', LINK, 'one'),)
KNOWN = {f'{JOINTS[0]} gain': GAINS[0]}


@pytest.mark.parametrize(
    ('loads', 'known', 'is_told'),
    [((), {}, False), ((), KNOWN, True), (GRIPPED, {}, False), (GRIPPED, {'brick m': 1.5}, True)],
    ids=['nothing', 'a gain', 'a load', 'a known load'],
)
def test_gains_need_a_scale(motion, loads, known, is_told):
    """Exact currents give exact gains, and all that is determined with them."""
    layout = ParameterLayout(OBLIQUE.model, TERMS, loads, known)
    structure = structure_of(layout, OBLIQUE.native)
    gains = [c for c in layout.columns('gain').tolist() if not layout.is_known[c]]
    assert (set(gains) <= set(structure.columns)) == is_told
    both = Equations.joined(currents(motion, layout, name, 1e-6) for name in ('one', 'two'))
    base, found = told(both, structure)
    assert ('unknown_gain' not in found) == is_told
    if is_told:
        values = estimate(both.reduced(), base).parameters
        np.testing.assert_allclose(values[gains], truth_with_load(layout)[gains], rtol=1e-4)


CURRENTS = ParameterLayout(OBLIQUE.model, TERMS, known=KNOWN)
FREE = CURRENTS.columns('gain')[1:]


@pytest.fixture(scope='module')
def of_currents():
    return structure_of(CURRENTS, OBLIQUE.native)


def test_intervals_of_gains_hold_the_truth(motion, of_currents):
    """Least squares with a noisy column are 1.5 to 60 % low, many deviations off.

    The costs of the consistent estimate, without constraints, and of all windows have their
    minimum there too.
    """
    errors = []
    for seed in range(5):
        equations = currents(motion, CURRENTS, '', 0.004, seed)
        reduced = equations.reduced()
        found = estimate(reduced, base_parameters(reduced, of_currents))
        places = [found.base_columns.index(column) for column in FREE]
        deviations = np.sqrt(np.diag(found.base_covariance))[places]
        errors.append((found.parameters[FREE] - GAINS[1:]) / deviations)
    assert np.sqrt(np.mean(np.square(errors))) < 1.6
    assert np.abs(np.mean(errors, axis=0)).max() < 1.2
    windows = bootstrap_windows(equations, np.ones(equations.used.shape))
    places = np.eye(CURRENTS.size)[:, list(found.base_columns)]
    hessians, scores = _windows(windows, found, places, found.noise)
    assert np.abs(scores.sum(axis=0) / np.sqrt(np.diag(hessians.sum(axis=0)))).max() < 1e-3
    rows = weighted_rows(reduced, found)
    gradient = rows[:, :-1].T @ (rows[:, :-1] @ found.parameters - rows[:, -1])
    scale = np.linalg.norm(rows[:, :-1], axis=0) * np.linalg.norm(rows[:, -1] + 1.0)
    assert np.abs(gradient).max() < 1e-6 * max(1.0, scale.max())


def test_a_gain_that_nothing_tells_makes_all_others_unknown(motion, of_currents):
    """A wrong torque of one joint is a wrong torque of what the others carry."""
    _, found = told(currents(motion, CURRENTS, '', 0.3), of_currents)
    assert found['unknown_gain'].joints == JOINTS[1:]

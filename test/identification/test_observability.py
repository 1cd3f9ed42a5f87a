"""What data determine: exact values, the rank, and what noise and resting joints leave."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from exact_motion import exact_motion, truth
from mechanics.robots import hand_written

from robot_dynamics_ros.identification.equations import Equations
from robot_dynamics_ros.identification.excitation_findings import excitation_findings
from robot_dynamics_ros.identification.motion_equations import EquationOptions, MotionEquations
from robot_dynamics_ros.identification.observability import base_parameters
from robot_dynamics_ros.identification.parameters import Load, ParameterLayout
from robot_dynamics_ros.identification.structure import structure_of

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
JOINTS = ROBOT.model.joint_names


@pytest.fixture(scope='module')
def structure():
    return structure_of(LAYOUT, ROBOT.native)


@pytest.fixture(scope='module')
def motion():
    return exact_motion(ROBOT.native, seconds=20.0)


def blocks_of(motion, layout=LAYOUT, recording='', **options):
    options = EquationOptions(cutoff=8.0, effort_levels=np.inf, **options)
    made = MotionEquations(layout, options, ROBOT.native)
    return Equations.joined(made.of_motions([motion], recording))


def solution(reduced, base):
    """Base parameters by least squares."""
    rows = np.concatenate(list(reduced.triangles))
    return np.linalg.lstsq(rows[:, list(base.columns)], rows[:, -1], rcond=None)[0]


def resting(motion, *joints):
    """The motion with some joints at rest; the efforts are not used."""
    columns = [JOINTS.index(joint) for joint in joints]
    q, v, a = (np.copy(x) for x in (motion.positions, motion.velocities, motion.accelerations))
    q[:, columns], v[:, columns], a[:, columns] = 0.3, 0.0, 0.0
    efforts = ROBOT.native.inverse_dynamics(q, v, a)
    return replace(motion, positions=q, velocities=v, accelerations=a, efforts=efforts)


def noisy(motion, size):
    noise = np.random.default_rng(1).normal(0.0, size, motion.efforts.shape)
    return replace(motion, efforts=motion.efforts + noise)


def test_exact_data_tell_what_the_structure_allows(motion, structure):
    reduced = blocks_of(motion).reduced()
    base = base_parameters(reduced, structure)
    assert base.rank == base.structural_rank == structure.rank
    assert not base.undetermined_columns
    expected = base.values(truth(LAYOUT))
    np.testing.assert_allclose(
        solution(reduced, base), expected, atol=1e-7 * np.abs(expected).max()
    )


def test_base_parameters_keep_all_equations(motion, structure):
    """Y pi = Y[:, columns] beta, for any parameters."""
    blocks = blocks_of(motion)
    base = base_parameters(blocks.reduced(), structure)
    parameters = np.random.default_rng(2).normal(size=LAYOUT.size)
    expected = blocks.rows @ parameters
    found = blocks.rows[..., list(base.columns)] @ base.values(parameters)
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_more_noise_tells_less(motion, structure):
    ranks = []
    for size in (0.0, 1.0, 1000.0):
        reduced = blocks_of(noisy(motion, size)).reduced()
        base = base_parameters(reduced, structure)
        assert base.rank + len(base.undetermined_columns) == structure.rank
        ranks.append(base.rank)
    assert ranks[0] >= ranks[1] > ranks[2]


def test_a_joint_at_rest_is_said_and_its_parameters_stay(motion, structure):
    still = JOINTS[2]
    reduced = blocks_of(noisy(resting(motion, still), 0.1)).reduced()
    base = base_parameters(reduced, structure)
    undetermined = {LAYOUT.names[column] for column in base.undetermined_columns}
    assert {f'{still} viscous', f'{still} coulomb', f'{still} offset'} <= undetermined
    found = {finding.code: finding for finding in excitation_findings(reduced, base)}
    assert still in found['excitation'].joints
    assert found['excitation'].value == len(base.undetermined_columns)
    carried = {body for body, why in base.undetermined.items() if 'in these data' in why}
    assert carried & set(LAYOUT.bodies[2:])


def test_one_moving_joint_tells_its_own_alone(motion, structure):
    """A joint that alone moves tells friction, one inertia, and gravity by sine and cosine."""
    reduced = blocks_of(noisy(resting(motion, *JOINTS[1:]), 0.01)).reduced()
    base = base_parameters(reduced, structure)
    # Inertia, sine, cosine, viscous, coulomb; the offset is the constant of gravity's torque.
    assert base.rank == 6


def test_no_motion_determines_nothing(motion, structure):
    reduced = blocks_of(noisy(resting(motion, *JOINTS), 0.1)).reduced()
    base = base_parameters(reduced, structure)
    assert base.rank == 0
    assert len(base.undetermined_columns) == structure.rank
    assert len(base.undetermined) == len(LAYOUT.bodies)


def test_bodies_that_no_drive_feels_are_named(motion, structure):
    base = base_parameters(blocks_of(motion).reduced(), structure)
    assert 'no drive feels' in base.undetermined[LAYOUT.bodies[0]]


def test_good_data_have_no_finding_but_their_condition(motion, structure):
    reduced = blocks_of(motion).reduced()
    base = base_parameters(reduced, structure)
    codes = {finding.code for finding in excitation_findings(reduced, base)}
    assert codes <= {'excitation'}
    assert ('excitation' in codes) == (base.condition > 100.0)


def test_the_condition_is_that_of_columns_of_unit_length(motion, structure):
    blocks = blocks_of(noisy(motion, 0.1))
    base = base_parameters(blocks.reduced(), structure)
    assert base.condition >= 1.0
    reduced = blocks.reduced()
    stronger = replace(reduced, triangles=7.0 * reduced.triangles)
    assert base_parameters(stronger, structure).condition == pytest.approx(
        base.condition, rel=1e-6
    )


def test_saturated_samples_are_said(motion, structure):
    level = 0.5 * np.abs(motion.efforts).max(axis=0)
    options = EquationOptions(cutoff=8.0, effort_levels=[-level, level])
    reduced = Equations.joined(
        MotionEquations(LAYOUT, options, ROBOT.native).of_motions([motion])
    ).reduced()
    findings = excitation_findings(reduced, base_parameters(reduced, structure))
    assert 'saturated' in {finding.code for finding in findings}
    for numbers in reduced.numbers.values():
        # One reason for each equation that is not used.
        assert sum(numbers.values()) == sum(reduced.numbers[JOINTS[0]].values())
        assert numbers['slow'] + numbers['saturated'] > numbers['missing'] == 0
    for finding in findings:
        if finding.code == 'saturated':
            assert finding.joints[0] in finding.message
            assert 0.0 < finding.value < 1.0


GAINS = np.array([0.8, 1.7, 0.4, 2.5])
LINK = next(frame.name for frame in ROBOT.model.frames if frame.body == 3)


def currents(motion, layout, recording):
    """Equations of the motion with noisy currents, with the load of the layout if it is 'one'."""
    unfiltered = MotionEquations(replace(layout, known={}), None, ROBOT.native)
    exact = replace(motion, efforts=np.zeros_like(motion.efforts))
    efforts = unfiltered.of_samples(exact, recording).rows @ truth_with_load(layout) / GAINS
    measured = replace(motion, efforts=efforts + 0.01 * NOISE.normal(size=efforts.shape))
    return blocks_of(measured, layout, recording)


def truth_with_load(layout):
    values = truth(layout)
    if layout.loads:
        values[layout.body_columns(4)] = [1.5, 0.3, 0.2, -0.1, 0.2, 0.0, 0.15, 0.01, 0.0, 0.18]
    values[layout.columns('gain')] = GAINS
    return values


TERMS = ('armature', 'viscous', 'coulomb', 'offset', 'gain')
GRIPPED = (Load('brick', LINK, 'one'),)
NOISE = np.random.default_rng(3)


@pytest.mark.parametrize(
    ('loads', 'known', 'told'),
    [
        ((), {}, False),
        ((), {f'{JOINTS[0]} gain': GAINS[0]}, True),
        (GRIPPED, {}, False),
        (GRIPPED, {'brick m': 1.5}, True),
    ],
)
def test_gains_need_a_scale(motion, loads, known, told):
    layout = ParameterLayout(ROBOT.model, TERMS, loads, known)
    both = Equations.joined(currents(motion, layout, name) for name in ('one', 'two'))
    reduced = both.reduced()
    base = base_parameters(reduced, structure_of(layout, ROBOT.native))
    codes = {finding.code for finding in excitation_findings(reduced, base)}
    assert ('unknown_gain' not in codes) == told
    if told:
        columns = [c for c in layout.columns('gain').tolist() if not layout.is_known[c]]
        found = dict(zip(base.columns, solution(reduced, base), strict=True))
        expected = truth_with_load(layout)[columns]
        np.testing.assert_allclose([found[c] for c in columns], expected, rtol=0.02)


def test_what_a_joint_without_an_effort_would_tell_is_not_blamed_on_the_motion(motion, structure):
    last = JOINTS[-1]
    reduced = blocks_of(noisy(motion, 0.01), unmeasured=(last,)).reduced()
    assert reduced.counts[-1] == 0.0
    assert reduced.counts[0] > 100
    base = base_parameters(reduced, structure)
    assert {f'{last} viscous', f'{last} coulomb'} <= {
        LAYOUT.names[k] for k in base.undetermined_columns
    }
    found = {one.code: one for one in excitation_findings(reduced, base)}
    # Links before it lack what only its torque would tell, not motion.
    assert all(last not in one.joints for one in found.values())

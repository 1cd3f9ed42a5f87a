"""Findings of an identification: each by its code, and good data by none."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import drawn, identifiable, law
from mechanics.robots import hand_written
from simulated_recordings import JOINTS, urdf

from robot_dynamics_ros.core import ParameterError, RobotDynamics, parse_urdf
from robot_dynamics_ros.identification import Equations, MotionEquations, ParameterLayout, findings
from robot_dynamics_ros.identification.base_parameters import structure_of
from robot_dynamics_ros.identification.equations import Period
from robot_dynamics_ros.identification.estimate import Estimate
from robot_dynamics_ros.identification.held_out import Residuals
from robot_dynamics_ros.identification.intervals import bootstrap_windows, with_draws
from robot_dynamics_ros.identification.parameters import Load
from robot_dynamics_ros.identification.recorded_data import Survey

MOVED = np.ones(6, bool)
# Of the last joint, whose limit is 60 N m.
LAST = np.arange(6) == 5


@pytest.fixture(scope='module')
def model():
    return parse_urdf(urdf())


def seen(**changes):
    """All joints move, and efforts meet their extremes in some samples."""
    few = np.full((2, 6), 3.0)
    span, efforts = (np.stack([np.full(6, -one), np.full(6, one)]) for one in (0.7, 20.0))
    return replace(Survey(3000, 0.005, span, efforts, few, few, np.ones(6)), **changes)


def codes(findings):
    return [(one.code, one.joints) for one in findings]


def test_good_data_have_no_findings(model):
    findings.check_motion(model, seen())
    assert not list(findings.still_findings(JOINTS, MOVED, MOVED))
    assert not list(findings.saturation_findings(model, seen()))


def test_recordings_of_one_robot_do_not_differ_and_those_of_two_do():
    known = identifiable(hand_written('oblique').model, noise=1e-4)
    structure = structure_of(known.layout)
    # Less than some per cent of the efforts is no other robot.
    for factor, found in ((1.0, []), (1.01, []), (1.2, ['recordings_differ'])):
        other = replace(known.held_out, efforts=factor * known.held_out.efforts)
        parts = {'one': known.block.reduced(), 'two': other.reduced()}
        result = findings.difference_findings(parts, structure, known.estimate)
        assert [one.code for one in result] == found


@pytest.mark.parametrize(('declared', 'found'), [(1.5, []), (1.0, [('payload', ())])])
def test_a_load_of_another_mass_is_said(declared, found):
    """Of a robot that carries it in one of two recordings."""
    model = hand_written('oblique').model
    link = next(frame.name for frame in model.frames if frame.body == 3)
    known = {'brick m': declared}
    layout = ParameterLayout(model, loads=(Load('brick', link, 'one'),), known=known)
    made, parts = MotionEquations(layout, effort_levels=np.inf), []
    for name, robot in (('one', model.with_payload(link, 1.5)), ('two', model)):
        true = RobotDynamics(robot, backend='python')
        states = drawn(true, 200)
        q, v, a = states.positions, states.velocities, states.accelerations
        efforts = law(true, q, v, a) + np.random.default_rng(1).normal(size=q.shape)
        parts.append(made.of_samples(replace(states, efforts=efforts), name))
    both = Equations.joined(parts)
    assert codes(findings.load_findings(both, known, np.ones(both.used.shape))) == found


def test_the_time_that_is_not_fitted_is_said():
    (one,) = findings.contact_findings([Period('a', 2.0, 5.0), Period('b', 1.0, 2.5)])
    assert (one.code, one.value) == ('contact', 4.5)


def test_what_shows_nothing_is_refused(model):
    with pytest.raises(ParameterError, match=r'no joint.* 0\.0014 rad.* 0\.01 '):
        findings.check_motion(model, seen(span=1e-3 * seen().span))
    for value in (0.0, np.nan, 4.0):
        with pytest.raises(ParameterError, match='zero or constant'):
            findings.check_motion(model, seen(range=np.full((2, 6), value)))


@pytest.mark.parametrize('count', [1, 4])
def test_joints_that_stand_still_or_rest_on_the_held_out_part_are_named(count):
    some = np.arange(6) < count
    assert codes(findings.still_findings(JOINTS, some, some)) == [('still', JOINTS[count:])]
    assert codes(findings.still_findings(JOINTS, MOVED, some)) == [('still', JOINTS[count:])]


@pytest.mark.parametrize('limit', [20.5, 100.0])
def test_a_saturated_effort_is_found_with_its_level(model, limit):
    joints = tuple(replace(j, limits=replace(j.limits, effort=limit)) for j in model.joints)
    longest, at_limit = seen().longest.copy(), seen().at_limit.copy()
    longest[1, 2], at_limit[1, 2] = 60, 200
    (finding,) = findings.saturation_findings(
        replace(model, joints=joints), seen(longest=longest, at_limit=at_limit)
    )
    assert (finding.code, finding.joints, finding.value) == ('saturated', (JOINTS[2],), 20.0)


def test_a_limit_that_efforts_exceed_is_said(model):
    efforts = np.where(LAST, 137.0, 20.0)
    (one,) = findings.saturation_findings(model, seen(range=np.stack([-efforts, efforts])))
    assert (one.code, one.joints, one.value) == ('saturated', JOINTS[5:], 137.0)


def test_another_robot_leaves_most_of_the_effort():
    """The last joint carries hardly anything: it is not judged."""
    efforts, ones = np.array([10.0, 30.0, 20.0, 3.0, 2.0, 0.1]), np.ones(6)
    for share, expected in ((0.05, []), (0.7, [('unexplained', JOINTS[:5])])):
        left = share * efforts
        fitted = Residuals(
            ones, ones, efforts, left, left, efforts, left, np.empty((2, 0, 6)), ones
        )
        assert codes(findings.robot_findings(JOINTS, fitted, MOVED)) == expected


@pytest.mark.parametrize(('share', 'count'), [(1.0, 1), (0.49, 0), (np.nan, 0)])
def test_a_repetition_of_half_of_the_motion_is_said(share, count):
    some = list(findings.repetition_findings(share))
    assert [(one.code, one.value) for one in some] == [('repeated_motion', share)] * count


MODEL = hand_written('oblique').model
LAYOUT = ParameterLayout(MODEL)
NOTHING = np.zeros(0)


def of_masses(factors, layout=LAYOUT):
    """Findings of an estimate whose masses are these multiples of those of the URDF."""
    parameters = layout.nominal()
    parameters[: 10 * len(factors) : 10] *= factors
    return list(
        findings.mass_findings(Estimate(layout, parameters, (), NOTHING, NOTHING, 'consistent'))
    )


@pytest.mark.parametrize(
    ('factor', 'code'),
    [(0.4, 'implausible'), (2.5, 'implausible'), (0.04, 'scale'), (25.0, 'scale')],
)
def test_another_mass_is_found(factor, code):
    (finding,) = of_masses([1.0, factor, 1.5, 0.7])
    assert (finding.code, finding.joints) == (code, LAYOUT.joints[1:2])
    assert finding.value == pytest.approx(factor)


def test_masses_that_a_urdf_may_miss_are_none():
    assert not of_masses([1.0, 1.9, 0.6, 0.8])
    # A tool may be many times as heavy as its flange.
    bodies = MODEL.inertial_parameters()
    bodies[-10:] *= 1e-2
    light = ParameterLayout(MODEL.with_inertial_parameters(bodies))
    assert not of_masses([1.0, 1.0, 1.0, 9.0], light)


@pytest.mark.parametrize('term', ['viscous', 'coulomb'])
def test_friction_that_gives_energy_is_said(term):
    """A real robot contradicts nothing; nor does what is negative within its interval."""
    known = identifiable(MODEL, noise=0.005)
    windows = bootstrap_windows(known.block, np.ones(known.block.used.shape))
    found, _ = with_draws(known.estimate, known.base, windows)
    column = LAYOUT.column(term, LAYOUT.joints[1])

    def said(value):
        parameters = found.parameters.copy()
        parameters[column] = value
        changed = replace(found, parameters=parameters)
        return list(findings.contradiction_findings(known.base, changed))

    (one,) = said(-0.5)
    assert (one.code, one.joints) == ('implausible', LAYOUT.joints[1:2])
    assert one.value == pytest.approx(-0.5)
    assert said(-1e-3) == said(found.parameters[column]) == []

"""What an estimate contradicts: real robots, the URDF, declared loads; and what it does not."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from exact_motion import exact_motion
from identified_equations import identifiable
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification import (
    EquationOptions,
    Equations,
    MotionEquations,
    ParameterLayout,
    identify,
)
from robot_dynamics_ros.identification.estimate import Estimate
from robot_dynamics_ros.identification.intervals import bootstrap_windows, with_draws
from robot_dynamics_ros.identification.plausibility import contradiction_findings, mass_findings
from robot_dynamics_ros.identification.structure import structure_of

MODEL = hand_written('oblique').model
LAYOUT = ParameterLayout(MODEL)
NOTHING = np.zeros(0)


def of_masses(factors, layout=LAYOUT):
    """Findings of an estimate whose masses are these multiples of those of the URDF."""
    parameters = layout.nominal()
    parameters[: 10 * len(factors) : 10] *= factors
    return list(mass_findings(Estimate(layout, parameters, (), NOTHING, NOTHING, 'consistent')))


@pytest.mark.parametrize(
    ('factor', 'code'),
    [(0.4, 'implausible'), (2.5, 'implausible'), (0.04, 'factor'), (25.0, 'factor')],
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


@pytest.fixture(scope='module')
def known():
    known = identifiable(MODEL, noise=0.005)
    windows = bootstrap_windows(known.block, np.ones(known.block.used.shape))
    return replace(known, estimate=with_draws(known.estimate, known.base, windows))


@pytest.fixture(scope='module')
def structure(known):
    return structure_of(known.layout)


def said(structure, known, estimate):
    return list(contradiction_findings(structure, known.base, estimate))


def test_a_real_robot_contradicts_nothing(known, structure):
    assert said(structure, known, known.estimate) == []


@pytest.mark.parametrize('term', ['viscous', 'coulomb'])
def test_friction_that_gives_energy_is_said(known, structure, term):
    joint = known.layout.joints[1]
    column = known.layout.column(term, joint)
    parameters = known.estimate.parameters.copy()
    parameters[column] = -0.5
    (found,) = said(structure, known, replace(known.estimate, parameters=parameters))
    assert (found.code, found.joints) == ('implausible', (joint,))
    assert found.value == pytest.approx(-0.5)
    # Within its interval it says nothing.
    parameters[column] = -1e-3
    assert said(structure, known, replace(known.estimate, parameters=parameters)) == []


def test_no_rotor_is_fitted_where_the_data_say_that_there_is_none():
    """Efforts of joint torque sensors are late by nothing, and lack what the rotor takes."""
    dynamics = RobotDynamics(MODEL)
    motion = exact_motion(dynamics, seconds=20.0, highest=1.0)
    last = MODEL.joint_names[-1]
    # Twice the rotor of the law too little: it would have to be negative.
    efforts = motion.efforts.copy()
    efforts[:, -1] -= 0.6 * motion.accelerations[:, -1]
    efforts += (
        0.005 * np.ptp(efforts, axis=0) * np.random.default_rng(0).normal(size=efforts.shape)
    )
    options = EquationOptions(cutoff=5.0, effort_levels=np.inf)
    made = MotionEquations(LAYOUT, options, dynamics)
    found = identify(Equations.joined(made.of_motions([replace(motion, efforts=efforts)])))
    assert last in found.link_side
    layout = found.base.layout
    assert found.final.parameters[layout.column('armature', last)] == 0.0
    assert layout.column('armature', last) not in found.base.columns

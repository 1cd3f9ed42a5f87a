"""Data that contradict every real robot are said, and data of one are not."""

from dataclasses import replace

import numpy as np
import pytest
from identified_equations import identifiable
from mechanics.robots import hand_written

pytest.importorskip('cvxpy')

from robot_dynamics_ros.identification.consistency import consistent
from robot_dynamics_ros.identification.contradictions import contradiction_findings
from robot_dynamics_ros.identification.observability import structure_of


@pytest.fixture(scope='module')
def known():
    return identifiable(hand_written('oblique').model, noise=0.005)


@pytest.fixture(scope='module')
def structure(known):
    return structure_of(known.layout)


def said(structure, known, estimate, final=None):
    found = contradiction_findings(structure, known.base, estimate, final or estimate)
    return {one.code: one for one in found}


def test_a_real_robot_contradicts_nothing(known, structure):
    final = consistent(known.reduced, known.estimate)
    assert said(structure, known, known.estimate, final) == {}


@pytest.mark.parametrize('term', ['viscous', 'coulomb'])
def test_friction_that_gives_energy_is_said(known, structure, term):
    joint = known.layout.joints[1]
    column = known.layout.column(term, joint)
    parameters = known.estimate.parameters.copy()
    parameters[column] = -0.5
    found = said(structure, known, replace(known.estimate, parameters=parameters))
    assert found['negative_term'].joints == (joint,)
    assert f'{joint} {term} -0.5' in found['negative_term'].message
    asked = f'instead of brake: {joint}.'
    assert (asked in found['negative_term'].message) == (term == 'coulomb')
    # Within its interval it says nothing.
    parameters[column] = -1e-3
    assert said(structure, known, replace(known.estimate, parameters=parameters)) == {}


def test_noise_that_had_to_be_assumed_is_said(known, structure):
    final = replace(known.estimate, method='consistent', least_noise=1e-2)
    found = said(structure, known, known.estimate, final)['assumed_noise']
    assert found.value == 1e-2
    assert '1 % of the torque' in found.message


def test_the_level_of_noise_is_kept(known):
    """Exact data that contradict every real robot, beside data of one."""
    assert consistent(known.reduced, known.estimate).least_noise == 1e-8
    exact = identifiable(hand_written('pendulum').model)
    column = exact.layout.column('coulomb', exact.layout.joints[0])
    triangles = exact.reduced.triangles.copy()
    triangles[:, :, -1] -= 9.0 * triangles[:, :, column]
    found = consistent(replace(exact.reduced, triangles=triangles), exact.estimate)
    assert found.least_noise >= 1e-8
    assert np.isfinite(found.parameters).all()

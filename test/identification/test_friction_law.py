"""Whether friction near reversals is that of the law, and what its intervals hold if not."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import COULOMB
from identified_equations import identifiable
from mechanics.robots import hand_written

pytest.importorskip('cvxpy')

from robot_dynamics_ros.identification import LocalEquations, identify
from robot_dynamics_ros.identification.friction_law import law_words

ROBOT = hand_written('oblique')


@pytest.fixture(scope='module')
def known():
    return identifiable(ROBOT.model, noise=0.002, count=1500)


@pytest.fixture(scope='module')
def of_the_law(known):
    return identify(LocalEquations([known.block]))


@pytest.fixture(scope='module')
def slow_friction(known):
    """Coulomb friction that is full from 0.2 rad/s on, and 70 % of that at rest."""
    speeds = known.block.velocities
    share = 0.3 * np.maximum(0.0, 1.0 - np.abs(speeds) / 0.2)
    missing = COULOMB * share * np.sign(speeds)
    changed = replace(known.block, torques=known.block.torques - missing)
    return identify(LocalEquations([changed]))


def test_the_law_with_noise_is_no_other_law(of_the_law):
    assert of_the_law.other_friction == ()


def test_friction_that_grows_with_speed_is_found(slow_friction):
    """At the joints with the least noise."""
    assert {'third', 'fourth'} <= set(slow_friction.other_friction)
    assert 'joint2' in law_words(('joint1', 'joint2'))


def test_the_intervals_hold_what_fast_motion_shows(known, of_the_law, slow_friction):
    """Those of the law are too narrow by far for the friction of fast motion."""
    columns = known.layout.columns('coulomb')
    base = slow_friction.base
    places = [base.columns.index(column) for column in columns]
    errors = np.abs(slow_friction.unconstrained.parameters[columns] - COULOMB)

    def widths(found):
        return 1.96 * np.sqrt(np.diag(found.unconstrained.base_covariance))[places]

    certain = errors > 5.0 * widths(of_the_law)
    assert np.count_nonzero(certain) >= 2
    assert np.all(errors[certain] < widths(slow_friction)[certain])

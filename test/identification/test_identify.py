"""The identification of the command and of programs, from equations to a robot."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import VISCOUS
from identified_equations import identifiable
from mechanics.robots import hand_written

pytest.importorskip('scipy')

from robot_dynamics_ros.identification.identify import identify

ROBOT = hand_written('oblique')


@pytest.fixture(scope='module')
def known():
    """Exact equations of another robot than the described one."""
    return identifiable(ROBOT.model)


@pytest.fixture(scope='module')
def found(known):
    return identify(known.block)


def test_exact_equations_give_the_robot(known, found):
    """Without and with the constraints of real robots, which hold for this one."""
    truth = found.base.values(known.parameters)
    assert found.base.rank == found.structure.rank
    for estimate in (found.unconstrained, found.final):
        error = np.abs(found.base.values(estimate.parameters) - truth)
        assert error.max() < 1e-5 * np.abs(truth).max()
    assert (found.final.method, found.failure, found.left_out) == ('consistent', '', ())


def test_its_model_has_the_parameters(known, found):
    """The torque of the model is that of the equations at states of which none was fitted."""
    np.testing.assert_allclose(found.model.viscous, VISCOUS, rtol=1e-4)
    held_out = known.held_out
    predicted = held_out.rows @ found.final.parameters
    np.testing.assert_allclose(
        predicted, held_out.torques, atol=1e-5 * np.abs(held_out.torques).max()
    )


def test_a_contact_in_a_fifth_of_the_data_changes_no_noise_and_no_rank():
    """Neither the noise of a joint nor what the data determine is that of the contact."""
    known = identifiable(ROBOT.model, noise=0.005)
    push = np.zeros_like(known.block.torques)
    push[100:180] = 0.3 * np.abs(known.block.torques).max(axis=0)
    pushed = replace(known.block, efforts=known.block.efforts + push)
    clean, touched = (identify(one) for one in (known.block, pushed))
    assert touched.base.columns == clean.base.columns
    (period,) = touched.left_out
    assert (period.begin, period.end) == pytest.approx((100.0, 180.0), abs=15.0)
    np.testing.assert_allclose(touched.unconstrained.noise, clean.unconstrained.noise, rtol=0.1)


def test_what_no_torque_depends_on_keeps_the_digits_of_the_description(found):
    unfelt = ~found.structure.combination.any(axis=0)
    assert unfelt.any()
    described = found.base.layout.nominal()
    assert found.final.parameters[unfelt].tolist() == described[unfelt].tolist()

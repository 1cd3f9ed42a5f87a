"""The identification of the command and of programs, from equations to a robot."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import VISCOUS, exact_motion, identifiable
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification import (
    Equations,
    Identifier,
    MotionEquations,
    ParameterLayout,
    identify,
)

ROBOT = hand_written('oblique')


def test_exact_equations_give_the_robot():
    known = identifiable(ROBOT.model)
    found = identify(known.block)
    assert (found.final.method, found.failure, found.left_out) == ('consistent', '', ())
    np.testing.assert_allclose(found.model.kinds['viscous'], VISCOUS, rtol=1e-4)
    # What no torque depends on keeps the digits of the description.
    unfelt = ~found.base.structure.combination.any(axis=0)
    assert unfelt.any()
    assert found.final.parameters[unfelt].tolist() == known.layout.nominal()[unfelt].tolist()


def test_a_joint_that_was_not_recorded_is_carried_by_the_body_before():
    *kept, last = ROBOT.model.joints
    model = ROBOT.model.reduced([joint.name for joint in kept], others=0.0)
    masses = Identifier(ROBOT.model)._carried(model)[::10]
    np.testing.assert_allclose(masses, last.inertia.mass * (np.arange(len(kept)) == last.parent))


def test_no_rotor_is_fitted_where_the_data_say_that_there_is_none():
    """Efforts of joint torque sensors are late by nothing, and lack what the rotor takes."""
    layout, dynamics = ParameterLayout(ROBOT.model), RobotDynamics(ROBOT.model)
    motion = exact_motion(dynamics, seconds=20.0, highest=1.0)
    last = ROBOT.model.joint_names[-1]
    # Twice the rotor of the law too little: it would have to be negative.
    efforts = motion.efforts.copy()
    efforts[:, -1] -= 0.6 * motion.accelerations[:, -1]
    errors = np.random.default_rng(0).normal(size=efforts.shape)
    efforts += 0.005 * np.ptp(efforts, axis=0) * errors
    made = MotionEquations(layout, dynamics, cutoff=5.0, effort_levels=np.inf)
    found = identify(Equations.joined(made.of_motions([replace(motion, efforts=efforts)])))
    assert last in found.link_side
    column = found.base.layout.column('armature', last)
    assert found.final.parameters[column] == 0.0
    assert column not in found.base.columns

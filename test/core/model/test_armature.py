"""Rotors: on the diagonal of M, in tau, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import ParameterError, UnknownNameError
from robot_dynamics_ros.core.algorithms import aba, centroidal, derivatives
from robot_dynamics_ros.textbook import lagrange, screw_rnea

ROBOTS = HAND_WRITTEN + [robot for robot in MOVING_EXAMPLES if robot.model.size <= 12]


def rotors(model):
    random = np.random.default_rng(11)
    return {joint.name: float(random.uniform(0.01, 0.5)) for joint in model.joints}


def test_the_change_is_undone_exactly():
    model = hand_written('tree').model
    armature = rotors(model)
    assert model.with_armature(armature).with_armature(dict.fromkeys(armature, 0.0)) == model


def test_refused():
    model = hand_written('tree').model
    name = model.joint_names[0]
    with pytest.raises(UnknownNameError, match="unknown joint 'nose'"):
        model.with_armature({'nose': 1.0})
    with pytest.raises(ParameterError, match=f"armature.*'{name}'.* -1"):
        model.with_armature({name: -1.0})
    with pytest.raises(ParameterError, match='is inf'):
        model.with_armature({name: float('inf')})
    for value in ('0.1', None, [0.1], True):
        with pytest.raises(ParameterError, match=f"armature.*'{name}'.*number"):
            model.with_armature({name: value})
    for armature in (0.1, None, [0.1], name):
        with pytest.raises(ParameterError, match=r'armature is .*, a mapping'):
            model.with_armature(armature)


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_every_formulation_knows_the_rotors(robot):
    """Lagrange, screws, energy, forward dynamics and derivatives, as RNEA and CRBA."""
    model = robot.model.with_armature(rotors(robot.model))
    gravity = (1.5, -2.5, -9.0)
    production = FloatDynamics(model, gravity)
    for q, v, a, _ in robot.states(1):
        M, tau = production.mass_matrix(q), production.inverse_dynamics(q, v, a)
        assert_close(lagrange.mass_matrix(model, q), M)
        assert_close(lagrange.kinetic_energy(model, q, v), 0.5 * v @ M @ v)
        assert_close(centroidal.kinetic_energy(model, q, v), 0.5 * v @ M @ v)
        assert_close(screw_rnea.inverse_dynamics(model, q, v, a, gravity), tau)
        in_a = derivatives.inverse_dynamics_derivatives(model, q, v, a, gravity)[2]
        assert_close(in_a, M)
        # Judged by the torque that it asks for: M may be ill-conditioned.
        moved = np.array(aba.forward_dynamics(model, q, v, tau, gravity))
        assert_close(production.inverse_dynamics(q, v, moved), tau)

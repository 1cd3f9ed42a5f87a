"""Friction, offsets, rotors and the measured acceleration in the commanded torque."""

import numpy as np
import pytest
from rclpy.parameter import Parameter

pytestmark = pytest.mark.contract

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2
REFUSED_SMOOTHINGS = (
    ([0.1, 0.2], ' has 2 values'),
    ([0.1, 0.0, 0.1], '[1] is 0.0'),
    ([float('nan'), 0.1, 0.1], '[0] is nan'),
)


def test_friction_is_added_where_it_is_asked_for(guarded, dynamics):
    free = dynamics.bias_torque(Q, V)
    viscous, coulomb = np.array([0.5, 3.0, 0.2]), np.array([1.0, 2.0, 0.3])
    given = {'friction_viscous': [0.5, 3.0, 0.2], 'friction_coulomb': [1.0, 2.0, 0.3]}
    with guarded(fade_time=FADE, **given) as scene:
        scene.settle(free)
        scene.set(terms=['gravity', 'coriolis', 'inertial', 'friction'], friction_smoothing=0.1)
        smooth = np.array(V) / np.hypot(V, 0.1)
        scene.settle(free + viscous * V + coulomb * smooth)
        (result,) = scene.node.set_parameters([Parameter('friction_coulomb', value=[1.0, 2.0])])
        assert not result.successful
        assert 'friction_coulomb has 2 values' in result.reason


def test_the_smoothing_of_each_joint_changes_while_the_node_runs(guarded, dynamics):
    free, v = dynamics.bias_torque(Q, V), np.array(V)
    terms, coulomb = ['gravity', 'coriolis', 'inertial', 'friction'], np.array([1.0, 2.0, 0.3])
    with guarded(fade_time=FADE, terms=terms, friction_coulomb=[*coulomb]) as scene:
        scene.settle(free + coulomb * v / np.hypot(v, 0.01))
        scene.set(friction_smoothing_by_joint=[0.5, 0.1, 2.0])
        wanted = free + coulomb * v / np.hypot(v, [0.5, 0.1, 2.0])
        scene.settle(wanted)
        for value, reason in REFUSED_SMOOTHINGS:
            change = Parameter('friction_smoothing_by_joint', value=value)
            (result,) = scene.node.set_parameters([change])
            assert not result.successful
            assert f'friction_smoothing_by_joint{reason}' in result.reason
        scene.settle(wanted)
        # Nothing is given by joint any more.
        scene.set(friction_smoothing_by_joint=[], friction_smoothing=0.3)
        scene.settle(free + coulomb * v / np.hypot(v, 0.3))


def test_friction_of_each_direction_and_an_offset(guarded, dynamics):
    """Velocities of both signs: the coefficients of their sign count."""
    free, v = dynamics.bias_torque(Q, V), np.array(V)
    forward, backward = np.array([1.0, 2.0, 0.3]), np.array([0.4, 5.0, 0.9])
    terms = ['gravity', 'coriolis', 'inertial', 'friction']
    coulomb = {'friction_coulomb': [*forward], 'friction_coulomb_negative': [*backward]}
    with guarded(fade_time=FADE, terms=terms, **coulomb) as scene:
        smooth = v / np.hypot(v, 0.01)
        rubbing = free + np.where(v < 0.0, backward, forward) * smooth
        scene.settle(rubbing)
        scene.set(torque_offset=[0.5, -1.0, 0.25], friction_viscous_negative=[3.0])
        offset = np.array([0.5, -1.0, 0.25])
        scene.settle(rubbing + np.where(v < 0.0, 3.0, 0.0) * v + offset)
        (result,) = scene.node.set_parameters([Parameter('torque_offset', value=[1.0, 2.0])])
        assert not result.successful
        assert 'torque_offset has 2 values' in result.reason


def test_armature_counts_in_the_inertial_term(guarded, dynamics):
    """A driver that says constant velocities but means an acceleration: by its reference."""
    from references import follow, point, trajectory

    a = [2.0, -1.0, 3.0]
    rigid = dynamics.inverse_dynamics(Q, V, a)
    with guarded(fade_time=FADE, armature=[0.3, 2.0, 0.1], reference_timeout=60.0) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        follow(scene.node, scene.observer, trajectory(point(Q, V, a)))
        scene.settle(rigid + np.multiply([0.3, 2.0, 0.1], a))

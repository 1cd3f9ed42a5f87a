"""Friction, offsets and rotors of parameter joint_model in the commanded torque."""

import numpy as np
import pytest
import yaml
from rclpy.parameter import Parameter
from three_joints import JOINTS, URDF

pytestmark = pytest.mark.contract

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2
WITH_FRICTION = ['gravity', 'coriolis', 'inertial', 'friction']


@pytest.fixture
def written(tmp_path):
    """Writes a joint model of values (k,) by key, of some joints; gives its path."""

    def write(joints=JOINTS, **values):
        file = tmp_path / 'friction.yaml'
        by_joint = {
            name: {key: float(value[index]) for key, value in values.items()}
            for index, name in enumerate(joints)
        }
        file.write_text(yaml.safe_dump({'joints': by_joint}))
        return str(file)

    return write


def test_friction_is_added_where_it_is_asked_for(guarded, dynamics, written):
    free = dynamics.bias_torque(Q, V)
    viscous, coulomb, v_0 = np.array([[0.5, 3.0, 0.2], [1.0, 2.0, 0.3], [0.1, 0.01, 2.0]])
    model = written(viscous=viscous, coulomb=coulomb, smoothing=v_0)
    with guarded(fade_time=FADE, joint_model=model) as scene:
        scene.settle(free)
        scene.set(terms=WITH_FRICTION)
        scene.settle(free + viscous * V + coulomb * V / np.hypot(V, v_0))


def test_friction_of_each_direction_and_an_offset(guarded, dynamics, written):
    """Velocities of both signs: the coefficients of their sign count."""
    v = np.array(V)
    forward, backward, offset = np.array([[1.0, 2.0, 0.3], [0.4, 5.0, 0.9], [0.5, -1.0, 0.25]])
    model = written(coulomb=forward, coulomb_negative=backward, torque_offset=offset)
    with guarded(fade_time=FADE, terms=WITH_FRICTION, joint_model=model) as scene:
        rubbing = np.where(v < 0.0, backward, forward) * v / np.hypot(v, 0.01)
        scene.settle(dynamics.bias_torque(Q, V) + rubbing + offset)


def test_armature_counts_in_the_inertial_term(guarded, dynamics, written):
    """A driver that says constant velocities but means an acceleration: by its reference."""
    from references import follow, point, trajectory

    a, rotors = [2.0, -1.0, 3.0], [0.3, 2.0, 0.1]
    rigid = dynamics.inverse_dynamics(Q, V, a)
    with guarded(fade_time=FADE, joint_model=written(armature=rotors)) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        follow(scene.node, scene.observer, trajectory(point(Q, V, a)))
        scene.observer.until(
            lambda: np.allclose(scene.recording.last, rigid + np.multiply(rotors, a), rtol=1e-9),
            'the torque of the rotors',
        )


def test_the_joint_model_is_read_on_configure(graph, written):
    with graph(robot_description=URDF) as (node, _):
        model = written(viscous=[1.0, 2.0, 3.0])
        (result,) = node.set_parameters([Parameter('joint_model', value=model)])
        assert not result.successful
        assert 'joint_model' in result.reason


@pytest.mark.parametrize(
    ('joints', 'values', 'said'),
    [
        (['turn', 'slide', 'elbow'], [1.0, 1.0, 1.0], "'elbow'"),
        (['turn', 'slide'], [1.0, 1.0], 'no values of wrist'),
        (JOINTS, [1.0, float('nan'), 1.0], 'viscous of slide is nan'),
        (JOINTS, [1.0, -2.0, 1.0], 'viscous of slide is -2'),
        ([], [], 'joints'),
    ],
)
def test_a_file_that_does_not_fit_the_robot_is_refused_by_name(
    graph, written, capfd, joints, values, said
):
    with graph(robot_description=URDF, joint_model=written(joints, viscous=values)) as (node, _):
        node.trigger_configure()
    logged = capfd.readouterr().err
    assert 'not configured' in logged
    assert said in logged


def test_a_file_that_does_not_exist_is_refused_by_name(graph, tmp_path, capfd):
    missing = str(tmp_path / 'nothing.yaml')
    with graph(robot_description=URDF, joint_model=missing) as (node, _):
        node.trigger_configure()
    assert missing in capfd.readouterr().err

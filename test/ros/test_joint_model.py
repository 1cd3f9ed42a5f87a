"""Friction, offsets and rotors of parameter joint_model in the commanded torque."""

import numpy as np
import pytest
import yaml
from rclpy.parameter import Parameter
from references import point, trajectory
from three_joints import JOINTS, URDF

pytestmark = pytest.mark.contract

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
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


def test_friction_of_each_direction_and_an_offset_are_added_where_asked_for(
    guarded, dynamics, written
):
    """Velocities of both signs: the coefficients of their sign count."""
    free, v = dynamics.bias_torque(Q, V), np.array(V)
    viscous, forward, backward, v_0, offset = np.array(
        [[0.5, 3.0, 0.2], [1.0, 2.0, 0.3], [0.4, 5.0, 0.9], [0.1, 0.01, 2.0], [0.5, -1.0, 0.25]]
    )
    model = written(
        viscous=viscous, coulomb=forward, coulomb_negative=backward, smoothing=v_0,
        torque_offset=offset,
    )  # fmt: skip
    with guarded(joint_model=model) as scene:
        scene.settle(free)
        scene.set(terms=WITH_FRICTION)
        rubbing = np.where(v < 0.0, backward, forward) * v / np.hypot(v, v_0)
        scene.settle(free + viscous * v + rubbing + offset)


def test_armature_counts_in_the_inertial_term(guarded, dynamics, written):
    a, rotors = [2.0, -1.0, 3.0], [0.3, 2.0, 0.1]
    rigid = dynamics.inverse_dynamics(Q, V, a)
    with guarded(joint_model=written(armature=rotors), reference_timeout=60.0) as scene:
        scene.observer.reference.publish(trajectory(point(Q, V, a)))
        scene.settle(rigid + np.multiply(rotors, a))


@pytest.mark.parametrize(
    ('joints', 'values', 'named'),
    [
        (['turn', 'slide', 'elbow'], [1.0, 1.0, 1.0], "'elbow'"),
        (['turn', 'slide'], [1.0, 1.0], 'wrist'),
        (JOINTS, [1.0, float('nan'), 1.0], 'viscous of slide is nan'),
        (JOINTS, [1.0, -2.0, 1.0], 'viscous of slide is -2'),
        ([], [], 'joints'),
        (None, [], 'nothing.yaml'),
    ],
)
def test_a_file_that_does_not_fit_the_robot_is_refused_by_name(
    graph, written, tmp_path, joints, values, named
):
    missing = str(tmp_path / 'nothing.yaml')
    model = missing if joints is None else written(joints, viscous=values)
    with graph(robot_description=URDF, joint_model=model) as (_, observer):
        assert named in observer.shows('refused').message


def test_the_joint_model_is_read_on_configure(graph, written):
    with graph(robot_description=URDF) as (node, _):
        model = written(viscous=[1.0, 2.0, 3.0])
        (result,) = node.set_parameters([Parameter('joint_model', value=model)])
        assert not result.successful

"""Friction, offsets and rotors of parameter joint_model, and of an identified robot."""

import numpy as np
import pytest
import yaml
from identified import identified_model
from references import point, trajectory
from three_joints import JOINTS, URDF, state

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification.result_files import result_files

Q, V, A = [0.3, 0.1, -0.7], np.array([0.5, -0.2, 0.4]), [2.0, -1.0, 3.0]
# Of turn, slide and wrist. Velocities have both signs: the coefficients of their sign count.
VALUES = {
    'viscous': [0.5, 3.0, 0.2],
    'coulomb': [1.0, 2.0, 0.3],
    'coulomb_negative': [0.4, 5.0, 0.9],
    'smoothing': [0.1, 0.01, 2.0],
    'torque_offset': [0.5, -1.0, 0.25],
    'armature': [0.3, 2.0, 0.1],
}


@pytest.mark.contract
def test_friction_of_each_direction_offsets_and_rotors_are_added(guarded, dynamics, tmp_path):
    file = tmp_path / 'friction.yaml'
    by_joint = {
        name: {key: values[index] for key, values in VALUES.items()}
        for index, name in enumerate(JOINTS)
    }
    file.write_text(yaml.safe_dump({'joints': by_joint}))
    viscous, forward, backward, v_0, offset, rotors = np.array([*VALUES.values()])
    free, rigid = dynamics.bias_torque(Q, V), ['gravity', 'coriolis', 'inertial']
    given = {'joint_model': str(file), 'friction_share': 0.5}
    with guarded(**given, reference_timeout=60.0) as scene:
        scene.settle(free)
        scene.set(terms=[*rigid, 'friction'])
        rubbing = np.where(V < 0.0, backward, forward) * V / np.hypot(V, v_0)
        # At the measured velocity a share is compensated.
        scene.settle(free + 0.5 * (viscous * V + rubbing) + offset)
        scene.set(terms=rigid)
        scene.reference.publish(trajectory(point(Q, V, A)))
        scene.settle(dynamics.inverse_dynamics(Q, V, A) + rotors * A)


def test_the_node_commands_the_torque_of_the_identified_model(graph, tmp_path):
    model = parse_urdf(URDF)
    identified = identified_model(model)
    files = result_files(URDF, model, identified, {})
    for name in ('dynamics_node.yaml', 'friction.yaml'):
        (tmp_path / name).write_text(files[name])
    loaded = ['--ros-args', '--params-file', str(tmp_path / 'dynamics_node.yaml')]
    with graph(cli_args=loaded, robot_description=files['identified.urdf']) as (_, observer):
        for q, v, a in np.random.default_rng(4).uniform(-1.0, 1.0, (8, 3, 3)):
            observer.follow(trajectory(point(q, v, a)))
            torque = identified.inverse_dynamics(q, v, a)
            # Through the fade to the new reference; files have six digits.
            observer.until(
                lambda torque=torque: np.allclose(
                    observer.answer_to(state(Q))[0].data, torque, rtol=1e-5
                ),
                f'torque {torque}',
            )

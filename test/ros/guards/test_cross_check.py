"""The comparison with Pinocchio at changes and on request: refused, or reported, never a fault."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped
from guard_scene import figures
from rclpy.parameter import Parameter

from robot_dynamics_interfaces.srv import CrossCheck, GetPayload, SetGravity, SetPayload

pytest.importorskip('pinocchio')

from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
NODE = '/robot_dynamics'
UPSIDE_DOWN = [0.0, 0.0, 9.81]
PAYLOAD = {'frame': 'hand', 'inertia': Inertia(m=2.0)}


@pytest.fixture
def disagree(monkeypatch):
    """A function after which Pinocchio computes other torques."""
    right = PinocchioReference.gravity_torque

    def wrong(self, q):
        return 1.001 * right(self, q)

    return lambda: monkeypatch.setattr(PinocchioReference, 'gravity_torque', wrong)


def test_each_change_of_the_model_is_compared_and_shown(guarded, dynamics):
    with guarded(fade_time=0.1) as scene:
        status = scene.status('cross-check', 'Pinocchio agrees on 100 states')
        assert status.level == DiagnosticStatus.OK
        assert float(figures(status)['worst relative error [-]']) < 1e-10
        scene.set(gravity=UPSIDE_DOWN)
        scene.status('cross-check', 'Pinocchio agrees on 10 states')
        assert scene.observer.call(CrossCheck, f'{NODE}/cross_check', samples=3).success
        scene.status('cross-check', 'Pinocchio agrees on 3 states')
        for load in (PAYLOAD, {}):
            assert scene.observer.call(SetPayload, f'{NODE}/set_payload', **load).success
            scene.status('cross-check', 'Pinocchio agrees on 10 states')
            assert scene.observer.call(CrossCheck, f'{NODE}/cross_check', samples=3).success
        scene.settle(dynamics.with_gravity(UPSIDE_DOWN).bias_torque(Q, V))


def test_a_change_for_which_they_disagree_is_refused_and_no_fault(guarded, dynamics, disagree):
    torque = dynamics.bias_torque(Q, V)
    with guarded(fade_time=0.1) as scene:
        scene.settle(torque)
        disagree()
        (result,) = scene.node.set_parameters([Parameter('gravity', value=UPSIDE_DOWN)])
        assert not result.successful
        assert 'Pinocchio disagrees' in result.reason
        gravity = Vector3Stamped(vector=Vector3(z=9.81))
        for service, name, fields in (
            (SetGravity, 'set_gravity', {'gravity': gravity}),
            (SetPayload, 'set_payload', PAYLOAD),
        ):
            assert 'Pinocchio disagrees' in scene.observer.refusal(service, name, **fields)
        assert not scene.observer.call(GetPayload, f'{NODE}/get_payload').attached
        scene.status('cross-check', 'Pinocchio agrees on 100 states')
        response = scene.observer.call(CrossCheck, f'{NODE}/cross_check')
        assert not response.success
        assert 'Pinocchio disagrees' in response.message
        status = scene.status('cross-check', 'Pinocchio disagrees')
        assert status.level == DiagnosticStatus.ERROR
        np.testing.assert_allclose(scene.next_commands(), [torque] * 5)

"""The comparison with Pinocchio at changes and on request: refused, or reported, never a fault."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped

from robot_dynamics_interfaces.srv import CrossCheck, GetPayload, SetGravity, SetPayload

pytest.importorskip('pinocchio')

from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
UPSIDE_DOWN = [0.0, 0.0, 9.81]
PAYLOAD = {'frame': 'hand', 'inertia': Inertia(m=2.0)}


def test_each_change_is_compared_shown_and_refused_where_they_disagree(
    guarded, dynamics, monkeypatch
):
    right = PinocchioReference.gravity_torque
    with guarded() as scene:

        def compared(states):
            scene.status('cross-check', lambda each, _: f'on {states} states' in each.message)

        compared(100)
        assert float(scene.figures('cross-check')['worst relative error [-]']) < 1e-10
        scene.set(gravity=UPSIDE_DOWN)
        compared(10)
        for load in (PAYLOAD, {}):
            assert scene.call(CrossCheck, 'cross_check', samples=3).success
            compared(3)
            assert scene.call(SetPayload, 'set_payload', **load).success
            compared(10)
        torque = dynamics.with_gravity(UPSIDE_DOWN).bias_torque(Q, V)
        scene.settle(torque)
        monkeypatch.setattr(
            PinocchioReference, 'gravity_torque', lambda self, q: 1.001 * right(self, q)
        )
        assert scene.refused(gravity=[0.0, 0.0, -9.81])
        gravity = Vector3Stamped(vector=Vector3(z=-9.81))
        assert scene.refusal(SetGravity, 'set_gravity', gravity=gravity)
        assert scene.refusal(SetPayload, 'set_payload', **PAYLOAD)
        assert not scene.call(GetPayload, 'get_payload').attached
        compared(10)
        assert scene.refusal(CrossCheck, 'cross_check')
        assert scene.shows('disagreement').level == DiagnosticStatus.ERROR
        np.testing.assert_allclose(scene.next_commands(), [torque] * 5)

"""`~/set_payload` and `~/get_payload`, and live parameters, while torque is commanded."""

import numpy as np
import pytest
from geometry_msgs.msg import Inertia, Vector3
from three_joints import URDF

from robot_dynamics_interfaces.srv import GetPayload, SetPayload
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.ros.parameter_table import TABLE

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def carry(scene, mass, frame='hand'):
    return scene.call(SetPayload, 'set_payload', frame=frame, inertia=Inertia(m=mass))


def refuse_to_trace(*arguments):
    raise AssertionError('a program is traced')


def test_payloads_and_live_parameters_compile_nothing_and_lose_no_cycle(
    guarded, dynamics, monkeypatch
):
    """They are inputs of what is compiled. Each parameter is set to the value that it has."""
    torque = dynamics.bias_torque(Q, V)
    with guarded() as scene:
        scene.settle(torque)
        scene.driver.period = 0.002
        monkeypatch.setattr('robot_dynamics_ros.core.quantity.trace', refuse_to_trace)
        for mass in (1.2, 0.4, 0.0):
            assert carry(scene, mass).success
        for row in TABLE.rows.values():
            if row.live:
                value = scene.robot.get_parameter(row.name).value
                # An empty list does not tell of what.
                scene.set(**{row.name: [] if value is None else value})
        scene.settle(torque)
        scene.driver.pause()
        scene.until_taken()
        values = scene.figures('joint_states')
        assert (values['used'], values['rejected']) == (str(scene.driver.sent), '0')


def test_a_payload_on_another_body_than_that_of_payload_frame_is_refused(guarded, dynamics):
    """Also the links that are fixed to it take one; another one is named on configure."""
    fixed = '<link name="tool"/><joint name="mount" type="fixed"><parent link="hand"/>'
    tooled = URDF.replace('</robot>', f'{fixed}<child link="tool"/></joint></robot>')
    with guarded(robot_description=tooled) as scene:
        torque = dynamics.bias_torque(Q, V)
        scene.settle(torque)
        refused = carry(scene, 0.7, 'slider')
        assert not refused.success
        for named in ("'slider'", 'hand, tool', 'payload_frame: slider'):
            assert named in refused.message
        for frame in ('base', 'nowhere'):
            assert not carry(scene, 0.7, frame).success
        np.testing.assert_allclose(scene.next_commands(), [torque] * 5, rtol=1e-12)
        loaded = {
            frame: RobotDynamics(parse_urdf(tooled).with_payload(frame, 0.7)).bias_torque(Q, V)
            for frame in ('tool', 'slider')
        }
        assert carry(scene, 0.7, 'tool').success
        scene.settle(loaded['tool'])
        scene.trigger('deactivate', 'cleanup')
        scene.set(payload_frame='slider')
        scene.trigger('configure', 'activate')
        scene.settle(torque)
        assert carry(scene, 0.7, 'slider').success
        scene.settle(loaded['slider'])


def test_a_payload_is_added_and_removed_exactly(guarded, dynamics):
    com, tensor = (0.01, 0.02, 0.1), ((0.01, 0.0, 0.0), (0.0, 0.012, 0.0), (0.0, 0.0, 0.008))
    payload = Payload('payload', 'hand', 1.2, com, tensor)
    loaded = RobotDynamics(parse_urdf(URDF).with_checked_payload(payload)).bias_torque(Q, V)
    inertia = Inertia(m=1.2, com=Vector3(x=0.01, y=0.02, z=0.1), ixx=0.01, iyy=0.012, izz=0.008)
    with guarded() as scene:

        def carried():
            return scene.call(GetPayload, 'get_payload')

        scene.settle(dynamics.bias_torque(Q, V))
        before = scene.next_commands()[-1].tobytes()
        assert not carried().attached
        assert scene.call(SetPayload, 'set_payload', frame='hand', inertia=inertia).success
        assert carried().attached
        assert (carried().frame, carried().inertia) == ('hand', inertia)
        scene.settle(loaded)
        assert scene.call(SetPayload, 'set_payload', transition_time=0.1).success
        scene.settle(dynamics.bias_torque(Q, V))
        scene.until(lambda: scene.recording.last.tobytes() == before, 'the same bits')
        assert not carried().attached


def test_a_payload_above_the_effort_limits_is_refused(guarded, dynamics):
    """Grams for kilograms; one that asks for less than the present one is welcome."""
    with guarded() as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        refused = carry(scene, 1200.0)
        assert not refused.success
        assert 'slide' in refused.message
        scene.set(terms=['coriolis'])
        assert carry(scene, 1200.0).success
        scene.set(terms=['gravity'])
        assert carry(scene, 1100.0).success
        assert not carry(scene, 1101.0).success


@pytest.mark.parametrize(
    ('inertia', 'unit'),
    [(Inertia(m=7.0), 'kg'), (Inertia(m=1.0, com=Vector3(x=20.0)), 'com is in m')],
)
def test_a_payload_in_wrong_units_is_questioned(shared, inertia, unit):
    """Also where nothing is overloaded, as no state has come."""
    try:
        response = shared().call(SetPayload, 'set_payload', frame='hand', inertia=inertia)
        assert response.success
        assert unit in response.message
    finally:
        assert shared().call(SetPayload, 'set_payload').success

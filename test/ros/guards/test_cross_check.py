"""The live torque is compared with Pinocchio, and a disagreement stops the robot."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Inertia
from guard_scene import figures
from std_srvs.srv import SetBool

from robot_dynamics_interfaces.srv import SetPayload
from robot_dynamics_ros.control.guards.supervisor import Mode

pytest.importorskip('pinocchio')

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2
# Two ways to compute never agree so far, unless both give zero.
NONE_SUCH = 1e-300


def test_agreement_is_shown_at_the_rate_that_is_asked_for(guarded, dynamics):
    with guarded(fade_time=FADE, cross_check_rate=20.0) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        status = scene.status('cross-check', 'Pinocchio agrees')
        before = int(figures(status)['comparisons'])
        scene.watch(1.0)
        status = scene.status('cross-check', 'Pinocchio agrees')
        assert status.level == DiagnosticStatus.OK
        assert 5 < int(figures(status)['comparisons']) - before < 40
        assert float(figures(status)['worst relative error [-]']) < 1e-10
        scene.set(cross_check_rate=0.0)
        before = scene.node._live_cross_check.checks
        scene.watch(0.3)
        assert scene.node._live_cross_check.checks == before


def test_disagreement_fades_out_until_enable_is_called(guarded, dynamics, capfd):
    torque = dynamics.bias_torque(Q, V)
    with guarded(fade_time=FADE, cross_check_rate=20.0) as scene:
        scene.settle(torque)
        scene.set(cross_check_tolerance=NONE_SUCH)
        scene.settle(np.zeros(3))
        scene.observer.until(lambda: scene.guard.mode is Mode.SILENT, 'silence')
        scene.set(cross_check_tolerance=1e-10)
        scene.check_silent()
        status = scene.status('model', 'stopped until ~/enable is called: Pinocchio disagrees')
        assert status.level == DiagnosticStatus.ERROR
        assert 'commanded torque: Pinocchio disagrees' in capfd.readouterr().err
        scene.node.trigger_deactivate()
        scene.node.trigger_activate()
        scene.check_silent()
        response = scene.observer.call(SetBool, '/robot_dynamics/enable', data=True)
        assert 'cleared the fault: Pinocchio disagrees' in response.message
        scene.settle(torque)


def test_disagreement_may_be_a_warning(guarded, dynamics):
    torque = dynamics.bias_torque(Q, V)
    with guarded(fade_time=FADE, cross_check_rate=20.0, on_disagreement='warn') as scene:
        scene.settle(torque)
        scene.set(cross_check_tolerance=NONE_SUCH)
        status = scene.status('cross-check', 'Pinocchio disagrees')
        assert status.level == DiagnosticStatus.ERROR
        scene.wait_for_states(20)
        np.testing.assert_allclose(scene.recording.last, torque)


def test_what_has_changed_since_the_last_state_is_no_disagreement(guarded, dynamics):
    """Torques of the gravity before, or of a robot that has not answered yet, are not compared."""
    # The check is called here, and not by its timer.
    with guarded(fade_time=FADE, cross_check_rate=0.0, state_timeout=60.0) as scene:
        check = scene.node._live_cross_check
        scene.settle(dynamics.bias_torque(Q, V))
        check._check()
        assert check.checks == 1
        scene.driver.pause()
        scene.set(gravity=[0.0, 0.0, 9.81])
        check._check()
        inertia = Inertia(m=2.0)
        load = {'frame': 'hand', 'inertia': inertia}
        assert scene.observer.call(SetPayload, '/robot_dynamics/set_payload', **load).success
        check._check()
        assert not scene.guard.fault
        scene.driver.resume()
        scene.wait_for_states()
        check._check()
        assert check.checks > 1
        assert check.report.agrees

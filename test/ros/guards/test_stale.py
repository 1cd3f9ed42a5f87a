"""Joint states that cease: what is commanded then, and how it goes on.

How soon, and for how long, are laws of the guard (test/control/test_guarded_references.py,
test_any_sequence.py).
"""

import numpy as np
import pytest
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticStatus

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
STALE = {'state_timeout': 0.1, 'fade_time': 0.3}


@pytest.mark.parametrize('on_stale', ['hold', 'zero', 'stop'])
def test_stale_states_lead_to_hold_or_zero_or_silence(guarded, dynamics, on_stale):
    moving = dynamics.bias_torque(Q, V)
    resting = {'hold': dynamics.gravity_torque(Q), 'zero': np.zeros(3)}
    with guarded(on_stale=on_stale, **STALE) as scene:
        scene.settle(moving)
        scene.driver.pause()
        if on_stale == 'stop':
            scene.until_silent()
        else:
            scene.settle(resting[on_stale])
            scene.status('joint_states', f'(on_stale={on_stale})')
        scene.driver.resume()
        scene.settle(moving)
        scene.status('joint_states', '0 rejected')


@pytest.mark.parametrize('terms', [['gravity'], ['coriolis', 'inertial']])
def test_what_is_held_is_what_is_commanded(guarded, dynamics, terms):
    """A driver that adds gravity itself must not seem to hold it twice."""
    with guarded(terms=terms, **STALE) as scene:
        scene.driver.v[:] = 0.0
        held = dynamics.gravity_torque(Q) if 'gravity' in terms else np.zeros(3)
        scene.settle(held)
        scene.driver.pause()
        status = scene.status('joint_states', '(on_stale=hold)')
        assert ('gravity' in status.message) == ('gravity' in terms)
        scene.settle(held)


def test_stamps_that_stand_still_are_stale_and_logged(guarded, dynamics, capfd):
    with guarded(**STALE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        stamp, log = scene.node.get_clock().now().to_msg(), Log(capfd)
        scene.driver.pause()
        scene.driver.change = lambda message: setattr(message.header, 'stamp', stamp)
        scene.driver.resume()
        scene.settle(dynamics.gravity_torque(Q))
        status = scene.status('joint_states', 'stands still')
        assert status.level == DiagnosticStatus.STALE
        log.until(scene.observer, 'stands still')
        scene.driver.change = lambda message: None
        scene.settle(dynamics.bias_torque(Q, V))
        log.until(scene.observer, 'valid again')

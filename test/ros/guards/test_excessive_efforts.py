"""Efforts that no drive has, in the states of a running node."""

import re

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from felt_node import NONE, THRESHOLDS, felt
from guard_scene import figures

NUMBERLESS = re.compile(r'(?<![.\w])-?(nan|inf)\b')
EFFORTS = {
    2500.0: 'effort of slide is 2.5e+03 N',
    1e300: 'effort of slide is not',
}


def check_figures(scene):
    """No message and no value of the diagnostics is a number that is none."""
    for report in scene.reports:
        for status in report.status:
            for text in (status.message, *(pair.value for pair in status.values)):
                assert not NUMBERLESS.search(text), text


def test_it_is_named_and_nothing_collides_or_overflows(guarded, dynamics):
    with felt(guarded, dynamics, on_collision='stop', **THRESHOLDS) as arm:
        arm.scene.driver.effort = lambda: None
        status = arm.scene.status('driver gravity', 'not known')
        assert figures(status)['measured excess / gravity [-]'] == 'not known'
        check_figures(arm.scene)
        arm.scene.driver.effort = lambda: arm.gravity
        for effort, text in EFFORTS.items():
            arm.ready()
            arm.scene.driver.effort = lambda e=effort: np.where(np.arange(3) == 1, e, arm.gravity)
            status = arm.scene.status('external forces', text)
            assert status.level == DiagnosticStatus.WARN
            assert ('limit of 200 N' in status.message) == (abs(effort) < 1e6)
            check_figures(arm.scene)
            arm.scene.driver.effort = lambda: arm.gravity
            arm.feels(NONE)
            # No collision has stopped it.
            arm.scene.settle(arm.gravity)
            arm.scene.status('external forces', 'no contact')


def test_before_the_first_state_no_figure_is_infinite(guarded):
    with guarded(external_observer=True) as scene:
        scene.driver.pause()
        for change in ('deactivate', 'cleanup', 'configure', 'activate'):
            getattr(scene.node, f'trigger_{change}')()
        scene.status('joint_states', 'no valid joint')
        check_figures(scene)

"""Efforts that no drive has, in the states of a running node."""

import re

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from felt_node import NONE, THRESHOLDS, felt
from guard_scene import figures

NUMBERLESS = re.compile(r'(?<![.\w])-?(nan|inf)\b')


def figures_of(scene):
    """All messages and values of the diagnostics."""
    return [
        text
        for report in scene.reports
        for status in report.status
        for text in (status.message, *(pair.value for pair in status.values))
    ]


@pytest.mark.parametrize(
    ('effort', 'text'),
    [
        (2500.0, 'effort of slide is 2.5e+03 N'),
        (-9e5, 'effort of slide is -9e+05 N'),
        (1e300, 'effort of slide is not'),
        (np.inf, 'effort of slide is not'),
    ],
)
def test_it_is_named_and_nothing_collides_or_overflows(guarded, dynamics, effort, text):
    with felt(guarded, dynamics, on_collision='stop', **THRESHOLDS) as arm:
        arm.ready()
        arm.scene.driver.effort = lambda: np.where(np.arange(3) == 1, effort, arm.gravity)
        status = arm.scene.status('external forces', text)
        assert status.level == DiagnosticStatus.WARN
        assert ('limit of 200 N' in status.message) == (abs(effort) < 1e6)
        arm.scene.wait_for_states(20)
        arm.scene.driver.effort = lambda: arm.gravity
        arm.feels(NONE)
        arm.scene.settle(arm.gravity)
        arm.scene.status('external forces', 'no contact')
        assert not arm.scene.guard.supervisor.fault
        assert not [each for each in figures_of(arm.scene) if NUMBERLESS.search(each)]


def test_figures_that_are_not_known_say_so(guarded, dynamics):
    with felt(guarded, dynamics) as arm:
        arm.scene.driver.effort = lambda: None
        status = arm.scene.status('driver gravity', 'not known')
        assert figures(status)['measured excess / gravity [-]'] == 'not known'
        assert not [each for each in figures_of(arm.scene) if NUMBERLESS.search(each)]


def test_before_the_first_state_no_figure_is_infinite(guarded):
    with guarded(external_observer=True) as scene:
        scene.driver.pause()
        for change in ('deactivate', 'cleanup', 'configure', 'activate'):
            getattr(scene.node, f'trigger_{change}')()
        scene.status('joint_states', 'no valid joint')
        assert not scene.guard.state.counts.any()
        assert not [each for each in figures_of(scene) if NUMBERLESS.search(each)]

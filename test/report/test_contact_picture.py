"""The picture of a recording with contacts."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from pushed_recording import HIT, URDF, pushed_states, recording_of

from robot_dynamics_ros.contacts import WatchedRobot, WatchSettings, mark_recording
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.report.contact_report import joint_panels


def test_the_push_leaves_the_band_between_the_thresholds_where_it_was_planted():
    robot = WatchedRobot(parse_urdf(URDF), WatchSettings())
    states = pushed_states((HIT,), seed=6)
    marked = mark_recording(recording_of(states), robot, 'hit.csv', lambda done: None)
    panels = joint_panels(marked, joint=2)
    assert [panel.key for panel in panels] == ['collision', 'push']
    for panel in panels:
        measured, threshold = panel.curves
        upper, lower = np.split(threshold.y, [len(threshold.y) // 2])
        np.testing.assert_array_equal(lower[1:], -upper)
        outside = measured.x[measured.y > np.nanmax(upper)]
        outside = outside if outside.size else measured.x[[np.nanargmax(measured.y)]]
        assert ((outside > HIT.begin - 0.05) & (outside < HIT.end + 0.2)).all()
        assert all(band.opacity == 1.0 for band in panel.bands)

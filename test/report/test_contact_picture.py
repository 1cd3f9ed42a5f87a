"""The picture of a recording with contacts: what is drawn, and names that may hold anything."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('matplotlib')
pytest.importorskip('scipy')

from pushed_recording import HIT, URDF, pushed_states, recording_of
from report.synthetic import provenance

from robot_dynamics_ros.contacts import WatchedRobot, WatchSettings, mark_recording
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.report import write_report
from robot_dynamics_ros.report.contact_report import joint_panels


@pytest.fixture(scope='module')
def marked():
    robot = WatchedRobot(parse_urdf(URDF), WatchSettings())
    states = pushed_states((HIT,), seed=6)
    return mark_recording(recording_of(states), robot, 'hit.csv', lambda done: None)


def test_the_push_leaves_the_band_between_the_thresholds_where_it_was_planted(marked):
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


@pytest.mark.parametrize(('ending', 'begin'), [('png', b'\x89PNG'), ('svg', b'<?xml')])
def test_a_picture_is_written_in_the_form_of_its_ending_whatever_names_are(
    marked, tmp_path, ending, begin
):
    contact = replace(marked.contacts[0], torques={'$': 1.0})
    strange = replace(
        marked, robot='$x^$\n', name='a/$\\frac{\x00', joints=('$', '\t', 'é' * 99),
        contacts=(contact,),
    )  # fmt: skip
    write_report(strange, provenance(), tmp_path / f'contacts.{ending}')
    content = (tmp_path / f'contacts.{ending}').read_bytes()
    assert content.startswith(begin)
    assert len(content) > 10_000

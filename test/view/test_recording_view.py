"""A recording that is played back: at each time its pose and its torques."""

import re

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')

from simulated_recordings import simulated, urdf

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.view.recording_view import RecordingView


@pytest.fixture(scope='module')
def compared():
    """With a tool that the URDF lacks."""
    recorded = simulated(tool=True)
    return Comparison(parse_urdf(urdf())).of(recorded.reader)


@pytest.fixture
def view(server, compared):
    return RecordingView(server, parse_urdf(urdf()), urdf(), None, compared)


def test_a_time_has_its_pose_and_its_torques(view, compared):
    samples, dynamics = compared.drawn, RobotDynamics(parse_urdf(urdf()))
    index = len(samples.times) // 2
    view.go_to(float(samples.times[index]))
    view.update()
    assert not view.plays.value
    index = int(np.searchsorted(samples.times, view.time.value))
    q = samples.positions[index]
    np.testing.assert_allclose(view.scene.arm.poses, dynamics.frame_poses(q))
    rows = re.findall(r'>([-.\d]+) / ([-.\d]+) N', view.panel.bars.content)
    expected = np.stack([samples.measured[index], samples.model[index]], axis=1)
    np.testing.assert_allclose(np.array(rows, float), expected, atol=0.006)
    times, measured, model = view.panel.plots[1].data
    assert times[0] >= samples.times[index] - 20.0
    assert (times[-1], measured[-1], model[-1]) == (
        samples.times[index], samples.measured[index, 1], samples.model[index, 1]
    )  # fmt: skip


def test_it_goes_on_and_begins_again(view):
    for moment, before in ((1.0, 1.0), (view.time.max - 1e-3, 0.0)):
        view.time.value, view.speed.value = moment, '16'
        view._looked -= 0.1
        view.update()
        assert before <= view.time.value < before + 10.0
    view.plays.value = False
    stopped = view.time.value
    view.update()
    assert view.time.value == stopped


def test_findings_are_marked_where_they_show_most(view, compared):
    assert compared.findings
    for number, finding in enumerate(compared.findings, 1):
        moment = compared.drawn.worst_moment(finding.joints)
        view.jump.value = str(number)
        for callback in view.jump._impl.update_cb:
            callback(None)
        assert view.time.value == pytest.approx(moment, abs=1e-3)
        index = int(np.searchsorted(compared.drawn.times, moment))
        residual = np.abs(compared.drawn.residual)
        columns = [compared.drawn.joints.index(name) for name in finding.joints]
        assert (residual[index] == residual.max(axis=0))[columns or slice(None)].any()

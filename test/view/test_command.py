"""`robot_dynamics view` and `identify --view`: what is shown, and how it ends."""

import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

pytest.importorskip('viser')
pytest.importorskip('scipy')

from identified_recordings import DESCRIBED, recording
from running_command import ended

from robot_dynamics_ros.cli import view as command

QUICK = ('--friction', '0.01', '--effort-delay', '0')


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('view')
    (folder / 'arm.urdf').write_text(DESCRIBED.read_text())
    recording(folder / 'good.csv')
    return folder


@pytest.fixture
def shown(monkeypatch):
    """The views that commands would show; each ends at once."""
    views = []

    def show(server, update, line):
        update()
        views.append(update.__self__)
        server.stop()
        return 0

    monkeypatch.setattr(command, 'show', show)
    return views


def test_a_description_a_topic_and_a_recording(folder, shown, monkeypatch):
    pytest.importorskip('rclpy')
    urdf, topics = (folder / 'arm.urdf').read_text(), []
    read = 'robot_dynamics_ros.ros.description.read_description'
    monkeypatch.setattr(read, lambda topic: topics.append(topic) or urdf)
    assert ended(folder, 'view', 'arm.urdf', '--gravity', '0,0,-1.62').returncode == 0
    assert ended(folder, 'view').returncode == 0
    assert ended(folder, 'view', 'good.csv', '--urdf', 'arm.urdf').returncode == 0
    assert [type(view).__name__ for view in shown] == ['ModelView', 'ModelView', 'RecordingView']
    assert topics == ['/robot_description']
    assert shown[0].dynamics().gravity[2] == -1.62
    assert len(shown[2]._samples.times) > 1000


def test_after_a_fit_the_model_is_what_was_identified(folder, shown):
    found = ended(folder, 'identify', 'good.csv', *QUICK, '--urdf', 'arm.urdf', '--output', 'out',
                  '--view')  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert ended(folder, 'view', 'good.csv', '--urdf', 'arm.urdf').returncode == 0
    identified, described = (
        float(np.sqrt(np.nanmean(view._samples.residual**2))) for view in shown
    )
    assert identified < 0.5 * described


def test_it_serves_its_page_until_ctrl_c(folder):
    words = [sys.executable, '-m', 'robot_dynamics_ros.executables', 'view', 'arm.urdf']
    process = subprocess.Popen(
        [*words, '--port', '18080'], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    try:
        address = process.stdout.readline().split()[0]
        assert address.startswith('http://127.0.0.1:')
        with urllib.request.urlopen(address, timeout=60.0) as page:
            assert b'<html' in page.read()
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60.0)
    finally:
        process.kill()
    assert (process.returncode, rest) == (0, '')

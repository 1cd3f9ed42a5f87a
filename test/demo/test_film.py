"""The arm that is drawn moves as its messages say, with and without shapes that can be read."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')
pytest.importorskip('mujoco')

from PIL import Image
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.demo import film as films
from robot_dynamics_ros.demo.client import TOPICS, Samples
from robot_dynamics_ros.demo.film import ACTS, Film
from robot_dynamics_ros.demo.plan import Plan

URDF = Path(__file__).parents[2] / 'examples/three_link_arm/three_link_arm.urdf'
SHAPE = '<visual><geometry>{}</geometry></visual></link>'


def film(shape=''):
    """A run of an arm, whose links have a <visual>; all acts are its fast trajectory."""
    urdf = URDF.read_text()
    if shape:
        urdf = urdf.replace('</link>', SHAPE.format(shape))
    plan = Plan(parse_urdf(urdf), duration=1.0)
    times, names = np.linspace(0.0, 1.0, 101), list(plan.joints)
    q = [plan.trajectory.at(time)[0] for time in times]
    told = [JointTorques(joint_names=names, effort=[2.0] * 3, state='TRACKING')] * 101
    messages = {'states': [JointState(name=names, position=row) for row in q], 'torques': told}
    phase = {
        topic: Samples(
            topic, messages.get(topic, []), *3 * [times[: len(messages.get(topic, []))]]
        )
        for topic in TOPICS
    }
    try:
        return Film(urdf, URDF.parent, plan, dict.fromkeys(ACTS, phase))
    except RuntimeError as error:
        pytest.skip(f'{error}: apt-get install libegl1')


def test_a_film_shows_all_acts_in_real_time(tmp_path, monkeypatch):
    monkeypatch.setattr(films, 'FRAME_RATE', 5)
    film().save(tmp_path / 'acts.gif')
    with Image.open(tmp_path / 'acts.gif') as written:
        shown = 0
        for index in range(written.n_frames):
            written.seek(index)
            shown += written.info['duration']
    assert shown == pytest.approx(1e3 * sum(end for _, end, _ in ACTS.values()), rel=0.05)


@pytest.mark.parametrize(
    'shape', ['', '<box size="0.1 0.1 0.3"/>', '<mesh filename="package://nowhere/link.stl"/>']
)
def test_a_pose_is_seen(shape):
    """Without shapes that can be read the links are lines: the arm is never invisible."""
    drawn = film(shape)
    camera, home = drawn._camera, np.zeros(3)
    still, moved = camera.draw(home), camera.draw(home + 0.5)
    assert (camera.draw(home) == still).all()
    assert (np.abs(still.astype(int) - moved).max(axis=-1) > 40).mean() > 0.003
    pushed = camera.draw(home, np.array([0.0, 20.0, 0.0]))
    assert (pushed != still).any()
    assert [title for title, _ in drawn.strip()] == [words for words, *_ in ACTS.values()]

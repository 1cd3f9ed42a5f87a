"""What was recorded is what is read, from files of every kind."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import three_joints

pytest.importorskip('rosbags')

from recorded_states import (
    JOINTS,
    START,
    TOPIC,
    csv_file,
    joined,
    joint_state_bag,
    ros1_bag,
    ros2_messages,
    serialized_text,
    sine_states,
    write_bag,
)

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

STATES = sine_states()
JOINT_STATE, FIELDS = 'sensor_msgs/msg/JointState', ('positions', 'velocities', 'efforts')
VALUES = [getattr(STATES, name) for name in FIELDS]


def bare(folder):
    """The one storage file of a bag, without its folder and metadata."""
    (file,) = (path for path in folder.iterdir() if path.name != 'metadata.yaml')
    return file.rename(folder.parent / file.name)


def split(path, storage):
    """A folder with two storage files, the later one first in the order of names."""
    half = len(STATES) // 2
    whole = joint_state_bag(path / 'part_1', STATES.part(slice(half)), storage=storage)
    bare(joint_state_bag(whole / 'part_0', STATES.part(slice(half, None)), storage=storage))
    return whole


def bag(options=None):
    return lambda p: [joint_state_bag(p / 'bag', STATES, **(options or {}))]


KINDS = {
    'sqlite3 folder': bag({'storage': 'sqlite3'}),
    'mcap folder': bag(),
    'bare mcap': lambda p: [bare(*bag()(p))],
    'split mcap': lambda p: [split(p, 'mcap')],
    'split sqlite3': lambda p: [split(p, 'sqlite3')],
    'two bags': lambda p: [
        joint_state_bag(p / 'b', STATES.part(slice(600, None))),
        joint_state_bag(p / 'a', STATES.part(slice(600)), storage='sqlite3'),
    ],
    'compressed chunks': bag({'compression': 'storage'}),
    'compressed messages': bag({'storage': 'sqlite3', 'compression': 'message'}),
    'compressed mcap messages': bag({'compression': 'message'}),
    'bare compressed file': lambda p: [bare(*bag({'compression': 'file'})(p))],
    'ROS 1': lambda p: [ros1_bag(p / 'old.bag', STATES)],
    'ROS 1, lz4': lambda p: [ros1_bag(p / 'old.bag', STATES, compression='lz4')],
    'CSV': lambda p: [csv_file(p / 'states.csv.gz', STATES)],
    'CSV of PlotJuggler': lambda p: [
        csv_file(p / 'states.csv', STATES, style='/joint_states/{}/{}', time='__time')
    ],
    'three CSV files': lambda p: [
        csv_file(p / f'{field}.csv', STATES, style='- {}_{}', time='t', fields=[field])
        for field in ('effort', 'position', 'velocity')
    ],
}


@pytest.mark.parametrize('kind', KINDS)
def test_each_kind_of_file_gives_what_was_recorded(tmp_path, kind):
    recording = Recording.read(KINDS[kind](tmp_path))
    assert recording.joints == JOINTS
    assert recording.size == len(STATES)
    assert recording.quality.clock == ('file' if 'CSV' in kind else 'header')
    assert recording.interval == pytest.approx(0.004, rel=1e-6)
    times, *values = joined(recording)
    np.testing.assert_allclose(times, (STATES.stamps - STATES.stamps[0]) * 1e-9, atol=1e-9)
    np.testing.assert_array_equal(values, VALUES)


def test_joints_are_matched_by_name_in_any_order(tmp_path):
    generator = np.random.default_rng(0)

    def shuffled():
        for index in range(len(STATES)):
            order = generator.permutation(3)
            one = STATES.part(slice(index, index + 1))
            mixed = {name: getattr(one, name)[:, order] for name in FIELDS}
            names = tuple(np.array(JOINTS)[order].tolist())
            yield from ros2_messages(replace(one, names=names, **mixed))

    folder = write_bag(tmp_path / 'bag', {TOPIC: (JOINT_STATE, shuffled())})
    recording = Recording.read([folder], joints=JOINTS[::-1])
    assert recording.quality.merged == 0
    np.testing.assert_array_equal(joined(recording)[1:], np.array(VALUES)[..., ::-1])


def test_messages_of_other_joints_are_left_out_and_counted(tmp_path):
    part = STATES.part(slice(0, None, 3))
    position = {'positions': part.positions[:, :1], 'velocities': None, 'efforts': None}
    gripper = replace(part, names=('finger',), **position)
    both = sorted([*ros2_messages(STATES), *ros2_messages(gripper)])
    folder = write_bag(tmp_path / 'bag', {TOPIC: (JOINT_STATE, both)})
    recording = Recording.read([folder])
    assert (recording.joints, recording.quality.of_other_joints) == (JOINTS, len(gripper))
    np.testing.assert_array_equal(joined(recording)[1], STATES.positions)
    recording = Recording.read([folder], joints=['finger'])
    _, positions, velocities, efforts = joined(recording)
    assert recording.quality.without_velocities == len(gripper)
    np.testing.assert_array_equal(positions, gripper.positions)
    assert np.isnan([velocities, efforts]).all()


def test_interleaved_topics_do_not_disturb_each_other(tmp_path):
    """Without stamps, times are those of the log."""
    other = replace(STATES, positions=-STATES.positions)
    contents = {
        '/left/joint_states': (JOINT_STATE, ros2_messages(STATES)),
        '/right/joint_states': (JOINT_STATE, ros2_messages(other, stamp=False)),
    }
    folder = write_bag(tmp_path / 'bag', contents)
    recording = Recording.read([folder], topic='right/joint_states')
    assert recording.topics == dict.fromkeys(contents, len(STATES))
    assert recording.start == STATES.stamps[0]
    times, positions, *_ = joined(recording)
    assert recording.quality.clock == 'log'
    np.testing.assert_array_equal(positions, other.positions)
    np.testing.assert_allclose(times, (STATES.stamps - STATES.stamps[0]) * 1e-9, atol=1e-9)


@pytest.mark.parametrize('storage', ['mcap', 'sqlite3'])
def test_different_descriptions_are_those_of_the_topic_and_the_newest_one_is_last(
    tmp_path, storage
):
    """A split recording has the same one in each file."""
    texts = [f'<robot name="{name}"/>' for name in 'äbcä']
    said = [(START + place, serialized_text(text)) for place, text in enumerate(texts)]
    contents = {
        '/robot_description': ('std_msgs/msg/String', said),
        TOPIC: (JOINT_STATE, ros2_messages(STATES)),
    }
    recording = Recording.read([write_bag(tmp_path / storage, contents, storage=storage)])
    assert (recording.descriptions, recording.size) == (tuple(texts[1:]), len(STATES))


def test_a_folder_of_tables_is_one_recording(tmp_path):
    for field in ('effort', 'position', 'velocity'):
        csv_file(tmp_path / f'{field}.csv', STATES, fields=[field])
    (tmp_path / 'notes.txt').write_text('notes')
    np.testing.assert_array_equal(joined(Recording.read(str(tmp_path)))[1:], VALUES)
    csv_file(tmp_path / 'other_day.csv', STATES)
    with pytest.raises(RecordingError, match='one by one'):
        Recording.read(tmp_path)


def test_tables_need_no_libraries(tmp_path, monkeypatch):
    """None in sys.modules is what import refuses."""
    for name in ('mcap', 'rosbags', 'scipy.signal'):
        monkeypatch.setitem(sys.modules, name, None)
    recording = Recording.read([csv_file(tmp_path / 'a.csv', STATES)])
    np.testing.assert_array_equal(joined(recording)[1], STATES.positions)
    with pytest.raises(RecordingError, match=r"scipy.*'robot_dynamics_ros\[recordings\]'"):
        next(recording.motions())
    (tmp_path / 'a.mcap').touch()
    with pytest.raises(RecordingError, match=r"mcap.*'robot_dynamics_ros\[recordings\]'"):
        Recording.read(tmp_path / 'a.mcap')


def test_a_model_chooses_joints(tmp_path):
    model = parse_urdf(three_joints.URDF)
    backwards = replace(STATES, names=model.joint_names[::-1])
    recording = Recording.read(csv_file(tmp_path / 'a.csv', backwards), model)
    assert recording.joints == model.joint_names
    np.testing.assert_array_equal(joined(recording)[1], STATES.positions[:, ::-1])
    other = replace(STATES, names=('a_1', 'a_2', 'a_3'))
    with pytest.raises(RecordingError, match="'turn'"):
        Recording.read(csv_file(tmp_path / 'b.csv', other), model)

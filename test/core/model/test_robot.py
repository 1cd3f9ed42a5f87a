"""Frames of links, indices of joints, and the size of a robot."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError, UnknownNameError
from robot_dynamics_ros.core.spatial import rotation_from_rpy

pytestmark = pytest.mark.contract


def test_every_link_has_a_frame():
    model = hand_written('fixed_links').model
    assert {frame.name: frame.body for frame in model.frames} == {
        'floor': -1, 'plinth': -1, 'arm': 0, 'motor': 0,
        'forearm': 1, 'flange': 1, 'tool': 1, 'tip': 1,
    }  # fmt: skip
    assert model.frames[0].name == 'floor'


def test_a_frame_is_placed_in_the_body_that_carries_it():
    model = hand_written('fixed_links').model
    flange = np.array(rotation_from_rpy(0.0, 0.0, 0.5))
    tool = flange @ rotation_from_rpy(-0.6, 0.2, 0.9)
    tip = model.frame('tip').placement
    assert_close(tip.rotation, tool)
    position = np.array([0.3, 0.0, 0.0]) + flange @ [0.02, 0.01, 0.1] + tool @ [0.0, 0.0, 0.2]
    assert_close(tip.translation, position)


def test_unknown_frame_is_named_with_those_that_there_are():
    model = hand_written('fixed_links').model
    with pytest.raises(UnknownNameError, match=r"'gripper'.*floor, plinth"):
        model.frame('gripper')


def test_reach_is_the_longest_way_to_a_link():
    """0.3 m to the forearm, and on to the tip of the tool, whatever the joints do."""
    model = hand_written('fixed_links').model
    farthest = 0.0
    for q in np.random.default_rng(1).uniform(-np.pi, np.pi, (50, model.size)):
        dynamics = hand_written('fixed_links').python
        origins = [dynamics.frame_pose(q, frame.name)[1] for frame in model.frames]
        farthest = max(farthest, *(float(np.linalg.norm(origin)) for origin in origins))
    assert 0.5 * model.reach < farthest <= model.reach


def test_indices_are_in_the_order_of_the_names():
    model = hand_written('tree').model
    names = model.joint_names[::-1]
    assert model.indices_of(names) == list(range(model.size))[::-1]


@pytest.mark.parametrize(
    ('names', 'error', 'message'),
    [
        ([], ParameterError, 'joints is empty: name'),
        (['finger', 'finger'], ParameterError, 'twice: finger'),
        ('finger', ParameterError, 'sequence of names'),
        (['knuckle'], UnknownNameError, "'knuckle'.*mimics"),
        (['thumb'], UnknownNameError, "unknown joint 'thumb'"),
    ],
)
def test_names_that_give_no_indices_are_refused(names, error, message):
    with pytest.raises(error, match=message):
        hand_written('mimic').model.indices_of(names)

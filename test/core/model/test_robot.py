"""Frames of links, which the model keeps although fixed joints are merged."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core import UnknownNameError
from robot_dynamics_ros.core.spatial import rotation_from_rpy


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
    with pytest.raises(UnknownNameError, match="unknown frame 'gripper': known are floor, plinth"):
        model.frame('gripper')

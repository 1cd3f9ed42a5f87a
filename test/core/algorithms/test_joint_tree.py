"""Kinematics from body to body, and the way back to the base."""

import numpy as np
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core.algorithms.joint_tree import ancestors, joint_frames, joint_rates


def test_ancestors_come_nearest_first():
    model = hand_written('tree').model
    assert [list(ancestors(model, index)) for index in range(6)] == [
        [], [0], [1, 0], [1, 0], [0], [],
    ]  # fmt: skip


def test_mimic_joints_take_their_rates_from_the_joint_that_they_mimic():
    """In the order of the tree: wrist, finger, knuckle, fingertip, opposing."""
    model = hand_written('mimic').model
    assert_close(joint_rates(model, [3.0, 2.0]), [3.0, 2.0, -3.0, -1.5, 0.14])


def test_a_joint_frame_turns_or_slides():
    text_frame = joint_frames(hand_written('gantry').model, [1.5, -0.5, 0.0])
    assert_close(text_frame[0][1], [1.5, 0.0, 2.0])
    assert_close(text_frame[1][1], [0.0, -0.5, 0.0])
    ((rotation, translation),) = joint_frames(hand_written('pendulum').model, [np.pi / 2])
    assert_close(translation, [0.1, 0.2, 1.0])
    # About +y: z turns to x.
    assert_close(np.array(rotation) @ [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])

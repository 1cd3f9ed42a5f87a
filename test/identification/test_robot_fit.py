"""A robot of rows: the law that the node evaluates, and parts that are of another robot."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from arm_motions import URDF, motion_of

from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf
from robot_dynamics_ros.identification.friction_law import node_friction
from robot_dynamics_ros.identification.recorded_rows import (
    BLOCKS,
    RecordedRobot,
    RecordedRows,
    Source,
)
from robot_dynamics_ros.identification.validation import cross_validated
from robot_dynamics_ros.regression.rows import make_rows

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
VALUES = dict(zip(MODEL.joint_names, (0.4, 0.5, 0.3), strict=True))
LAW = JointFriction(
    MODEL, coulomb=VALUES, viscous=VALUES, presliding=VALUES, load=dict.fromkeys(VALUES, 0.05)
)
LOADED = RobotDynamics(MODEL.with_payload('flange', 1.0, (0.0, 0.0, 0.05)))
ROBOT = RecordedRobot(
    DYNAMICS, 'auto', rotors=True, scales=np.ones(3), gains=np.zeros(3, bool), measured=np.ones(3)
)


def recorded(gripped_at=np.inf, seconds=24.0):
    """Of an arm with this friction, which may grip a payload at a time [s]."""

    def efforts(q, v, a):
        times = np.arange(len(q)) / len(q) * seconds
        free, loaded = (one.inverse_dynamics(q, v, a) for one in (DYNAMICS, LOADED))
        rigid = np.where(times[:, None] < gripped_at, free, loaded)
        return rigid + LAW.torque(v, load=rigid, slips=LAW.slips().along(q))

    motion = motion_of(MODEL, 3, efforts, seconds=seconds)
    rows = make_rows(DYNAMICS, ROBOT.terms, [motion], cutoff=5.0)
    source = Source('bag', lambda: None, 'bag', None, held_out=False)
    return RecordedRows(ROBOT, [source], [rows], np.zeros(3), np.ones(3), 5.0)


def test_the_friction_that_is_written_is_that_of_the_arm():
    found = ROBOT.fit(recorded().whole)
    values = {
        kind: dict(zip(MODEL.joint_names, one.tolist(), strict=True))
        for kind, one in node_friction(MODEL, found.fitted, found.laws).items()
    }
    v = np.linspace(-1.5, 1.5, 60)[:, None] * np.ones(3)
    written, true = (one.torque(v, load=0.0 * v) for one in (JointFriction(MODEL, **values), LAW))
    np.testing.assert_allclose(written, true, atol=0.06)


def test_a_payload_that_was_gripped_changes_the_robot():
    ratios = []
    for gripped_at in (np.inf, 18.0):
        rows = recorded(gripped_at)
        ratios.append(cross_validated(rows, ROBOT.fit(rows.whole))[1])
    assert ratios[0].shape == (BLOCKS, 3)
    assert ratios[0].max() < 2.0
    assert ratios[1].max() > 5.0

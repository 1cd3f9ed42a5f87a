"""A robot of rows: the law that the node evaluates, and blocks that others do not predict."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from arm_motions import URDF, motion_of

from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf
from robot_dynamics_ros.identification.blocks import BLOCKS, cross_validated, fitted_robot
from robot_dynamics_ros.identification.friction_law import friction_terms
from robot_dynamics_ros.regression.regressors import ARMATURE, BODIES
from robot_dynamics_ros.regression.rows import RowMaker

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
VALUES = dict(zip(MODEL.joint_names, (0.4, 0.5, 0.3), strict=True))
LAW = JointFriction(
    MODEL, coulomb=VALUES, viscous=VALUES, presliding=VALUES, load=dict.fromkeys(VALUES, 0.05)
)
LOADED = RobotDynamics(MODEL.with_payload('flange', 1.0, (0.0, 0.0, 0.05)))


def rows_of(gripped_at=np.inf, seconds=24.0):
    """Of an arm with this friction, which may grip a payload at a time [s]."""

    def efforts(q, v, a):
        times = np.arange(len(q)) / len(q) * seconds
        free, loaded = (one.inverse_dynamics(q, v, a) for one in (DYNAMICS, LOADED))
        rigid = np.where(times[:, None] < gripped_at, free, loaded)
        return rigid + LAW.torque(v, load=rigid, slips=LAW.slips().along(q))

    maker = RowMaker(DYNAMICS, [BODIES, ARMATURE, *friction_terms('auto')], cutoff=5.0)
    maker.add(motion_of(MODEL, 3, efforts, seconds=seconds))
    return maker.rows()


def test_the_friction_that_is_written_is_that_of_the_arm():
    found = fitted_robot(rows_of(), MODEL, 'auto')
    values = {
        kind: dict(zip(MODEL.joint_names, one.tolist(), strict=True))
        for kind, one in found.kinds(MODEL).items()
    }
    v = np.linspace(-1.5, 1.5, 60)[:, None] * np.ones(3)
    written, true = (one.torque(v, load=0.0 * v) for one in (JointFriction(MODEL, **values), LAW))
    np.testing.assert_allclose(written, true, atol=0.06)


def test_a_payload_that_was_gripped_is_a_block_that_others_do_not_predict():
    rows = rows_of()
    same = cross_validated(rows, MODEL, 'auto').worse(rows)
    assert same.shape == (BLOCKS, 3)
    assert same.max() < 2.0
    rows = rows_of(gripped_at=18.0)
    assert cross_validated(rows, MODEL, 'auto').worse(rows)[-1].max() > 5.0

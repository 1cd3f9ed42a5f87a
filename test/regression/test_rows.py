"""Rows: filtered and decimated alike on both sides, however motions come."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip('scipy')

from arm_motions import URDF, motion_of

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.regression.regressors import ARMATURE, FRICTION, OFFSET, payload_on
from robot_dynamics_ros.regression.rows import RowMaker

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
TERMS = [payload_on(MODEL, 'flange'), ARMATURE, *FRICTION, OFFSET]
PI = np.array([0.6, 0.01, 0.02, 0.03, 0.01, 0.0, 0.01, 0.0, 0.0, 0.01])


def rows_of(motions, **options):
    maker = RowMaker(DYNAMICS, TERMS, **options)
    for motion in motions:
        maker.add(motion)
    return maker.rows()


def motion(seed=1, seconds=16.0):
    """With a payload, rotors and an offset, without noise."""

    def efforts(q, v, a):
        loaded = DYNAMICS.regressor(q, v, a)[..., 20:] @ to_hand(PI)
        return DYNAMICS.inverse_dynamics(q, v, a) + loaded + 0.3 * a + 2.0

    return motion_of(MODEL, seed, efforts, noise=0.0, seconds=seconds)


def to_hand(pi):
    from robot_dynamics_ros.regression.regressors import to_body

    return to_body(MODEL.frame('flange').placement) @ pi


@pytest.mark.parametrize('cutoff', [None, 5.0])
def test_filtered_equations_are_true(cutoff):
    rows = rows_of([motion()], cutoff=cutoff)
    coefficients = np.append(PI, np.zeros(rows.own[0].size))
    coefficients[rows.places('payload')] = PI
    coefficients[rows.places('armature')], coefficients[rows.places('offset')] = 0.3, 2.0
    own = coefficients[10:].reshape(3, -1)
    found = rows.shared @ PI + np.einsum('njk,jk->nj', rows.own, own)
    np.testing.assert_allclose(found, rows.torque, atol=1e-9)
    assert 0.4 < rows.used.mean() < 1.0
    # Two rows for a period.
    assert np.diff(rows.times) == pytest.approx(0.5 / (cutoff or 25.0))


def test_parts_of_a_motion_give_the_rows_of_the_whole():
    whole = motion()
    bounds = [0, 1, 40, 900, 1600]
    parts = [
        replace(whole.part(slice(one, end)), begins=one == 0, number=one)
        for one, end in pairwise(bounds)
    ]
    for cutoff in (None, 5.0):
        found, expected = rows_of(parts, cutoff=cutoff), rows_of([whole], cutoff=cutoff)
        for name in ('times', 'shared', 'own', 'rigid', 'torque', 'used'):
            np.testing.assert_allclose(
                getattr(found, name), getattr(expected, name), atol=1e-9, err_msg=name
            )


def test_missing_efforts_do_not_count_and_recordings_follow_each_other():
    whole = motion()
    silent = whole.efforts.copy()
    silent[:, 1] = np.nan
    silent[500:600] = np.nan
    rows = rows_of([replace(whole, efforts=silent), whole], cutoff=5.0)
    first = rows.times < whole.times[-1]
    assert not rows.used[first, 1].any()
    assert not rows.used[(rows.times > 5.0) & (rows.times < 6.0)].any()
    assert rows.used[~first, 1].any()
    assert (np.diff(rows.times) > 0.0).all()


def test_memory_is_bounded(monkeypatch):
    """Of more rows than fit, one of two is left, again and again."""
    most = 3e5
    monkeypatch.setattr('robot_dynamics_ros.regression.rows.MOST_BYTES', most)
    rows = rows_of([motion(seed, 40.0) for seed in range(4)])
    assert sum(getattr(rows, name).nbytes for name in ('shared', 'own', 'rigid')) < 2.0 * most
    assert rows.times[-1] > 150.0

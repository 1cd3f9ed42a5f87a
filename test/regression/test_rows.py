"""Rows: filtered and decimated alike on both sides, however motions come."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from arm_motions import URDF, motion_of

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.regression.regressors import ARMATURE, OFFSET, friction_basis, payload_on
from robot_dynamics_ros.regression.rows import APART, Rows, make_rows

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
TERMS = [payload_on(MODEL, 'flange'), ARMATURE, *friction_basis(), OFFSET]
BODY = 0.6, (0.01, 0.02, 0.03), np.diag([0.01, 0.01, 0.01])
PI = np.array(parameters_of(Payload('it', 'flange', *BODY).moments))


def rows_of(motions, **options):
    return make_rows(DYNAMICS, TERMS, motions, **options)


def motion(seed=1, seconds=16.0):
    """With a payload, rotors and an offset, without noise."""

    def efforts(q, v, a):
        loaded = MODEL.with_payload('flange', *BODY)
        return RobotDynamics(loaded).inverse_dynamics(q, v, a) + 0.3 * a + 2.0

    return motion_of(MODEL, seed, efforts, noise=0.0, seconds=seconds)


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


@pytest.mark.parametrize('cutoff', [None, 5.0])
def test_rows_do_not_depend_on_the_samples_that_are_taken_together(cutoff, monkeypatch):
    expected = rows_of([motion()], cutoff=cutoff)
    monkeypatch.setattr('robot_dynamics_ros.regression.rows.TOGETHER', 10**6)
    found = rows_of([motion()], cutoff=cutoff)
    for name in ('times', 'shared', 'own', 'rigid', 'torque', 'used'):
        ours, theirs = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(ours, theirs, atol=1e-9, err_msg=name)


def test_missing_efforts_do_not_count_and_recordings_follow_each_other():
    whole = motion()
    silent = whole.efforts.copy()
    silent[:, 1] = np.nan
    silent[500:600] = np.nan
    first, second = (
        rows_of([replace(whole, efforts=silent)], cutoff=5.0),
        rows_of([whole], cutoff=5.0),
    )
    assert not first.used[:, 1].any()
    assert not first.used[(first.times > 5.0) & (first.times < 6.0)].any()
    rows = Rows.joined([first, second])
    np.testing.assert_array_equal(rows.used, np.concatenate([first.used, second.used]))
    assert rows.times[len(first.times)] == pytest.approx(np.ptp(first.times) + APART)
    assert np.ptp(rows.times) == pytest.approx(np.ptp(first.times) + APART + np.ptp(second.times))
    assert (np.diff(rows.times) > 0.0).all()


def test_of_many_rows_one_in_a_few_is_kept(monkeypatch):
    whole = rows_of([motion()])
    monkeypatch.setattr('robot_dynamics_ros.regression.rows.MAX_ROWS', 200)
    rows = rows_of([motion()])
    assert 100 < len(rows.times) <= 200
    kept = np.searchsorted(whole.times, rows.times - 1e-9)
    np.testing.assert_allclose(rows.torque, whole.torque[kept], atol=1e-9)
    np.testing.assert_allclose(rows.own, whole.own[kept], atol=1e-9)

"""Equations of motions: true after the filter, whatever the parts, without unusable samples."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import cut, exact_motion, truth
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError, UnknownNameError
from robot_dynamics_ros.identification.parameters import Load, ParameterLayout
from robot_dynamics_ros.identification.regression import (
    EquationOptions,
    MotionEquations,
    RecordedEquations,
)

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
FIRST = ROBOT.model.joint_names[0]
# The efforts of these motions are above the limits of the description.
UNLIMITED = dict.fromkeys(ROBOT.model.joint_names, 1e9)
LINK = next(frame.name for frame in ROBOT.model.frames if frame.body == 3)


@pytest.fixture(scope='module')
def motion():
    return exact_motion(ROBOT.native)


def joined(blocks):
    """Rows, right-hand sides, times and flags of all blocks."""
    blocks = list(blocks)
    names = ('rows', 'torques', 'times', 'used')
    return tuple(np.concatenate([getattr(block, name) for block in blocks]) for name in names)


def made(motions, layout=LAYOUT, recording='', levels=UNLIMITED, **options):
    options = EquationOptions(effort_levels=levels, **options)
    made = MotionEquations(layout, options, ROBOT.native)
    return joined(made.of_motions(motions, recording))


@pytest.mark.parametrize('cutoff', [None, 8.0])
def test_the_filter_leaves_the_equations_true(motion, cutoff):
    """Also where Coulomb friction jumps, and so for the samples of the dead band."""
    rows, torques, _, _ = made([motion], cutoff=cutoff)
    assert_close(rows @ truth(LAYOUT), torques)


def test_equations_are_decimated_to_what_the_cutoff_leaves(motion):
    _, _, times, _ = made([motion], cutoff=8.0)
    np.testing.assert_allclose(np.diff(times), 12 / motion.rate)
    _, _, times, _ = made([motion])
    np.testing.assert_allclose(np.diff(times), 2 / motion.rate)


@pytest.mark.parametrize('options', [{}, {'cutoff': 8.0}, {'cutoff': 8.0, 'form': 'power'}])
def test_the_parts_of_a_motion_do_not_matter(motion, options):
    for whole, parts in zip(
        made([motion], **options), made(cut(motion, 1, 400, 1501, 1502), **options), strict=True
    ):
        np.testing.assert_allclose(parts, whole, atol=1e-10)


def test_no_equation_reaches_over_a_gap(motion):
    """After a gap, the filter begins anew: what was before does not take part."""
    first, second = cut(motion, 700)
    other = replace(first, efforts=first.efforts + 1e6)
    results = [made([part, replace(second, begins=True)], cutoff=8.0) for part in (first, other)]
    count = len(made([second], cutoff=8.0)[2])
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one[-count:], two[-count:])


def test_the_power_form_is_the_power_of_the_torques(motion):
    """Exact up to the derivative of the filter, of energies up to twice the highest rate."""
    rows, powers, _, used = made([motion], cutoff=20.0, form='power')
    assert rows.shape[1] == 1
    assert used.all()
    scale = np.abs(powers).max()
    np.testing.assert_allclose(rows @ truth(LAYOUT), powers, atol=1e-6 * scale)


def test_the_power_form_needs_no_accelerations(motion):
    wrong = replace(motion, accelerations=np.full_like(motion.accelerations, 1e9))
    one, two = (made([each], cutoff=20.0, form='power')[0] for each in (motion, wrong))
    np.testing.assert_array_equal(one, two)


def test_slow_joints_do_not_count(motion):
    _, _, times, used = made([motion], turning_band=0.3, sliding_band=0.1)
    kinds = [joint.kind for joint in ROBOT.model.independent_joints]
    bands = np.where([kind == 'prismatic' for kind in kinds], 0.1, 0.3)
    rows = np.rint(times * motion.rate).astype(int)
    np.testing.assert_array_equal(used, np.abs(motion.velocities[rows]) >= bands)
    assert 0.05 < 1.0 - used.mean() < 0.9


def test_an_equation_that_is_filtered_counts_if_few_of_its_samples_are_slow(motion):
    band = 0.4
    _, _, times, used = made([motion], cutoff=8.0, turning_band=band, sliding_band=band)
    rows = np.rint(times * motion.rate).astype(int)
    slow = np.abs(motion.velocities[rows]) < 0.1 * band
    assert slow.any()
    assert not used[slow].any()


def test_saturated_efforts_do_not_count(motion):
    level = 0.7 * np.abs(motion.efforts[:, 0]).max()
    limited = motion.efforts.copy()
    limited[:, 0] = np.clip(limited[:, 0], -level, level)
    clipped = replace(motion, efforts=limited)
    rows, torques, _, used = made([clipped], cutoff=8.0, levels={**UNLIMITED, FIRST: level})
    wrong = np.abs(rows @ truth(LAYOUT) - torques)[:, 0]
    scale = np.abs(torques[:, 0]).max()
    assert wrong.max() > 0.1 * scale
    # What is left of the weights of saturated samples in the equations that count.
    assert wrong[used[:, 0]].max() < 0.01 * scale
    assert used[:, 0].mean() > 0.1
    with pytest.raises(UnknownNameError, match='nothing'):
        MotionEquations(LAYOUT, EquationOptions(effort_levels={'nothing': 1.0}), ROBOT.native)


def test_no_effort_is_saturated_by_a_limit_that_is_negative(motion):
    joints = tuple(replace(j, limits=replace(j.limits, effort=-5.0)) for j in ROBOT.model.joints)
    *_, used = made([motion], ParameterLayout(replace(ROBOT.model, joints=joints)), levels={})
    assert used.any()
    np.testing.assert_array_equal(used, made([motion])[3])


def test_a_limit_that_efforts_exceed_is_not_where_they_saturate(motion):
    """Descriptions have placeholders: only efforts near the limit are left out."""
    low = 0.1 * np.abs(motion.efforts).max(axis=0)
    levels = dict(zip(motion.joints, low, strict=True))
    _, _, _, unlimited = made([motion])
    _, torques, _, used = made([motion], levels=levels)
    near = (np.abs(torques) >= 0.98 * low) & (np.abs(torques) <= 1.05 * low)
    np.testing.assert_array_equal(used, unlimited & ~near)
    assert used.mean() > 0.5


def test_efforts_that_are_not_measured_do_not_count(motion):
    efforts = motion.efforts.copy()
    efforts[:, 1] = np.nan
    rows, torques, _, used = made([replace(motion, efforts=efforts)], cutoff=8.0)
    assert not used[:, 1].any()
    assert used[:, 0].any()
    assert np.isfinite(rows).all()
    assert np.isfinite(torques).all()
    assert not made([replace(motion, efforts=efforts)], cutoff=8.0, form='power')[3].any()


def test_joints_whose_effort_is_known_to_be_none_do_not_count(motion):
    used, usual = made([motion], unmeasured=(FIRST,))[3], made([motion])[3]
    assert not used[:, 0].any()
    np.testing.assert_array_equal(used[:, 1:], usual[:, 1:])
    with pytest.raises(UnknownNameError, match='finger'):
        made([motion], unmeasured=('finger',))


def test_no_equation_counts_while_a_load_is_gripped(motion):
    """And the load has columns in its own recording alone."""
    layout = ParameterLayout(ROBOT.model, (), (Load('brick', LINK, (('one', 3.0, 5.0),)),))
    columns = layout.body_columns(4)
    rows, _, times, used = made([motion], layout, 'one', cutoff=8.0, turning_band=0.0)
    filtered = 1.81 / 8.0 + 8 / motion.rate
    inside = (times > 3.0 + filtered) & (times < 5.0 - filtered)
    outside = (times < 3.0 - filtered) | (times > 5.0 + filtered)
    assert used[inside | outside][:, 0].all()
    assert not used[np.abs(times - 3.0) < 0.05].any()
    assert rows[inside][..., columns].any()
    assert not rows[outside][..., columns].any()
    assert not made([motion], layout, 'two')[0][..., columns].any()


def test_joints_are_found_by_name(motion):
    names = ('other', *reversed(motion.joints))
    fields = ('positions', 'velocities', 'accelerations', 'efforts')
    turned = {
        name: np.hstack([np.ones((len(motion), 1)), getattr(motion, name)[:, ::-1]])
        for name in fields
    }
    other = replace(motion, joints=names, **turned)
    for one, two in zip(made([motion]), made([other]), strict=True):
        np.testing.assert_array_equal(one, two)
    lacking = replace(motion, joints=('other', *motion.joints[1:]))
    with pytest.raises(ParameterError, match=FIRST):
        list(MotionEquations(LAYOUT, None, ROBOT.native).of_motions([lacking]))


@pytest.mark.parametrize('most', [0, 10**9])
def test_recorded_equations_are_the_same_each_time(motion, most):
    calls = []

    def compute():
        calls.append(None)
        return MotionEquations(LAYOUT, None, ROBOT.native).of_motions([motion])

    recorded = RecordedEquations(compute, most)
    for one, two in zip(joined(recorded), joined(recorded), strict=True):
        np.testing.assert_array_equal(one, two)
    assert len(calls) == (1 if most else 2)

"""Equations of motions: true after the filter, whatever the parts, without unusable samples."""

from dataclasses import replace

import numpy as np
import pytest
from identified_equations import cut, drawn, exact_motion, truth
from mechanics.closeness import assert_close
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import ParameterError, RobotDynamics
from robot_dynamics_ros.identification.motion_equations import (
    REST,
    Decimation,
    MotionEquations,
    ParallelFilter,
    at_rest,
)
from robot_dynamics_ros.identification.parameters import Load, ParameterLayout
from robot_dynamics_ros.recordings.low_pass import kernels

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
FIRST = ROBOT.model.joint_names[0]
GRAVITY = (0.3, -0.2, -9.7)
RATE, CUTOFF = 500.0, 10.0


@pytest.fixture(scope='module')
def motion():
    return exact_motion(ROBOT.native)


def joined(blocks):
    """Rows, right-hand sides, times and flags of all blocks."""
    blocks = list(blocks)
    names = ('rows', 'torques', 'times', 'used')
    return tuple(np.concatenate([getattr(block, name) for block in blocks]) for name in names)


def made(motions, layout=LAYOUT, recording='', levels=np.inf, **options):
    made = MotionEquations(layout, ROBOT.native, effort_levels=levels, **options)
    return joined(made.of_motions(motions, recording))


@pytest.mark.parametrize('cutoff', [None, 8.0])
def test_the_filter_leaves_the_equations_true(motion, cutoff):
    """Also where Coulomb friction jumps, and so for the samples of the dead band."""
    rows, torques, _, _ = made([motion], cutoff=cutoff)
    assert_close(rows @ truth(LAYOUT), torques)


def test_equations_are_decimated_to_what_the_cutoff_leaves(motion):
    later = replace(motion, times=motion.times + 9.0, number=700)
    _, _, times, _ = made([later], cutoff=8.0)
    np.testing.assert_allclose(np.diff(times), 12 / motion.rate)
    assert np.abs(times - later.times[:, None]).min(axis=0).max() < 1e-9
    _, _, times, _ = made([motion])
    np.testing.assert_allclose(np.diff(times), 2 / motion.rate)


@pytest.mark.parametrize('options', [{}, {'cutoff': 8.0}])
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


def test_slow_joints_do_not_count(motion):
    """Of filtered equations those that are not slow for a tenth of the time do count."""
    motion = replace(motion, velocities=motion.velocities / 15.0)
    kinds = [joint.kind for joint in ROBOT.model.independent_joints]
    bands = np.where([kind == 'prismatic' for kind in kinds], 0.005, 0.02)
    for cutoff, share in ((None, 1.0), (8.0, 0.1)):
        _, _, times, used = made([motion], cutoff=cutoff)
        speeds = np.abs(motion.velocities[np.rint(times * motion.rate).astype(int)])
        slow = speeds < share * bands
        assert slow.any()
        assert not used[slow].any()
        assert used[speeds >= 2.0 * bands].mean() > 0.95


def with_limits(*efforts):
    """The robot with these effort limits."""
    joints = [
        replace(joint, limits=replace(joint.limits, effort=effort))
        for joint, effort in zip(ROBOT.model.joints, efforts, strict=True)
    ]
    return ParameterLayout(replace(ROBOT.model, joints=tuple(joints)))


@pytest.mark.parametrize('given', [True, False], ids=['given', 'of the URDF'])
def test_saturated_efforts_do_not_count(motion, given):
    level = 0.7 * np.abs(motion.efforts[:, 0]).max()
    limited = motion.efforts.copy()
    limited[:, 0] = np.clip(limited[:, 0], -level, level)
    clipped = replace(motion, efforts=limited)
    limits = [level, *(1e9,) * (len(LAYOUT.joints) - 1)]
    levels = [np.negative(limits), limits] if given else np.nan
    layout = with_limits(1e9 if given else level, *limits[1:])
    rows, torques, _, used = made([clipped], layout, cutoff=8.0, levels=levels)
    wrong = np.abs(rows @ truth(LAYOUT) - torques)[:, 0]
    scale = np.abs(torques[:, 0]).max()
    assert wrong.max() > 0.1 * scale
    # What is left of the weights of saturated samples in the equations that count.
    assert wrong[used[:, 0]].max() < 0.01 * scale
    assert used[:, 0].mean() > 0.1


def test_a_limit_that_efforts_exceed_is_not_where_they_saturate(motion):
    """Descriptions have placeholders: only efforts near the limit are left out."""
    low = 0.1 * np.abs(motion.efforts).max(axis=0)
    _, _, _, unlimited = made([motion])
    _, torques, _, used = made([motion], levels=[-low, low])
    near = (np.abs(torques) >= 0.98 * low) & (np.abs(torques) <= 1.05 * low)
    np.testing.assert_array_equal(used, unlimited & ~near)
    assert used.mean() > 0.5


def test_efforts_that_are_not_measured_do_not_count(motion):
    """Not finite, or of a joint whose effort is known to be none."""
    efforts = motion.efforts.copy()
    efforts[:, 1] = np.nan
    rows, torques, _, used = made([replace(motion, efforts=efforts)], cutoff=8.0)
    assert not used[:, 1].any()
    assert used[:, 0].any()
    assert np.isfinite(rows).all()
    assert np.isfinite(torques).all()
    used, usual = made([motion], unmeasured=(FIRST,))[3], made([motion])[3]
    assert not used[:, 0].any()
    np.testing.assert_array_equal(used[:, 1:], usual[:, 1:])
    # A limit that is negative is none.
    *_, used = made([motion], with_limits(*4 * (-5.0,)), levels=np.nan)
    np.testing.assert_array_equal(used, usual)


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
    with pytest.raises(ParameterError, match=FIRST):
        made([replace(motion, joints=('other', *motion.joints[1:]))])


def block_of(layout, dynamics, states, recording=''):
    return MotionEquations(layout, dynamics).of_samples(states, recording)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_nominal_parameters_give_inverse_dynamics(robot):
    states = drawn(robot.python)
    layout = ParameterLayout(robot.model, ())
    rows = block_of(layout, robot.python.with_gravity(GRAVITY), states).rows
    q, v, a = states.positions, states.velocities, states.accelerations
    expected = robot.python.with_gravity(GRAVITY).inverse_dynamics(q, v, a)
    assert_close(rows @ layout.nominal(), expected)


def test_a_load_of_known_mass_is_a_payload():
    """Its known mass is on the right-hand side; in other recordings the robot is bare."""
    robot, link = hand_written('fixed_links'), 'tip'
    mass, com, inertia = 1.3, (0.1, -0.2, 0.3), np.diag([0.02, 0.03, 0.04])
    loaded = RobotDynamics(robot.model.with_payload(link, mass, com, inertia), backend='python')
    about = inertia + mass * (np.dot(com, com) * np.eye(3) - np.outer(com, com))
    layout = ParameterLayout(robot.model, (), (Load('brick', link, 'one'),), {'brick m': mass})
    values = layout.nominal()
    rows, columns = [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]
    brick = [mass, *np.multiply(mass, com), *about[rows, columns]]
    values[layout.body_columns(len(robot.model.joints))] = brick
    states = drawn(robot.python)
    q, v, a = states.positions, states.velocities, states.accelerations
    for recording, dynamics in (('one', loaded), ('two', robot.python)):
        measured = replace(states, efforts=dynamics.inverse_dynamics(q, v, a))
        block = block_of(layout, robot.python, measured, recording)
        assert not block.rows[..., layout.is_known].any()
        assert_close(block.rows @ values, block.torques)


def test_efforts_of_known_and_unknown_gain():
    """A current times its gain is the torque, on whichever side of the equation it is."""
    gains = np.linspace(0.5, 3.0, ROBOT.model.size)
    known = {f'{ROBOT.model.joint_names[0]} gain': gains[0]}
    layout = ParameterLayout(ROBOT.model, ('gain',), known=known)
    values = layout.nominal()
    values[layout.columns('gain')] = gains
    states = drawn(ROBOT.python)
    q, v, a = states.positions, states.velocities, states.accelerations
    torques = ROBOT.python.inverse_dynamics(q, v, a)
    block = block_of(layout, ROBOT.python, replace(states, efforts=torques / gains))
    assert_close(block.rows @ np.where(layout.is_known, 0.0, values), block.torques)
    assert_close(block.torques[:, 0], torques[:, 0])
    assert not block.torques[:, 1:].any()


@pytest.fixture(scope='module')
def parallel():
    return ParallelFilter.of_motion(RATE, 4.0 * CUTOFF, CUTOFF)


@pytest.mark.parametrize('first', [0, 7])
def test_parts_of_a_segment_give_the_same(parallel, first):
    """Results lie at multiples of the step of the segment, wherever a motion begins."""
    samples = np.random.default_rng(0).normal(size=(3000, 3))
    kernel, step = parallel.kernel, parallel.step
    whole, parts = Decimation(kernel, step, first).push(samples), Decimation(kernel, step, first)
    found = [parts.push(one) for one in np.split(samples, [1, 400, 1234, 1235])]
    for expected, *pieces in zip(whole, *found, strict=True):
        np.testing.assert_allclose(np.concatenate(pieces), expected, atol=1e-12)
    assert not ((whole[1] - len(kernel) // 2) % step).any()


def test_slow_sines_pass_and_fast_ones_are_damped(parallel):
    """At half the cutoff 0.2 % of ripple."""
    times = np.arange(2000) / RATE
    sine = np.sin(np.pi * CUTOFF * times)[:, None]
    values, numbers = Decimation(parallel.kernel, parallel.step, 0).push(sine)
    np.testing.assert_allclose(values, sine[numbers], atol=2e-3)
    fast = np.sin(2.0 * np.pi * 1.6 * CUTOFF * times)
    damped, _ = Decimation(parallel.kernel, 1, 0).push(fast[:, None])
    assert np.abs(damped).max() < 3e-3


@pytest.mark.parametrize(('rate', 'passed', 'wanted'), [(500, 40, 10), (30, 7.5, None)])
def test_the_variance_of_a_mean_is_that_of_the_independent_equations(rate, passed, wanted):
    """White noise through both filters: var(mean) = var(y) / (independence N)."""
    parallel = ParallelFilter.of_motion(rate, passed, wanted)
    random = np.random.default_rng(1)
    motions = kernels(passed, rate)[0]
    # The filter of the motions, at each sample.
    samples, _ = Decimation(motions, 1, 0).push(random.normal(size=(3000, 250)))
    noise, _ = Decimation(parallel.kernel, parallel.step, 0).push(samples)
    expected = noise.var() / (parallel.independence * len(noise))
    assert noise.mean(axis=0).var() == pytest.approx(expected, rel=0.3)
    assert 0.5 < parallel.independence <= 1.0


def test_a_reversal_is_no_rest_and_a_stop_is():
    slow = np.zeros((400, 2), bool)
    slow[100 : 100 + round(90.0 * REST), 0] = True
    slow[300:, 1] = True
    found = at_rest(slow, 0.01)
    assert not found[:, 0].any()
    np.testing.assert_array_equal(found[:, 1], slow[:, 1])

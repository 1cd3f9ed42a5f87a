"""Each defect of a recording of the simulated arm gets its finding; no other is an instruction."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import COULOMB, JOINTS, TOOL_CENTER, TOOL_MASS, VISCOUS, simulated

pytestmark = pytest.mark.contract

# Of the drives, as currents [A/(N m)].
CURRENTS = np.array([0.12, 0.11, 0.12, 0.3, 0.28, 0.31])
STATE = ('positions', 'velocities', 'efforts')
INSTRUCTIONS = {'gravity_compensated', 'sign', 'delay', 'scale', 'payload', 'friction'}


def scaled(factor, joint=None):
    return simulated().with_efforts(lambda efforts: factor * efforts, joint)


def swapped(*order):
    return simulated().with_efforts(lambda efforts: efforts[:, list(order)])


def of_all(change):
    """Positions and velocities too, which changes the torque of every joint."""
    return replace(simulated(), **{one: change(getattr(simulated(), one)) for one in STATE})


def without_gravity(recorded):
    return replace(recorded, efforts=recorded.efforts - simulated().gravity)


def with_noise():
    noise = np.random.default_rng(3).normal(0.0, 200.0, len(simulated().times))
    return simulated().with_efforts(lambda effort: effort + noise, 'elbow')


def rubbing(share, joint):
    """With viscous friction beside that of the URDF."""
    v = simulated().velocities[:, JOINTS.index(joint)]
    return simulated().with_efforts(lambda e: e + share * np.std(e) * v / np.std(v), joint)


@pytest.mark.parametrize('seed', [1, 2])
def test_a_good_recording_has_no_findings(codes, seed):
    assert codes(simulated(seed=seed)) == []


@pytest.mark.parametrize(
    ('recorded', 'code', 'joints', 'value'),
    [
        (lambda: scaled(-1.0, 'base'), 'sign', ('base',), -1.0),
        (lambda: scaled(-1.0, 'flange'), 'sign', ('flange',), -1.0),
        (lambda: scaled(-1.0), 'sign', JOINTS, -1.0),
        (lambda: scaled(1.3, 'shoulder'), 'scale', ('shoulder',), 1.3),
        (lambda: scaled(0.6, 'elbow'), 'scale', ('elbow',), 0.6),
        (lambda: simulated().delayed(0.04), 'delay', JOINTS, 0.04),
        (lambda: simulated().delayed(-0.012), 'delay', JOINTS, -0.012),
        # Gravity does not load the base, whose axis is vertical.
        (lambda: simulated(tool=True), 'payload', JOINTS[1:], TOOL_MASS),
        (lambda: without_gravity(simulated()), 'gravity_compensated', JOINTS[1:], None),
        (with_noise, 'unexplained', ('elbow',), None),
        (lambda: scaled(5e-3, 'elbow'), 'scale', ('elbow',), 5e-3),
        (lambda: rubbing(0.025, 'base'), 'friction', ('base',), None),
        (lambda: of_all(lambda x: x * [1, 1, -1, 1, 1, 1]), 'sign', ('elbow',), -1.0),
        (lambda: of_all(lambda x: x[:, [0, 2, 1, 3, 4, 5]]), 'swapped', JOINTS[1:3], None),
        (lambda: of_all(lambda x: x[:, [4, 1, 2, 3, 0, 5]]), 'swapped', ('base', 'bend'), None),
    ],
)
def test_one_defect(only, recorded, code, joints, value):
    finding = only(recorded())
    assert (finding.code, finding.joints) == (code, joints)
    assert value is None or finding.value == pytest.approx(value, rel=0.02, abs=1e-3)


@pytest.mark.parametrize('order', [(2, 1, 0, 3, 4, 5), (1, 2, 0, 3, 4, 5), (0, 1, 2, 5, 4, 3)])
def test_exchanged_efforts(only, order):
    """The effort of `joint` is in the column of the joint whose place it took."""
    finding = only(swapped(*order))
    moved = [(joint, column) for column, joint in enumerate(order) if column != joint]
    assert (finding.code, len(finding.joints)) == ('swapped', len(moved))
    for joint, column in moved:
        assert f'of {JOINTS[joint]} under {JOINTS[column]}' in finding.message


def test_a_payload_has_its_link_and_centre(only):
    words = only(simulated(tool=True)).message
    centre = [float(x) for x in words.partition(' at (')[2].partition(')')[0].split(',')]
    assert 'flange_link' in words
    assert centre == pytest.approx(TOOL_CENTER, abs=0.01)


def test_gravity_compensated_by_a_driver_that_does_not_know_the_tool(compared):
    """The weight of the tool stays in the efforts."""
    found = {one.code: one for one in compared(without_gravity(simulated(tool=True))).findings}
    assert found.keys() == {'gravity_compensated', 'payload'}
    assert found['payload'].value == pytest.approx(TOOL_MASS, rel=0.02)


def test_gravity_compensated_by_a_driver_that_knows_the_tool_beside_a_sign(codes):
    """A load that explains some of the sign is superfluous once that is found."""
    recorded = simulated(tool=True)
    bare = replace(recorded, efforts=recorded.efforts - recorded.gravity)
    found = codes(bare.with_efforts(lambda effort: -effort, JOINTS[4]))
    assert {'gravity_compensated', 'sign'} <= {*found}
    assert 'payload' not in found


def test_a_payload_of_the_description_that_the_arm_does_not_carry(only):
    finding = only(simulated(), tool=True)
    assert (finding.code, finding.value) == ('payload', pytest.approx(-TOOL_MASS, rel=0.02))


def test_missing_friction(compared):
    comparison = compared(simulated(), friction=False)
    assert [one.code for one in comparison.findings] == ['friction'] * 6
    speeds = np.linspace(0.05, 1.5, 50)
    for joint, viscous, coulomb in zip(JOINTS, VISCOUS, COULOMB, strict=True):
        fit = comparison.joints[joint].friction
        known = viscous * speeds + coulomb
        assert fit.viscous * speeds + fit.coulomb == pytest.approx(known, rel=0.02)


def test_several_defects_at_once(compared, codes):
    delay, payload = compared(simulated(tool=True).delayed(0.012)).findings
    assert (delay.code, payload.code) == ('delay', 'payload')
    assert delay.value == pytest.approx(0.012, abs=1e-3)
    assert payload.value == pytest.approx(TOOL_MASS, rel=0.02)
    late = without_gravity(simulated()).delayed(0.012)
    found = codes(late, friction=False)
    assert found == ['gravity_compensated', 'delay', *['friction'] * 6]


def test_currents_of_an_arm_with_a_payload(compared):
    """Factors alone hide a load in part."""
    comparison = compared(simulated(tool=True).with_efforts(lambda efforts: CURRENTS * efforts))
    *factors, payload = comparison.findings
    assert {one.code for one in factors} == {'scale'}
    assert payload.value == pytest.approx(TOOL_MASS, rel=0.1)
    assert [one.value for one in factors] == pytest.approx(CURRENTS, rel=0.1)


def test_sign_and_factor_of_one_joint(compared):
    found = compared(scaled(-0.5, 'elbow')).findings
    assert [(one.code, one.joints) for one in found] == [
        ('sign', ('elbow',)),
        ('scale', ('elbow',)),
    ]
    assert found[1].value == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize('order', [[1, 2, 3, 4, 5, 0], [5, 4, 3, 2, 1, 0]])
def test_names_that_are_shifted_or_reversed(only, order):
    found = only(of_all(lambda x: x[:, order]))
    assert found.code == 'swapped'
    for column, joint in enumerate(order):
        assert f'{JOINTS[joint]} under {JOINTS[column]}' in found.message


def test_an_order_that_is_not_tried_is_unexplained(codes):
    """Positions in one order, efforts in another, which drifts: no exchange fits."""
    recorded = of_all(lambda x: x[:, [1, 2, 3, 4, 5, 0]])
    found = codes(replace(recorded, efforts=recorded.efforts[::-1, [3, 2, 5, 0, 1, 4]]))
    assert not {*found} & INSTRUCTIONS
    assert 'unexplained' in found


@pytest.mark.parametrize('factor', [0.96, 1.04])
def test_a_factor_near_one_is_none(codes, factor):
    assert 'scale' not in codes(simulated().with_efforts(lambda e: factor * e, 'base'))


def test_no_payload_where_parts_of_the_recording_disagree(codes):
    """The arm takes a load up after the first quarter."""
    recorded, loaded = simulated(), simulated(tool=True)
    later = recorded.times > np.quantile(recorded.times, 0.25)
    efforts = np.where(later[:, None], loaded.efforts, recorded.efforts)
    assert 'payload' not in codes(replace(recorded, efforts=efforts))


def test_the_deviation_of_a_payload_counts_errors_that_last(compared):
    """A slow error of an effort moves the mass more than white noise of the same size."""
    recorded = simulated(tool=True)
    wave = 1.5 * np.sin(2.0 * np.pi * 0.11 * recorded.times)
    comparison = compared(recorded.with_efforts(lambda effort: effort + wave, 'shoulder'))
    (found,) = [one for one in comparison.findings if one.code == 'payload']
    assert abs(found.value - TOOL_MASS) < found.half_width

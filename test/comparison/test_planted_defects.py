"""Each defect that is planted into a recording of the simulated arm gets its verdict, no other."""

import numpy as np
import pytest

pytest.importorskip('mujoco')

from dataclasses import replace

from simulated_recordings import COULOMB, JOINTS, TOOL_CENTER, TOOL_MASS, VISCOUS, simulated

pytestmark = pytest.mark.contract

# Of the drives, as currents [A/(N m)].
CURRENTS = np.array([0.12, 0.11, 0.12, 0.3, 0.28, 0.31])


def codes(comparison):
    return [finding.code for finding in comparison.findings]


def only(comparison):
    """The only finding."""
    assert len(comparison.findings) == 1, [str(finding) for finding in comparison.findings]
    return comparison.findings[0]


def swapped(recorded, *order):
    return recorded.with_efforts(lambda efforts: efforts[:, list(order)])


@pytest.mark.parametrize('seed', [1, 2, 3])
def test_a_good_recording_has_no_findings(compared, seed):
    assert codes(compared(simulated(seed=seed))) == []


@pytest.mark.parametrize('joint', ['base', 'elbow', 'flange'])
def test_sign_of_one_joint(compared, joint):
    finding = only(compared(simulated().with_efforts(np.negative, joint)))
    assert (finding.code, finding.joints, finding.value) == ('sign', (joint,), -1.0)


def test_sign_of_all_joints(compared):
    finding = only(compared(simulated().with_efforts(np.negative)))
    assert (finding.code, finding.joints) == ('sign', JOINTS)


@pytest.mark.parametrize(
    ('order', 'joints'),
    [
        ((0, 2, 1, 3, 4, 5), ('shoulder', 'elbow')),
        # As drivers do that list the elbow first.
        ((2, 1, 0, 3, 4, 5), ('base', 'elbow')),
        ((1, 2, 0, 3, 4, 5), ('base', 'shoulder', 'elbow')),
        ((0, 1, 2, 5, 4, 3), ('roll', 'flange')),
    ],
)
def test_exchanged_efforts(compared, order, joints):
    finding = only(compared(swapped(simulated(), *order)))
    assert (finding.code, finding.joints) == ('exchanged', joints)
    # The effort of `joint` is in the column of the joint whose place it took.
    for column, joint in enumerate(order):
        if column != joint:
            assert f'that of {JOINTS[joint]} under {JOINTS[column]}' in finding.message


@pytest.mark.parametrize('delay', [0.012, 0.04, -0.012])
def test_delay(compared, delay):
    comparison = compared(simulated().delayed(delay))
    finding = only(comparison)
    assert (finding.code, finding.joints) == ('delay', JOINTS)
    assert finding.value == pytest.approx(delay, abs=1e-3)
    for joint in JOINTS[:3]:
        assert comparison.joints[joint].delay == pytest.approx(delay, abs=2e-3)


@pytest.mark.parametrize(('joint', 'factor'), [('shoulder', 1.3), ('elbow', 0.6), ('bend', 1.8)])
def test_factor_of_one_joint(compared, joint, factor):
    recorded = simulated().with_efforts(lambda effort: factor * effort, joint)
    finding = only(compared(recorded))
    assert (finding.code, finding.joints) == ('factor', (joint,))
    assert finding.value == pytest.approx(factor, rel=0.02)


def test_currents(compared):
    comparison = compared(simulated().with_efforts(lambda efforts: CURRENTS * efforts))
    factors = comparison.findings
    assert [finding.code for finding in factors] == ['factor'] * 6
    assert [finding.joints for finding in factors] == [(joint,) for joint in JOINTS]
    found = [finding.value for finding in factors]
    assert found == pytest.approx(CURRENTS, rel=0.03)


def test_missing_payload(compared):
    finding = only(compared(simulated(tool=True)))
    # Gravity does not load the base, whose axis is vertical.
    assert (finding.code, finding.joints) == ('payload', JOINTS[1:])
    assert finding.value == pytest.approx(TOOL_MASS, rel=0.02)
    assert 'flange_link' in finding.message
    written = finding.message.partition('centre at (')[2].partition(')')[0]
    assert [float(x) for x in written.split(',')] == pytest.approx(TOOL_CENTER, abs=0.01)


def test_payload_of_the_description_that_the_arm_does_not_carry(compared):
    finding = only(compared(simulated(), tool=True))
    assert finding.code == 'payload'
    assert finding.value == pytest.approx(-TOOL_MASS, rel=0.02)


def test_gravity_compensated_by_the_driver(compared):
    recorded = simulated()
    finding = only(compared(replace(recorded, efforts=recorded.efforts - recorded.gravity)))
    assert finding.code == 'gravity_compensated'
    # The axis of the base is vertical.
    assert finding.joints == JOINTS[1:]


def test_gravity_compensated_by_a_driver_that_does_not_know_the_tool(compared):
    """The weight of the tool stays in the efforts."""
    recorded, described = simulated(tool=True), simulated().gravity
    comparison = compared(replace(recorded, efforts=recorded.efforts - described))
    assert sorted(codes(comparison)) == ['gravity_compensated', 'payload']
    payload = next(one for one in comparison.findings if one.code == 'payload')
    assert payload.value == pytest.approx(TOOL_MASS, rel=0.02)


def test_missing_friction(compared):
    comparison = compared(simulated(), friction=False)
    assert codes(comparison) == ['friction'] * 6
    speeds = np.linspace(0.05, 1.5, 50)
    for joint, viscous, coulomb in zip(JOINTS, VISCOUS, COULOMB, strict=True):
        fit = comparison.joints[joint].friction
        known = viscous * speeds + coulomb
        assert fit.viscous * speeds + fit.coulomb == pytest.approx(known, rel=0.02)
        assert 'at the RMS speed, ' in comparison.findings[JOINTS.index(joint)].message


def test_friction_of_the_description_that_the_arm_does_not_have(compared):
    recorded = simulated()
    friction = np.array(VISCOUS) * recorded.velocities + COULOMB * np.sign(recorded.velocities)
    comparison = compared(replace(recorded, efforts=recorded.efforts - friction))
    assert set(codes(comparison)) == {'friction'}


def test_payload_and_delay(compared):
    comparison = compared(simulated(tool=True).delayed(0.012))
    assert codes(comparison) == ['delay', 'payload']
    delay, payload = comparison.findings
    assert delay.value == pytest.approx(0.012, abs=1e-3)
    assert payload.value == pytest.approx(TOOL_MASS, rel=0.02)


def test_gravity_delay_and_missing_friction(compared):
    recorded = simulated()
    recorded = replace(recorded, efforts=recorded.efforts - recorded.gravity).delayed(0.012)
    assert codes(compared(recorded, friction=False)) == [
        'gravity_compensated', 'delay', *['friction'] * 6,
    ]  # fmt: skip


def test_currents_of_an_arm_with_a_payload(compared):
    """Factors alone hide a load in part."""
    comparison = compared(simulated(tool=True).with_efforts(lambda efforts: CURRENTS * efforts))
    assert set(codes(comparison)) == {'factor', 'payload'}
    *factors, payload = comparison.findings
    assert payload.value == pytest.approx(TOOL_MASS, rel=0.1)
    assert [one.value for one in factors] == pytest.approx(CURRENTS, rel=0.1)


def test_sign_and_factor_of_one_joint(compared):
    comparison = compared(simulated().with_efforts(lambda effort: -0.5 * effort, 'elbow'))
    assert codes(comparison) == ['sign', 'factor']
    assert {finding.joints for finding in comparison.findings} == {('elbow',)}
    assert comparison.findings[1].value == pytest.approx(0.5, rel=0.02)


def test_an_effort_that_nothing_explains(compared):
    recorded = simulated()
    noise = np.random.default_rng(3).normal(0.0, 200.0, len(recorded.times))
    finding = only(compared(recorded.with_efforts(lambda effort: effort + noise, 'elbow')))
    assert (finding.code, finding.joints) == ('unexplained', ('elbow',))


@pytest.mark.parametrize('pair', [('shoulder', 'elbow'), ('base', 'bend')])
def test_exchanged_names(compared, pair):
    """Positions and velocities too, which changes the torque of every joint."""
    first, second = sorted(JOINTS.index(joint) for joint in pair)
    columns = list(range(6))
    columns[first], columns[second] = second, first
    recorded = simulated()
    names = ('positions', 'velocities', 'efforts')
    finding = only(
        compared(replace(recorded, **{one: getattr(recorded, one)[:, columns] for one in names}))
    )
    assert (finding.code, set(finding.joints)) == ('exchanged', set(pair))
    assert 'Positions' in finding.message


def test_joint_that_turns_the_other_way(compared):
    signs = np.array([1, 1, -1, 1, 1, 1])
    recorded = simulated()
    names = ('positions', 'velocities', 'efforts')
    turned = {one: signs * getattr(recorded, one) for one in names}
    finding = only(compared(replace(recorded, **turned)))
    assert (finding.code, finding.joints) == ('sign', ('elbow',))
    assert 'Positions' in finding.message

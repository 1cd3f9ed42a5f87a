"""Recordings that no finding fits get none that gives an instruction."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, TOOL_MASS, simulated

INSTRUCTIONS = {'gravity_compensated', 'sign', 'delay', 'scale', 'payload', 'friction'}


def reordered(recorded, order):
    """Under the name of joint k the state of joint order[k]."""
    signals = ('positions', 'velocities', 'efforts')
    return replace(recorded, **{one: getattr(recorded, one)[:, order] for one in signals})


@pytest.mark.parametrize('order', [[1, 2, 3, 4, 5, 0], [5, 4, 3, 2, 1, 0]])
def test_names_that_are_shifted_or_reversed(only, order):
    found = only(reordered(simulated(), order))
    assert found.code == 'swapped'
    for column, joint in enumerate(order):
        assert f'{JOINTS[joint]} under {JOINTS[column]}' in found.message


def test_an_order_that_is_not_tried_is_unexplained(codes):
    """Positions in one order, efforts in another, which drifts: no exchange fits."""
    recorded = reordered(simulated(), [1, 2, 3, 4, 5, 0])
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

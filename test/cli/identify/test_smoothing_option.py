"""`robot_dynamics identify --friction-smoothing`."""

from dataclasses import replace

import pytest

pytest.importorskip('mujoco')
pytest.importorskip('cvxpy')
pytest.importorskip('rosbags')

from identified_recordings import JOINTS

from robot_dynamics_ros.cli.identify.effort_options import friction_smoothing
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.friction import SMOOTHING
from robot_dynamics_ros.identification import identify


def test_a_smoothing_is_a_speed_or_is_to_be_found():
    assert friction_smoothing('0.05') == 0.05
    assert friction_smoothing('auto') is None
    for text in ('soon', '0', '-0.1', 'nan', 'inf'):
        with pytest.raises(ParameterError, match=f'--friction-smoothing {text}: auto is needed'):
            friction_smoothing(text)


def test_a_smoothing_that_is_given_is_used_and_not_searched(identified):
    _, result = identified('good.csv', '--friction-smoothing', '0.08', target='given')
    found = {row['name']: row['value'] for row in result['joint_parameters']}
    assert [found[f'{joint} smoothing'] for joint in JOINTS] == [0.08] * len(JOINTS)
    assert 'smoothing v_0' in ' '.join(result['verdict'])


def test_where_no_other_smoothing_is_certain_nothing_is_fitted_again(identified, monkeypatch):
    found = []

    def counted(*arguments, **options):
        found.append(identify(*arguments, **options))
        return replace(found[-1], other_friction=JOINTS[:1])

    module = 'robot_dynamics_ros.cli.identify.fitted_model'
    monkeypatch.setattr(f'{module}.identify', counted)
    usual = (SMOOTHING,) * len(JOINTS)
    monkeypatch.setattr(f'{module}.certain_smoothings', lambda *arguments: usual)
    _, result = identified('good.csv', target='usual')
    assert len(found) == 1
    assert any('near reversals' in text for text in result['verdict'])

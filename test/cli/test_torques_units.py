"""`robot_dynamics torques` says what `compare` says of a motion: its unit, and its velocities."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import three_joints

pytest.importorskip('rosbags')

from recorded_states import csv_file, sine_states

from robot_dynamics_ros.cli.command_line import main

DEGREES = 180.0 / np.pi
UNLIMITED = re.sub('<limit.*?/>', '', three_joints.URDF).replace('"revolute"', '"continuous"')


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a subcommand in this process; exit code, stdout, and the JSON result."""
    monkeypatch.chdir(tmp_path)
    Path('arm.urdf').write_text(three_joints.URDF)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments), '--json', 'result.json'])
        return (
            ended.value.code,
            capsys.readouterr().out,
            json.loads(Path('result.json').read_text()),
        )

    return run


def in_degrees(name, rate, angle=DEGREES, slower=8.0):
    """A file of 48 s at a rate [Hz], slow enough that steps in degrees are no jumps."""
    states = sine_states(rate=slower * rate, seconds=48.0 / slower)
    scale = np.array([angle, 1.0, angle])
    states = replace(
        states,
        names=three_joints.JOINTS,
        stamps=states.stamps[0] + np.rint(slower * (states.stamps - states.stamps[0])).astype(int),
        positions=scale * states.positions,
        velocities=scale / slower * states.velocities,
    )
    return csv_file(Path(name), states)


@pytest.mark.parametrize('rate', [30.0, 250.0])
def test_degrees_are_said_in_the_words_of_compare(run, rate):
    in_degrees('degrees.csv', rate)
    code, said, result = run('torques', 'degrees.csv', '--urdf', 'arm.urdf', '--output', 'o.csv')
    (found,) = result['recordings'][0]['findings']
    assert code == 1
    assert (found['code'], found['joints'][-1]) == ('units', 'wrist')
    assert found['message'].endswith('torques are wrong.')
    assert found['message'] in said
    compared = run('compare', 'degrees.csv', '--urdf', 'arm.urdf')[2]['findings'][0]
    assert compared['joints'] == found['joints']
    sentence = re.compile(r'(\S+) rad \(limit 2\)')
    assert sentence.search(compared['message'])[1] == sentence.search(found['message'])[1]


def test_radians_are_not_doubted(run):
    in_degrees('radians.csv', 250.0, 1.0)
    code, _, result = run('torques', 'radians.csv', '--urdf', 'arm.urdf', '--output', 'o.csv')
    assert (code, result['recordings'][0]['findings']) == (0, [])


@pytest.mark.parametrize('factor', [DEGREES, 0.0])
def test_velocities_that_are_not_those_of_the_positions_are_said(run, factor):
    states = replace(sine_states(), names=three_joints.JOINTS)
    csv_file(Path('wrong.csv'), replace(states, velocities=factor * states.velocities))
    code, said, result = run('torques', 'wrong.csv', '--urdf', 'arm.urdf', '--output', 'o.csv')
    (found,) = result['recordings'][0]['findings']
    assert code == 1
    assert (found['code'], found['joints']) == ('units', list(three_joints.JOINTS))
    assert found['value'] == pytest.approx(factor, rel=0.01)
    assert found['message'].endswith('torques are wrong.')
    assert found['message'] in said


def test_jumps_of_a_robot_without_limits_are_a_finding_once(run):
    Path('arm.urdf').write_text(UNLIMITED)
    in_degrees('degrees.csv', 100.0, slower=1.5)
    options = ['--urdf', 'arm.urdf', '--output', 'o.csv', '--cutoff', 20]
    code, said, result = run('torques', 'degrees.csv', *options)
    (found,) = result['recordings'][0]['findings']
    assert code == 1
    assert found['message'].endswith('torques are wrong.')
    assert said.count('in degrees') == 1

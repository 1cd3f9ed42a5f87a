"""What the demo prints: JSON on request only, and the verdict last."""

import json

import pytest

from robot_dynamics_ros.demo import observer
from robot_dynamics_ros.demo.verdict import Figure, JointRow, Verdict

VERDICT = Verdict(
    'ur5',
    [Figure('drift', 'held: drift', 0.002, 'rad', at_most=0.001)],
    [JointRow('elbow', 'rad', 0.02, 0.01, 0.001)],
)


@pytest.mark.parametrize('asked', [False, True])
def test_json_is_printed_on_request_and_the_verdict_is_last(asked, capsys):
    observer.show(VERDICT, as_json=asked)
    *lines, last = capsys.readouterr().out.splitlines()
    assert last == 'demo: FAILED'
    printed = [json.loads(line) for line in lines if line.startswith('{')]
    assert printed == ([json.loads(VERDICT.json())] if asked else [])

"""docs/theory.md leads somewhere: every file, function and test that it names exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = {
    'The three-link arm': ROOT / 'examples/three_link_arm',
    'Identification': ROOT / 'robot_dynamics_ros/identification',
    'Payload': ROOT / 'robot_dynamics_ros/control/payload_estimation',
    'External torques': ROOT / 'robot_dynamics_ros',
}


def rows():
    section = ''
    for line in (ROOT / 'docs/theory.md').read_text().splitlines():
        if line.startswith('## '):
            section = line[3:]
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if section and len(cells) == 4 and cells[0] not in ('source', '---'):
            yield pytest.param(section, cells[2], cells[3], id=f'{cells[0]} {cells[1]}')


@pytest.mark.parametrize(('section', 'code', 'proof'), list(rows()))
def test_row_leads_to_code_and_test(section, code, proof):
    path, *names = re.findall('`([^`]+)`', code)
    text = (CODE.get(section, ROOT / 'robot_dynamics_ros/core') / path).read_text()
    assert all(re.search(rf'^(def|class) {name}\b', text, re.MULTILINE) for name in names)
    path, name = re.findall('`([^`]+)`', proof)
    text = (ROOT / ('test' if '/' in path else 'test/sources') / path).read_text()
    found = re.search(rf'^(@ROBOTS\n)?def {name}\(', text, re.MULTILINE)
    assert found
    assert bool(found[1]) == proof.endswith('*'), 'marked * if it runs on every robot'


def test_there_are_rows():
    assert len(list(rows())) > 30

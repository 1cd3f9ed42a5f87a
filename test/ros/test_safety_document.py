"""docs/safety.md promises nothing that no test provokes."""

import re
from pathlib import Path

import pytest

from robot_dynamics_ros.ros.parameters.node_table import TABLE

ROOT = Path(__file__).resolve().parents[2]
HEAD = '| fault | what the node does | within | parameter | test |'


def faults():
    text = (ROOT / 'docs/safety.md').read_text()
    table = text.partition(f'{HEAD}\n|---|---|---|---|---|\n')[2].partition('\n\n')[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        yield pytest.param(*cells, id=cells[0])


@pytest.mark.parametrize(('fault', 'reaction', 'within', 'parameter', 'tests'), list(faults()))
def test_each_fault_names_tests_and_parameters_that_exist(
    fault, reaction, within, parameter, tests
):
    assert reaction
    assert within
    for name in re.findall('`(\\w+)[:`]', parameter):
        assert name in TABLE.rows or name == 'use_sim_time'
    named = re.findall(r'`([\w/]+\.py)::(\w+)`', tests)
    assert named
    for file, test in named:
        text = (ROOT / 'test' / file).read_text()
        assert re.search(rf'^def {test}\(', text, re.MULTILINE), test


def test_there_are_faults():
    assert len(list(faults())) > 20

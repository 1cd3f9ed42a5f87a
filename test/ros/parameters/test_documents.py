"""The documents of the parameters are those that the tables give."""

import importlib.util
from pathlib import Path

import pytest
import yaml

from robot_dynamics_ros.ros.parameters.documents import (
    between_markers,
)
from robot_dynamics_ros.ros.parameters.node_table import TABLE

ROOT = Path(__file__).resolve().parents[3]


def script():
    spec = importlib.util.spec_from_file_location('parameters', ROOT / 'scripts/parameters.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAMES = ('config/robot_dynamics.yaml', 'docs/parameters.md', 'docs/simulated_arm.md')


def test_the_script_writes_these_documents(tmp_path):
    script().main(tmp_path)
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob('*') if path.is_file()}
    assert written == set(NAMES)


@pytest.mark.parametrize('name', NAMES)
def test_the_document_is_that_of_the_table(name):
    written, present = script().documents()[name], (ROOT / name).read_text()
    assert present == written, f'{name} differs from the table: run python -m scripts.parameters'


def test_the_parameter_file_gives_every_parameter_its_default():
    text = (ROOT / 'config/robot_dynamics.yaml').read_text()
    values = yaml.safe_load(text)['/**']['ros__parameters']
    # ROS cannot read an empty map from a file: it stands in a comment.
    rows = TABLE.rows.items()
    assert values == {name: row.default for name, row in rows if not row.is_map}
    assert list(values) == [name for name, row in rows if not row.is_map]
    assert all(f'# {name}: {{' in text for name, row in rows if row.is_map)
    assert text.startswith('# config/robot_dynamics.yaml')
    assert max(map(len, text.splitlines())) <= 99


@pytest.mark.parametrize('document', ['', '<!-- m -->\n', '<!-- m -->\n<!-- end of m -->\n' * 2])
def test_a_document_without_its_markers_is_refused(document):
    with pytest.raises(ValueError, match='<!-- end of m -->'):
        between_markers(document, 'm', 'text\n')


def test_only_what_is_between_the_markers_is_replaced():
    document = 'before\n<!-- m -->\nold\n<!-- end of m -->\nafter\n'
    assert between_markers(document, 'm', 'new\n') == document.replace('old', 'new')

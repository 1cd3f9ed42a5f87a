"""The docstrings of packages that list their modules list those that are there."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / 'robot_dynamics_ros'


@pytest.mark.parametrize('room', ['demo', 'simulation'])
def test_the_docstring_lists_every_module_and_no_other(room):
    folder = PACKAGE / room
    module = ast.parse((folder / '__init__.py').read_text())
    docstring = ast.get_docstring(module, clean=False)
    listed = re.findall(r'^ {4}(\w+) ', docstring, re.MULTILINE)
    assert sorted(listed) == sorted(
        path.stem for path in folder.glob('*.py') if path.stem != '__init__'
    )

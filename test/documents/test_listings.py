"""A module is found by its name: listings are complete, and no name stands for two modules."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / 'robot_dynamics_ros'


@pytest.mark.parametrize('room', ['cli', 'demo', 'simulation'])
def test_the_docstring_lists_every_module_and_no_other(room):
    folder = PACKAGE / room
    module = ast.parse((folder / '__init__.py').read_text())
    docstring = ast.get_docstring(module, clean=False)
    listed = re.findall(r'^ {4}(\w+) ', docstring, re.MULTILINE)
    assert sorted(listed) == sorted(
        path.stem for path in folder.glob('*.py') if path.stem != '__init__'
    )


def test_no_two_modules_have_one_name():
    names = Counter(path.stem for path in PACKAGE.rglob('*.py') if path.stem != '__init__')
    assert [name for name, count in names.items() if count > 1] == []

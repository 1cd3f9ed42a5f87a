"""The documents: links lead somewhere, and the Python runs."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract

ROOT = Path(__file__).resolve().parents[2]
# In docs/, README.md is a link to that of the root.
DOCUMENTS = [
    ROOT / 'README.md',
    *(path for path in sorted((ROOT / 'docs').glob('*.md')) if not path.is_symlink()),
]


def test_links_within_the_repository_lead_somewhere():
    for document in DOCUMENTS:
        for target in re.findall(r'\]\(([^)#]+)\)', document.read_text()):
            if '://' not in target:
                assert (document.parent / target).exists(), f'{document.name}: {target}'


@pytest.mark.parametrize('document', ['README.md', 'docs/api.md', 'docs/first_torque.md'])
def test_the_python_of_a_document_runs_in_a_fresh_clone(document):
    """As it stands, block after block, in the folder that the document names."""
    blocks = re.findall(r'^```python\n(.*?)^```', (ROOT / document).read_text(), re.DOTALL | re.M)
    assert blocks
    result = subprocess.run(
        [sys.executable, '-c', '\n'.join(blocks)],
        cwd=ROOT / 'examples/three_link_arm',
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=120.0,
    )
    assert result.returncode == 0, result.stderr


def test_the_code_and_tests_of_the_theory_are_where_it_says():
    text, rows = (ROOT / 'docs/theory.md').read_text(), 0
    code, tests = 'robot_dynamics_ros/core/', 'test/sources/'
    for section in text.split('\n## '):
        bases = re.search(r'Paths of code are\s+relative to `([^`]+)`', section)
        own = re.search(r'tests to `([^`]+)`', section)
        places = (
            [ROOT / (bases[1] if bases else code)],
            [ROOT / (own[1] if own else tests), ROOT / 'test'],
        )
        for row in re.findall(r'^\|.*\.py`.*\|$', section, re.M):
            for cell, folders in zip(row.split('|')[-3:-1], places, strict=True):
                file, *names = re.findall(r'`([^`]+)`', cell)
                found = [folder / file for folder in folders if (folder / file).is_file()]
                assert found, f'{file} of {row}'
                assert all(name in found[0].read_text() for name in names), row
                rows += 1
    assert rows > 100


def test_the_files_that_contributors_are_sent_to_exist():
    named = re.findall(r'`([\w/]+/[\w.]+\.(?:py|xml|md))`', (ROOT / 'CONTRIBUTING.md').read_text())
    folders = ROOT, ROOT / 'robot_dynamics_ros'
    assert [file for file in named if not any((at / file).is_file() for at in folders)] == []
    assert named


def test_the_transitions_are_those_of_the_table():
    """If not: python -m scripts.transitions."""
    written = runpy.run_path(str(ROOT / 'scripts/transitions.py'))['documents']()
    assert {name: (ROOT / name).read_text() for name in written} == written

"""The documents: nothing is left to fill in, paths exist, and the Python of the README runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# In docs/, README.md is a link to that of the root.
DOCUMENTS = [
    ROOT / 'README.md',
    *(path for path in sorted((ROOT / 'docs').glob('*.md')) if not path.is_symlink()),
]
CONTRIBUTING = ROOT / 'CONTRIBUTING.md'
# Where the Python of the documents runs.
EXAMPLE = 'examples/three_link_arm'
# Names of variables and constants stand in code, links in parentheses or bare.
CODE_OR_LINK = re.compile(r'```.*?```|`[^`]*`|\]\([^)]*\)|https?://\S+', re.DOTALL)
PLACEHOLDER = re.compile(r'\b[A-Z]+(?:_[A-Z]+)+\b')
NOTE_TO_ONESELF = re.compile(r'\b(?:TODO|FIXME|XXX|TBD|TBA)\b')


def unfinished(text):
    return PLACEHOLDER.findall(CODE_OR_LINK.sub(' ', text)) + NOTE_TO_ONESELF.findall(text)


@pytest.mark.parametrize('document', [*DOCUMENTS, CONTRIBUTING], ids=lambda path: path.name)
def test_nothing_is_left_to_fill_in(document):
    assert unfinished(document.read_text()) == []


@pytest.mark.parametrize(
    ('text', 'found'),
    [
        ('measured:\n\nBENCH_TABLE\n', ['BENCH_TABLE']),
        ('TODO: say more', ['TODO']),
        ('`x = 1  # FIXME`', ['FIXME']),
        ('set `ROS_DOMAIN_ID`, see [here](A_B.md), on KUKA and UR5', []),
    ],
)
def test_what_counts_as_unfinished(text, found):
    assert unfinished(text) == found


def test_links_within_the_repository_lead_somewhere():
    for document in DOCUMENTS:
        for target in re.findall(r'\]\(([^)#]+)\)', document.read_text()):
            if '://' not in target:
                assert (document.parent / target).exists(), f'{document.name}: {target}'


def test_the_files_and_folders_that_contributing_names_exist():
    """Those of the package are named from its own folder."""
    named = re.findall(r'`([\w.]+/[\w./]*)`', CONTRIBUTING.read_text())
    assert len(named) > 30
    places = ROOT, ROOT / 'robot_dynamics_ros'
    missing = [path for path in named if not any((place / path).exists() for place in places)]
    # Made by scripts, not in the repository.
    assert set(missing) <= {'.venv', 'build/docs', 'install/'}


def test_the_map_of_contributing_shows_every_folder_of_the_package():
    package = ROOT / 'robot_dynamics_ros'
    tree = CONTRIBUTING.read_text().partition('## Where things are')[2].split('```')[1]
    shown, above = set(), []
    for indent, name in re.findall(r'^( *)(\w+)/ ', tree, re.M):
        above[len(indent) // 2 :] = [name]
        shown.add('/'.join(above))
    there = {
        path.parent.relative_to(package).as_posix() for path in package.rglob('*/__init__.py')
    }
    assert shown == there - {'.'}


def test_the_api_reference_shows_every_room():
    """But those that are commands and nodes."""
    rooms = {path.parent.name for path in (ROOT / 'robot_dynamics_ros').glob('*/__init__.py')}
    modules = (ROOT / 'docs' / 'api.md').read_text().partition('## All modules')[2]
    shown = re.findall(r'^   robot_dynamics_ros\.(\w+)$', modules, re.M)
    assert sorted(shown) == sorted(rooms - {'cli', 'demo', 'ros'})


def test_the_readme_names_every_parameter():
    """Those of the file that documents them, which a test of the node compares with the node."""
    config = (ROOT / 'config' / 'robot_dynamics.yaml').read_text()
    names = re.findall(r'^    (\w+):', config, re.M)
    assert len(names) > 20
    readme = DOCUMENTS[0].read_text()
    assert [name for name in names if f'`{name}`' not in readme] == []


def test_the_readme_names_every_service():
    listing = (ROOT / 'robot_dynamics_ros/ros/services/__init__.py').read_text()
    offered = re.findall(r"^        \('(~/\w+)', ", listing, re.M)
    assert len(offered) > 10
    readme = DOCUMENTS[0].read_text()
    assert [name for name in offered if f'`{name}`' not in readme] == []


def python_of(text):
    """The blocks of Python of a document."""
    return re.findall(r'^```python\n(.*?)^```', text, re.DOTALL | re.M)


def test_the_python_of_a_document_opens_files_where_the_document_says():
    """Not in the root, where Python would import sources without a C extension."""
    shown = 0
    for document in DOCUMENTS:
        text = document.read_text()
        for name in re.findall(r"open\('([^']+)'\)", ' '.join(python_of(text))):
            if name != 'arm.urdf':  # that of the reader
                assert (ROOT / EXAMPLE / name).is_file(), f'{document.name}: {name}'
                assert EXAMPLE in text, document.name
                shown += 1
    assert shown > 3


@pytest.mark.parametrize('document', ['README.md', 'docs/first_torque.md'])
def test_the_python_of_a_document_runs_in_a_fresh_clone(document):
    """As it stands, block after block, in the folder that the document names."""
    blocks = python_of((ROOT / document).read_text())
    assert len(blocks) >= 2
    result = subprocess.run(
        [sys.executable, '-c', '\n'.join(blocks)],
        cwd=ROOT / EXAMPLE,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=120.0,
    )
    assert (result.returncode, result.stderr) == (0, '')

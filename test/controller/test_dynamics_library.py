"""`export-c --library`: one symbol, and what the controller refuses."""

import json

import pytest
from click.testing import CliRunner
from driven_controller import driver, hash_of, strings, write_library
from exported_library import needs_compilers, run
from three_joints import JOINTS, LIMITED

from robot_dynamics_ros.cli.command_line import commands

pytestmark = needs_compilers

# With friction in its description.
URDF = LIMITED.replace('<axis', '<dynamics damping="0.7" friction="0.4"/><axis')
HASH = hash_of(URDF)


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('library')


@pytest.fixture(scope='module')
def library(folder):
    return write_library(folder / 'arm', URDF)


def refusal(folder, library, joints=JOINTS):
    """What the controller says of a library and its joints; empty if it takes them."""
    arguments = str(library).encode(), HASH.encode(), strings(joints), len(joints)
    return driver(folder).refusal(*arguments).decode()


def test_it_has_one_symbol(library):
    symbols = run('nm', '-D', '--defined-only', library).stdout.split()
    assert 'robot_dynamics_library' in symbols
    assert not [name for name in symbols if name.startswith('arm_')]


@pytest.mark.parametrize(
    ('joints', 'words'),
    [
        (JOINTS, []),
        (JOINTS[1:], []),
        (JOINTS[::-1], ['order']),
        (('turn', 'gripper'), ['gripper']),
    ],
)
def test_the_joints_are_named_in_its_order(library, folder, joints, words):
    said = refusal(folder, library, joints)
    assert bool(said) == bool(words)
    assert all(word in said for word in [*words, *(JOINTS if words else ())])


def changed(text):
    """A library whose source is changed."""
    return lambda source: source.replace(*text)


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        (changed(('    ROBOT_DYNAMICS_ABI, ', '    7, ')), ['version 7', 'takes version 2']),
        (changed(('robot_dynamics_library = {', 'another = {')), ['robot_dynamics_library']),
        (changed((HASH, '0' * 64)), ['0' * 64, HASH]),
        (changed((HASH, '')), ['unknown', HASH]),
        (changed(('recorded_q[3] = {', 'recorded_q[3] = {1.0 + ')), ['recorded']),
    ],
    ids=['version', 'symbol', 'hash', 'no hash', 'recorded state'],
)
def test_a_library_that_does_not_fit_is_named(library, folder, tmp_path, change, words):
    source = (library.parent / 'src/arm_library.c').read_text()
    assert change(source) != source
    (tmp_path / 'library.c').write_text(change(source))
    run('cc', '-shared', '-fPIC', '-I', library.parent / 'include', '-I', library.parent / 'src',
        tmp_path / 'library.c', library.parent / 'src/arm_dynamics.c',
        '-o', tmp_path / 'changed.so')  # fmt: skip
    said = refusal(folder, tmp_path / 'changed.so')
    assert all(word in said for word in ['changed.so', *words])


@pytest.mark.parametrize('content', [None, '', 'no library'])
def test_a_file_that_is_none_is_named(folder, tmp_path, content):
    file = tmp_path / 'arm.so'
    if content is not None:
        file.write_text(content)
    assert str(file) in refusal(folder, file)


def test_the_command_writes_package_and_library(folder, tmp_path, monkeypatch):
    """Without a compiler the package alone, as `--output` does."""
    (tmp_path / 'arm.urdf').write_text(URDF)
    for compiler, built in (('cc', 'three.so'), ('no_such_compiler', None)):
        monkeypatch.setenv('CC', compiler)
        target = tmp_path / compiler
        words = ['export-c', str(tmp_path / 'arm.urdf'), '--library', str(target), '--json', '-']
        ended = CliRunner().invoke(commands, words)
        assert ended.exit_code == 0, ended.output
        found = json.loads(ended.stdout)
        assert found['library'] == built
        assert 'src/three_library.c' in found['files']
        assert (target / 'three.so').exists() == (built is not None)
    assert not refusal(folder, tmp_path / 'cc/three.so')
